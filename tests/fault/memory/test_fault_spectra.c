/* Calls about spectra with their k-th allocation failing, for every k. */
#include "support_faults.h"
#include <conehull/spectra.h>

RELEASE(ch_spectra_score)
RELEASE(ch_spectra_noise)

static ch_status call_match(ch_context *context, void *output, const void *with) {
    const double cost[] = {3, 1, 2, 2, 5, 4};
    (void)with;
    return ch_spectra_match(context, output, NULL, cost, 2, 3);
}

static ch_status call_compare(ch_context *context, void *output, const void *with) {
    const double spectra[] = {1, 2, 3, 4, 4, 1, 0, 2}, shares[] = {1, 0, 0, 1, 0.5, 0.5};
    const ch_spectra_set set = {4, 3, 2, spectra, shares};
    (void)with;
    return ch_spectra_compare(context, output, &set, &set);
}

static ch_status call_noise(ch_context *context, void *output, const void *with) {
    return ch_spectra_estimate_noise(context, output, with);
}

static ch_status call_smooth(ch_context *context, void *output, const void *with) {
    double spectra[ROWS];
    const ch_spectra_smoothing how = {1, CH_AVERAGE_MEDIAN};
    for (int i = 0; i < ROWS; i++) spectra[i] = ch_matrix_at(with, i, 0);
    return ch_spectra_smooth(context, output, NULL, with, spectra, 1, &how);
}

static ch_status call_sizes(ch_context *context, void *output, const void *with) {
    double sizes[COLS];
    (void)output;
    return ch_spectra_sizes(context, sizes, with, CH_LOSS_L2);
}

static ch_status call_gaps(ch_context *context, void *output, const void *with) {
    int64_t holes[COLS], unknown[ROWS];
    uint8_t nonzero[ROWS];
    (void)output;
    return ch_spectra_gaps(context, holes, unknown, nonzero, with, NULL);
}

static ch_status call_rank(ch_context *context, void *output, const void *with) {
    ch_unmix_settings set;
    ch_anchors_settings anchors;
    ch_unmix_defaults(&set);
    ch_status status = ch_unmix_prepare(context, &anchors, &set);
    return status < 0 ? status : ch_unmix_choose_rank(context, output, with, &set);
}

/* Of a result that is made outside the counted memory. */
static ch_status call_closer(ch_context *context, void *output, const void *with) {
    ch_anchors_settings set;
    ch_anchors_result result = {.size = sizeof result};
    const ch_unmix_halves how = {1, 0.1};
    double low[COLS], high[COLS], stability[1];
    ch_unmix_settings plain;
    (void)output;
    ch_unmix_defaults(&plain);
    plain.rank = 1; /* more would project hundreds of times, each with allocations to fail */
    assert_int_equal(ch_unmix_prepare(given.context, &set, &plain), CH_OK);
    assert_int_equal(ch_anchors(given.context, &result, with, &set), CH_OK);
    ch_status status = ch_unmix_stability(context, stability, with, &result, &set, &how);
    if (status >= 0) status = ch_unmix_intervals(context, low, high, with, &result, &set, 0.1);
    ch_anchors_result_free(given.context, &result);
    return status;
}

static ch_status call_scene(ch_context *context, void *output, const void *with) {
    ch_spectra_scene scene = {.size = sizeof scene, .lines = 8, .samples = 9, .bands = 10};
    (void)output;
    (void)with;
    ch_status status = ch_spectra_scene_make(context, &scene);
    ch_spectra_scene_free(context, &scene);
    return status;
}

static const support_fault faults[] = {
    {"ch_spectra_match", call_match, .size = 2 * sizeof(int64_t)},
    {"ch_spectra_compare", call_compare, .with = NULL, OUT_SIZED(ch_spectra_score)},
    {"ch_spectra_estimate_noise", call_noise, &given.dense, OUT_SIZED(ch_spectra_noise)},
    {"ch_spectra_smooth", call_smooth, &given.rows, .size = ROWS * sizeof(double)},
    {"ch_spectra_sizes", call_sizes, &given.rows, .size = 0},
    {"ch_spectra_gaps", call_gaps, &given.rows, .size = 0},
    {"ch_unmix_stability and ch_unmix_intervals", call_closer, &given.dense, .size = 0},
    {"ch_spectra_scene_make", call_scene, .size = 0},
    {"ch_unmix_choose_rank", call_rank, &given.dense, .size = sizeof(ch_unmix_rank),
     .sized = sizeof(ch_unmix_rank)},
};

int main(void) {
    return support_faults_run(faults, sizeof faults / sizeof *faults, NULL);
}
