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
     "with --start words: method that selects the anchor words, as in 'conehull anchors'"},
    {"loss", CH_SETTING_CHOICE, AT(loss), CH_LOSS_L2, 0, CH_LOSS_KL, losses, "L",
     "with --start words: loss by which anchor words are selected and the first word probabilities "
     "of each topic are fitted"},
    {"profile", CH_SETTING_CHOICE, AT(profile), CH_PROFILE_WORDS, 0, 1, profiles, "P",
     "with --start words: how a candidate word is described. words: by the words that occur in the "
     "same documents. documents: by the documents that contain it, which are much sparser data"},
    {"weight", CH_SETTING_CHOICE, AT(weight), CH_VALUE_LOGTFIDF, 0, 3, weights, "W",
     "how counts are weighted. raw: counts as they are. log: log(1 + count). tfidf: count times "
     "idf, a factor that is smaller for words in many documents. logtfidf: log(1 + count) times "
     "idf"},
    {"start", CH_SETTING_CHOICE, AT(start), CH_TOPICS_DOCUMENTS, 0, 1, starts, "S",
     "what the topics start from. documents: documents that represent all documents. words: "
     "anchor words"},
    {"objective", CH_SETTING_CHOICE, AT(objective), CH_TOPICS_SQUARES, 0, 1, objectives, "O",
     "loss that the fit minimises. squares: squared errors of documents scaled to length 1. kl: "
     "Kullback-Leibler divergence"},
    {"min_df", CH_SETTING_INT, AT(min_df), 3, 1, 1e15, NULL, "N",
     "leave out words that occur in fewer than N documents"},
    {"max_df", CH_SETTING_REAL, AT(max_df), 0.5, 0, 1, NULL, "S",
     "leave out words that occur in more than this share of the documents, from 0 to 1"},
    {"anchor_df", CH_SETTING_REAL, AT(anchor_df), 0.01, 0, 1, NULL, "S",
     "with --start words: an anchor word must occur in at least this share of the documents, from "
     "0 to 1, and in at least 3 documents, because rare words occur together by chance"},
    {"candidates", CH_SETTING_INT, AT(candidates), 3000, 1, 20000, NULL, "N",
     "with --start words: maximum number of words from which anchor words are selected; the "
     "words that occur in the most documents are used"},
    {"refit", CH_SETTING_INT, AT(refit), 200, 0, 10000, NULL, "N",
     "maximum number of rounds of the fit. Each round fits the words of all topics, then the "
     "topics of all documents"},
    {"settled", CH_SETTING_REAL, AT(settled), 0.003, 0, 1, NULL, "S",
     "end the fit when a round improves it little. With --objective kl: when the round lowers the "
     "divergence by less than the share S. With squares: when the explained share of the squares "
     "grows by less than S / 10"},
    {"top", CH_SETTING_INT, AT(top), 10, 2, 1000, NULL, "N",
     "number of words listed for each topic"},
    {"relevance", CH_SETTING_REAL, AT(relevance), 0.6, 0, 1, NULL, "S",
     "the second list of words of a topic is sorted by S * log p(word | topic) + (1 - S) * "
     "log(p(word | topic) / p(word)). With S = 1, frequent words come first; with S = 0, words "
     "that occur in this topic only"},
    {"seed", CH_SETTING_INT, AT(seed), 0, 0, 9.2e18, NULL, "N",
     "seed of the random numbers; the same seed gives the same result"},
};

CHI_SETTINGS_TABLE(ch_topics_table, "topics", rows, ch_topics_settings)
