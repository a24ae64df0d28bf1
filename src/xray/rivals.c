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
#include "xray/distances.h"

#include <math.h>
#include <string.h>

enum { FIRST_ONES = 8 }; /* columns scored to know what must be reached */
/* A column is out when it is short by this share of max |d_i|, which no score exceeds: far more
 * than rounding, than a tie, and than what d'A <= 0 may lack. */
static const double MARGIN = 1e-7;

static double dual_norm(const chi_run *run, const double *x) {
    int64_t rows = run->X->rows;
    return run->measure->degree == 2 ? sqrt(chi_dot(x, x, rows)) : chi_largest_entry(x, rows);
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
    int by_bounds = run->set->exterior == CH_EXTERIOR_MAX && !run->set->eager;
    return by_bounds && run->measure->spread && run->count > 0;
}

/* What the next anchor scores at least: the best of the first columns that are as far away as the
 * exterior one. */
static double least_to_win(chi_run *run, double margin) {
    double far = run->distance * (1 - CHI_TIE), most = 0;
    int64_t list[FIRST_ONES] = {0}, found = 0;
    for (int64_t j = 0; j < run->X->cols && found < FIRST_ONES; j++)
        if (run->far.bound[j] >= far && run->role[j] == CHI_FREE) list[found++] = j;
    chi_score_columns(run->context, run->score, run->X, run->d, list, found);
    for (int64_t at = 0; at < found; at++)
        most = fmax(most, run->score[list[at]] / run->weight[list[at]]);
    return most - margin;
}

/* run->list: the free columns that may score as much. */
static int64_t list_rivals(chi_run *run, double least) {
    const double *bound = run->far.bound, *size = run->size, *weight = run->weight;
    double slope = dual_norm(run, run->d);
    int64_t *list = run->list, cols = run->X->cols, count = 0;
    int square = run->measure->degree == 2;
    for (int64_t j = 0; j < cols; j++) {
        double distance = bound[j] + CHI_TIE * size[j];
        if (square) distance = sqrt(distance);
        if (slope * distance < least * weight[j] || run->role[j] != CHI_FREE) continue;
        list[count++] = j;
    }
    return count;
}

ch_status chi_score_rivals(chi_run *run) {
    int64_t count = run->X->cols;
    double margin = MARGIN * chi_largest_entry(run->d, run->X->rows);
    if (applicable(run)) {
        double least = least_to_win(run, margin); /* by the columns of any rank */
        TRY(chi_largest(run->context, &least, 1));
        count = list_rivals(run, least);
    }
    if (count >= run->X->cols / chi_advantage_of_pass(run->X) || !nearly_feasible(run, margin))
        return chi_score(run->context, run->score, run->X, run->d, 1);
    memset(run->score, 0, (size_t)run->X->cols * sizeof *run->score);
    chi_score_columns(run->context, run->score, run->X, run->d, run->list, count);
    chi_log(run->context, CH_LOG_DEBUG, "%lld anchors: %lld columns can be the next",
            (long long)run->count, (long long)count);
    return CH_OK;
}
