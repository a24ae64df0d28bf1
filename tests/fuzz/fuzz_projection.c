/* Projections of a column on a few anchors, under l1, l2 and divergences: what is called proven is
 * recomputed in long double from the definitions, and held against every vertex (l1), the
 * optimality conditions (l2) and a plain descent (KL). */
#include "loss/divergence.h"
#include "problems.h"
#include <math.h>

fuzz_target fuzz_l1, fuzz_l2, fuzz_divergence;

static const double TOL = 1e-9;

/* ---- l1 ------------------------------------------------------------------------------------ */

static long double l1_loss(const small_problem *p, const double *b) {
    long double sum = 0;
    for (int64_t i = 0; i < p->m; i++) sum += fabsl(problem_rest(p, b, i));
    return sum;
}

/* K y = right by elimination; 0 when it is singular. */
static int eliminate(int n, long double K[3][3], long double *right) {
    for (int c = 0; c < n; c++) {
        int at = c;
        for (int r = c; r < n; r++)
            if (fabsl(K[r][c]) > fabsl(K[at][c])) at = r;
        if (fabsl(K[at][c]) < 1e-15L) return 0;
        for (int e = 0; e < n; e++) {
            long double swap = K[c][e];
            K[c][e] = K[at][e];
            K[at][e] = swap;
        }
        long double swap = right[c];
        right[c] = right[at];
        right[at] = swap;
        for (int r = 0; r < n; r++) {
            if (r == c) continue;
            long double factor = K[r][c] / K[c][c];
            for (int e = c; e < n; e++) K[r][e] -= factor * K[c][e];
            right[r] -= factor * right[c];
        }
    }
    for (int c = 0; c < n; c++) right[c] /= K[c][c];
    return 1;
}

/* The loss of the vertex with these free anchors and zero rows, or infinity. */
static long double vertex(const small_problem *p, unsigned F, unsigned B) {
    long double K[3][3] = {{0}}, right[3] = {0};
    double b[PROBLEM_ANCHORS] = {0};
    int n = 0;
    for (int i = 0; i < p->m; i++) {
        if (!(B >> i & 1)) continue;
        int e = 0;
        for (int j = 0; j < p->k; j++)
            if (F >> j & 1) K[n][e++] = p->A[i + j * p->m];
        right[n++] = p->x[i];
    }
    if (!eliminate(n, K, right)) return INFINITY;
    for (int j = 0, e = 0; j < p->k; j++) {
        if (!(F >> j & 1)) continue;
        b[j] = (double)right[e++];
        if (b[j] < 0) return INFINITY;
    }
    return l1_loss(p, b);
}

/* Over all vertices with at most three free anchors: an upper bound of the least loss. */
static long double best_vertex(const small_problem *p) {
    double none[PROBLEM_ANCHORS] = {0};
    long double best = l1_loss(p, none);
    for (unsigned F = 1; F < 1u << p->k; F++) {
        int free = __builtin_popcount(F);
        if (free > 3) continue;
        for (unsigned B = 1; B < 1u << p->m; B++)
            if (__builtin_popcount(B) == free) best = fminl(best, vertex(p, F, B));
    }
    return best;
}

/* d of the selection step: -1 <= d <= 1, A'd <= 0, and x'd as good as the loss when proven. */
static void check_dual(const small_problem *p, const double *d, const chi_fit *fit) {
    long double bound = 0;
    for (int64_t i = 0; i < p->m; i++) {
        fuzz_require(fabs(d[i]) <= 1 + 1e-12, "d is %g", d[i]);
        bound += (long double)d[i] * p->x[i];
    }
    for (int64_t j = 0; j < p->k; j++) {
        long double product = 0, sum = 0;
        for (int64_t i = 0; i < p->m; i++) {
            product += (long double)p->A[i + j * p->m] * d[i];
            sum += p->A[i + j * p->m];
        }
        fuzz_require(product <= 1e-12L * sum, "A'd is %Lg of %Lg", product, sum);
    }
    if (fit->proven)
        fuzz_require(fit->objective - bound <= 2 * TOL * p->column.sum, "the gap is %Lg of %g",
                     fit->objective - bound, p->column.sum);
}

static void check_l1(const small_problem *p, const chi_fit *fit, const double *b,
                     long double best) {
    long double loss = l1_loss(p, b), size = p->column.sum;
    for (int64_t j = 0; j < p->k; j++) fuzz_require(b[j] >= 0, "b is %g", b[j]);
    fuzz_require(fabsl(loss - fit->objective) <= 1e-11L * size, "the loss is %Lg, not %g", loss,
                 fit->objective);
    fuzz_require(!fit->proven || loss <= best + 2 * TOL * size, "%.17Lg, a vertex has %.17Lg", loss,
                 best);
    fuzz_require(fit->proven || !p->plain, "small integers, and a gap of %g", fit->gap);
}

int fuzz_l1(const uint8_t *input, size_t count) {
    static small_problem p;
    fuzz_run run;
    fuzz_bytes bytes = {input, count};
    double b[PROBLEM_ANCHORS] = {0}, again[PROBLEM_ANCHORS] = {0}, d[PROBLEM_ROWS];
    chi_fit fit;
    void *work;
    fuzz_begin(&run, count);
    problem_take(&p, &run, &bytes);
    long double best = best_vertex(&p);
    work = chi_nnlad_exact.create(&p.cone.arena, &p.cone, TOL);
    fuzz_require(work != NULL, "no memory");
    if (p.column.count > 0) {
        chi_nnlad_exact.solve(work, &fit, b, d, &p.column, 0);
        check_l1(&p, &fit, b, best);
        check_dual(&p, d, &fit);
        chi_nnlad_exact.solve(work, &fit, b, NULL, &p.column, 1);
        check_l1(&p, &fit, b, best);
        chi_nnlad_exact.solve(work, &fit, again, NULL, &p.column, 0);
        check_l1(&p, &fit, again, best);
    }
    problem_give(&p);
    fuzz_end(&run, CH_OK);
    return 0;
}

/* ---- l2 ------------------------------------------------------------------------------------ */

/* g = A'(x - A b): nothing left to gain, measured in |A_j| |x|. */
static void check_l2(const small_problem *p, const chi_fit *fit, const double *b) {
    long double loss = 0;
    for (int64_t i = 0; i < p->m; i++) loss += problem_rest(p, b, i) * problem_rest(p, b, i);
    fuzz_require(fabsl(loss - fit->objective) <= 1e-11L * p->column.square,
                 "the loss is %Lg, not %g", loss, fit->objective);
    for (int64_t j = 0; j < p->k; j++) {
        long double slope = 0, square = 0;
        for (int64_t i = 0; i < p->m; i++) {
            slope += p->A[i + j * p->m] * problem_rest(p, b, i);
            square += (long double)p->A[i + j * p->m] * p->A[i + j * p->m];
        }
        long double most = 4e-5L * sqrtl(square * p->column.square);
        fuzz_require(b[j] >= 0, "b is %g", b[j]);
        fuzz_require(!fit->proven || slope <= most, "anchor %d would gain: slope %Lg, allowed %Lg",
                     (int)j, slope, most);
    }
    fuzz_require(fit->proven || !p->plain, "small integers, and a gap of %g", fit->gap);
}

int fuzz_l2(const uint8_t *input, size_t count) {
    static small_problem p;
    static const chi_projection *const kinds[] = {&chi_nnls_active, &chi_nnls_cd};
    fuzz_run run;
    fuzz_bytes bytes = {input, count};
    double objective[2] = {0};
    chi_fit fit;
    fuzz_begin(&run, count);
    problem_take(&p, &run, &bytes);
    for (int way = 0; way < 2 && p.column.count > 0; way++) {
        double b[PROBLEM_ANCHORS] = {0};
        void *work;
        double tol = way ? 1e-6 : TOL;
        work = kinds[way]->create(&p.cone.arena, &p.cone, tol);
        fuzz_require(work != NULL, "no memory");
        kinds[way]->solve(work, &fit, b, NULL, &p.column, 0);
        if (way == 0 || fit.proven) check_l2(&p, &fit, b);
        objective[way] = fit.proven ? fit.objective : objective[0];
    }
    fuzz_require(fabs(objective[0] - objective[1]) <= 2e-6 * p.column.square,
                 "active sets %g, descent %g", objective[0], objective[1]);
    problem_give(&p);
    fuzz_end(&run, CH_OK);
    return 0;
}

/* ---- divergences --------------------------------------------------------------------------- */

static double divergence(const small_problem *p, const chi_loss *loss, const double *b) {
    double sum = 0;
    for (int64_t i = 0; i < p->m; i++) {
        double x = p->x[i] + (loss->lifts_data ? loss->floor : 0), y = loss->floor;
        for (int64_t j = 0; j < p->k; j++) y += p->A[i + j * p->m] * b[j];
        sum += chi_loss_value(loss, &x, &y, 1);
    }
    return sum;
}

/* Multiplicative updates for KL (Lee and Seung 2001): never below the least value. */
static double descend_kl(const small_problem *p, const chi_loss *loss) {
    double b[PROBLEM_ANCHORS];
    for (int64_t j = 0; j < p->k; j++) b[j] = 1;
    for (int turn = 0; turn < 60; turn++)
        for (int64_t j = 0; j < p->k; j++) {
            double up = 0, down = 0;
            for (int64_t i = 0; i < p->m; i++) {
                double y = loss->floor;
                for (int64_t l = 0; l < p->k; l++) y += p->A[i + l * p->m] * b[l];
                up += p->A[i + j * p->m] * p->x[i] / y;
                down += p->A[i + j * p->m];
            }
            b[j] = down > 0 ? b[j] * up / down : 0;
        }
    return divergence(p, loss, b);
}

static void check_divergence(const small_problem *p, const chi_loss *loss, const chi_fit *fit,
                             const double *b, double size, int kl) {
    double value = divergence(p, loss, b), none[PROBLEM_ANCHORS] = {0};
    for (int64_t j = 0; j < p->k; j++) fuzz_require(b[j] >= 0 && isfinite(b[j]), "b is %g", b[j]);
    fuzz_require(fabs(value - fit->objective) <= 1e-9 * (size + value),
                 "the loss is %.15g, not %.15g", value, fit->objective);
    if (!fit->proven || !loss->convex) return;
    double reached = divergence(p, loss, none);
    if (kl) reached = fmin(reached, descend_kl(p, loss));
    fuzz_require(value <= reached + 2 * TOL * size + 1e-12 * reached,
                 "%.15g, and %.15g was reached", value, reached);
}

int fuzz_divergence(const uint8_t *input, size_t count) {
    static small_problem p;
    static const chi_loss_settings choices[] = {
        {.loss = CH_LOSS_KL},
        {.loss = CH_LOSS_KL, .reverse = 1},
        {.loss = CH_LOSS_IS},
        {.loss = CH_LOSS_IS, .reverse = 1},
        {.loss = CH_LOSS_BETA, .beta = 1.5},
        {.loss = CH_LOSS_BETA, .beta = 0.5, .reverse = 1},
    };
    fuzz_run run;
    fuzz_bytes bytes = {input, count};
    double b[PROBLEM_ANCHORS] = {0}, lifted[PROBLEM_ROWS], mean = 0;
    chi_loss loss;
    chi_fit fit;
    void *work;
    int choice = (int)fuzz_below(&bytes, 6);
    fuzz_begin(&run, count);
    problem_take(&p, &run, &bytes);
    for (int64_t i = 0; i < p.m; i++) mean += p.x[i] / (double)p.m;
    if (mean > 0) {
        chi_loss_settings settings = choices[choice];
        settings.floor = CHI_FLOOR * mean;
        fuzz_require(chi_loss_init(run.context, &loss, &settings) == CH_OK, "%s",
                     ch_context_message(run.context));
        p.cone.loss = &loss;
        work = chi_bregman.create(&p.cone.arena, &p.cone, TOL);
        fuzz_require(work != NULL, "no memory");
        chi_bregman.solve(work, &fit, b, NULL, &p.column, 0);
        for (int64_t i = 0; i < p.m; i++) lifted[i] = p.x[i] + (loss.lifts_data ? loss.floor : 0);
        check_divergence(&p, &loss, &fit, b, chi_loss_scale(&loss, lifted, p.m), choice == 0);
    }
    problem_give(&p);
    fuzz_end(&run, CH_OK);
    return 0;
}
