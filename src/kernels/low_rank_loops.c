/* Loops of a low-rank model that is fitted to some entries of a matrix
 * (src/anchors/data/completion.c). Vectors of the model are padded with zeros to multiples of
 * CHI_MODEL_PAD, so that no loop has a remainder. Sums are added in the order of the entries, or in
 * CHI_MODEL_PAD parts that are added as a tree, and products are not contracted to fused
 * multiply-adds. So every kernel set gives the same bits. This is required because verification on
 * another machine must complete the same numbers. */
#include "kernels/kernels.h"
#include "kernels/vectors.h"

enum { PARTS = CHI_MODEL_PAD / LANES };
enum { WIDE = PARTS < 2 ? PARTS : 2 };
enum { TALL = WIDE < 2 ? CHI_MODEL_PAD : CHI_MODEL_PAD / 2 }; /* a tile of G: TALL x (WIDE LANES) */
enum { TURNS = 4 }; /* independent partial sums of g, so that additions need not wait for others */

_Static_assert(CHI_MODEL_PAD % LANES == 0 && CHI_MODEL_PAD % TALL == 0, "tiles have no ends");
_Static_assert(PARTS % WIDE == 0, "tiles have no ends");

/* Computes the tile of G that begins at row k, column b. */
INLINE void add_tile(double *G, const chi_model_entries *in, int weighted, int64_t k, int64_t b) {
    int64_t width = in->width;
    vec sum[TALL][WIDE] = {0};
    for (int64_t e = 0; e < in->count; e++) {
        const double *u = in->vector + (in->at ? in->at[e] : e) * width;
        vec right[WIDE];
        for (int v = 0; v < WIDE; v++) right[v] = vec_load(u + b + v * LANES);
        if (weighted)
            for (int v = 0; v < WIDE; v++) right[v] *= vec_all(in->weight[e]);
        for (int s = 0; s < TALL; s++)
            for (int v = 0; v < WIDE; v++) sum[s][v] += vec_all(u[k + s]) * right[v];
    }
    for (int s = 0; s < TALL; s++)
        for (int v = 0; v < WIDE; v++) vec_store(G + (k + s) * width + b + v * LANES, sum[s][v]);
}

INLINE void add_tiles(double *G, const chi_model_entries *in, int weighted) {
    for (int64_t k = 0; k < in->width; k += TALL)
        for (int64_t b = k - k % (WIDE * LANES); b < in->width; b += WIDE * LANES)
            add_tile(G, in, weighted, k, b);
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
INLINE double add_parts(const vec *sum) {
    double part[CHI_MODEL_PAD];
    for (int p = 0; p < PARTS; p++) vec_store(part + p * LANES, sum[p]);
    for (int half = CHI_MODEL_PAD / 2; half > 0; half /= 2)
        for (int p = 0; p < half; p++) part[p] += part[p + half];
    return part[0];
}

/* to -= t from, for the vectors from the one that holds entry `first` to the end. */
INLINE void take(double *to, double t, const double *from, int64_t first, int64_t width) {
    for (int64_t b = first - first % LANES; b < width; b += LANES)
        vec_store(to + b, vec_load(to + b) - vec_all(t) * vec_load(from + b));
}

/* Solves (G + ridge I) v = g for v, which replaces g. G is overwritten by R with G + ridge I = R'R,
 * whose pivots are at least the square root of the ridge. */
static void solve(double *G, double *g, int64_t rank, int64_t width, double ridge) {
    for (int64_t k = 0; k < rank; k++) {
        double *row = G + k * width, square = row[k] + ridge;
        for (int64_t t = k - k % CHI_MODEL_PAD; t < k; t++) row[t] = 0;
        double pivot = __builtin_sqrt(square > ridge ? square : ridge), inverse = 1 / pivot;
        for (int64_t b = k - k % LANES; b < width; b += LANES)
            vec_store(row + b, vec_load(row + b) * vec_all(inverse));
        row[k] = pivot;
        for (int64_t s = k + 1; s < rank; s++) take(G + s * width, row[s], row, s, width);
        double y = g[k] * inverse;
        take(g, y, row, k, width);
        g[k] = y;
    }
    for (int64_t k = rank - 1; k >= 0; k--) {
        const double *row = G + k * width;
        vec sum[PARTS] = {0};
        double y = g[k];
        g[k] = 0; /* leaves the pivot out of the sum; before it the row is zero */
        for (int64_t b = k - k % CHI_MODEL_PAD; b < width; b += CHI_MODEL_PAD)
            for (int p = 0; p < PARTS; p++)
                sum[p] += vec_load(row + b + p * LANES) * vec_load(g + b + p * LANES);
        g[k] = (y - add_parts(sum)) / row[k];
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
