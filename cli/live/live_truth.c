/* Known masks of frames of the source, and their comparison with the results. */
#include "common/mask_report.h"
#include "live/live_command.h"

ch_clip live_shape(const ch_feed_info *info) {
    return (ch_clip){.size = sizeof(ch_clip),
                     .width = info->width,
                     .height = info->height,
                     .source_width = info->source_width,
                     .source_height = info->source_height,
                     .roi_x = info->roi_x,
                     .roi_y = info->roi_y,
                     .roi_width = info->roi_width,
                     .roi_height = info->roi_height};
}

int live_truth_read(const cli_session *session, live_truth *truth, const char *folder,
                    const ch_feed_info *info) {
    ch_clip like = live_shape(info);
    truth->masks.size = sizeof truth->masks;
    truth->roc.size = sizeof truth->roc;
    ch_status status = ch_masks_read(session->context, &truth->masks, folder);
    if (status == CH_OK) status = ch_clip_fit_masks(session->context, &truth->masks, &like);
    if (status == CH_OK) status = ch_scorer_create(session->context, &truth->scorer);
    truth->found = truth->masks.count;
    return cli_check(session, status);
}

int live_truth_has(live_truth *truth, int64_t index) {
    while (truth->next < truth->masks.count && truth->masks.frame[truth->next] < index)
        truth->next++;
    return truth->next < truth->masks.count && truth->masks.frame[truth->next] == index;
}

int live_truth_add(const cli_session *session, live_truth *truth, const ch_live_result *result,
                   const uint8_t *watched, int64_t pixels) {
    const uint8_t *known = truth->masks.foreground + truth->next * pixels;
    const uint8_t *region = cli_masks_region(&truth->masks, truth->next, watched, pixels);
    ch_pixel_counts_add(&truth->counts, result->mask, known, region, pixels);
    ch_status status = ch_scorer_add_f32(truth->scorer, result->score, known, region, pixels);
    truth->used++;
    return cli_check(session, status);
}

void live_truth_free(const cli_session *session, live_truth *truth) {
    ch_roc_free(session->context, &truth->roc);
    ch_scorer_destroy(truth->scorer);
    ch_masks_free(session->context, &truth->masks);
}
