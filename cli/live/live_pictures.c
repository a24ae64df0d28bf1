/* Results of conehull live as pictures. */
#include "common/frame_planes.h"
#include "live/live_command.h"
#include <stdlib.h>
#include <string.h>

int live_picture_channels(const live_pictures *pictures, live_kind kind) {
    if (kind == LIVE_MASK) return 1;
    return kind == LIVE_OVERLAY ? 3 : pictures->info.planes;
}

int64_t live_picture_width(const live_pictures *pictures, live_kind kind) {
    return kind == LIVE_SIDE ? 3 * pictures->info.width : pictures->info.width;
}

int live_pictures_create(live_pictures *pictures, const cli_session *session,
                         const ch_feed_info *info) {
    size_t pixels = (size_t)(info->width * info->height);
    *pictures = (live_pictures){.session = session, .info = *info};
    pictures->background = malloc(3 * pixels);
    pictures->overlay = malloc(3 * pixels);
    pictures->side = malloc(9 * pixels);
    return pictures->background && pictures->overlay && pictures->side ? EXIT_DONE
                                                                       : cli_no_memory();
}

void live_pictures_free(live_pictures *pictures) {
    free(pictures->background);
    free(pictures->overlay);
    free(pictures->side);
}

static const uint8_t *make_background(live_pictures *pictures, ch_live *live,
                                      const ch_live_result *result, const uint8_t *const *planes) {
    const ch_feed_info *info = &pictures->info;
    if (!result->mask)
        cli_interleave(pictures->background, planes, info->planes, info->width * info->height);
    else if (ch_live_background_bytes(live, pictures->background) < 0)
        return NULL;
    return pictures->background;
}

static const uint8_t *make_mask(live_pictures *pictures, const ch_live_result *result) {
    if (result->mask) return result->mask;
    memset(pictures->overlay, 0, (size_t)(pictures->info.width * pictures->info.height));
    return pictures->overlay;
}

static const uint8_t *make_overlay(live_pictures *pictures, const ch_live_result *result,
                                   const uint8_t *const *planes) {
    const ch_feed_info *info = &pictures->info;
    const uint8_t *mask = result->mask;
    if (!mask) mask = memset(pictures->side, 0, (size_t)(info->width * info->height));
    ch_status status =
        ch_mask_overlay(pictures->session->context, pictures->overlay, planes, info->planes, mask,
                        info->width, info->height, info->width / 400 + 1, cli_outline);
    return status < 0 ? NULL : pictures->overlay;
}

static const uint8_t *make_side(live_pictures *pictures, ch_live *live,
                                const ch_live_result *result, const uint8_t *const *planes) {
    const ch_feed_info *info = &pictures->info;
    const uint8_t *background = make_background(pictures, live, result, planes);
    if (!background) return NULL;
    int64_t width = info->width, channels = info->planes;
    for (int64_t y = 0; y < info->height; y++)
        for (int64_t x = 0; x < width; x++)
            for (int64_t c = 0; c < channels; c++) {
                uint8_t *row = pictures->side + y * 3 * width * channels + c;
                row[x * channels] = planes[c][y * width + x];
                row[(width + x) * channels] = background[(y * width + x) * channels + c];
                row[(2 * width + x) * channels] = result->mask ? result->mask[y * width + x] : 0;
            }
    return pictures->side;
}

const uint8_t *live_picture(live_pictures *pictures, live_kind kind, ch_live *live,
                            const ch_live_result *result, const uint8_t *const *planes) {
    const uint8_t *made = kind == LIVE_BACKGROUND ? make_background(pictures, live, result, planes)
                          : kind == LIVE_MASK     ? make_mask(pictures, result)
                          : kind == LIVE_OVERLAY  ? make_overlay(pictures, result, planes)
                                                  : make_side(pictures, live, result, planes);
    if (!made) cli_complain("live: %s", ch_context_message(pictures->session->context));
    return made;
}
