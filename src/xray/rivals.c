/* Finds the few columns that can maximise <d, X_j> / <p, X_j>, instead of a pass over X.
 *
 * The search for the exterior column leaves an upper bound of every column's distance from the
 * cone. For any b >= 0, with r = X_j - A b,
 *
 *     <d, X_j> = d'A b + d'r <= |d|* |r|        if d'A <= 0, which D* satisfies (Lemma 3.1),
 *
 * where |.|* is the norm dual to that of the residual: the largest entry for l1, the largest entry
 * with each sign in its own unit for quantile, the length for l2. A column is excluded if this
 * bound, divided by <p, X_j>, is less than the score of some column. The exterior column is the
 * farthest and therefore scores high: of 100,000 columns of noisy mixtures a handful remain.
 *
 * The remaining columns get the same scores, to the last bit, as in a pass over X, and an excluded
 * column could not even tie. So the choice is the same as with the pass. Cost: O(rows anchors +
 * columns), plus reading the remaining columns. */
#include "xray/distances.h"

#include <math.h>
#include <string.h>

enum { FIRST_ONES = 8 }; /* columns scored first, to find a score that the others must reach */
/* A column is excluded if its bound is lower than that score by this share of max |d_i|, which no
 * score exceeds. This is far more than rounding, a tie, or a violation of d'A <= 0. */
static const double MARGIN = 1e-7;

double chi_largest_entry(const double *d, int64_t count) {
    double most[4] = {0}; /* four at a time, because each comparison waits for the one before it */
    int64_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++) most[k] = fabs(d[i + k]) > most[k] ? fabs(d[i + k]) : most[k];
    for (; i < count; i++) most[0] = fabs(d[i]) > most[0] ? fabs(d[i]) : most[0];
    return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

/* Tests d'A <= 0 up to a tenth of the margin. If (d'a_k)_+ / 1'a_k <= v for all k, the bound of the
 * file head grows by at most v p'A b <= v (<p, X_j> + |p|* |r|), and |r| <= |X_j|. */
static int nearly_feasible(const double *d, const chi_basis *basis, int degree, double margin) {
    const chi_cone *cone = &basis->cone;
    double *products = basis->projector.worker->b + cone->capacity; /* not in use */
    double skew = fabs(cone->skew), most = 0; /* |r|_1 <= (1 + skew) / (1 - skew) |X_j|_1 */
    double times = degree == 2 ? 2 + sqrt((double)cone->rows) : 2 + (1 + skew) / (1 - skew);
    chi_multiply_anchors(products, cone, d);
    for (int64_t k = 0; k < cone->count; k++) most = fmax(most, products[k] / cone->sums[k]);
    return most * times <= 0.1 * margin;
}

/* Only max, share and balanced without eager leave upper bounds of the distances, and |d|* exists
 * only for losses that are norms. */
static int applicable(const chi_distances *far) {
    int by_bounds = chi_by_distance(far->set) && !far->set->eager;
    return by_bounds && far->data->measure->from_l2 && far->basis->cone.count > 0;
}

/* Returns a lower bound for the score of the next anchor: the best score of the first columns that
 * are as far away as the exterior one. */
static double least_to_win(chi_rays *rays, const chi_distances *far, double margin) {
    const chi_data *data = far->data;
    const ch_matrix *X = data->spread.X;
    double farthest = far->key * (1 - CHI_TIE), most = 0;
    int64_t list[FIRST_ONES] = {0}, found = 0;
    for (int64_t j = 0; j < X->cols && found < FIRST_ONES; j++)
        if (chi_key(far, j) >= farthest && data->role[j] == CHI_FREE) list[found++] = j;
    chi_score_columns(far->context, rays->score, X, rays->d, list, found);
    for (int64_t at = 0; at < found; at++)
        most = fmax(most, rays->score[list[at]] / data->weight[list[at]]);
    return most - margin;
}

/* Returns the norm of d dual to |r|_1 - skew 1'r, which weighs the two signs differently. */
static double steepest(const double *d, int64_t rows, double skew) {
    double most = 0;
    if (skew == 0) return chi_largest_entry(d, rows);
    for (int64_t i = 0; i < rows; i++)
        most = fmax(most, d[i] > 0 ? d[i] / (1 - skew) : -d[i] / (1 + skew));
    return most;
}

/* Lists in rays->list the free columns whose score may be as large as least. */
static int64_t list_rivals(const chi_rays *rays, const chi_distances *far, double least) {
    const chi_data *data = far->data;
    int64_t rows = data->spread.X->rows, count = 0;
    int square = data->measure->degree == 2;
    const chi_kernels *kernels = far->basis->cone.kernels;
    double slope = square ? sqrt(chi_dot(kernels, rays->d, rays->d, rows))
                          : steepest(rays->d, rows, far->basis->cone.skew);
    for (int64_t j = 0; j < data->spread.X->cols; j++) {
        double distance = far->bound[j] + CHI_TIE * data->size[j];
        if (square) distance = sqrt(distance);
        rays->list[count] = j; /* stays if count grows */
        count += !(slope * distance < least * data->weight[j]) & (data->role[j] == CHI_FREE);
    }
    return count;
}

/* With anchors from a library only: scores the columns of the library and reads no data column. */
static ch_status score_library(chi_rays *rays, const chi_distances *far) {
    const chi_data *data = far->data;
    int64_t count = 0;
    for (int64_t j = data->points; j < data->spread.X->cols; j++)
        if (data->role[j] == CHI_FREE) rays->list[count++] = j;
    memset(rays->score, 0, (size_t)data->spread.X->cols * sizeof *rays->score);
    chi_score_columns(far->context, rays->score, data->spread.X, rays->d, rays->list, count);
    return CH_OK;
}

ch_status chi_score_rivals(chi_rays *rays, const chi_distances *far) {
    const ch_matrix *X = far->data->spread.X;
    const chi_cone *cone = &far->basis->cone;
    int64_t count = X->cols;
    if (far->set->library_only) return score_library(rays, far);
    double margin = MARGIN * chi_largest_entry(rays->d, X->rows);
    if (applicable(far)) {
        double least = least_to_win(rays, far, margin); /* over the columns of all processes */
        TRY(chi_largest(far->context, &least, 1));
        count = list_rivals(rays, far, least);
    }
    if (count >= X->cols / chi_advantage_of_pass(X) ||
        !nearly_feasible(rays->d, far->basis, far->data->measure->degree, margin))
        return chi_score(far->context, rays->score, X, rays->d, 1);
    memset(rays->score, 0, (size_t)X->cols * sizeof *rays->score);
    chi_score_columns(far->context, rays->score, X, rays->d, rays->list, count);
    chi_log(far->context, CH_LOG_DEBUG, "with %lld anchors, %lld columns can still be the next one",
            (long long)cone->count, (long long)count);
    return CH_OK;
}
