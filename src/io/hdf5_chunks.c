/* Chunks that unpack to what they should. HDF5 1.10 takes as many bytes from an unpacked chunk as
 *
 *     product of the chunk's sizes x size of a number
 *
 * whatever its filters made of it, and reads beyond the end of what is shorter. So the first chunks
 * of a data set, BUDGET bytes of what is stored or one chunk, are unpacked here before HDF5 is
 * asked for values. A type, a shape of chunks or a list of filters that is damaged shows in the
 * first; a later one that is damaged by accident shows by the checksum in it, at HDF5. Filters
 * other than deflate, shuffle and fletcher32 cannot be told. */
#include "io/hdf5_chunks.h"
#include <zlib.h>

enum { BUDGET = 1 << 20, FILTERS_MAX = 8, CHECKSUM = 4 };

typedef struct packing {
    int dims, filters;
    H5Z_filter_t filter[FILTERS_MAX];
    hsize_t sizes[2], chunk[2];
    uint64_t bytes; /* of a chunk, unpacked */
} packing;

/* 0: not in chunks, not packed, or packed in a way that is not known here. */
static int look_at_packing(packing *p, hid_t set) {
    hid_t made = H5Dget_create_plist(set), space = H5Dget_space(set), type = H5Dget_type(set);
    int deflated = 0;
    p->dims = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
    p->filters = made >= 0 ? H5Pget_nfilters(made) : 0;
    int known = p->dims >= 1 && p->dims <= 2 && p->filters >= 1 && p->filters <= FILTERS_MAX &&
                type >= 0 && H5Sget_simple_extent_dims(space, p->sizes, NULL) == p->dims &&
                H5Pget_chunk(made, p->dims, p->chunk) == p->dims;
    for (int f = 0; f < p->filters && known; f++) {
        size_t values = 0;
        unsigned flags;
        p->filter[f] = H5Pget_filter2(made, (unsigned)f, &flags, &values, NULL, 0, NULL, NULL);
        deflated += p->filter[f] == H5Z_FILTER_DEFLATE;
        known = deflated <= 1 &&
                (p->filter[f] == H5Z_FILTER_DEFLATE || p->filter[f] == H5Z_FILTER_SHUFFLE ||
                 p->filter[f] == H5Z_FILTER_FLETCHER32);
    }
    p->bytes = known ? H5Tget_size(type) : 0;
    for (int d = 0; d < p->dims && known; d++)
        known = p->chunk[d] > 0 && !__builtin_mul_overflow(p->bytes, p->chunk[d], &p->bytes);
    chi_hdf5_close(type);
    chi_hdf5_close(space);
    chi_hdf5_close(made);
    return known;
}

/* Bytes that deflate makes of raw, counted up to enough; UINT64_MAX for a damaged stream, which
 * HDF5 notices. */
static uint64_t inflated(const unsigned char *raw, uint64_t count, uint64_t enough) {
    unsigned char out[1 << 14];
    z_stream z = {.next_in = (unsigned char *)raw, .avail_in = (uInt)count};
    uint64_t made = 0;
    int code = Z_OK;
    if (count > UINT32_MAX || inflateInit(&z) != Z_OK) return UINT64_MAX;
    while (code == Z_OK && made < enough) {
        z.next_out = out;
        z.avail_out = sizeof out;
        code = inflate(&z, Z_NO_FLUSH);
        made += sizeof out - z.avail_out;
    }
    inflateEnd(&z);
    return code == Z_OK || code == Z_STREAM_END ? made : UINT64_MAX;
}

/* Length of a chunk after its filters, the last one undone first; a bit of mask: one left out. */
static uint64_t unpacked(const packing *p, unsigned mask, const unsigned char *raw,
                         uint64_t stored) {
    uint64_t length = stored;
    for (int f = FILTERS_MAX - 1; f >= 0; f--) {
        if (f >= p->filters || mask & 1u << f) continue;
        if (p->filter[f] == H5Z_FILTER_DEFLATE)
            length = inflated(raw, length, p->bytes + FILTERS_MAX * CHECKSUM);
        else if (p->filter[f] == H5Z_FILTER_FLETCHER32 && length != UINT64_MAX)
            length = length > CHECKSUM ? length - CHECKSUM : 0;
    }
    return length;
}

/* The chunk after the one at `at`, by row; 0 after the last. */
static int next_chunk(const packing *p, hsize_t at[2]) {
    for (int d = p->dims - 1; d >= 0; d--) {
        if (p->sizes[d] > p->chunk[d] && at[d] < p->sizes[d] - p->chunk[d]) {
            at[d] += p->chunk[d];
            return 1;
        }
        at[d] = 0;
    }
    return 0;
}

static ch_status check_chunk(ch_context *context, hid_t set, const packing *p, const hsize_t at[2],
                             hsize_t stored, const char *label) {
    uint32_t mask = 0;
    unsigned char *raw = chi_take(context, label, "a chunk", (int64_t)stored, 1);
    if (!raw) return CH_ERR_MEMORY;
    uint64_t length = H5Dread_chunk(set, H5P_DEFAULT, at, &mask, raw) >= 0
                          ? unpacked(p, mask, raw, stored)
                          : UINT64_MAX; /* HDF5 will say so again */
    chi_free(context, raw);
    if (length >= p->bytes) return CH_OK;
    return chi_fail(context, CH_ERR_FORMAT,
                    "%s: damaged: a chunk unpacks to %llu bytes where %llu are due", label,
                    (unsigned long long)length, (unsigned long long)p->bytes);
}

/* What a chunk takes in the file is asked for by its place, as H5Dread_chunk() does: lists of
 * chunks may hold a place twice, with different lengths. */
ch_status chi_hdf5_check_chunks(ch_context *context, hid_t set, int64_t most, const char *label) {
    packing p;
    hsize_t at[2] = {0, 0}, seen = 0, stored = 0;
    if (!look_at_packing(&p, set)) return CH_OK;
    do {
        if (H5Dget_chunk_storage_size(set, at, &stored) < 0) stored = 0; /* or never written */
        if (stored > (hsize_t)most)
            return chi_fail(context, CH_ERR_FORMAT,
                            "%s: claims a chunk of %llu bytes, more than the file has", label,
                            (unsigned long long)stored);
        if (stored > 0) TRY(check_chunk(context, set, &p, at, stored, label));
        seen += stored + 1024; /* that of a look at none */
    } while (seen < BUDGET && next_chunk(&p, at));
    return CH_OK;
}
