/* Results of conehull live as pictures. */
#include "common/frame_planes.h"
#include "live/live_command.h"

ch_picture live_picture_shape(const live_pictures *pictures, live_kind kind) {
    const ch_feed_info *info = &pictures->info;
    return (ch_picture){.width = kind == LIVE_SIDE ? 3 * info->width : info->width,
                        .height = info->height,
                        .channels = kind == LIVE_MASK      ? 1
                                    : kind == LIVE_OVERLAY ? 3
                                                           : info->planes};
}

int live_pictures_create(live_pictures *pictures, const cli_session *session,
                         const ch_feed_info *info) {
    size_t pixels = (size_t)(info->width * info->height);
    uint8_t *memory = malloc(15 * pixels);
    *pictures = (live_pictures){.session = session, .info = *info, .side = memory};
    if (!memory) return cli_no_memory();
    pictures->overlay = memory + 9 * pixels;
    pictures->background = memory + 12 * pixels;
    return EXIT_DONE;
}

static const uint8_t *make_background(live_pictures *pictures, const live_moment *now) {
    const ch_feed_info *info = &pictures->info;
    if (!now->result->mask)
        cli_interleave(pictures->background, now->planes, info->planes, info->width * info->height);
    else if (ch_live_background_bytes(now->live, pictures->background) < 0)
        return NULL;
    return pictures->background;
}

/* The mask, or in the warm-up a black picture in `buffer`. */
static const uint8_t *make_mask(const live_pictures *pictures, uint8_t *buffer,
                                const live_moment *now) {
    if (now->result->mask) return now->result->mask;
    return memset(buffer, 0, (size_t)(pictures->info.width * pictures->info.height));
}

static const uint8_t *make_overlay(live_pictures *pictures, const live_moment *now) {
    const ch_feed_info *info = &pictures->info;
    const uint8_t *mask = make_mask(pictures, pictures->side, now);
    ch_status status =
        ch_mask_overlay(pictures->session->context, pictures->overlay, now->planes, mask,
                        &(ch_frame_shape){info->width, info->height, info->planes},
                        &(ch_mask_outline){info->width / 400 + 1, CLI_OUTLINE});
    return status < 0 ? NULL : pictures->overlay;
}

static const uint8_t *make_side(live_pictures *pictures, const live_moment *now) {
    const ch_feed_info *info = &pictures->info;
    const uint8_t *background = make_background(pictures, now);
    const uint8_t *mask = make_mask(pictures, pictures->overlay, now);
    int64_t width = info->width, channels = info->planes;
    for (int64_t y = 0; background && y < info->height; y++)
        for (int64_t x = 0; x < width; x++)
            for (int64_t c = 0; c < channels; c++) {
                uint8_t *row = pictures->side + y * 3 * width * channels + c;
                row[x * channels] = now->planes[c][y * width + x];
                row[(width + x) * channels] = background[(y * width + x) * channels + c];
                row[(2 * width + x) * channels] = mask[y * width + x];
            }
    return background ? pictures->side : NULL;
}

int live_picture_make(live_pictures *pictures, ch_picture *picture, live_kind kind,
                      const live_moment *now) {
    const uint8_t *made = kind == LIVE_BACKGROUND ? make_background(pictures, now)
                          : kind == LIVE_MASK     ? make_mask(pictures, pictures->overlay, now)
                          : kind == LIVE_OVERLAY  ? make_overlay(pictures, now)
                                                  : make_side(pictures, now);
    *picture = live_picture_shape(pictures, kind);
    picture->pixels = (uint8_t *)made; /* only read */
    if (made) return EXIT_DONE;
    return cli_error(EXIT_FILES, "live: %s", ch_context_message(pictures->session->context));
}
