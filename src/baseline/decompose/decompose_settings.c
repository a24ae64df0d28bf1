/* The settings of the decompositions as tables, and the functions that free their results. */
#include "base/settings_rows.h"
#include "base/sized.h"
#include <conehull/decompose.h>

#define AT(field) offsetof(ch_rpca_settings, field)
static const ch_setting rpca_rows[] = {
    {"lambda", CH_SETTING_REAL, AT(lambda), 1, 1e-9, 1e9, NULL, "L",
     "weight of the sparse part, |S|_1, relative to the nuclear norm of the low-rank part L, in "
     "units of 1 / sqrt(max(rows, columns)); smaller values move more of X into S"},
    {"tol", CH_SETTING_REAL, AT(tol), 1e-7, 1e-12, 1e-1, NULL, "T",
     "the iterations end when |X - L - S|_F <= T * |X|_F"},
    {"growth", CH_SETTING_REAL, AT(growth), 1.5, 1.01, 10, NULL, "G",
     "factor by which the penalty grows in every iteration; values nearer to 1 are more accurate "
     "and slower"},
    {"iterations", CH_SETTING_INT, AT(iterations), 1000, 1, 1e6, NULL, "N",
     "maximum number of iterations"},
    {"keep-sparse", CH_SETTING_FLAG, AT(keep_sparse), 0, 0, 1, NULL, NULL,
     "also return the sparse part S"},
};
#undef AT
CHI_SETTINGS_TABLE(ch_rpca_table, "rpca", rpca_rows, ch_rpca_settings)

#define AT(field) offsetof(ch_factor_settings, field)
static const ch_setting factor_rows[] = {
    {"rank", CH_SETTING_INT, AT(rank), 1, 1, 1e6, NULL, "N",
     "number of columns of W and of rows of H"},
    {"tol", CH_SETTING_REAL, AT(tol), 1e-5, 1e-12, 1e-1, NULL, "T",
     "the iterations end when |X - W H - S|_F and the last change of S are both <= T * |X|_F"},
    {"iterations", CH_SETTING_INT, AT(iterations), 1000, 1, 1e6, NULL, "N",
     "maximum number of iterations of each random start"},
    {"restarts", CH_SETTING_INT, AT(restarts), 1, 1, 1e4, NULL, "N",
     "number of random starts; the result with the smallest |X - W H|_1 is returned"},
    {"seed", CH_SETTING_INT, AT(seed), 0, 0, 9.2e18, NULL, "N", "seed of the random starts"},
};
#undef AT
CHI_SETTINGS_TABLE(ch_factor_table, "factor", factor_rows, ch_factor_settings)

static const ch_setting median_rows[] = {
    {"radius", CH_SETTING_INT, offsetof(ch_median_settings, radius), 0, 0, 1e9, NULL, "N",
     "number of frames before and after the middle frame of the window; 0: the window holds all "
     "frames"},
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
