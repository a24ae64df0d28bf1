/* Cubes in TIFF and GeoTIFF, by libtiff: the samples of one page, side by side (BIP) or plane after
 * plane (BSQ), or pages of one sample each (BSQ). Strips and tiles with any compression that
 * libtiff supports. */
#include "io/cube/tiff_geometry.h"
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { PAGES_MAX = 65535 };

/* chi_cube_source.handle. */
typedef struct tiff_set {
    TIFF *file; /* open while values are read */
    int paged;  /* bands are pages            */
    int planar; /* bands are planes of a page */
    int64_t file_bytes;
} tiff_set;

/* Suppresses libtiff's messages. Our own messages follow from its return values. */
static int be_quiet(TIFF *file, void *user, const char *module, const char *format, va_list words) {
    (void)file, (void)user, (void)module, (void)format, (void)words;
    return 1;
}

/* A file must not request more memory than its compressed bytes could fill. */
static TIFF *open_tiff(const char *path, int64_t bytes) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) return NULL;
    double most = 4e6 + (double)bytes * CHI_DEFLATE_PACKING;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, most < 2e9 ? (tmsize_t)most : (tmsize_t)2e9);
    TIFFOpenOptionsSetErrorHandlerExtR(options, be_quiet, NULL);
    TIFFOpenOptionsSetWarningHandlerExtR(options, be_quiet, NULL);
    /* M: no mapping, which would crash if the file is truncated. */
    TIFF *file = TIFFOpenExt(path, "rm", options);
    TIFFOpenOptionsFree(options);
    return file;
}

/* Shape and type of a page. */
typedef struct page {
    uint32_t width, height;
    uint16_t samples, bits, format, planes;
} page;

static page look_at(TIFF *file) {
    page p = {.samples = 1, .bits = 1, .format = SAMPLEFORMAT_UINT, .planes = PLANARCONFIG_CONTIG};
    TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &p.width);
    TIFFGetField(file, TIFFTAG_IMAGELENGTH, &p.height);
    TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &p.samples);
    TIFFGetFieldDefaulted(file, TIFFTAG_BITSPERSAMPLE, &p.bits);
    TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLEFORMAT, &p.format);
    TIFFGetFieldDefaulted(file, TIFFTAG_PLANARCONFIG, &p.planes);
    return p;
}

static int same_page(const page *a, const page *b) {
    return a->width == b->width && a->height == b->height && a->samples == b->samples &&
           a->bits == b->bits && a->format == b->format;
}

static ch_status take_type(ch_context *context, chi_cube_source *source, const page *p,
                           const char *path) {
    char kind = p->format == SAMPLEFORMAT_IEEEFP ? 'f' : p->format == SAMPLEFORMAT_INT ? 'i' : 'u';
    source->element = (chi_element){kind, p->bits / 8, 0}; /* libtiff swaps bytes itself */
    int plain = p->format == SAMPLEFORMAT_UINT || p->format == SAMPLEFORMAT_INT ||
                p->format == SAMPLEFORMAT_IEEEFP || p->format == SAMPLEFORMAT_VOID;
    if (plain && p->bits % 8 == 0 && chi_element_known(source->element)) return CH_OK;
    return chi_fail(context, CH_ERR_UNSUPPORTED,
                    "%s: TIFF values of %d bits (sample format %d) are not supported; use numbers "
                    "of 8, 16, 32 or 64 bits",
                    path, p->bits, p->format);
}

/* If the first page has one sample, pages like it are bands. Other pages (previews, masks) are left
 * out and logged. */
static ch_status take_pages(ch_context *context, chi_cube_source *source, tiff_set *set,
                            const char *path) {
    const page first = look_at(set->file);
    ch_cube *cube = &source->cube;
    int64_t pages = 1;
    cube->lines = first.height;
    cube->samples = first.width;
    cube->bands = first.samples;
    set->planar = first.planes == PLANARCONFIG_SEPARATE && first.samples > 1;
    TRY(take_type(context, source, &first, path));
    while (first.samples == 1 && pages <= PAGES_MAX && TIFFReadDirectory(set->file)) {
        page next = look_at(set->file);
        if (!same_page(&first, &next)) break;
        pages++;
    }
    if (pages > PAGES_MAX)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "%s: the TIFF file has more than %d pages, which is not supported", path,
                        PAGES_MAX);
    set->paged = pages > 1;
    if (set->paged) cube->bands = pages;
    cube->interleave = set->paged || set->planar ? CH_BSQ : CH_BIP;
    if (!TIFFSetDirectory(set->file, 0))
        return chi_fail(context, CH_ERR_FORMAT,
                        "%s: the first page of the TIFF file could not be read a second time; the "
                        "file is damaged",
                        path);
    return CH_OK;
}

/* ---- values ---- */

static ch_status damaged(ch_context *context, const chi_cube_source *source) {
    return chi_fail(context, CH_ERR_FORMAT,
                    "%s: the values cannot be read; the file is truncated or damaged, or it is "
                    "compressed with a method that this libtiff does not support",
                    source->path);
}

static ch_status begin(ch_context *context, chi_cube_source *source) {
    tiff_set *set = source->handle;
    set->file = open_tiff(source->path, set->file_bytes);
    return set->file ? CH_OK : damaged(context, source);
}

static void end(chi_cube_source *source) {
    tiff_set *set = source->handle;
    if (set->file) TIFFClose(set->file);
    set->file = NULL;
}

/* Reads lines [lo, hi) of one plane of a page, `bytes` per pixel, from the tiles that hold them. */
static ch_status fetch_tiles(ch_context *context, chi_cube_source *source, unsigned char *raw,
                             int64_t lo, int64_t hi, uint16_t plane, int64_t bytes) {
    tiff_set *set = source->handle;
    uint32_t wide = 0, high = 0;
    int64_t samples = source->cube.samples, size = TIFFTileSize64(set->file);
    TIFFGetField(set->file, TIFFTAG_TILEWIDTH, &wide);
    TIFFGetField(set->file, TIFFTAG_TILELENGTH, &high);
    if (wide == 0 || high == 0 || size != (int64_t)wide * (int64_t)high * bytes)
        return damaged(context, source);
    unsigned char *tile = chi_take(context, source->path, "a tile", size, 1);
    ch_status status = tile ? CH_OK : CH_ERR_MEMORY;
    for (int64_t y = lo / high * high; y < hi && status == CH_OK; y += high)
        for (int64_t x = 0; x < samples && status == CH_OK; x += wide) {
            if (TIFFReadTile(set->file, tile, (uint32_t)x, (uint32_t)y, 0, plane) != size)
                status = damaged(context, source);
            int64_t count = samples - x < wide ? samples - x : wide;
            int64_t from = lo > y ? lo : y, to = hi < y + high ? hi : y + high;
            for (int64_t line = from; line < to && status == CH_OK; line++)
                memcpy(raw + ((line - lo) * samples + x) * bytes, tile + (line - y) * wide * bytes,
                       (size_t)(count * bytes));
        }
    chi_free(context, tile);
    return status;
}

static ch_status fetch_plane(ch_context *context, chi_cube_source *source, unsigned char *raw,
                             int64_t lo, int64_t hi, uint16_t plane) {
    tiff_set *set = source->handle;
    int64_t per_pixel = set->paged || set->planar ? 1 : source->cube.bands;
    int64_t bytes = per_pixel * source->element.size, line = bytes * source->cube.samples;
    page now = look_at(set->file);
    if (now.width != source->cube.samples || now.height != source->cube.lines ||
        now.bits != 8 * source->element.size ||
        now.samples != (set->paged ? 1 : source->cube.bands))
        return damaged(context, source);
    if (TIFFIsTiled(set->file)) return fetch_tiles(context, source, raw, lo, hi, plane, bytes);
    if (TIFFScanlineSize64(set->file) != (uint64_t)line) return damaged(context, source);
    for (int64_t y = lo; y < hi; y++)
        if (TIFFReadScanline(set->file, raw + (y - lo) * line, (uint32_t)y, plane) < 0)
            return damaged(context, source);
    return CH_OK;
}

static ch_status fetch(ch_context *context, chi_cube_source *source, void *raw, int64_t lo,
                       int64_t hi) {
    const tiff_set *set = source->handle;
    int64_t plane = (hi - lo) * source->cube.samples * source->element.size;
    if (!set->paged && !set->planar) return fetch_plane(context, source, raw, lo, hi, 0);
    for (int64_t b = 0; b < source->cube.bands; b++) {
        if (set->paged && !TIFFSetDirectory(set->file, (tdir_t)b)) return damaged(context, source);
        TRY(fetch_plane(context, source, (unsigned char *)raw + b * plane, lo, hi,
                        set->paged ? 0 : (uint16_t)b));
    }
    return CH_OK;
}

/* ---- opening ---- */

static ch_status look_into(ch_context *context, chi_cube_source *source, tiff_set *set,
                           const char *path) {
    const ch_cube *cube = &source->cube;
    TRY(take_pages(context, source, set, path));
    TRY(chi_tiff_geometry(context, source, set->file));
    /* cube.c refuses it. */
    if (cube->lines == 0 || cube->samples == 0 || cube->bands == 0) return CH_OK;
    if ((double)cube->lines * (double)cube->samples * (double)cube->bands > 0x1p60)
        return damaged(context, source);
    return chi_plausible(context, path, cube->lines * cube->samples * cube->bands,
                         (size_t)source->element.size, set->file_bytes, CHI_DEFLATE_PACKING);
}

ch_status chi_cube_open_tiff(ch_context *context, chi_cube_source *source, const char *path,
                             const ch_cube_open_settings *settings) {
    int fd;
    tiff_set *set = chi_cube_keep(context, source, sizeof *set);
    (void)settings;
    source->path = chi_cube_keep_text(context, source, path);
    if (!set || !source->path) return CH_ERR_MEMORY;
    source->handle = set;
    TRY(chi_open_file(context, &fd, &set->file_bytes, path));
    close(fd);
    set->file = open_tiff(path, set->file_bytes);
    if (!set->file)
        return chi_fail(context, CH_ERR_FORMAT,
                        "%s: the file is not a TIFF file, or it is truncated", path);
    ch_status status = look_into(context, source, set, path);
    end(source);
    source->begin = begin;
    source->end = end;
    source->fetch = fetch;
    return status;
}
