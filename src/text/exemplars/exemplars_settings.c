/* The ways to choose exemplars, and the settings, as tables. */
#include "base/settings_rows.h"
#include <conehull/exemplars.h>
#include <string.h>

static const ch_exemplars_method choosers[] = {
    {"facility", "facility location", CH_EXEMPLARS_FACILITY, CH_LOSS_L2, 1},
    {"robust-xray", "conical hull search in l1", CH_METHOD_XRAY, CH_LOSS_L1, 1},
    {"xray-l2", "conical hull search in l2", CH_METHOD_XRAY, CH_LOSS_L2, 1},
    {"xray-kl", "conical hull search, Kullback-Leibler", CH_METHOD_XRAY, CH_LOSS_KL, 1},
    {"xray-is", "conical hull search, Itakura-Saito", CH_METHOD_XRAY, CH_LOSS_IS, 1},
    {"spa", "successive projection", CH_METHOD_SPA, CH_LOSS_L2, 1},
    {"smrs", "row-sparse self-representation", CH_METHOD_SMRS, CH_LOSS_L2, 1},
    {"hottopixx", "linear program over all columns", CH_METHOD_HOTTOPIXX, CH_LOSS_L1, 0},
    {"kmeans", "k-means, nearest columns", CH_EXEMPLARS_KMEANS, CH_LOSS_L2, 0},
    {"random", "columns drawn at random", CH_EXEMPLARS_RANDOM, CH_LOSS_L2, 1},
    {"central", "facility location, then typical columns of groups", CH_EXEMPLARS_CENTRAL,
     CH_LOSS_L2, 0},
};

const ch_exemplars_method *ch_exemplars_method_at(int method) {
    int count = sizeof choosers / sizeof *choosers;
    return method >= 0 && method < count ? &choosers[method] : NULL;
}

int ch_exemplars_method_find(const char *name) {
    int found = sizeof choosers / sizeof *choosers - 1;
    while (found >= 0 && strcmp(choosers[found].name, name) != 0) found--;
    return found;
}

static const char *const methods[] = {"facility", "robust-xray", "xray-l2", "xray-kl",
                                      "xray-is",  "spa",         "smrs",    "hottopixx",
                                      "kmeans",   "random",      "central", NULL};
static const char *const similarities[] = {"cosine", "root", "hellinger", "l1", NULL};
int ch_exemplars_stand_alone(int method) {
    const ch_exemplars_method *way = ch_exemplars_method_at(method);
    return way && (way->method == CH_EXEMPLARS_FACILITY || way->method == CH_EXEMPLARS_CENTRAL ||
                   way->method == CH_EXEMPLARS_KMEANS);
}

ch_weighting ch_exemplars_weighting(const ch_exemplars_settings *settings, const ch_matrix *X) {
    ch_weighting choice = settings->weight;
    int compares = ch_exemplars_stand_alone(settings->method);
    int sparse = X->layout == CH_CSC;
    if (choice.values < 0) choice.values = compares && sparse ? CH_VALUE_LOGROOTIDF : CH_VALUE_RAW;
    if (choice.columns < 0 && sparse) choice.columns = compares ? CH_COLUMN_L2 : CH_COLUMN_L1;
    if (choice.columns < 0) choice.columns = CH_COLUMN_AS_IS;
    return choice;
}

static const char *const machines[] = {"squared", "hinge", "crammer", NULL};

#define AT(field) offsetof(ch_exemplars_settings, field)

static const ch_setting rows[] = {
    {"method", CH_SETTING_CHOICE, AT(method), 10, 0, 10, methods, "M",
     "how exemplars are chosen. central: facility location and k-means form groups, and each "
     "group is represented by a typical column near its mean. facility: facility location. "
     "robust-xray: conical hull search in l1. xray-l2, xray-kl, xray-is: conical hull search "
     "with other losses. spa: successive projection. smrs, hottopixx: optimisation over all "
     "columns. kmeans: the column nearest to the mean of each cluster. random: random columns"},
    {"splits", CH_SETTING_INT, AT(splits), 5, 1, 1e6, NULL, "N",
     "number of random splits into a training half and a test half; accuracies are means over the "
     "splits"},
    {"seed", CH_SETTING_INT, AT(seed), 0, 0, 9.2e18, NULL, "N",
     "seed of the random numbers; the same seed gives the same result"},
    {"svm", CH_SETTING_CHOICE, AT(svm), CH_SVM_SQUARED, 0, 2, machines, "K",
     "form of the linear SVM. squared: each class against the rest, with squared hinge loss. "
     "hinge: each class against the rest, with hinge loss. crammer: all classes at once (Crammer "
     "and Singer)"},
    {"cost", CH_SETTING_REAL, AT(cost), 1, 1e-9, 1e9, NULL, "C",
     "parameter C of the SVM, the weight of the training errors; larger values fit the training "
     "data more closely"},
    {"similarity", CH_SETTING_CHOICE, AT(similarity), CH_SIMILARITY_ROOT, 0, 3, similarities, "S",
     "central, facility: how the similarity of two columns x and y is measured. cosine: the cosine "
     "of their angle. root: the square root of the cosine. hellinger: sum of (x y)^(1/2). l1: 1 - "
     "|x - y|_1 / 2. For hellinger and l1 the columns are scaled to sum 1"},
    {"sample", CH_SETTING_INT, AT(sample), 0, 0, 2147483647, NULL, "N",
     "facility: if there are more than N columns, exemplars are chosen from a random sample of N "
     "columns (--seed). central: if there are more than N columns, the groups start from such a "
     "sample, but exemplars are chosen from all columns. The time grows with the square of N. "
     "0: 30,000 for facility and 10,000 for central"},
    {"longest", CH_SETTING_REAL, AT(longest), 8, 0, 1e9, NULL, "N",
     "central, facility, with text or other sparse data: a document (column) with more than N "
     "times as many different words as the median document is too long to be an exemplar, because "
     "it resembles all other documents by its length alone. At most the longest 5 % of the "
     "documents are excluded. 0: no document is too long"},
};

CHI_SETTINGS_TABLE(ch_exemplars_table, "exemplars", rows, ch_exemplars_settings)
