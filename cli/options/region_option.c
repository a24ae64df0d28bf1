/* Regions of a picture: polygons or a picture, brought to the size of the frames. */
#include "options/region_option.h"
#include "common/exit_codes.h"
#include "common/matrix_input.h"
#include "common/message.h"
#include <conehull/mask.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cli_region_describe(cli_options *options, const char *group, const char **ignore,
                         const char **watch) {
    cli_options_add_text(options, group, "ignore", 0, "REGION",
                         "nothing is learned and nothing is found there: corners 'X,Y X,Y X,Y' in "
                         "pixels of the input (';' between several polygons), or a picture of the "
                         "input's size that is white there",
                         ignore);
    cli_options_add_text(options, group, "watch", 0, "REGION", "the other way round: only there",
                         watch);
}

static int region_error(const char *command, const char *text) {
    cli_complain("%s: a region is three or more corners 'X,Y X,Y X,Y' in pixels of the input, "
                 "or the name of a picture; got '%s'",
                 command, text);
    return EXIT_USAGE;
}

/* Corners up to ';' or the end; NULL when they are none. */
static const char *take_corners(const char *text, ch_polygon_corner *corners, int64_t room,
                                int64_t *count) {
    for (*count = 0;; ++*count) {
        char *end;
        text += strspn(text, " :");
        if (!*text || *text == ';') return text;
        if (*count == room) return NULL;
        corners[*count].x = strtod(text, &end);
        if (end == text || *end != ',') return NULL;
        text = end + 1;
        corners[*count].y = strtod(text, &end);
        if (end == text || (*end && !strchr(" :;", *end))) return NULL;
        text = end;
    }
}

static int draw_polygons(const cli_session *session, const char *command, ch_picture *region,
                         const char *text) {
    enum { CORNERS = 1000 };
    ch_polygon_corner corners[CORNERS];
    for (const char *at = text;; at++) {
        int64_t count;
        at = take_corners(at, corners, CORNERS, &count);
        if (!at || count < 3) return region_error(command, text);
        ch_status status = ch_region_polygon(session->context, region->pixels, region->width,
                                             region->height, corners, count);
        if (status < 0) return cli_fail(session, status, text);
        if (!*at) return EXIT_DONE;
    }
}

/* A picture counts where it is light; of a colour picture the green, which is most of its luma. */
static int read_region(const cli_session *session, const char *command, ch_picture *region,
                       const char *file) {
    ch_status status = ch_picture_read(session->context, region, file);
    if (status < 0 && access(file, F_OK) != 0) {
        cli_complain("%s: '%s' is neither corners 'X,Y X,Y X,Y' nor a picture that can be opened",
                     command, file);
        return cli_exit_code(status);
    }
    if (status < 0) return cli_fail(session, status, NULL);
    for (int64_t i = 0; i < region->width * region->height; i++)
        region->pixels[i] = region->pixels[i * region->channels + region->channels / 2];
    return EXIT_DONE;
}

/* Whatever it was made of, a region is cut and reduced like a mask. */
static int fit_region(const cli_session *session, uint8_t *watched, const ch_clip *clip,
                      const ch_picture *region, const char *text) {
    int whole = region->width == clip->source_width && region->height == clip->source_height;
    if (!whole && (region->width != clip->width || region->height != clip->height)) {
        cli_complain("%s: is %lld x %lld, the input's pictures are %lld x %lld; a region must have "
                     "their size",
                     text, (long long)region->width, (long long)region->height,
                     (long long)clip->source_width, (long long)clip->source_height);
        return EXIT_USAGE;
    }
    int64_t frame = 0;
    ch_masks mask = {1, region->width, region->height, &frame, region->pixels};
    for (int64_t i = 0; i < region->width * region->height; i++)
        region->pixels[i] = region->pixels[i] >= 128;
    ch_status status = ch_clip_fit_masks(session->context, &mask, clip);
    if (status < 0) return cli_fail(session, status, text);
    memcpy(watched, region->pixels, (size_t)(clip->width * clip->height));
    return EXIT_DONE;
}

static int draw_region(const cli_session *session, const char *command, uint8_t *watched,
                       const ch_clip *clip, const char *text) {
    ch_picture region = {.width = clip->source_width, .height = clip->source_height, .channels = 1};
    int polygons = text[strspn(text, "-0123456789.,;: ")] == 0, code;
    if (!polygons) {
        code = read_region(session, command, &region, text);
        if (code == EXIT_DONE) code = fit_region(session, watched, clip, &region, text);
        ch_picture_free(session->context, &region);
        return code;
    }
    region.pixels = calloc((size_t)(region.width * region.height), 1);
    if (!region.pixels) {
        cli_complain("out of memory");
        return EXIT_MEMORY;
    }
    code = draw_polygons(session, command, &region, text);
    if (code == EXIT_DONE) code = fit_region(session, watched, clip, &region, text);
    free(region.pixels);
    return code;
}

int cli_region_read(const cli_session *session, const char *command, uint8_t *watched,
                    int64_t *count, const ch_clip *clip, const char *text, int ignore) {
    int code = draw_region(session, command, watched, clip, text);
    if (code != EXIT_DONE) return code;
    *count = 0;
    for (int64_t j = 0; j < clip->width * clip->height; j++) {
        watched[j] = (watched[j] != 0) != ignore ? 255 : 0;
        *count += watched[j] != 0;
    }
    if (*count > 0) return EXIT_DONE;
    cli_complain("%s: --%s '%s' leaves no pixel to watch", command, ignore ? "ignore" : "watch",
                 text);
    return EXIT_USAGE;
}
