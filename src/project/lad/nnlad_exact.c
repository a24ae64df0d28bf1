/* Exact l1 projection on a cone, with its proof:
 *
 *     min_{b >= 0} |x - A b|_1,      dual:  max x'd,  A'd <= 0,  -1 <= d <= 1
 *
 * Where x_i = 0 the loss is linear, (A b)_i, and d_i = -1; so with S the support of x and
 * c = A'1 over the other rows the problem is  min_{b>=0} sum_S |x_i - (A b)_i| + c'b.
 *
 * A vertex method after Barrodale and Roberts (SIAM J. Numer. Anal. 10, 1973): p variables are
 * free, p rows have zero residual. An edge leaves the vertex by releasing a row (|d_i| > 1) or a
 * bound ((A'd - c)_j > 0); the step along it ends at the weighted median of the breakpoints, or at
 * a bound, which is the next vertex. Edges are chosen by slope over length (steepest edge: Forrest
 * and Goldfarb, Math. Program. 57, 1992), the lengths being kept up to date by the Gram matrix. A
 * pivot costs O(|S| p + p k).
 *
 * Ties, which integer data are full of, are broken by pivoting on x_i (1 + noise_i 2^-36) with
 * noise a fixed function of the row: d is feasible whatever the noise, b is then computed from x
 * itself and the final (F, B), and the gap of the two is checked. The vertex found for the noisy x
 * is optimal for x to 2^-35 |x|_1 in any case. Tolerances are relative to the data throughout.
 *
 * From b = 0 about 3 k pivots would be needed when |S| is some hundreds. A canonical solve starts
 * instead at a vertex near the solution of a smoothed problem (lad_reweight.h), which leaves about
 * k / 2; for a few anchors those too are first made in single precision (lad_few.h). Both only
 * propose a vertex: it is proven as it stands (lad_at_once.h), or the exact method goes on from
 * there. One anchor alone is a weighted median, found by counting and proven like the others
 * (lad_single.h).
 *
 * lad_rows.h, lad_single.h, lad_reweight.h, lad_start.h, lad_pivot.h, lad_narrow.h, lad_few.h,
 * lad_at_once.h, lad_search.h, lad_basis.h, lad_proof.h and lad_solve.h hold the steps, compiled
 * once per kind of processor; here are the work area and the row of the table. */
#include "project/lad/lad.h"

#include <math.h>
#include <string.h>

static int64_t exceptions(const void *work, int32_t *row, double *value) {
    const chi_lad *w = work;
    int64_t count = 0;
    for (int64_t i = 0; i < w->m; i++) {
        double r = w->residual[i], x = w->x.value[i];
        if (fabs(r) > CHI_EXCEPTION * (x + fabs(x - r)) && w->dual[i] == (r < 0 ? -1 : 1)) continue;
        row[count] = w->x.index ? w->x.index[i] : (int32_t)i;
        value[count++] = w->dual[i];
    }
    return count;
}

typedef struct part {
    void **at;
    int64_t count;
    size_t size;
} part;

enum { ROW_PARTS = 12, PARTS = 41 };

/* Every array of the work area with its size, those over rows first: one list for create and
 * destroy. */
static int list_parts(chi_lad *w, part *list) {
    int64_t rows = w->cone->rows, k = w->ld;
    int64_t narrow = w->cone->narrow_stride * (w->cone->capacity + 6);
    size_t real = sizeof(double), whole = sizeof(int32_t);
    const part all[] = {
        {(void **)&w->noise, rows, real},
        {(void **)&w->target, rows, real},
        {(void **)&w->r, rows, real},
        {(void **)&w->s, rows, real},
        {(void **)&w->t, rows, real},
        {(void **)&w->residual, rows, real},
        {(void **)&w->dual, rows, real},
        {(void **)&w->gathered, rows * w->cone->capacity, real},
        {(void **)&w->breaks, rows, sizeof(chi_break)},
        {(void **)&w->spare, rows, sizeof(chi_break)},
        {(void **)&w->flips, rows, whole},
        {(void **)&w->narrow, narrow, sizeof(float)},
        {(void **)&w->narrow_column, k, sizeof(float *)},
        {(void **)&w->narrow_b, k, sizeof(float)},
        {(void **)&w->sums, k, real},
        {(void **)&w->c, k, real},
        {(void **)&w->scale, k, real},
        {(void **)&w->unit, k, real},
        {(void **)&w->q, k, real},
        {(void **)&w->z, k, real},
        {(void **)&w->weight_j, k, real},
        {(void **)&w->edge, k, real},
        {(void **)&w->turn, k, real},
        {(void **)&w->b, k, real},
        {(void **)&w->d, k, real},
        {(void **)&w->weight_B, k, real},
        {(void **)&w->delta, k, real},
        {(void **)&w->u, k, real},
        {(void **)&w->rhs, k, real},
        {(void **)&w->solution, 2 * k, real},
        {(void **)&w->inverse, k * k, real},
        {(void **)&w->factor, k * k, real},
        {(void **)&w->F, k, whole},
        {(void **)&w->B, k, whole},
        {(void **)&w->place, k, whole},
        {(void **)&w->order, k, whole},
        {(void **)&w->column, k, sizeof(double *)},
        {(void **)&w->F_column, k, sizeof(double *)},
        {(void **)&w->F_gram, k, sizeof(double *)},
        {(void **)&w->B_row, k, sizeof(double *)},
        {(void **)&w->inverse_row, k, sizeof(double *)},
    };
    _Static_assert(sizeof all == PARTS * sizeof *all, "PARTS counts the arrays");
    memcpy(list, all, sizeof all);
    return PARTS;
}

static void destroy(ch_context *context, void *work) {
    if (!work) return;
    part list[PARTS];
    int count = list_parts(work, list);
    for (int i = 0; i < count; i++) chi_free(context, *list[i].at);
    chi_free(context, work);
}

/* In (-1, 1), a fixed function of the row: splitmix64's finaliser. */
static double row_noise(int64_t i) {
    uint64_t h = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    h ^= h >> 31;
    return (double)(int64_t)h * 0x1p-63;
}

static ch_status create(ch_context *context, void **work, const chi_cone *cone, double tol) {
    chi_lad *w = chi_alloc_zero(context, 1, sizeof *w);
    if (!w) return chi_no_memory(context, "a projection", 1, sizeof *w);
    w->cone = cone;
    w->tol = tol;
    w->solver = cone->kernels->lad;
    w->ld = (cone->capacity + 8) / 8 * 8; /* one more than the anchors: the entering one */
    part list[PARTS];
    int count = list_parts(w, list);
    for (int i = 0; i < count; i++) {
        /* Short vectors are read up to their padding; long ones stay untouched until they are used.
         */
        *list[i].at =
            (i < ROW_PARTS ? chi_alloc : chi_alloc_zero)(context, list[i].count, list[i].size);
        if (*list[i].at) continue;
        destroy(context, w);
        return chi_no_memory(context, "a projection", list[i].count, list[i].size);
    }
    for (int64_t i = 0; i < cone->rows; i++) w->noise[i] = row_noise(i);
    for (int64_t f = 0; f < w->ld; f++) w->inverse_row[f] = w->inverse + f * w->ld;
    *work = w;
    return CH_OK;
}

static void solve(void *work, chi_fit *fit, double *b, double *d, const chi_column *x, int warm) {
    chi_lad *w = work;
    w->solver->solve(w, fit, b, d, x, warm);
}

const chi_projection chi_nnlad_exact = {.name = "exact",
                                        .create = create,
                                        .destroy = destroy,
                                        .solve = solve,
                                        .exceptions = exceptions};
