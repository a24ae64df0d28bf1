/* Pictures reduced by averaging areas.
 *
 * Output pixel x covers the source's [x W/w, (x+1) W/w). In units of 1/w source pixels all ends are
 * whole: source pixel i is [i w, (i+1) w), output pixel x is [x W, (x+1) W), and the overlaps are
 * integer weights that sum to W; likewise down the columns. So every value is the exact mean,
 * rounded once, on any machine. Cost: one multiplication per source value and one division per
 * result. */
#include "io/clip/frames.h"
#include <string.h>

ch_status chi_area_create(chi_arena *arena, chi_area *area, int64_t from_width, int64_t from_height,
                          int64_t width, int64_t height, int channels) {
    if (from_width > CHI_AREA_WIDTH_MAX)
        return chi_fail(
            arena->context, CH_ERR_UNSUPPORTED,
            "pictures that are %lld pixels wide cannot be made smaller; the maximum width is %lld",
            (long long)from_width, (long long)CHI_AREA_WIDTH_MAX);
    *area = (chi_area){from_width, from_height, width, height, channels, NULL, NULL};
    area->total = chi_arena_alloc(arena, width * channels, sizeof *area->total);
    area->across = chi_arena_alloc(arena, width * channels, sizeof *area->across);
    return chi_arena_status(arena, "reducing pictures");
}

int64_t chi_area_height(int64_t from_width, int64_t from_height, int64_t width) {
    int64_t height = (2 * from_height * width + from_width) / (2 * from_width);
    return height > 0 ? height : 1;
}

/* across[x] = sum of the row's values under output pixel x, weighted: at most 255 W, which
 * CHI_AREA_WIDTH_MAX keeps within 32 bits. */
static void sum_row(const chi_area *area, const uint8_t *row) {
    int64_t W = area->from_width, w = area->width;
    int channels = area->channels;
    memset(area->across, 0, (size_t)(w * channels) * sizeof *area->across);
    int64_t x = 0, room = W; /* how much of output pixel x is still missing */
    for (int64_t i = 0; i < W; i++) {
        int64_t part = room < w ? room : w;
        for (int c = 0; c < channels; c++)
            area->across[x * channels + c] += (uint32_t)part * row[i * channels + c];
        room -= part;
        if (room) continue;
        x++;
        room = W;
        if (part == w) continue;
        for (int c = 0; c < channels; c++)
            area->across[x * channels + c] += (uint32_t)(w - part) * row[i * channels + c];
        room -= w - part;
    }
}

static void add_row(const chi_area *area, int64_t weight) {
    int64_t count = area->width * area->channels;
    for (int64_t k = 0; k < count; k++) area->total[k] += (uint64_t)weight * area->across[k];
}

static void finish_row(const chi_area *area, uint8_t *to) {
    uint64_t whole = (uint64_t)area->from_width * (uint64_t)area->from_height;
    int64_t count = area->width * area->channels;
    for (int64_t k = 0; k < count; k++) to[k] = (uint8_t)((area->total[k] + whole / 2) / whole);
    memset(area->total, 0, (size_t)count * sizeof *area->total);
}

void chi_area_reduce(chi_area *area, uint8_t *to, const uint8_t *from) {
    int64_t H = area->from_height, h = area->height, room = H;
    int64_t pitch = area->from_width * area->channels;
    memset(area->total, 0, (size_t)(area->width * area->channels) * sizeof *area->total);
    for (int64_t i = 0; i < H; i++) {
        int64_t part = room < h ? room : h;
        sum_row(area, from + i * pitch);
        add_row(area, part);
        room -= part;
        if (room) continue;
        finish_row(area, to);
        to += area->width * area->channels;
        room = H;
        if (part == h) continue;
        add_row(area, h - part);
        room -= h - part;
    }
}
