/* The memory of a clip: planes x pixels x frames bytes plus one block, known before any of it is
 * allocated. A refusal names the single setting by which the clip would fit. */
#include "io/clip/frames.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static double needed(const chi_clip_memory *room, int64_t width, int colour, int64_t frames) {
    const ch_clip *clip = room->clip;
    int64_t height = chi_area_height(clip->roi_width, clip->roi_height, width);
    int planes = !colour ? 1 : clip->halves ? CHI_PLANES_HALVES : 4;
    return chi_planes_bytes(width * height, planes, frames) + (double)room->held;
}

static double limit_of(const chi_clip_memory *room) {
    return room->set->memory ? (double)room->set->memory : chi_machine_bytes();
}

static void add(char *text, size_t size, const char *option, double value) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s %.0f", used ? "; or " : "", option, value);
}

static int fits(const chi_clip_memory *room, int64_t width, int colour, int64_t frames) {
    return needed(room, width, colour, frames) <= limit_of(room);
}

/* Returns the largest width, or number of frames, in [1, high) that fits, or 0. Memory increases
 * with both. */
static int64_t largest(const chi_clip_memory *room, int64_t high, int of_frames) {
    const ch_clip *clip = room->clip;
    int64_t low = 0;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (fits(room, of_frames ? clip->width : middle, clip->colour,
                 of_frames ? middle : room->frames))
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void advise(char *text, size_t size, const chi_clip_memory *room) {
    const ch_clip *clip = room->clip;
    int gray = clip->colour && fits(room, clip->width, 0, room->frames);
    snprintf(text, size, "%s", gray ? "--gray" : "");
    int64_t width = largest(room, clip->width, 0);
    if (width >= 16) add(text, size, "--width", (double)width);
    int64_t frames = largest(room, room->frames, 1);
    if (frames < 2) return;
    double step = ceil((double)room->frames / (double)frames) * (double)room->set->step;
    if (!room->open_end) add(text, size, "--step", step);
    add(text, size, "--frames", (double)(frames * room->set->step));
}

ch_status chi_clip_memory_check(ch_context *context, const chi_clip_memory *room) {
    const ch_clip *clip = room->clip;
    char advice[160];
    double bytes = needed(room, clip->width, clip->colour, room->frames);
    if (bytes <= limit_of(room)) return CH_OK;
    advise(advice, sizeof advice, room);
    return chi_fail(context, CH_ERR_MEMORY,
                    "%s: not enough memory: %s%lld frames of %lld x %lld pixels in %s need %.4g "
                    "MB, but only %.4g MB may be used%s%s",
                    room->path, room->open_end ? "at least " : "", (long long)room->frames,
                    (long long)clip->width, (long long)clip->height,
                    clip->colour ? "colour" : "gray", bytes / 1e6, limit_of(room) / 1e6,
                    *advice ? "; the following would fit: " : "", advice);
}

void chi_clip_memory_announce(ch_context *context, const chi_clip_memory *room) {
    const ch_clip *clip = room->clip;
    double bytes = needed(room, clip->width, clip->colour, room->frames);
    chi_log(context, CH_LOG_INFO, "%s: memory for %s%lld frames of %lld x %lld pixels, %s: %.4g MB",
            room->path, room->open_end ? "up to " : "", (long long)room->frames,
            (long long)clip->width, (long long)clip->height, clip->colour ? "colour" : "gray",
            bytes / 1e6);
}
