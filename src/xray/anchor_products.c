/* Products A'X of the anchors with the columns, for the least squares bounds of distance_bound.c.
 * The search computes them column by column, as it needs them. Once a pass over X is cheaper than
 * reading single columns, the pass computes the products of all columns. */
#include "xray/distances.h"

enum { BLOCK = 4096 }; /* columns */

typedef struct match_job {
    const chi_distances *far;
    int count; /* anchors */
} match_job;

/* Copies from far->pass, stored by anchor, to products.match, stored by column. */
static void keep_products(void *user, int64_t block, int thread) {
    const match_job *job = user;
    const chi_distances *far = job->far;
    const chi_products *products = &far->products;
    int64_t cols = far->data->spread.X->cols, capacity = far->basis->cone.capacity;
    int64_t low = block * BLOCK, high = low + BLOCK < cols ? low + BLOCK : cols;
    (void)thread;
    for (int64_t j = low; j < high; j++)
        for (int c = 0; c < job->count; c++)
            products->match[j * capacity + products->matched + c] = far->pass[c * cols + j];
}

/* Computes, for all columns, the products with the anchors that no pass has covered yet. */
static ch_status match_anchors(chi_distances *far) {
    const ch_matrix *X = far->data->spread.X;
    const chi_cone *cone = &far->basis->cone;
    int64_t *matched = &far->products.matched;
    while (*matched < cone->count) {
        int64_t left = cone->count - *matched;
        match_job job = {far, left < CHI_SCORE_MAX ? (int)left : CHI_SCORE_MAX};
        TRY(chi_score(far->context, far->pass, X, cone->A + *matched * X->rows, job.count));
        chi_parallel(far->context, (X->cols + BLOCK - 1) / BLOCK, keep_products, &job);
        *matched += job.count;
    }
    return CH_OK;
}

ch_status chi_products_catch_up(chi_distances *far, int64_t ahead) {
    const ch_matrix *X = far->data->spread.X;
    const chi_products *products = &far->products;
    int64_t missing = far->basis->cone.count - products->matched;
    int64_t passes = (missing + CHI_SCORE_MAX - 1) / CHI_SCORE_MAX;
    int64_t read = products->read > ahead ? products->read : ahead;
    if (passes == 0 || read * chi_advantage_of_pass(X) < X->cols * passes) return CH_OK;
    return match_anchors(far);
}

void chi_products_forget(chi_distances *far, int64_t k) {
    chi_products *products = &far->products;
    for (int64_t j = 0; j < far->data->spread.X->cols; j++) {
        int64_t known = chi_products_known(products, j);
        if (k >= known) continue;
        chi_drop_entry(products->match + j * far->basis->cone.capacity, k, known);
        products->known[j] = (int32_t)known - 1;
    }
    if (k < products->matched) products->matched--;
}
