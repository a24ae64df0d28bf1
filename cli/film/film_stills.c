/* Frames for the page. Their number and width are limited so that a page stays below about 10
 * MB. */
#include "film/film_stills.h"
#include "common/frame_planes.h"
#include "common/try.h"
#include "film/page_photo.h"

enum { FRAMES_MAX = 120, KNOWN_MAX = 40, WIDTH_MAX = 360, QUALITY = 80 };

static int64_t frames_max(int methods) {
    return FRAMES_MAX / (methods > 1 ? (methods + 1) / 2 + 1 : 1);
}

int cli_stills_create(cli_stills *stills, cli_pictures *pictures, int methods, int64_t frames) {
    const cli_film_shape *shape = &pictures->shape;
    int64_t factor = (shape->width + WIDTH_MAX - 1) / WIDTH_MAX;
    int64_t width = shape->width / factor, height = shape->height / factor;
    /* the picture is lower than the factor: one row, from fewer pixels */
    if (height == 0) height = 1;
    size_t pixels = (size_t)(width * height), most = FRAMES_MAX + KNOWN_MAX;
    *stills = (cli_stills){.session = pictures->session,
                           .pictures = pictures,
                           .shape = *shape,
                           .factor = factor,
                           .width = width,
                           .height = height,
                           .spacing = 1,
                           .known_spacing = 1};
    /* frames that would be dropped later are not encoded */
    while (frames > frames_max(methods) * stills->spacing) stills->spacing *= 2;
    stills->rows = malloc(most * sizeof *stills->rows);
    stills->known = malloc(most);
    stills->blobs = calloc(most * (size_t)methods * REPORT_VIEWS, sizeof *stills->blobs);
    stills->memory = malloc(10 * pixels);
    stills->sums = malloc((size_t)shape->width * sizeof *stills->sums);
    if (!stills->rows || !stills->known || !stills->blobs || !stills->memory || !stills->sums)
        return cli_no_memory();
    for (size_t p = 0; p < 3; p++) {
        stills->planes[p] = stills->memory + p * pixels;
        stills->background[p] = stills->memory + (3 + p) * pixels;
    }
    stills->mask = stills->memory + 6 * pixels;
    stills->rgb = stills->memory + 7 * pixels;
    stills->film = (report_film){.rows = stills->rows, .blobs = stills->blobs, .methods = methods};
    return EXIT_DONE;
}

static void free_blobs(cli_stills *stills, int64_t i) {
    int64_t each = stills->film.methods * REPORT_VIEWS;
    for (int64_t k = i * each; k < (i + 1) * each; k++)
        ch_picture_bytes_free(stills->session->context, stills->blobs[k].bytes);
}

void cli_stills_free(cli_stills *stills) {
    if (!stills->session) return;
    for (int64_t i = 0; i < stills->film.count && stills->blobs; i++) free_blobs(stills, i);
    free(stills->rows);
    free(stills->known);
    free(stills->blobs);
    free(stills->memory);
    free(stills->sums);
    *stills = (cli_stills){0};
}

/* ---- reducing ---- */

/* Reduces a plane to means of factor x factor pixels. Incomplete squares at the right and lower
 * borders are dropped. */
static void reduce_bytes(const cli_stills *stills, uint8_t *to, const uint8_t *from) {
    int64_t factor = stills->factor, width = stills->width, wide = stills->shape.width;
    uint32_t *restrict sums = stills->sums;
    for (int64_t y = 0; y < stills->height; y++) {
        int64_t rows = stills->shape.height - y * factor;
        if (rows > factor) rows = factor;
        memset(sums, 0, (size_t)(width * factor) * sizeof *sums);
        for (int64_t v = 0; v < rows; v++) {
            const uint8_t *row = from + (y * factor + v) * wide;
            for (int64_t x = 0; x < width * factor; x++) sums[x] += row[x];
        }
        uint32_t count = (uint32_t)(rows * factor);
        for (int64_t x = 0; x < width; x++) {
            uint32_t sum = count / 2;
            for (int64_t u = 0; u < factor; u++) sum += sums[x * factor + u];
            to[y * width + x] = (uint8_t)(sum / count);
        }
    }
}

/* Reduces a background: takes the value in the middle of each square, because backgrounds are
 * smooth. */
static void reduce_background(const cli_stills *stills, uint8_t *to, const float *from) {
    int64_t factor = stills->factor, last = stills->shape.height - 1;
    for (int64_t y = 0; y < stills->height; y++)
        for (int64_t x = 0; x < stills->width; x++) {
            int64_t row = y * factor + factor / 2;
            float value =
                from[(row < last ? row : last) * stills->shape.width + x * factor + factor / 2];
            value = value < 0 ? 0 : value > 255 ? 255 : value;
            to[y * stills->width + x] = (uint8_t)(value + 0.5f);
        }
}

/* Reduces a plane of half the width and height, given as bytes or as floats: takes the values in
 * the middle of squares. */
static void reduce_half(const cli_stills *stills, uint8_t *to, const uint8_t *bytes,
                        const float *numbers) {
    int64_t factor = stills->factor, across = stills->shape.width / 2;
    for (int64_t y = 0; y < stills->height; y++)
        for (int64_t x = 0; x < stills->width; x++) {
            int64_t row = (y * factor + factor / 2) / 2, last = stills->shape.height / 2 - 1;
            int64_t at = (row < last ? row : last) * across + (x * factor + factor / 2) / 2;
            float value = bytes ? bytes[at] : numbers[at];
            value = value < 0 ? 0 : value > 255 ? 255 : value;
            to[y * stills->width + x] = (uint8_t)(value + 0.5f);
        }
}

/* Converts Y, R and B of a reduced picture to R, G and B. */
static void give_green(const cli_stills *stills, uint8_t *const planes[3]) {
    double red, blue;
    cli_luma_shares(&red, &blue, stills->shape.matrix);
    for (int64_t i = 0; i < stills->width * stills->height; i++) {
        double r = planes[1][i], b = planes[2][i];
        double g = (planes[0][i] - red * r - blue * b) / (1 - red - blue);
        planes[0][i] = (uint8_t)r;
        planes[1][i] = (uint8_t)(g < 0 ? 0 : g > 255 ? 255 : g + 0.5);
    }
}

static void reduce_moment(const cli_stills *stills, const cli_moment *now) {
    for (int p = 0; p < stills->shape.planes; p++) {
        int half = now->halves && p > 0;
        if (half)
            reduce_half(stills, stills->planes[p], now->planes[p], NULL);
        else
            reduce_bytes(stills, stills->planes[p], now->planes[p]);
        if (half)
            reduce_half(stills, stills->background[p], NULL, now->background[p]);
        else
            reduce_background(stills, stills->background[p], now->background[p]);
    }
    reduce_bytes(stills, stills->mask, now->mask);
    if (!now->halves) return;
    give_green(stills, stills->planes);
    give_green(stills, stills->background);
}

/* ---- pictures as files ---- */

static ch_status encode(cli_stills *stills, report_blob *blob, int channels, int flat) {
    ch_context *context = stills->session->context;
    ch_picture picture = {stills->width, stills->height, channels, stills->rgb};
    if (!flat) return cli_photo_encode(context, blob, &picture, QUALITY);
    blob->type = "image/png";
    return ch_picture_encode_png(context, &blob->bytes, &blob->length, &picture);
}

static ch_status encode_view(cli_stills *stills, report_blob *blob, int view) {
    int planes = stills->shape.planes;
    int64_t pixels = stills->width * stills->height;
    if (view == REPORT_OVERLAY) {
        uint8_t *mask = stills->mask;
        /* a square is foreground if a quarter of it is, so that small objects stay visible */
        enum { QUARTER = 64 };
        for (int64_t i = 0; i < pixels; i++) mask[i] = mask[i] >= QUARTER ? 255 : 0;
        ch_status status = ch_mask_overlay(stills->session->context, stills->rgb,
                                           (const uint8_t *const *)stills->planes, mask,
                                           &(ch_frame_shape){stills->width, stills->height, planes},
                                           &(ch_mask_outline){1, CLI_OUTLINE});
        return status == CH_OK ? encode(stills, blob, 3, 0) : status;
    }
    const uint8_t *mask = stills->mask;
    const uint8_t *const *from = view == REPORT_MASK ? &mask
                                 : view == REPORT_BACKGROUND
                                     ? (const uint8_t *const *)stills->background
                                     : (const uint8_t *const *)stills->planes;
    int channels = view == REPORT_MASK ? 1 : planes;
    cli_interleave(stills->rgb, from, channels, pixels);
    return encode(stills, blob, channels, view == REPORT_MASK);
}

/* Encodes all views of a frame; the original is encoded once for all methods. Photographs are JPEG;
 * masks, which are flat, are PNG. */
static int fill(cli_stills *stills, int64_t i, int method, const cli_moment *given) {
    cli_moment whole;
    const cli_moment *now = &whole;
    if (stills->factor == 1)
        TRY(cli_moment_whole(stills->pictures, &whole, given));
    else
        whole = *given;
    report_blob *blobs = &stills->blobs[(i * stills->film.methods + method) * REPORT_VIEWS];
    ch_status status = CH_OK;
    reduce_moment(stills, now);
    for (int view = method ? REPORT_BACKGROUND : REPORT_ORIGINAL;
         view < REPORT_VIEWS && status == CH_OK; view++)
        status = encode_view(stills, &blobs[view], view);
    return cli_check(stills->session, status);
}

/* ---- which ones ---- */

/* Keeps the frames that the spacings allow and drops the others. */
static void thin_out(cli_stills *stills) {
    int64_t kept = 0, each = stills->film.methods * REPORT_VIEWS, known = 0;
    stills->spread_count = stills->known_count = 0;
    for (int64_t i = 0; i < stills->film.count; i++) {
        int spread = stills->rows[i] % stills->spacing == 0;
        int marked = stills->known[i] && known++ % 2 == 0;
        if (stills->known_spacing == 1) marked = stills->known[i];
        if (!spread && !marked) {
            free_blobs(stills, i);
            continue;
        }
        stills->spread_count += spread;
        stills->known_count += marked;
        stills->rows[kept] = stills->rows[i];
        stills->known[kept] = (uint8_t)marked;
        memmove(&stills->blobs[kept * each], &stills->blobs[i * each],
                (size_t)each * sizeof *stills->blobs);
        kept++;
    }
    memset(&stills->blobs[kept * each], 0,
           (size_t)((stills->film.count - kept) * each) * sizeof *stills->blobs);
    stills->film.count = kept;
}

static int add_first(cli_stills *stills, int64_t row, int known, const cli_moment *now) {
    int marked = known && stills->known_seen++ % stills->known_spacing == 0;
    while (row % stills->spacing == 0 && stills->spread_count >= frames_max(stills->film.methods)) {
        int64_t before = stills->known_spacing;
        stills->known_spacing = 1; /* frames with known masks stay */
        stills->spacing *= 2;
        thin_out(stills);
        stills->known_spacing = before;
    }
    if (marked && stills->known_count >= KNOWN_MAX) {
        stills->known_spacing *= 2;
        thin_out(stills);
    }
    int spread = row % stills->spacing == 0;
    if (!spread && !marked) return EXIT_DONE;
    int64_t i = stills->film.count++;
    stills->rows[i] = row;
    stills->known[i] = (uint8_t)marked;
    stills->spread_count += spread;
    stills->known_count += marked;
    return fill(stills, i, 0, now);
}

int cli_stills_add(cli_stills *stills, int method, int64_t row, int known, const cli_moment *now) {
    if (method == 0) return add_first(stills, row, known, now);
    if (row == 0) stills->next = 0; /* the first frame of the next method */
    if (stills->next == stills->film.count || stills->rows[stills->next] != row) return EXIT_DONE;
    return fill(stills, stills->next++, method, now);
}

int cli_stills_want(const cli_stills *stills, int method, int64_t row, int known) {
    return method > 0 || known || row % stills->spacing == 0;
}

void cli_stills_start(cli_stills *stills, const ch_activity *activity) {
    report_film *film = &stills->film;
    for (int64_t i = 0; i < film->count; i++)
        if (activity[stills->rows[i]].foreground > activity[stills->rows[film->start]].foreground)
            film->start = i;
}
