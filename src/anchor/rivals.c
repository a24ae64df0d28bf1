/* Which columns can maximise <d, X_j> / <p, X_j> at all: instead of a pass over X, the few that
 * can.
 *
 * The search for the exterior column has left an upper bound of every column's distance from the
 * cone. For any b >= 0, with r = X_j - A b,
 *
 *     <d, X_j> = d'A b + d'r <= |d|* |r|        if d'A <= 0, which D* satisfies (Lemma 3.1),
 *
 * where |.|* is the norm dual to that of the residual: the largest entry for l1, the length for l2.
 * A column is out when this over <p, X_j> is less than what some column scores. The exterior
 * column, being the farthest, scores high: of 100,000 columns of noisy mixtures a handful are left.
 *
 * Scores have the bits of the pass over X, and columns that are out could not even tie, so the
 * choice is the same. Cost: O(rows anchors + columns), and the columns that are left. */
#include "anchor/anchor.h"

#include <math.h>
#include <string.h>

enum {
    FIRST_ONES = 8, /* columns scored to know what must be reached                            */
    ADVANTAGE = 4,  /* how much dearer a column is by itself than in a pass, ...              */
    ADVANTAGE_OF_ROWS = 64 /* ... and where every entry is in a cache line of its own         */
};
/* A column is out when it is short by this share of max |d_i|, which no score exceeds: far more
 * than rounding, than a tie, and than what d'A <= 0 may lack. */
static const double MARGIN = 1e-7;

static double largest_entry(const double *x, int64_t count) {
    double most = 0;
    for (int64_t i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static double dual_norm(const chi_run *run, const double *x) {
    int64_t rows = run->X->rows;
    return run->measure->degree == 2 ? sqrt(chi_dot(x, x, rows)) : largest_entry(x, rows);
}

/* d'A <= 0 up to a tenth of the margin: by as much as (d'a_k)_+ / 1'a_k = v the bound above grows
 * by v p'A b <= v (<p, X_j> + |p|* |r|), and |r| <= |X_j|. */
static int nearly_feasible(const chi_run *run, double margin) {
    int64_t rows = run->X->rows;
    double most = 0, times = run->measure->degree == 2 ? 2 + sqrt((double)rows) : 3;
    for (int64_t k = 0; k < run->count; k++)
        most = fmax(most, chi_dot(run->d, run->cone.A + k * rows, rows) / run->cone.sums[k]);
    return most * times <= 0.1 * margin;
}

/* Only the search by bounds leaves any, and only for losses that are norms. */
static int applicable(const chi_run *run) {
    return run->set->exterior == CH_EXTERIOR_MAX && /* */
           !run->set->eager &&                      /* */
           run->measure->spread &&                  /* */
           run->count > 0;
}

/* run->score: what free columns can score at most, for others 0. In list, some that may score high:
 * the first of those as far away as the exterior column. Returns how many. */
static int64_t limit_scores(chi_run *run, int64_t *list) {
    double far = run->distance * (1 - CHI_TIE), slope = dual_norm(run, run->d);
    int64_t found = 0;
    for (int64_t j = 0; j < run->X->cols; j++) {
        double bound = run->far.bound[j];
        run->score[j] = 0;
        if (run->role[j] != CHI_FREE) continue;
        if (bound >= far && found < FIRST_ONES) list[found++] = j;
        double distance = chi_residual(run->measure, bound + CHI_TIE * run->size[j]);
        run->score[j] = slope * distance / run->weight[j];
    }
    return found;
}

/* The columns whose limit is not below what the first ones score, those of any rank. */
static ch_status list_rivals(chi_run *run, int64_t *list, int64_t *count, double margin) {
    double limits[FIRST_ONES], least = 0;
    int64_t found = limit_scores(run, list);
    for (int64_t at = 0; at < found; at++) limits[at] = run->score[list[at]];
    chi_score_columns(run->context, run->score, run->X, run->d, list, found);
    for (int64_t at = 0; at < found; at++) {
        int64_t j = list[at];
        least = fmax(least, run->score[j] / run->weight[j] - margin);
        run->score[j] = limits[at];
    }
    TRY(chi_largest(run->context, &least, 1));
    *count = 0;
    for (int64_t j = 0; j < run->X->cols; j++)
        if (run->role[j] == CHI_FREE && run->score[j] >= least) list[(*count)++] = j;
    return CH_OK;
}

ch_status chi_score_rivals(chi_run *run) {
    int64_t advantage = run->X->layout == CH_ROW_MAJOR ? ADVANTAGE_OF_ROWS : ADVANTAGE;
    int64_t count = run->X->cols;
    double margin = MARGIN * largest_entry(run->d, run->X->rows);
    if (applicable(run)) TRY(list_rivals(run, run->list, &count, margin));
    if (count >= run->X->cols / advantage || !nearly_feasible(run, margin))
        return chi_score(run->context, run->score, run->X, run->d, 1);
    memset(run->score, 0, (size_t)run->X->cols * sizeof *run->score);
    chi_score_columns(run->context, run->score, run->X, run->d, run->list, count);
    chi_log(run->context, CH_LOG_DEBUG, "%lld anchors: %lld columns can be the next",
            (long long)run->count, (long long)count);
    return CH_OK;
}
