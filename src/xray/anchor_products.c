/* Products A'X of the columns with the anchors, from which bounds by least squares are made
 * (distance_bound.c). Columns are read for them one by one; when a pass over X is cheaper than
 * that, all get them at once. */
#include "xray/distances.h"

enum { BLOCK = 4096 }; /* columns */

static int64_t passes_missing(const chi_run *run) {
    return (run->count - run->far.matched + CHI_SCORE_MAX - 1) / CHI_SCORE_MAX;
}

typedef struct match_job {
    const chi_run *run;
    int count; /* anchors */
} match_job;

/* From far->products, anchor by anchor, to far->match, column by column. */
static void keep_products(void *user, int64_t block, int thread) {
    const match_job *job = user;
    const chi_run *run = job->run;
    const chi_distances *far = &run->far;
    int64_t cols = run->X->cols, low = block * BLOCK,
            high = low + BLOCK < cols ? low + BLOCK : cols;
    (void)thread;
    for (int64_t j = low; j < high; j++)
        for (int c = 0; c < job->count; c++)
            far->match[j * run->capacity + far->matched + c] = far->products[c * cols + j];
}

/* Products of all columns with the anchors that have none yet. */
static ch_status match_anchors(chi_run *run) {
    chi_distances *far = &run->far;
    while (far->matched < run->count) {
        int64_t left = run->count - far->matched;
        int count = left < CHI_SCORE_MAX ? (int)left : CHI_SCORE_MAX;
        TRY(chi_score(run->context, far->products, run->X,
                      run->cone.A + far->matched * run->X->rows, count));
        match_job job = {run, count};
        chi_parallel(run->context, (run->X->cols + BLOCK - 1) / BLOCK, keep_products, &job);
        far->matched += count;
    }
    return CH_OK;
}

ch_status chi_products_catch_up(chi_run *run, int64_t ahead) {
    int64_t missing = passes_missing(run), read = run->far.read > ahead ? run->far.read : ahead;
    if (missing == 0 || read * chi_advantage_of_pass(run->X) < run->X->cols * missing) return CH_OK;
    return match_anchors(run);
}

void chi_products_forget(chi_run *run, int64_t k) {
    chi_distances *far = &run->far;
    for (int64_t j = 0; j < run->X->cols; j++) {
        int64_t known = chi_products_known(far, j);
        if (k >= known) continue;
        chi_drop_entry(far->match + j * run->capacity, k, known);
        far->known[j] = (int32_t)known - 1;
    }
    if (k < far->matched) far->matched--;
}
