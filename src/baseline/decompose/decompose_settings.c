/* The settings of the decompositions as tables, and the functions that free their results. */
#include "base/settings_rows.h"
#include "base/sized.h"
#include <conehull/decompose.h>

#define AT(field) offsetof(ch_rpca_settings, field)
static const ch_setting rpca_rows[] = {
    {"lambda", CH_SETTING_REAL, AT(lambda), 1, 1e-9, 1e9, NULL, "L",
     "weight of |S|_1 against the nuclear norm of L, in units of 1 / sqrt(max(rows, columns)); "
     "smaller: more of X is considered sparse"},
    {"tol", CH_SETTING_REAL, AT(tol), 1e-7, 1e-12, 1e-1, NULL, "T",
     "done when |X - L - S|_F <= T * |X|_F"},
    {"growth", CH_SETTING_REAL, AT(growth), 1.5, 1.01, 10, NULL, "G",
     "growth of the penalty per iteration; nearer to 1 is more accurate and slower"},
    {"iterations", CH_SETTING_INT, AT(iterations), 1000, 1, 1e6, NULL, "N", "at most"},
    {"keep-sparse", CH_SETTING_FLAG, AT(keep_sparse), 0, 0, 1, NULL, NULL, "return S too"},
};
#undef AT
CHI_SETTINGS_TABLE(ch_rpca_table, "rpca", rpca_rows, ch_rpca_settings)

#define AT(field) offsetof(ch_factor_settings, field)
static const ch_setting factor_rows[] = {
    {"rank", CH_SETTING_INT, AT(rank), 1, 1, 1e6, NULL, "N", "columns of W and rows of H"},
    {"tol", CH_SETTING_REAL, AT(tol), 1e-5, 1e-12, 1e-1, NULL, "T",
     "done when |X - W H - S|_F and the last change of S are both <= T * |X|_F"},
    {"iterations", CH_SETTING_INT, AT(iterations), 1000, 1, 1e6, NULL, "N",
     "at most, for each restart"},
    {"restarts", CH_SETTING_INT, AT(restarts), 1, 1, 1e4, NULL, "N",
     "random starts; the lowest |X - W H|_1 seen is returned"},
    {"seed", CH_SETTING_INT, AT(seed), 0, 0, 9.2e18, NULL, "N", "seed of the random starts"},
};
#undef AT
CHI_SETTINGS_TABLE(ch_factor_table, "factor", factor_rows, ch_factor_settings)

static const ch_setting median_rows[] = {
    {"radius", CH_SETTING_INT, offsetof(ch_median_settings, radius), 0, 0, 1e9, NULL, "N",
     "frames before and after the middle of the window; 0: all frames"},
};
CHI_SETTINGS_TABLE(ch_median_table, "median", median_rows, ch_median_settings)

void ch_decomposition_free(ch_context *context, ch_decomposition *parts) {
    if (!parts) return;
    chi_free(context, parts->W);
    chi_free(context, parts->H);
    chi_free(context, parts->singular);
    chi_free(context, parts->S);
    chi_result_clear(parts);
}
