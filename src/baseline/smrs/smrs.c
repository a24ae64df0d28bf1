/* SMRS: representatives by row-sparse self-representation,
 *
 *     min  sum_i |C_i|_2 + mu/2 |X - X C|_F^2,     1'C = 1' unless settings->linear,
 *
 * where C_i are the rows of C. A column is a representative if its row is not zero. Reference:
 * Elhamifar, Sapiro and Vidal, See all by looking at a few: sparse modeling for finding
 * representative objects (CVPR 2012), with the parameters of the authors' program. mu = alpha /
 * lambda with lambda = max_i |G_i|_2 over the rows of G = X'X (affine: of the centred columns), the
 * value above which C would be zero or constant. Representatives are the rows that make up 99 % of
 * the sum of norms, largest first; of representatives that are near each other only the first stays
 * (drop_near()).
 *
 * The method is the authors' alternating direction method on Z (quadratic term) = C (norms), with
 * these departures. 1'Z = 1' is solved exactly instead of by another multiplier. Steps are
 * over-relaxed, and the penalty is balanced. The method runs on a set S of rows and adds rows whose
 * optimality condition fails, until the duality gap over all rows is closed:
 *
 *     Theta = s mu (X - X C), nu:   |X_i'Theta + s nu|_2 <= 1 for all i gives the lower bound
 *     <Theta, X> - |Theta|^2 / (2 mu) + s sum(nu).
 *
 * Everything is computed from G, so X is read once. C and its multiplier U are stored as V = C + U,
 * because each row satisfies C_i = f_i V_i with f_i = (1 - 1/(rho |V_i|))_+. Cost: O(s^2 n) per
 * iteration, O(s n^2) per check of all rows. */
#include "baseline/baseline.h"
#include "baseline/self_representation.h"
#include "linalg/linalg.h"
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK = 10, MOST = 40000, FIRST = 32 };
static const double relax = 1.6;
static const double eager = 0.1; /* rows of S are solved to this share of the gap over all rows */
static const double kept_norms = 0.99;    /* authors' thrS: share of the norms to cover */
static const double kept_distance = 0.95; /* authors' thrP: see drop_near() */
static const double flat =
    1e-12; /* columns are all equal if lambda is below this times max |x|^2 */

typedef struct smrs {
    chi_selfrep all;
    int64_t n, s;   /* columns that are not zero; rows in S                   */
    int64_t *S;     /* n: rows in S, in the order they were added             */
    int64_t *order; /* n: scratch, and at the end the rows by decreasing norm */
    char *taken;    /* n: whether the row is in S                             */
    int affine;
    double *G;       /* n x n: mu X'X                                                */
    double *V, *V0;  /* s x n: the state now, and when the penalty was last balanced */
    double *GS;      /* s x n: rows S of G                                           */
    double *C;       /* s x n: the point at which the objective is measured          */
    double *GSS, *M; /* s x s: rows and columns S of G; inverse of GSS + rho         */
    double *f, *f0;  /* n: shrinkage of each row of V, V0                            */
    double *a;       /* n: M 1                                                       */
    double *length;  /* s: |V_i|                                                     */
    double *norm;    /* n: |C_i|, by place in S                                      */
    double *nu;      /* n: multipliers of 1'C = 1'                                   */
    double *slack;   /* n: |X_i'Theta + nu| of each row                              */
    double trace, rho, a_sum, factor;
    double objective, bound;
    int64_t iterations;
} smrs;

/* total = the partial sums of count rows, added in the order of the panels. */
static void add_panels(double *total, const smrs *run, int64_t count) {
    for (int64_t i = 0; i < count; i++) total[i] = 0;
    for (int64_t panel = 0; panel < run->all.panels; panel++)
        for (int64_t i = 0; i < count; i++) total[i] += run->all.row_part[panel * run->n + i];
}

/* ---- one iteration ------------------------------------------------------------------------- */

/* Computes Z = M (GS + rho (C - U) + 1 nu') and V = relax Z + (1 - relax) C + U. Stores |V_i|^2 as
 * partial sums. */
static void step_panel(void *user, int64_t panel, int thread) {
    smrs *run = user;
    int64_t s = run->s, lo = panel * CHI_PANEL, w = chi_selfrep_width(&run->all, panel);
    double *B = run->all.scratch[thread], *Z = B + run->n * CHI_PANEL,
           *sum = run->all.row_part + panel * run->n;
    double *V = run->V + lo * s;
    const double *GS = run->GS + lo * s, *f = run->f;
    for (int64_t j = 0; j < w; j++) {
        double inner = 0;
        for (int64_t i = 0; i < s; i++) {
            B[i + j * s] = GS[i + j * s] + run->rho * (2 * f[i] - 1) * V[i + j * s];
            inner += run->a[i] * B[i + j * s];
        }
        run->nu[lo + j] = run->affine ? (1 - inner) / run->a_sum : 0;
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)s, (int)w, (int)s, 1, run->M,
                (int)s, B, (int)s, 0, Z, (int)s);
    for (int64_t i = 0; i < s; i++) sum[i] = 0;
    for (int64_t j = 0; j < w; j++)
        for (int64_t i = 0; i < s; i++) {
            double v = V[i + j * s], z = Z[i + j * s] + run->a[i] * run->nu[lo + j];
            v += relax * (z - f[i] * v);
            V[i + j * s] = v;
            sum[i] += v * v;
        }
}

static void step(smrs *run) {
    chi_selfrep_sweep(&run->all, step_panel, run);
    add_panels(run->length, run, run->s);
    for (int64_t i = 0; i < run->s; i++) {
        run->length[i] = sqrt(run->length[i]);
        double reach = run->rho * run->length[i];
        run->f[i] = reach > 1 ? 1 - 1 / reach : 0;
    }
    run->iterations++;
}

/* ---- penalty -------------------------------------------------------------------------------- */

static ch_status invert(smrs *run) {
    TRY(chi_spd_invert(&run->all, run->M, run->C, run->GSS, run->s, run->rho));
    run->a_sum = 0;
    for (int64_t i = 0; i < run->s; i++) {
        run->a[i] = 0;
        if (!run->affine) continue;
        for (int64_t k = 0; k < run->s; k++) run->a[i] += run->M[k + i * run->s];
        run->a_sum += run->a[i];
    }
    return CH_OK;
}

/* Computes the squares of how far C and U have moved. */
static void moved_panel(void *user, int64_t panel, int thread) {
    smrs *run = user;
    int64_t s = run->s, lo = panel * CHI_PANEL * s;
    const double *V = run->V + lo, *V0 = run->V0 + lo;
    double point = 0, price = 0;
    (void)thread;
    for (int64_t j = 0; j < chi_selfrep_width(&run->all, panel); j++)
        for (int64_t i = 0; i < s; i++) {
            double c = run->f[i] * V[i + j * s] - run->f0[i] * V0[i + j * s];
            double u = V[i + j * s] - V0[i + j * s] - c;
            point += c * c;
            price += u * u;
        }
    run->all.part[2 * panel] = point;
    run->all.part[2 * panel + 1] = price;
}

static void remember_panel(void *user, int64_t panel, int thread) {
    smrs *run = user;
    int64_t s = run->s, lo = panel * CHI_PANEL * s, w = chi_selfrep_width(&run->all, panel);
    (void)thread;
    for (int64_t j = 0; j < w; j++)
        for (int64_t i = 0; i < s; i++) { /* C is kept, U = V - C is divided by factor */
            double *v = run->V + lo + i + j * s, c = run->f[i] * *v;
            *v = c + (*v - c) / run->factor;
            run->V0[lo + i + j * s] = *v;
        }
}

/* If C and its multiplier move by very different amounts, changes the penalty to balance them. */
static ch_status balance(smrs *run, int measure_moves) {
    run->factor = 1;
    if (measure_moves) {
        chi_selfrep_sweep(&run->all, moved_panel, run);
        double point = chi_selfrep_sum(&run->all, 0), price = chi_selfrep_sum(&run->all, 1);
        double ratio = point > 0 && price > 0 ? sqrt(price / point) : 1;
        if (ratio < 0.5 || ratio > 2) run->factor = fmin(fmax(sqrt(ratio), 0.2), 5);
    }
    chi_selfrep_sweep(&run->all, remember_panel, run);
    for (int64_t i = 0; i < run->s; i++) {
        double f = run->f[i],
               change = f + (1 - f) / run->factor; /* keeps C, so f |V_i| is constant */
        run->length[i] *= change;
        run->f[i] = run->f0[i] = f / change;
    }
    if (measure_moves && run->factor == 1) return CH_OK;
    run->rho *= run->factor;
    return invert(run);
}

/* ---- objective and bound -------------------------------------------------------------------- */

/* Computes C = f V; for affine, what a column lacks to sum 1 is added in proportion to the rows'
 * norms. Stores |C_i|^2 and <GS, C> as partial sums. */
static void point_panel(void *user, int64_t panel, int thread) {
    smrs *run = user;
    int64_t s = run->s, lo = panel * CHI_PANEL, w = chi_selfrep_width(&run->all, panel);
    double *sum = run->all.row_part + panel * run->n, inner = 0;
    (void)thread;
    for (int64_t i = 0; i < s; i++) sum[i] = 0;
    for (int64_t j = lo; j < lo + w; j++) {
        double *c = run->C + j * s, total = 0;
        const double *v = run->V + j * s, *g = run->GS + j * s;
        for (int64_t i = 0; i < s; i++) total += c[i] = run->f[i] * v[i];
        if (run->affine)
            for (int64_t i = 0; i < s; i++) c[i] += (1 - total) * run->norm[i];
        for (int64_t i = 0; i < s; i++) {
            sum[i] += c[i] * c[i];
            inner += g[i] * c[i];
        }
    }
    run->all.part[2 * panel] = inner;
}

/* Stores <C, GSS C> and, for each row of S, |G_i (I - C) + nu|^2 as partial sums. */
static void slack_inside(void *user, int64_t panel, int thread) {
    smrs *run = user;
    int64_t s = run->s, lo = panel * CHI_PANEL, w = chi_selfrep_width(&run->all, panel);
    double *GC = run->all.scratch[thread], *sum = run->all.row_part + panel * run->n, inner = 0;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)s, (int)w, (int)s, 1, run->GSS,
                (int)s, run->C + lo * s, (int)s, 0, GC, (int)s);
    for (int64_t i = 0; i < s; i++) sum[i] = 0;
    for (int64_t j = 0; j < w; j++)
        for (int64_t i = 0; i < s; i++) {
            double slope = run->GS[i + (lo + j) * s] - GC[i + j * s] + run->nu[lo + j];
            sum[i] += slope * slope;
            inner += GC[i + j * s] * run->C[i + (lo + j) * s];
        }
    run->all.part[2 * panel + 1] = inner;
}

/* Stores the same squares for all rows. */
static void slack_everywhere(void *user, int64_t panel, int thread) {
    smrs *run = user;
    int64_t s = run->s, n = run->n, lo = panel * CHI_PANEL, w = chi_selfrep_width(&run->all, panel);
    double *GC = run->all.scratch[thread], *sum = run->all.row_part + panel * n;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)n, (int)w, (int)s, 1, run->GS, (int)s,
                run->C + lo * s, (int)s, 0, GC, (int)n);
    for (int64_t i = 0; i < n; i++) sum[i] = 0;
    for (int64_t j = 0; j < w; j++)
        for (int64_t i = 0; i < n; i++) {
            double slope = run->G[i + (lo + j) * n] - GC[i + j * n] + run->nu[lo + j];
            sum[i] += slope * slope;
        }
}

/* Computes C and its objective. */
static void make_point(smrs *run, double *inner, double *quadratic) {
    double total = 0;
    for (int64_t i = 0; i < run->s; i++) total += run->norm[i] = run->f[i] * run->length[i];
    for (int64_t i = 0; i < run->s; i++)
        run->norm[i] = total > 0 ? run->norm[i] / total : 1 / (double)run->s;
    chi_selfrep_sweep(&run->all, point_panel, run);
    add_panels(run->norm, run, run->s);
    *inner = chi_selfrep_sum(&run->all, 0);
    chi_selfrep_sweep(&run->all, slack_inside, run);
    *quadratic = chi_selfrep_sum(&run->all, 1);
    run->objective = 0.5 * (run->trace - 2 * *inner + *quadratic);
    for (int64_t i = 0; i < run->s; i++) {
        run->norm[i] = sqrt(run->norm[i]);
        run->objective += run->norm[i];
    }
}

/* Returns the lower bound for the first `count` rows, whose |G_i (I - C) + nu|^2 are in slack, with
 * the best scale s of Theta and nu. */
static double bound(const smrs *run, double inner, double quadratic, int64_t count) {
    double most = 1, linear = run->trace - inner, square = run->trace - 2 * inner + quadratic;
    for (int64_t i = 0; i < count; i++) most = fmax(most, sqrt(run->slack[i]));
    for (int64_t j = 0; j < run->n; j++) linear += run->nu[j];
    double scale = square > 0 ? linear / square : 1 / most;
    scale = fmin(fmax(scale, 0), 1 / most);
    return scale * linear - 0.5 * scale * scale * square;
}

/* Computes objective and bound over all rows (everywhere) or over S. Returns the relative gap. */
static double measure(smrs *run, int everywhere) {
    double inner, quadratic;
    int64_t count = everywhere ? run->n : run->s;
    make_point(run, &inner, &quadratic);
    if (everywhere) chi_selfrep_sweep(&run->all, slack_everywhere, run);
    add_panels(run->slack, run, count);
    run->bound = bound(run, inner, quadratic, count);
    return (run->objective - run->bound) / run->objective;
}

/* ---- rows of S ------------------------------------------------------------------------------- */

typedef struct keyed {
    double key;
    int64_t index;
} keyed;

static int by_falling_key(const void *a, const void *b) {
    const keyed *x = a, *y = b;
    if (x->key != y->key) return x->key > y->key ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* Extends the s x n matrix A to more x n with zeros, in place. Columns move from the last to the
 * first. */
static void widen(double *A, int64_t s, int64_t more, int64_t n) {
    for (int64_t j = n - 1; j >= 0; j--) {
        memmove(A + j * more, A + j * s, (size_t)s * sizeof(double));
        memset(A + j * more + s, 0, (size_t)(more - s) * sizeof(double));
    }
}

static void copy_rows(void *user, int64_t panel, int thread) {
    smrs *run = user;
    int64_t lo = panel * CHI_PANEL;
    (void)thread;
    for (int64_t j = lo; j < lo + chi_selfrep_width(&run->all, panel); j++)
        for (int64_t i = 0; i < run->s; i++)
            run->GS[i + j * run->s] = run->G[run->S[i] + j * run->n];
}

/* Adds the rows with the largest slack above least to S, at most as many as S already has (or
 * FIRST). Returns the number added. */
static int64_t take_in(smrs *run, double least) {
    keyed *list = (keyed *)(void *)run->C;
    int64_t count = 0, before = run->s, most = before > FIRST ? before : FIRST;
    for (int64_t i = 0; i < run->n; i++)
        if (!run->taken[i] && run->slack[i] > least) list[count++] = (keyed){run->slack[i], i};
    qsort(list, (size_t)count, sizeof *list, by_falling_key);
    if (count > most) count = most;
    if (count == 0) return 0;
    for (int64_t k = 0; k < count; k++) {
        run->S[before + k] = list[k].index;
        run->taken[list[k].index] = 1;
    }
    widen(run->V, before, before + count, run->n);
    run->s += count;
    for (int64_t i = before; i < run->s; i++) run->f[i] = run->length[i] = 0;
    chi_selfrep_sweep(&run->all, copy_rows, run);
    for (int64_t k = 0; k < run->s; k++)
        for (int64_t i = 0; i < run->s; i++)
            run->GSS[i + k * run->s] = run->GS[i + run->S[k] * run->s];
    return count;
}

/* Iterates on the rows of S until their own gap is closed. */
static ch_status solve_inside(smrs *run, double gap) {
    while (run->iterations < MOST) {
        for (int k = 0; k < CHECK; k++) step(run);
        double short_of = measure(run, 0);
        if (run->all.cancelled ||
            chi_notify(run->all.context, "select", run->iterations, 0, -1, short_of))
            return CH_STOP_CANCELLED;
        if (short_of <= gap) return CH_OK;
        TRY(balance(run, 1));
    }
    return CH_STOP_ITER;
}

static ch_status solve(smrs *run, double gap) {
    double inside = fmax(0.1, 0.5 * gap), tightest = 0.5 * gap;
    for (int64_t i = 0; i < run->n; i++) run->slack[i] = run->G[i + i * run->n];
    take_in(run, -1);
    for (;;) {
        TRY(balance(run, 0));
        ch_status status = solve_inside(run, inside);
        if (status < 0) return status;
        double short_of = measure(run, 1);
        if (short_of <= gap) return CH_OK;
        if (status != CH_OK) return status;
        if (take_in(run, 1) == 0) tightest *= 0.5;
        inside = fmin(inside, fmax(tightest, eager * short_of));
    }
}

/* ---- representatives ----------------------------------------------------------------------- */

static double distance(const smrs *run, int64_t i, int64_t j) {
    double square = run->G[i + i * run->n] + run->G[j + j * run->n] - 2 * run->G[i + j * run->n];
    return square > 0 ? sqrt(square) : 0;
}

/* Drops representatives that are near others (the authors' rmRep). Goes through the list in order.
 * Each one that remains sorts its distances to all from far to near, and drops those after it in
 * the list that come once the running sum has passed 95 % of the total. Departure: the authors'
 * program also drops the one at which 95 % is passed, however far it is, so that of two
 * representatives one would never remain. keep[k] = 1 if list[k] stays. */
static void drop_near(char *keep, const smrs *run, const int64_t *list, int64_t count,
                      keyed *distances) {
    memset(keep, 1, (size_t)count);
    for (int64_t k = 0; k < count; k++) {
        double total = 0, passed = 0;
        if (!keep[k]) continue;
        for (int64_t l = 0; l < count; l++) {
            distances[l] = (keyed){distance(run, list[k], list[l]), l};
            total += distances[l].key;
        }
        qsort(distances, (size_t)count, sizeof *distances, by_falling_key);
        for (int64_t l = 0; l < count; l++) {
            if (passed > kept_distance * total && distances[l].index > k)
                keep[distances[l].index] = 0;
            passed += distances[l].key;
        }
    }
}

/* Lists the non-zero rows of S in order[], by decreasing norm, and returns their number. Sorts
 * norm[] too. */
static int64_t rank_rows(smrs *run) {
    keyed *list = (keyed *)(void *)run->C;
    int64_t count = 0;
    for (int64_t i = 0; i < run->s; i++)
        if (run->norm[i] > 0) list[count++] = (keyed){run->norm[i], run->S[i]};
    qsort(list, (size_t)count, sizeof *list, by_falling_key);
    for (int64_t k = 0; k < count; k++) {
        run->order[k] = list[k].index;
        run->norm[k] = list[k].key;
    }
    return count;
}

/* Selects the representatives by the authors' rules, in order. If the rank is given, other rows
 * follow. */
static void pick(smrs *run, chi_selection *found, int64_t rank) {
    int64_t count = rank_rows(run), held = 0;
    double total = 0, sum = 0;
    for (int64_t k = 0; k < count; k++) total += run->norm[k];
    while (held < count && sum <= kept_norms * total) sum += run->norm[held++];
    char *keep = run->taken;
    drop_near(keep, run, run->order, held, (keyed *)(void *)run->C);
    memset(keep + held, 0, (size_t)(count - held));
    found->rank = 0;
    for (int others = 0; others <= (rank > 0); others++)
        for (int64_t k = 0; k < count; k++) {
            if (keep[k] == others || (rank > 0 && found->rank == rank)) continue;
            if (found->weights) found->weights[found->rank] = run->norm[k];
            found->anchors[found->rank++] = run->all.column[run->order[k]];
        }
}

/* ---- set-up --------------------------------------------------------------------------------- */

static ch_status reserve(smrs *run) {
    chi_arena *arena = &run->all.arena;
    int64_t n = run->n, two = n > 1 ? n : 2; /* C also holds lists of pairs */
    TRY(chi_selfrep_reserve(&run->all, "smrs", 7.0 * (double)n * (double)n, 2 * n));
    run->S = chi_arena_alloc(arena, n, sizeof *run->S);
    run->order = chi_arena_alloc(arena, n, sizeof *run->order);
    run->taken = chi_arena_alloc_zero(arena, n, 1);
    run->G = chi_arena_doubles(arena, n * n);
    double **squares[] = {&run->V, &run->V0, &run->GS, &run->C, &run->GSS, &run->M};
    for (size_t k = 0; k < sizeof squares / sizeof *squares; k++)
        *squares[k] = chi_arena_doubles(arena, two * n);
    double **rows[] = {&run->f, &run->f0, &run->a, &run->norm, &run->nu, &run->slack, &run->length};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) *rows[k] = chi_arena_doubles(arena, n);
    return chi_arena_status(arena, "smrs");
}

/* Computes G = X'X for columns times unit: CHI_SCORE_MAX columns against all, one pass over X
 * each. */
static ch_status make_gram(smrs *run, const ch_matrix *X, double unit) {
    chi_selfrep *all = &run->all;
    int64_t n = run->n, m = X->rows;
    double *D = chi_arena_doubles(&all->arena, CHI_SCORE_MAX * m);
    double *score = chi_arena_doubles(&all->arena, CHI_SCORE_MAX * X->cols);
    TRY(chi_arena_status(&all->arena, "smrs"));
    for (int64_t j = 0; j < n; j += CHI_SCORE_MAX) {
        int count = (int)(n - j < CHI_SCORE_MAX ? n - j : CHI_SCORE_MAX);
        for (int c = 0; c < count; c++) chi_column_gather(D + c * m, X, all->column[j + c]);
        for (int64_t i = 0; i < count * m; i++) D[i] *= unit;
        TRY(chi_score(all->context, score, X, D, count));
        for (int c = 0; c < count; c++)
            for (int64_t i = 0; i < n; i++)
                run->G[i + (j + c) * n] = unit * score[c * X->cols + all->column[i]];
        if (chi_notify(all->context, "gram", j + count, n, -1, 0)) return CH_STOP_CANCELLED;
    }
    return CH_OK;
}

/* Changes G to that of the columns minus their mean. Keeps G exactly symmetric. */
static void centre(smrs *run) {
    int64_t n = run->n;
    double *mean = run->slack, all = 0;
    for (int64_t j = 0; j < n; j++) {
        mean[j] = 0;
        for (int64_t i = 0; i < n; i++) mean[j] += run->G[i + j * n];
        mean[j] /= (double)n;
        all += mean[j] / (double)n;
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) run->G[i + j * n] += all - (mean[i] + mean[j]);
}

/* Changes G to mu X'X with mu = alpha / lambda. Returns 0 if lambda is zero because all columns are
 * equal. */
static int scale_gram(smrs *run, double alpha) {
    int64_t n = run->n;
    double lambda = 0, largest = 0;
    for (int64_t j = 0; j < n; j++) {
        largest = fmax(largest, run->G[j + j * n]);
        for (int64_t i = 0; i < j; i++) run->G[i + j * n] = run->G[j + i * n];
    }
    if (run->affine) centre(run);
    for (int64_t j = 0; j < n; j++)
        lambda = fmax(lambda,
                      chi_dot(chi_kernels_of(run->all.context), run->G + j * n, run->G + j * n, n));
    lambda = sqrt(lambda);
    if (!(lambda > flat * largest)) return 0;
    run->trace = 0;
    for (int64_t i = 0; i < n * n; i++) run->G[i] *= alpha / lambda;
    for (int64_t i = 0; i < n; i++) run->trace += run->G[i + i * n];
    run->rho = alpha / (double)n; /* about the mean eigenvalue of G */
    return 1;
}

/* All columns are equal: the first one represents all. */
static ch_status take_first(const smrs *run, chi_selection *found, int64_t rank) {
    found->anchors[0] = run->all.column[0];
    if (found->weights) found->weights[0] = sqrt((double)run->n);
    found->rank = 1;
    return rank > 1 ? CH_STOP_COMPLETE : CH_OK;
}

static ch_status select_representatives(smrs *run, chi_selection *found, const ch_matrix *X,
                                        const ch_anchors_settings *settings) {
    TRY(reserve(run));
    ch_status status = make_gram(run, X, ldexp(1.0, -ilogb(run->all.largest_sum)));
    if (status != CH_OK) return status;
    if (!scale_gram(run, settings->alpha)) return take_first(run, found, settings->rank);
    status = solve(run, settings->gap);
    if (status < 0) return status;
    found->objective = run->objective;
    found->gap = run->objective - run->bound;
    found->iterations = run->iterations;
    pick(run, found, settings->rank);
    return status == CH_OK && found->rank < settings->rank ? CH_STOP_COMPLETE : status;
}

ch_status chi_smrs(ch_context *context, chi_selection *found, const ch_matrix *X,
                   const ch_anchors_settings *settings) {
    smrs run = {.affine = !settings->linear};
    found->rank = 0;
    ch_status status = chi_selfrep_create(context, &run.all, "smrs", X, settings, 0);
    run.n = run.all.n;
    if (status == CH_OK) status = select_representatives(&run, found, X, settings);
    chi_arena_free(&run.all.arena);
    return status;
}
