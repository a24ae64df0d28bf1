/* The weights of a column under KL, from a cold start (chi_kl_weights):
 *
 *     min_{b >= 0}  f(b) = s'b - sum_i x_i log y_i,    y = A b + floor
 *
 * Rounds of b_q <- b_q A_q'(x / y) / s_q (Lee and Seung 2001) find the scale and most of the
 * support. After the first round the factor r is lengthened to r (r + 1) / 2, which near r = 1 is
 * r^1.5: this moves weights further per round, so fewer rounds are needed. A lengthened round may
 * increase f; that does no harm, because the result is only a start. Weights that shrink fast are
 * then set to zero, and Newton steps in the free weights follow. Columns of text have few rows and
 * few free weights, so short loops, tests and logarithms would take more time than the arithmetic.
 * Therefore:
 *
 *   - all loops work on whole blocks of eight numbers. The rows of A are as long as whole blocks,
 *     and the free columns are copied to rows of one to MOST_BLOCKS blocks;
 *   - a step is judged by the slope of f along it, which needs no logarithm. Along a line f is
 *     convex, so a slope close to zero means that the step has about the right length. */
#include "kernels/kernels.h"
#include "kernels/vectors.h"
#include <math.h>

enum { PARTS = 8 / LANES, MOST_BLOCKS = CHI_KL_FREE / 8, MOST = 8 * MOST_BLOCKS };
enum {
    ROUNDS = 5,   /* multiplicative updates at the start                               */
    STEPS = 25,   /* Newton needs about five; after this many the caller goes on       */
    HALVINGS = 6, /* of one Newton step; after this many the caller goes on            */
    BLOCKING = 2  /* times that a step is computed again, with negative weights at zero */
};
/* A weight that the last update reduces below this share is set to 0. */
static const double SHRINKS = 0.8;
/* Largest slope at the end of a step, as a share of that at its start. */
static const double SLOPE = 0.9;
/* A weight with less than this share of |x|_1 that is pulled down is set to 0. */
static const double TINY = 1e-10;
/* A pivot below this share of its diagonal entry is rounding. */
static const double DEPENDENT = 1e-12;
/* A Newton step without the curvature of the bounds needs pivots of at least SAFE of their diagonal
 * entries if the stationarity is at most CLOSE, else of at least FAR_SAFE. */
static const double CLOSE = 1e-2, SAFE = 1e-8, FAR_SAFE = 0.1;

typedef struct eight {
    vec part[PARTS];
} eight;

INLINE eight load(const double *x) {
    eight e;
    for (int k = 0; k < PARTS; k++) e.part[k] = vec_load(x + k * LANES);
    return e;
}

INLINE void store(double *x, eight e) {
    for (int k = 0; k < PARTS; k++) vec_store(x + k * LANES, e.part[k]);
}

INLINE eight all(double value) {
    eight e;
    for (int k = 0; k < PARTS; k++) e.part[k] = vec_all(value);
    return e;
}

INLINE eight plus_product(eight sum, eight a, eight b) {
    for (int k = 0; k < PARTS; k++) sum.part[k] += a.part[k] * b.part[k];
    return sum;
}

INLINE eight minus_product(eight sum, eight a, eight b) {
    for (int k = 0; k < PARTS; k++) sum.part[k] -= a.part[k] * b.part[k];
    return sum;
}

INLINE eight times(eight a, eight b) {
    for (int k = 0; k < PARTS; k++) a.part[k] *= b.part[k];
    return a;
}

/* a where `where` is 0, else b */
INLINE eight replace(eight a, eight b, eight where) {
    for (int k = 0; k < PARTS; k++) {
        vec_i64 other = where.part[k] != 0;
        a.part[k] = (vec)((other & (vec_i64)b.part[k]) | (~other & (vec_i64)a.part[k]));
    }
    return a;
}

/* The sum of each of four blocks: the upper half is added to the lower half first. */
INLINE void add_up(double sums[4], const eight e[4]) {
    vec low[4], high[4];
    for (int k = 0; k < 4; k++) low[k] = e[k].part[0];
    if (PARTS == 2)
        for (int k = 0; k < 4; k++) low[k] += e[k].part[PARTS / 2];
    if (PARTS == 4)
        for (int k = 0; k < 4; k++) {
            low[k] += e[k].part[PARTS / 2];
            high[k] = e[k].part[1 % PARTS] + e[k].part[3 % PARTS];
        }
    four_sums(sums, low);
    if (PARTS < 4) return;
    double more[4];
    four_sums(more, high);
    for (int k = 0; k < 4; k++) sums[k] += more[k];
}

/* ---- products ------------------------------------------------------------------------------ */

/* y = A b + floor, A by rows of `blocks` blocks. y is written up to a multiple of four rows. */
INLINE void model_of(double *y, const double *A, int64_t stride, const double *b, int64_t blocks,
                     double floor, int64_t rows) {
    for (int64_t i = 0; i < rows; i += 4) {
        const double *a[4];
        eight sum[4];
        for (int k = 0; k < 4; k++) {
            a[k] = A + (i + k < rows ? i + k : rows - 1) * stride;
            sum[k] = all(0);
        }
        for (int64_t v = 0; v < blocks; v++) {
            eight weight = load(b + 8 * v);
            for (int k = 0; k < 4; k++) sum[k] = plus_product(sum[k], load(a[k] + 8 * v), weight);
        }
        add_up(y + i, sum);
        for (int k = 0; k < 4; k++) y[i + k] += floor;
    }
}

INLINE void products_of(double *g, const double *A, int64_t stride, const double *d, int64_t some,
                        int64_t rows) {
    eight sum[4];
    for (int64_t v = 0; v < some; v++) sum[v] = all(0);
    for (int64_t i = 0; i < rows; i++) {
        eight factor = all(d[i]);
        for (int64_t v = 0; v < some; v++)
            sum[v] = plus_product(sum[v], factor, load(A + i * stride + 8 * v));
    }
    for (int64_t v = 0; v < some; v++) store(g + 8 * v, sum[v]);
}

/* g = A'd */
static void products(double *g, const double *A, int64_t stride, const double *d, int64_t blocks,
                     int64_t rows) {
    int64_t v = 0;
    for (; v + 4 <= blocks; v += 4) products_of(g + 8 * v, A + 8 * v, stride, d, 4, rows);
    if (blocks - v == 3) products_of(g + 8 * v, A + 8 * v, stride, d, 3, rows);
    if (blocks - v == 2) products_of(g + 8 * v, A + 8 * v, stride, d, 2, rows);
    if (blocks - v == 1) products_of(g + 8 * v, A + 8 * v, stride, d, 1, rows);
}

static void model(double *y, const chi_kl_column *c, const double *b) {
    if (c->blocks == 3)
        model_of(y, c->A, c->stride, b, 3, c->floor, c->rows);
    else
        model_of(y, c->A, c->stride, b, c->blocks, c->floor, c->rows);
}

/* ratio = x / y, weight = x / y^2 */
static void find_ratios(const chi_kl_column *c) {
    for (int64_t i = 0; i < c->rows; i += LANES) {
        vec inverse = 1 / vec_load(c->y + i), ratio = vec_load(c->x + i) * inverse;
        vec_store(c->ratio + i, ratio);
        vec_store(c->weight + i, ratio * inverse);
    }
}

/* ---- Newton's equations -------------------------------------------------------------------- */

/* Copies the rows of A that x has to rows of whole blocks, and computes their sums. */
INLINE void gather_of(const chi_kl_column *c, int64_t block, int64_t some) {
    eight sum[4];
    for (int64_t v = 0; v < some; v++) sum[v] = all(0);
    for (int64_t i = 0; i < c->rows; i++) {
        const double *from = c->At + c->row[i] * c->At_stride + 8 * block;
        double *to = c->A + i * c->stride + 8 * block;
        for (int64_t v = 0; v < some; v++) {
            eight a = load(from + 8 * v);
            store(to + 8 * v, a);
            for (int k = 0; k < PARTS; k++) sum[v].part[k] += a.part[k];
        }
    }
    for (int64_t v = 0; v < some; v++) store(c->here + 8 * (block + v), sum[v]);
}

static void gather(const chi_kl_column *c) {
    int64_t v = 0;
    for (; v + 4 <= c->blocks; v += 4) gather_of(c, v, 4);
    if (c->blocks - v == 3) gather_of(c, v, 3);
    if (c->blocks - v == 2) gather_of(c, v, 2);
    if (c->blocks - v == 1) gather_of(c, v, 1);
}

/* The free weights: those above zero or pulled up from it. */
typedef struct newton {
    int32_t place[MOST];
    double used[MOST]; /* 1 for free weights, then 0 */
    int count, width;
} newton;

/* Copies the free columns to rows of P numbers. */
INLINE void copy_free(const chi_kl_column *c, const newton *n, int P) {
    for (int64_t i = 0; i < c->rows; i++) {
        const double *a = c->A + i * c->stride;
        double *to = c->free + i * P;
        for (int s = 0; s < P; s++) to[s] = n->used[s] * a[n->place[s]];
    }
}

enum { GROUP = LANES == 8 ? 8 : 4, SOME = 2 };

/* Blocks [begin, begin + some) of columns [s, s + GROUP) of H. */
INLINE void curve_part(double *H, const chi_kl_column *c, int P, int s, int begin, int some) {
    eight sum[GROUP][SOME];
    for (int k = 0; k < GROUP; k++)
        for (int v = 0; v < some; v++) sum[k][v] = all(0);
    for (int64_t i = 0; i < c->rows; i++) {
        const double *a = c->free + i * P;
        eight weight = all(c->weight[i]), right[SOME];
        for (int v = 0; v < some; v++) right[v] = times(weight, load(a + 8 * (begin + v)));
        for (int k = 0; k < GROUP; k++) {
            eight left = all(a[s + k]);
            for (int v = 0; v < some; v++) sum[k][v] = plus_product(sum[k][v], left, right[v]);
        }
    }
    for (int k = 0; k < GROUP; k++)
        for (int v = 0; v < some; v++) store(H + (s + k) * P + 8 * (begin + v), sum[k][v]);
}

/* H = A_F'diag(weight) A_F by columns of P numbers: the blocks on and below the diagonal. */
static void curve(double *H, const chi_kl_column *c, int P) {
    for (int s = 0; s < P; s += GROUP)
        for (int begin = s / 8, left; (left = P / 8 - begin) > 0; begin += SOME)
            if (left == 1)
                curve_part(H, c, P, s, begin, 1);
            else
                curve_part(H, c, P, s, begin, 2);
}

/* Column t of the unit matrix. */
static const double unit_of[8][8] = {{1},
                                     {0, 1},
                                     {0, 0, 1},
                                     {0, 0, 0, 1},
                                     {0, 0, 0, 0, 1},
                                     {0, 0, 0, 0, 0, 1},
                                     {0, 0, 0, 0, 0, 0, 1},
                                     {0, 0, 0, 0, 0, 0, 0, 1}};
INLINE double entry(const eight *e, int s) {
    return e[s / 8].part[s % 8 / LANES][s % LANES];
}

/* Newton's equations (H + diag(more)) d = r. H is the lower half by columns of P numbers; its
 * blocks on the diagonal are whole. Where keep is 0 instead of 1, d is -start. */
typedef struct equations {
    double H[MOST * MOST], more[MOST], r[MOST], keep[MOST], start[MOST];
} equations;

/* Moves the columns of weights that go to zero to the right side. */
INLINE void move_blocked(double *right, const equations *e, int P) {
    for (int s = 0; s < P; s++) {
        if (e->keep[s] != 0) continue;
        for (int t = 0; t < P; t++)
            right[t] += e->start[s] * (t > s ? e->H[s * P + t] : e->H[t * P + s]);
    }
    for (int s = 0; s < P; s++)
        if (e->keep[s] == 0) right[s] = -e->start[s];
}

/* Solves by elimination. A pivot that is rounding is replaced by its diagonal entry. Returns
 * whether each pivot is at least `least` of its diagonal entry. */
INLINE int solve_of(double *d, const equations *e, double least, int P) {
    enum { MOST_VECTORS = MOST_BLOCKS * MOST };
    int blocks = P / 8, safe = 1;
    eight C[MOST_VECTORS], right[MOST_BLOCKS];
    double inverse[MOST], diagonal[MOST], moved[MOST];
    memcpy(moved, e->r, (size_t)P * sizeof *moved);
    move_blocked(moved, e, P);
    for (int t = 0; t < P; t++) {
        double added = e->keep[t] != 0 ? e->more[t] : 1;
        diagonal[t] = e->H[t * P + t] * e->keep[t] + added;
        for (int v = 0; v < blocks; v++)
            C[t * blocks + v] = v < t / 8 ? all(0)
                                          : times(load(e->H + t * P + 8 * v),
                                                  times(load(e->keep + 8 * v), all(e->keep[t])));
        C[t * blocks + t / 8] =
            plus_product(C[t * blocks + t / 8], all(added), load(unit_of[t % 8]));
    }
    for (int v = 0; v < blocks; v++) right[v] = load(moved + 8 * v);
    for (int t = 0; t < P; t++) {
        const eight *column = C + t * blocks, unit = load(unit_of[t % 8]);
        double own = entry(column, t), pivot = own;
        safe &= pivot >= least * diagonal[t];
        pivot = pivot > DEPENDENT * diagonal[t] ? pivot : diagonal[t];
        inverse[t] = pivot > 0 ? 1 / pivot : 0;
        eight share[MOST_BLOCKS], factor = all(entry(right, t));
        for (int v = 0; v < blocks; v++) {
            share[v] = v == t / 8 ? minus_product(column[v], all(own), unit) : column[v];
            share[v] = times(share[v], all(inverse[t]));
            right[v] = minus_product(right[v], share[v], factor);
        }
        for (int u = t + 1; u < P; u++) {
            eight *other = C + u * blocks, along = all(entry(column, u));
            for (int v = 0; v < blocks; v++) other[v] = minus_product(other[v], share[v], along);
            /* H is symmetric: entry t of column u is entry u of column t */
            if (u / 8 > t / 8) other[t / 8] = replace(other[t / 8], along, unit);
        }
    }
    for (int t = 0; t < P; t++) d[t] = entry(right, t) * inverse[t];
    return safe;
}

static int solve(double *d, const equations *e, double least, int P) {
    return P == 8    ? solve_of(d, e, least, 8)
           : P == 16 ? solve_of(d, e, least, 16)
                     : solve_of(d, e, least, P);
}

/* ---- the steps ----------------------------------------------------------------------------- */

INLINE vec choose(vec_i64 where, vec a, vec b) {
    return (vec)((where & (vec_i64)a) | (~where & (vec_i64)b));
}

/* Starts with the same share of |x|_1 for every anchor. */
static void multiply(const chi_kl_column *c) {
    int64_t width = 8 * c->blocks;
    vec_i64 kept = {0};
    for (int64_t q = 0; q < width; q += LANES)
        vec_store(c->b + q, c->mass / (double)c->count * vec_load(c->unit + q));
    for (int round = 0; round < ROUNDS; round++) {
        model(c->y, c, c->b);
        for (int64_t i = 0; i < c->rows; i += LANES)
            vec_store(c->ratio + i, vec_load(c->x + i) / vec_load(c->y + i));
        products(c->gradient, c->A, c->stride, c->ratio, c->blocks, c->rows);
        for (int64_t q = 0; q < width; q += LANES) {
            vec factor = vec_load(c->gradient + q) * vec_load(c->unit + q);
            vec_store(c->gradient + q, factor);
            vec longer = round == 0 ? factor : 0.5 * factor * (factor + 1);
            vec_store(c->b + q, vec_load(c->b + q) * longer);
        }
    }
    for (int64_t q = 0; q < width; q += LANES) kept |= vec_load(c->gradient + q) >= SHRINKS;
    for (int64_t q = 0; vec_bits(kept) && q < width; q += LANES)
        vec_store(c->b + q,
                  choose(vec_load(c->gradient + q) >= SHRINKS, vec_load(c->b + q), vec_all(0)));
}

/* y = A b + floor, where b is zero but for the free weights. */
static void model_free(const chi_kl_column *c, const newton *n) {
    double b[MOST];
    for (int s = 0; s < n->width; s++) b[s] = n->used[s] * c->b[n->place[s]];
    if (n->width == 8)
        model_of(c->y, c->free, 8, b, 1, c->floor, c->rows);
    else if (n->width == 16)
        model_of(c->y, c->free, 16, b, 2, c->floor, c->rows);
    else
        model_of(c->y, c->free, n->width, b, n->width / 8, c->floor, c->rows);
}

/* Computes y, the gradient and the curvatures at b. Returns the stationarity, or infinity if some
 * number overflowed. */
static double evaluate(const chi_kl_column *c, const newton *n) {
    if (n->count > 0)
        model_free(c, n);
    else
        model(c->y, c, c->b);
    find_ratios(c);
    products(c->gradient, c->A, c->stride, c->ratio, c->blocks, c->rows);
    vec worst = {0};
    vec_i64 number = {0};
    number = ~number;
    for (int64_t q = 0; q < 8 * c->blocks; q += LANES) {
        vec slope = vec_load(c->sums + q) - vec_load(c->gradient + q);
        vec_store(c->gradient + q, slope);
        vec excess =
            vec_load(c->unit + q) * choose((vec_load(c->b + q) > 0) & (slope > 0), slope, -slope);
        number &= excess == excess;
        worst = choose(worst > excess, worst, excess);
    }
    if (vec_bits(~number)) return INFINITY;
    double largest = worst[0];
    for (int lane = 1; lane < LANES; lane++)
        largest = worst[lane] > largest ? worst[lane] : largest;
    return largest;
}

/* Lists the free weights and sets weights that are almost zero and pulled down to zero. Returns 0
 * if there are too many free weights or none. */
static int find_free(const chi_kl_column *c, newton *n) {
    int32_t place[MOST];
    int count = 0;
    for (int64_t q = 0; q < 8 * c->blocks; q += LANES) {
        vec slope = vec_load(c->gradient + q), b = vec_load(c->b + q);
        vec_i64 leaves = (slope >= 0) & (b * vec_load(c->sums + q) <= TINY * c->mass);
        vec_store(c->b + q, choose(leaves, vec_all(0), b));
        unsigned bits = vec_bits(~leaves & ((b > 0) | (slope < 0)));
        if (count + __builtin_popcount(bits) > MOST) return 0;
        for (; bits; bits &= bits - 1) place[count++] = (int32_t)(q + __builtin_ctz(bits));
    }
    int width = (count + 7) / 8 * 8, same = count == n->count;
    for (int s = 0; same && s < count; s++) same &= place[s] == n->place[s];
    if (same) return count > 0;
    for (int s = 0; s < width; s++) {
        n->place[s] = s < count ? place[s] : 0;
        n->used[s] = s < count;
    }
    n->count = count;
    n->width = width;
    if (width == 8) copy_free(c, n, 8);
    if (width == 16) copy_free(c, n, 16);
    if (width > 16) copy_free(c, n, width);
    return count > 0;
}

/* Lists the weights that the direction makes negative. Returns their number. */
static int find_blocked(equations *e, const double *d, int count) {
    int some = 0;
    for (int s = 0; s < count; s++) {
        int blocked = e->keep[s] != 0 && e->start[s] + d[s] < 0;
        e->keep[s] = blocked ? 0 : e->keep[s];
        some += blocked;
    }
    return some;
}

/* Computes Newton's direction. Where it makes weights negative, these go to zero, and the others
 * are solved for again. If anchors are almost dependent, or if `clipped`, the curvature of the
 * bounds is added. */
static void find_direction(double *d, const chi_kl_column *c, const newton *n, double reached,
                           int clipped) {
    equations e;
    double bounds[MOST];
    int P = n->width;
    for (int s = 0; s < P; s++) {
        int32_t q = n->place[s];
        e.start[s] = n->used[s] * c->b[q];
        e.r[s] = -n->used[s] * c->gradient[q];
        e.keep[s] = 1;
        e.more[s] = 0;
        bounds[s] = e.r[s] < 0 ? -e.r[s] / e.start[s] : 0;
    }
    curve(e.H, c, P);
    if (clipped || !solve(d, &e, reached <= CLOSE ? SAFE : FAR_SAFE, P)) {
        memcpy(e.more, bounds, (size_t)P * sizeof *bounds);
        solve(d, &e, 0, P);
    }
    for (int round = 0; round < BLOCKING && !clipped && find_blocked(&e, d, n->count); round++)
        solve(d, &e, 0, P);
}

/* Computes Newton's direction, and steps along it as far as b >= 0 allows for each weight. Returns
 * the slope of f along the step. */
static double step(const chi_kl_column *c, const newton *n, double reached, int clipped) {
    double d[MOST], slope = 0;
    find_direction(d, c, n, reached, clipped);
    memcpy(c->before, c->b, (size_t)(8 * c->blocks) * sizeof *c->b);
    for (int s = 0; s < n->count; s++) {
        int32_t q = n->place[s];
        double next = c->b[q] + d[s];
        c->b[q] = next > 0 ? next : 0;
        slope += c->gradient[q] * (c->b[q] - c->before[q]);
    }
    return slope;
}

static double slope_along(const chi_kl_column *c) {
    vec slope = {0};
    for (int64_t q = 0; q < 8 * c->blocks; q += LANES)
        slope += vec_load(c->gradient + q) * (vec_load(c->b + q) - vec_load(c->before + q));
    return vec_fold(slope);
}

static void halve(const chi_kl_column *c) {
    for (int64_t q = 0; q < c->count; q++) c->b[q] = 0.5 * (c->b[q] + c->before[q]);
}

/* Moves b by one step, which is halved until f is almost flat or still decreases along it. Returns
 * the stationarity, or infinity if there is no such step. */
static double move(const chi_kl_column *c, const newton *n, double reached) {
    double slope = step(c, n, reached, 0);
    if (!(slope < 0)) {
        memcpy(c->b, c->before, (size_t)(8 * c->blocks) * sizeof *c->b);
        slope = step(c, n, reached, 1);
    }
    if (!(slope < 0)) return INFINITY;
    double next = evaluate(c, n);
    for (int halving = 0; slope_along(c) > -SLOPE * slope; halving++) {
        if (halving == HALVINGS) return INFINITY;
        halve(c);
        slope *= 0.5;
        next = evaluate(c, n);
    }
    return next;
}

chi_kl_weights IN_SET(chi_kl_weights);
double IN_SET(chi_kl_weights)(chi_kl_column *c) {
    newton n;
    n.count = 0;
    gather(c);
    multiply(c);
    double reached = evaluate(c, &n);
    for (c->steps = 0; c->steps < STEPS && reached > c->aim; c->steps++) {
        if (!find_free(c, &n)) {
            n.count = 0; /* b may be new, and the copied columns are not its free ones */
            return evaluate(c, &n);
        }
        double next = move(c, &n, reached);
        if (!(next < INFINITY)) {
            memcpy(c->b, c->before, (size_t)(8 * c->blocks) * sizeof *c->b);
            return evaluate(c, &n);
        }
        int stalled = next <= c->enough && next >= 0.5 * reached;
        reached = next;
        if (stalled) break;
    }
    return reached;
}
