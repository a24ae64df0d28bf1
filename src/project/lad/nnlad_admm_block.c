/* Solves many columns at once by the alternating direction method (nnlad_admm.c), so that the two
 * products of an iteration are products of matrices:
 *
 *     C = A'V  and  V = A B,     one column of V, C and B for each data column in progress
 *
 * A column whose gap is closed gives its slot to the next column. Each column has its own step s,
 * and none waits for another. Columns that are mostly zero are solved one by one, because a solve
 * on their own rows costs less. */
#include "project/lad/nnlad_admm.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { SPARSE = 4 }; /* columns with less than one non-zero value in this many are solved singly */

typedef struct block {
    chi_admm *work;
    chi_column_block of;
    int64_t next; /* next column to load                    */
    int64_t busy; /* slots in use; these are the first ones */
} block;

static int mostly_zero(const chi_column *x) {
    return x->count * SPARSE < x->rows;
}

static void report_done(const block *t, int64_t j) {
    if (t->of.done) t->of.done(t->of.user, j);
}

static void solve_sparse(block *t) {
    chi_admm *w = t->work;
    int64_t k = w->cone->count;
    for (int64_t j = t->of.lo; j < t->of.hi; j++) {
        chi_column x;
        int64_t place = j - t->of.lo;
        double *b = t->of.H + place * k;
        chi_column_load(w->cone->kernels, &x, w->index, w->value, t->of.X, j);
        if (!mostly_zero(&x)) continue;
        if (x.count > 0) {
            chi_admm_solve(w, &t->of.fits[place], b, NULL, &x, 0);
            report_done(t, j);
        } else {
            t->of.fits[place] = (chi_fit){.proven = 1};
            memset(b, 0, (size_t)k * sizeof *b);
        }
    }
}

/* Loads the next dense column into the slot. Returns 0 if none is left. */
static int load(block *t, chi_admm_slot *slot) {
    chi_admm *w = t->work;
    while (t->next < t->of.hi) {
        int64_t j = t->next++;
        chi_column x;
        chi_column_load(w->cone->kernels, &x, w->index, w->value, t->of.X, j);
        if (mostly_zero(&x)) continue;
        slot->column = j - t->of.lo;
        slot->rows = x.rows;
        slot->sum = x.sum;
        slot->norm = sqrt(x.square);
        chi_column_gather(slot->x, t->of.X, j);
        memset(slot->b, 0, (size_t)w->cone->count * sizeof *slot->b);
        chi_admm_start(w, slot);
        return 1;
    }
    return 0;
}

/* Copies the vectors and the state of one slot to another, which keeps its own memory. */
static void move(const chi_admm *w, chi_admm_slot *to, const chi_admm_slot *from) {
    size_t rows = (size_t)from->rows * sizeof(double), k = (size_t)w->cone->count * sizeof(double);
    memcpy(to->x, from->x, rows);
    memcpy(to->z, from->z, rows);
    memcpy(to->u, from->u, rows);
    memcpy(to->d, from->d, rows);
    memcpy(to->b, from->b, k);
    memcpy(to->best, from->best, k);
    chi_admm_slot state = *from;
    state.x = to->x, state.z = to->z, state.u = to->u, state.v = to->v;
    state.b = to->b, state.c = to->c, state.best = to->best, state.d = to->d;
    *to = state;
}

/* C = A' panel, for the slots in use. */
static void correlate(const block *t, const double *panel) {
    const chi_cone *cone = t->work->cone;
    if (!cone->count) return;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)cone->count, (int)t->busy,
                (int)cone->rows, 1, cone->A, (int)cone->rows, panel, (int)cone->rows, 0,
                t->work->slots[0].c, (int)cone->capacity);
}

/* V = A B, for the slots in use. */
static void combine(const block *t) {
    const chi_cone *cone = t->work->cone;
    const chi_admm_slot *slots = t->work->slots;
    if (!cone->count) {
        memset(slots[0].v, 0, (size_t)(cone->rows * t->busy) * sizeof(double));
        return;
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)cone->rows, (int)t->busy,
                (int)cone->count, 1, cone->A, (int)cone->rows, slots[0].b, (int)cone->capacity, 0,
                slots[0].v, (int)cone->rows);
}

static void run_round(block *t) {
    chi_admm_slot *slots = t->work->slots;
    for (int i = 0; i < CHI_ADMM_ROUND; i++) {
        for (int64_t s = 0; s < t->busy; s++) chi_admm_aim(&slots[s]);
        correlate(t, slots[0].v);
        for (int64_t s = 0; s < t->busy; s++) chi_admm_fit(t->work, &slots[s]);
        combine(t);
        for (int64_t s = 0; s < t->busy; s++) chi_admm_shrink(&slots[s]);
    }
    correlate(t, slots[0].u);
}

/* Evaluates every slot and refills those that are done. Goes downwards, because the last slot may
 * move into a place that was already evaluated. */
static void look_at_all(block *t) {
    chi_admm *w = t->work;
    int64_t k = w->cone->count;
    for (int64_t s = t->busy - 1; s >= 0; s--) {
        chi_admm_slot *slot = &w->slots[s];
        if (!chi_admm_look(w, slot)) continue;
        memcpy(t->of.H + slot->column * k, slot->best, (size_t)k * sizeof(double));
        chi_admm_report(w, &t->of.fits[slot->column], slot);
        w->last = *slot;
        report_done(t, t->of.lo + slot->column);
        if (load(t, slot)) continue;
        t->busy--;
        if (s < t->busy) move(w, slot, &w->slots[t->busy]);
    }
}

void chi_admm_solve_block(void *work, const chi_column_block *columns) {
    chi_admm *w = work;
    block t = {.work = w, .of = *columns, .next = columns->lo};
    solve_sparse(&t);
    for (int64_t s = 0; s < w->width; s++) {
        w->slots[s].gram = w->cone->gram;
        if (load(&t, &w->slots[t.busy])) t.busy++;
    }
    while (t.busy > 0) {
        run_round(&t);
        look_at_all(&t);
    }
}
