/* The settings of topics, as one table. */
#include "base/settings_rows.h"
#include <conehull/exemplars.h>
#include <conehull/topics.h>

static const char *const methods[] = {"xray", "spa", "hottopixx", "smrs", NULL};
static const char *const losses[] = {"l1", "l2", "kl", NULL};
static const char *const profiles[] = {"words", "documents", NULL};
static const char *const weights[] = {"raw", "log", "tfidf", "logtfidf", NULL};
static const char *const starts[] = {"documents", "words", NULL};
static const char *const objectives[] = {"squares", "kl", NULL};

#define AT(field) offsetof(ch_topics_settings, field)

static const ch_setting rows[] = {
    {"rank", CH_SETTING_INT, AT(rank), 20, 1, 1e5, NULL, "N", "number of topics"},
    {"method", CH_SETTING_CHOICE, AT(method), CH_METHOD_XRAY, 0, CH_METHOD_SMRS, methods, "M",
     "method that chooses anchor words, as in 'conehull anchors'"},
    {"loss", CH_SETTING_CHOICE, AT(loss), CH_LOSS_L2, 0, CH_LOSS_KL, losses, "L",
     "loss of that method and of the first p(word | topic)"},
    {"profile", CH_SETTING_CHOICE, AT(profile), CH_PROFILE_WORDS, 0, 1, profiles, "P",
     "data by which anchor words are chosen: words: the words that a word occurs together with; "
     "documents: the documents that contain it, which is much sparser"},
    {"weight", CH_SETTING_CHOICE, AT(weight), CH_VALUE_LOGTFIDF, 0, 3, weights, "W",
     "raw: counts; log: log(1 + count); tfidf: count times a factor that decreases with the "
     "number of documents containing the word; logtfidf: log(1 + count) times that factor"},
    {"start", CH_SETTING_CHOICE, AT(start), CH_TOPICS_DOCUMENTS, 0, 1, starts, "S",
     "topics start from documents that represent the others, or from anchor words"},
    {"objective", CH_SETTING_CHOICE, AT(objective), CH_TOPICS_SQUARES, 0, 1, objectives, "O",
     "loss minimised by the rounds: squared errors of documents scaled to length 1, or the "
     "Kullback-Leibler divergence"},
    {"min_df", CH_SETTING_INT, AT(min_df), 3, 1, 1e15, NULL, "N",
     "minimum number of documents containing a word"},
    {"max_df", CH_SETTING_REAL, AT(max_df), 0.5, 0, 1, NULL, "S",
     "maximum share of documents containing a word"},
    {"anchor_df", CH_SETTING_REAL, AT(anchor_df), 0.01, 0, 1, NULL, "S",
     "minimum share of documents containing an anchor word, and at least 3 documents: rare words "
     "occur with others by chance"},
    {"candidates", CH_SETTING_INT, AT(candidates), 3000, 1, 20000, NULL, "N",
     "maximum number of candidates for anchor words: those in most documents"},
    {"refit", CH_SETTING_INT, AT(refit), 200, 0, 10000, NULL, "N",
     "maximum number of rounds that fit the words of all topics, then the topics of all documents"},
    {"settled", CH_SETTING_REAL, AT(settled), 0.003, 0, 1, NULL, "S",
     "rounds end when one lowers the divergence by less than this share of it, or explains less "
     "than a tenth of this share more of the squares"},
    {"top", CH_SETTING_INT, AT(top), 10, 2, 1000, NULL, "N", "number of words listed per topic"},
    {"relevance", CH_SETTING_REAL, AT(relevance), 0.6, 0, 1, NULL, "S",
     "order of the second list of words: S log p(w | z) + (1 - S) log p(w | z) / p(w)"},
    {"seed", CH_SETTING_INT, AT(seed), 0, 0, 9.2e18, NULL, "N", "seed of all random choices"},
};

CHI_SETTINGS_TABLE(ch_topics_table, "topics", rows, ch_topics_settings)
