/* Regions of a picture: polygons or a picture, scaled to the size of the frames. */
#include "options/region_option.h"
#include "common/try.h"
#include <conehull/mask.h>
#include <unistd.h>

int cli_region_check(const cli_session *session, const cli_region *region) {
    if (!region->ignore || !region->watch) return EXIT_DONE;
    return cli_wrong_use(session, "--ignore and --watch cannot be used together; give one of them");
}

/* Reads corners up to ';' or the end; returns NULL if they are invalid. */
static const char *take_corners(const char *text, ch_polygon_corner *corners, int64_t capacity,
                                int64_t *count) {
    for (*count = 0;; ++*count) {
        char *end;
        text += strspn(text, " :");
        if (!*text || *text == ';') return text;
        if (*count == capacity) return NULL;
        corners[*count].x = strtod(text, &end);
        if (end == text || *end != ',') return NULL;
        text = end + 1;
        corners[*count].y = strtod(text, &end);
        if (end == text || (*end && !strchr(" :;", *end))) return NULL;
        text = end;
    }
}

static int draw_polygons(const cli_session *session, ch_picture *region, const char *text) {
    enum { CORNERS = 1000 };
    ch_polygon_corner corners[CORNERS];
    region->pixels = calloc((size_t)(region->width * region->height), 1);
    if (!region->pixels) return cli_no_memory();
    for (const char *at = text;; at++) {
        int64_t count;
        at = take_corners(at, corners, CORNERS, &count);
        if (!at || count < 3)
            return cli_refuse("%s: a region must be three or more corners, as in 'X,Y X,Y X,Y' in "
                              "pixels of the input, or the name of a picture; got '%s'",
                              session->options.command, text);
        TRY(cli_check_file(session,
                           ch_region_add_polygon(
                               session->context, region->pixels,
                               &(ch_frame_shape){region->width, region->height, 1}, corners, count),
                           text));
        if (!*at) return EXIT_DONE;
    }
}

/* A picture marks the region where it is light; of a colour picture the green counts, which is most
 * of its luma. */
static int read_region(const cli_session *session, ch_picture *region, const char *file) {
    ch_status status = ch_picture_read(session->context, region, file);
    if (status < 0 && access(file, F_OK) != 0)
        return cli_error(cli_exit_code(status),
                         "%s: '%s' is neither a list of corners, as in 'X,Y X,Y X,Y', nor a "
                         "picture that can be opened",
                         session->options.command, file);
    TRY(cli_check(session, status));
    for (int64_t i = 0; i < region->width * region->height; i++)
        region->pixels[i] = region->pixels[i * region->channels + region->channels / 2];
    return EXIT_DONE;
}

/* A region is cropped and reduced like a mask, whatever it was made from. */
static int fit_region(const cli_session *session, uint8_t *watched, const ch_clip *clip,
                      const ch_picture *region, const char *text) {
    int whole = region->width == clip->source_width && region->height == clip->source_height;
    if (!whole && (region->width != clip->width || region->height != clip->height))
        return cli_refuse("%s: the picture of the region is %lld x %lld, but the pictures of the "
                          "input are %lld x %lld; both must have the same size",
                          text, (long long)region->width, (long long)region->height,
                          (long long)clip->source_width, (long long)clip->source_height);
    int64_t frame = 0;
    ch_masks mask = {sizeof mask, 1, region->width, region->height, &frame, region->pixels, NULL};
    for (int64_t i = 0; i < region->width * region->height; i++)
        region->pixels[i] = region->pixels[i] >= 128;
    TRY(cli_check_file(session, ch_clip_fit_masks(session->context, &mask, clip), text));
    memcpy(watched, region->pixels, (size_t)(clip->width * clip->height));
    return EXIT_DONE;
}

static int draw_region(const cli_session *session, uint8_t *watched, const ch_clip *clip,
                       const char *text) {
    ch_picture region = {.width = clip->source_width, .height = clip->source_height, .channels = 1};
    int polygons = text[strspn(text, "-0123456789.,;: ")] == 0;
    int code =
        polygons ? draw_polygons(session, &region, text) : read_region(session, &region, text);
    if (code == EXIT_DONE) code = fit_region(session, watched, clip, &region, text);
    if (polygons)
        free(region.pixels);
    else
        ch_picture_free(session->context, &region);
    return code;
}

int cli_region_read(const cli_session *session, uint8_t **watched, int64_t *count,
                    const cli_region *region, const ch_clip *clip) {
    const char *text = region->ignore ? region->ignore : region->watch;
    int64_t pixels = clip->width * clip->height;
    *watched = NULL;
    *count = pixels;
    if (!text) return EXIT_DONE;
    *watched = malloc((size_t)pixels);
    if (!*watched) return cli_no_memory();
    TRY(draw_region(session, *watched, clip, text));
    *count = 0;
    for (int64_t j = 0; j < pixels; j++) {
        (*watched)[j] = ((*watched)[j] != 0) != (region->ignore != NULL) ? 255 : 0;
        *count += (*watched)[j] != 0;
    }
    if (*count > 0) return EXIT_DONE;
    return cli_refuse("%s: --%s '%s' excludes all pixels; at least one must be left",
                      session->options.command, region->ignore ? "ignore" : "watch", text);
}
