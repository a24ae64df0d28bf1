/* Loops of a low-rank model that is fitted to some entries of a matrix
 * (src/anchors/data/completion.c). Vectors of the model are padded with zeros to multiples of
 * CHI_MODEL_PAD, so that no loop has a remainder. Sums are added in the order of the entries, or in
 * CHI_MODEL_PAD parts that are added as a tree, and products are not contracted to fused
 * multiply-adds. So every kernel set gives the same bits. This is required because verification on
 * another machine must complete the same numbers. */
#include "kernels/kernels.h"
#include "kernels/vectors.h"

enum { PARTS = CHI_MODEL_PAD / LANES };
/* A tile of G, whose sums fit into the registers: TALL x (WIDE LANES), at the right end TALL x
 * LANES. */
enum { WIDE = 2, TALL = CHI_REGISTERS < 32 ? CHI_MODEL_PAD / 2 : CHI_MODEL_PAD };
enum { BEGIN = WIDE * LANES < CHI_MODEL_PAD ? WIDE * LANES : CHI_MODEL_PAD };
enum { TURNS = 4 }; /* independent partial sums of g, so that additions need not wait for others */

_Static_assert(CHI_MODEL_PAD % LANES == 0 && CHI_MODEL_PAD % TALL == 0, "tiles end with G");

/* Computes the tile of G that begins at row k, column b, and is `wide` vectors wide. */
INLINE void add_tile(double *G, const chi_model_entries *in, int weighted, int64_t k, int64_t b,
                     const int wide) {
    int64_t width = in->width;
    vec sum[TALL][WIDE] = {0};
    for (int64_t e = 0; e < in->count; e++) {
        const double *u = in->vector + (in->at ? in->at[e] : e) * width;
        vec right[WIDE];
        for (int v = 0; v < wide; v++) right[v] = vec_load(u + b + v * LANES);
        if (weighted)
            for (int v = 0; v < wide; v++) right[v] *= vec_all(in->weight[e]);
        for (int s = 0; s < TALL; s++)
            for (int v = 0; v < wide; v++) sum[s][v] += vec_all(u[k + s]) * right[v];
    }
    for (int s = 0; s < TALL; s++)
        for (int v = 0; v < wide; v++) vec_store(G + (k + s) * width + b + v * LANES, sum[s][v]);
}

INLINE void add_tiles(double *G, const chi_model_entries *in, int weighted) {
    for (int64_t k = 0; k < in->width; k += TALL) {
        int64_t b = k - k % BEGIN;
        for (; b + WIDE * LANES <= in->width; b += WIDE * LANES)
            add_tile(G, in, weighted, k, b, WIDE);
        if (b < in->width) add_tile(G, in, weighted, k, b, 1);
    }
}

static void add_products(double *G, const chi_model_entries *in) {
    if (in->weight)
        add_tiles(G, in, 1);
    else
        add_tiles(G, in, 0);
}

/* Returns the contribution of entry e to g[b .. b + LANES). */
INLINE vec multiple_of(const chi_model_entries *in, int64_t e, int64_t b) {
    double x = in->weight ? in->weight[e] * in->x[e] : in->x[e];
    return vec_all(x) * vec_load(in->vector + (in->at ? in->at[e] : e) * in->width + b);
}

static void add_multiples(double *g, const chi_model_entries *in) {
    for (int64_t b = 0; b < in->width; b += LANES) {
        vec sum[TURNS] = {0};
        int64_t e = 0;
        for (; e + TURNS <= in->count; e += TURNS)
            for (int t = 0; t < TURNS; t++) sum[t] += multiple_of(in, e + t, b);
        for (; e < in->count; e++) sum[0] += multiple_of(in, e, b);
        vec_store(g + b, (sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
}

/* Returns the sum of CHI_MODEL_PAD numbers, added as a tree. */
INLINE double add_parts(vec *sum) {
    for (int half = PARTS / 2; half > 0; half /= 2)
        for (int p = 0; p < half; p++) sum[p] += sum[p + half];
    return vec_total(sum[0]);
}

INLINE vec choose(vec_i64 mask, vec yes, vec no) {
    return (vec)(((vec_i64)yes & mask) | ((vec_i64)no & ~mask));
}

/* Returns the number of each lane, minus k. */
INLINE vec_i64 lanes_from(int64_t k) {
    vec_i64 lane;
    for (int l = 0; l < LANES; l++) lane[l] = l;
    return lane - k;
}

/* to -= t row, for the vectors first .. vectors - 1. */
INLINE void take(double *to, double t, const double *row, int64_t first, int64_t vectors) {
    for (int64_t b = first; b < vectors; b++)
        vec_store(to + b * LANES,
                  vec_load(to + b * LANES) - vec_all(t) * vec_load(row + b * LANES));
}

/* Takes row k of D R, which is in vector `own`, from the later rows and from g. The diagonal gets
 * 1 / D_k, and entries left of it 0. Whole vectors are stored, because a vector that is loaded
 * after a store of one of its numbers must wait. */
INLINE void eliminate(double *G, double *g, int64_t rank, int64_t k, double ridge, int64_t own,
                      int64_t vectors) {
    int64_t width = vectors * LANES;
    double *row = G + k * width, pivot = row[k] + ridge;
    double inverse = 1 / (pivot > ridge ? pivot : ridge), y = g[k] * inverse;
    vec_i64 lane = lanes_from(k % LANES);
    vec now = vec_load(row + own * LANES);
    vec_store(row + own * LANES,
              choose(lane > 0, now, choose(lane == 0, vec_all(inverse), (vec){0})));
    take(g, y, row, own, vectors);
    vec_store(g + own * LANES, choose(lane == 0, vec_all(y), vec_load(g + own * LANES)));
    for (int64_t first = own; first < vectors; first++) {
        int64_t end = (first + 1) * LANES < rank ? (first + 1) * LANES : rank;
        for (int64_t s = first == own ? k + 1 : first * LANES; s < end; s++)
            take(G + s * width, row[s] * inverse, row, first, vectors);
    }
}

/* Replaces g by R^-1 g. R' is first stored below the diagonal, so that the steps run along rows. */
INLINE void substitute(double *G, double *g, int64_t rank, int64_t vectors) {
    int64_t width = vectors * LANES;
    for (int64_t k = 0; k < rank; k++) {
        double inverse = G[k * width + k];
        for (int64_t s = k + 1; s < rank; s++) G[s * width + k] = G[k * width + s] * inverse;
    }
    for (int64_t k = rank - 1; k > 0; k--) {
        const double *row = G + k * width;
        int64_t own = k / LANES;
        double y = g[k];
        vec before = vec_load(g + own * LANES);
        vec left = before - vec_all(y) * vec_load(row + own * LANES);
        take(g, y, row, 0, own);
        vec_store(g + own * LANES, choose(lanes_from(k % LANES) < 0, left, before));
    }
}

INLINE void solve_width(double *G, double *g, int64_t rank, double ridge, int64_t vectors) {
    for (int64_t own = 0; own < vectors; own++)
        for (int64_t k = own * LANES; k < (own + 1) * LANES && k < rank; k++)
            eliminate(G, g, rank, k, ridge, own, vectors);
    substitute(G, g, rank, vectors);
}

/* Solves (G + ridge I) v = g for v, which replaces g: G + ridge I = R'D R, where R has a diagonal
 * of ones and D is diagonal, and at least the ridge. Overwrites G. Loops over few vectors have
 * constant bounds, because unpredictable branches would take most of the time. */
static void solve(double *G, double *g, int64_t rank, int64_t width, double ridge) {
    switch (width / CHI_MODEL_PAD) {
    case 1:
        solve_width(G, g, rank, ridge, PARTS);
        break;
    case 2:
        solve_width(G, g, rank, ridge, 2 * PARTS);
        break;
    case 3:
        solve_width(G, g, rank, ridge, 3 * PARTS);
        break;
    case 4:
        solve_width(G, g, rank, ridge, 4 * PARTS);
        break;
    default:
        solve_width(G, g, rank, ridge, width / LANES);
    }
}

static void evaluate(double *y, const chi_model_entries *in, const double *v) {
    for (int64_t e = 0; e < in->count; e++) {
        const double *u = in->vector + (in->at ? in->at[e] : e) * in->width;
        vec sum[PARTS] = {0};
        for (int64_t b = 0; b < in->width; b += CHI_MODEL_PAD)
            for (int p = 0; p < PARTS; p++)
                sum[p] += vec_load(u + b + p * LANES) * vec_load(v + b + p * LANES);
        y[e] = add_parts(sum);
    }
}

extern const chi_model_loops IN_SET(chi_model_loops);
const chi_model_loops IN_SET(chi_model_loops) = {add_products, add_multiples, solve, evaluate};
