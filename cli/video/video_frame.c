/* One frame of a block as a picture. */
#include "common/frame_planes.h"
#include "video/video_command.h"

/* A background, rounded to the nearest byte. */
static const uint8_t *round_to_bytes(uint8_t *to, const float *from, int64_t pixels) {
    for (int64_t j = 0; j < pixels; j++) {
        float value = from[j] < 0 ? 0 : from[j] > 255 ? 255 : from[j];
        to[j] = (uint8_t)(value + 0.5f);
    }
    return to;
}

ch_status video_frame(const video_run *run, ch_picture *picture, uint8_t *buffer,
                      const video_block *block, int64_t i, int view, int64_t thickness) {
    const ch_clip *clip = &run->video.clip;
    int planes = run->video.planes;
    int64_t size = run->video.pixels;
    const uint8_t *mask = block->masks + i * size, *plane[VIDEO_PLANES_MAX];
    *picture = (ch_picture){clip->width, clip->height, planes, buffer};
    for (int p = 0; p < planes; p++)
        plane[p] = view == REPORT_BACKGROUND ? round_to_bytes(buffer + (3 + p) * size,
                                                              block->background[p] + i * size, size)
                                             : block->pixels[p] + i * size;
    if (view == REPORT_MASK) {
        picture->channels = 1;
        cli_interleave(buffer, &mask, 1, size);
    } else if (view == REPORT_OVERLAY) {
        picture->channels = 3;
        return ch_mask_overlay(run->session->context, buffer, plane, mask,
                               &(ch_frame_shape){clip->width, clip->height, planes},
                               &(ch_mask_outline){thickness, CLI_OUTLINE});
    } else {
        cli_interleave(buffer, plane, planes, size);
    }
    return CH_OK;
}
