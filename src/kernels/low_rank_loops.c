/* The loops of a model of low rank that is fitted to some entries (src/anchors/data/completion.c).
 * Vectors of the model are filled up with zeros to whole multiples of CHI_MODEL_PAD, so that no
 * loop has an end. Every number is added up in the order of the entries, or in CHI_MODEL_PAD parts
 * that are added as a tree, and products are not contracted: the same bits in every set, because a
 * recheck on another machine must complete the same numbers. */
#include "kernels/kernels.h"
#include "kernels/vectors.h"

enum { TALL = 4, PARTS = CHI_MODEL_PAD / LANES }; /* a tile of G: TALL x (WIDE LANES) */
enum { WIDE = PARTS < 2 ? PARTS : 2 };

_Static_assert(CHI_MODEL_PAD % LANES == 0 && CHI_MODEL_PAD % TALL == 0, "tiles have no ends");
_Static_assert(PARTS % WIDE == 0, "tiles have no ends");

/* Rows k.. and columns b.. of G. */
INLINE void add_tile(double *G, const chi_model_entries *in, int64_t k, int64_t b) {
    int64_t width = in->width;
    vec sum[TALL][WIDE] = {0};
    for (int64_t e = 0; e < in->count; e++) {
        const double *u = in->vector + in->at[e] * width;
        vec right[WIDE];
        for (int v = 0; v < WIDE; v++) right[v] = vec_load(u + b + v * LANES);
        for (int s = 0; s < TALL; s++) {
            vec left = vec_all(in->weight[e] * u[k + s]);
            for (int v = 0; v < WIDE; v++) sum[s][v] += left * right[v];
        }
    }
    for (int s = 0; s < TALL; s++)
        for (int v = 0; v < WIDE; v++) vec_store(G + (k + s) * width + b + v * LANES, sum[s][v]);
}

static void add_products(double *G, double *g, const chi_model_entries *in) {
    int64_t width = in->width;
    for (int64_t k = 0; k < width; k += TALL)
        for (int64_t b = 0; b < k + TALL; b += WIDE * LANES) add_tile(G, in, k, b);
    for (int64_t b = 0; b < width; b += LANES) {
        vec sum = {0};
        for (int64_t e = 0; e < in->count; e++)
            sum += vec_all(in->weight[e] * in->x[e]) * vec_load(in->vector + in->at[e] * width + b);
        vec_store(g + b, sum);
    }
}

static void evaluate(double *y, const chi_model_entries *in, const double *v) {
    for (int64_t e = 0; e < in->count; e++) {
        const double *u = in->vector + (in->at ? in->at[e] : e) * in->width;
        vec sum[PARTS] = {0};
        double part[CHI_MODEL_PAD];
        for (int64_t b = 0; b < in->width; b += CHI_MODEL_PAD)
            for (int p = 0; p < PARTS; p++)
                sum[p] += vec_load(u + b + p * LANES) * vec_load(v + b + p * LANES);
        for (int p = 0; p < PARTS; p++) vec_store(part + p * LANES, sum[p]);
        for (int half = CHI_MODEL_PAD / 2; half > 0; half /= 2)
            for (int p = 0; p < half; p++) part[p] += part[p + half];
        y[e] = part[0];
    }
}

extern const chi_model_loops IN_SET(chi_model_loops);
const chi_model_loops IN_SET(chi_model_loops) = {add_products, evaluate};
