/* The ways to choose exemplars, and the settings, as tables. */
#include "base/settings_rows.h"
#include <conehull/exemplars.h>
#include <string.h>

static const ch_exemplars_method choosers[] = {
    {"robust-xray", "conical hull search in l1", CH_METHOD_XRAY, CH_LOSS_L1, 1},
    {"xray-l2", "conical hull search in l2", CH_METHOD_XRAY, CH_LOSS_L2, 1},
    {"xray-kl", "conical hull search, Kullback-Leibler", CH_METHOD_XRAY, CH_LOSS_KL, 1},
    {"xray-is", "conical hull search, Itakura-Saito", CH_METHOD_XRAY, CH_LOSS_IS, 1},
    {"spa", "successive projection", CH_METHOD_SPA, CH_LOSS_L2, 1},
    {"smrs", "row-sparse self-representation", CH_METHOD_SMRS, CH_LOSS_L2, 1},
    {"hottopixx", "linear program over all columns", CH_METHOD_HOTTOPIXX, CH_LOSS_L1, 0},
    {"random", "columns drawn at random", -1, CH_LOSS_L2, 1},
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

static const char *const methods[] = {"robust-xray", "xray-l2",   "xray-kl", "xray-is", "spa",
                                      "smrs",        "hottopixx", "random",  NULL};
static const char *const machines[] = {"squared", "hinge", "crammer", NULL};

#define AT(field) offsetof(ch_exemplars_settings, field)

static const ch_setting rows[] = {
    {"method", CH_SETTING_CHOICE, AT(method), 0, 0, 7, methods, "M",
     "robust-xray: conical hull search in l1; xray-l2, xray-kl, xray-is: with other losses; spa: "
     "successive projection; smrs, hottopixx: optimisation over all columns; random: drawn"},
    {"splits", CH_SETTING_INT, AT(splits), 5, 1, 1e6, NULL, "N",
     "random halves over which accuracies are averaged"},
    {"seed", CH_SETTING_INT, AT(seed), 0, 0, 9.2e18, NULL, "N", "seed of all random choices"},
    {"svm", CH_SETTING_CHOICE, AT(svm), CH_SVM_SQUARED, 0, 2, machines, "K",
     "linear SVM: one against the rest with squared hinge loss, with hinge loss, or all classes at "
     "once (Crammer and Singer)"},
    {"cost", CH_SETTING_REAL, AT(cost), 1, 1e-9, 1e9, NULL, "C",
     "C of the SVM: weight of the training errors"},
};

CHI_SETTINGS_TABLE(ch_exemplars_table, "exemplars", rows, ch_exemplars_settings)
