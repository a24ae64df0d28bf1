/* Checks that chunks hold what they should. HDF5 1.10 takes
 *
 *     product of the chunk's sizes x size of a number
 *
 * bytes from a chunk, whatever its filters produced or the list of chunks says, and reads beyond
 * the end of a shorter one. A longer one it unpacks to the end. So the first stored chunks, LOOKS
 * of them or BUDGET bytes, are checked here before HDF5 reads values: packed ones are unpacked and
 * must have that length. Filters other than deflate, shuffle and fletcher32 are not checked. */
#include "io/hdf5/hdf5_file.h"
#include <zlib.h>

enum {
    LOOKS = 2048,      /* HDF5 1.10 counts from the first chunk to the k-th for each k */
    BUDGET = 64 << 20, /* packed and unpacked: some tenths of a second                 */
    FILTERS_MAX = 8,
    CHECKSUM = 4
};

typedef struct packing {
    ch_context *context;
    const char *label;
    hid_t set;
    int dims, filters, known; /* known: the effect of each filter is known */
    int bare_edges;           /* chunks that extend beyond the set are not packed */
    H5Z_filter_t filter[FILTERS_MAX];
    hsize_t sizes[3], chunk[3];
    uint64_t bytes; /* of a chunk, unpacked */
} packing;

static int filters_known(packing *p, hid_t made) {
    int deflated = 0, known = p->filters >= 0 && p->filters <= FILTERS_MAX;
    for (int f = 0; f < p->filters && known; f++) {
        size_t values = 0;
        unsigned flags;
        p->filter[f] = H5Pget_filter2(made, (unsigned)f, &flags, &values, NULL, 0, NULL, NULL);
        deflated += p->filter[f] == H5Z_FILTER_DEFLATE;
        known = deflated <= 1 &&
                (p->filter[f] == H5Z_FILTER_DEFLATE || p->filter[f] == H5Z_FILTER_SHUFFLE ||
                 p->filter[f] == H5Z_FILTER_FLETCHER32);
    }
    return known;
}

/* Returns 0 if the set is not in chunks, or in chunks that no set of one to three dimensions
 * has. */
static int look_at_packing(packing *p) {
    hid_t made = H5Dget_create_plist(p->set), space = H5Dget_space(p->set);
    hid_t type = H5Dget_type(p->set);
    unsigned options = 0;
    p->dims = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
    int chunks = made >= 0 && type >= 0 && p->dims >= 1 && p->dims <= 3 &&
                 H5Sget_simple_extent_dims(space, p->sizes, NULL) == p->dims &&
                 H5Pget_layout(made) == H5D_CHUNKED &&
                 H5Pget_chunk(made, p->dims, p->chunk) == p->dims;
    p->bytes = chunks ? H5Tget_size(type) : 0;
    for (int d = 0; d < p->dims && chunks; d++)
        if (__builtin_mul_overflow(p->bytes, p->chunk[d], &p->bytes)) p->bytes = UINT64_MAX;
    p->filters = chunks ? H5Pget_nfilters(made) : 0;
    p->known = chunks && filters_known(p, made);
    p->bare_edges = chunks && H5Pget_chunk_opts(made, &options) >= 0 &&
                    options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS;
    chi_hdf5_close(type);
    chi_hdf5_close(space);
    chi_hdf5_close(made);
    return chunks;
}

/* Returns the number of bytes that deflate makes of raw, counted up to enough; UINT64_MAX for a
 * damaged stream, which HDF5 detects. */
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

/* Returns the length of a chunk after undoing its filters, last one first; a bit of mask means that
 * the filter was not applied. */
static uint64_t unpacked(const packing *p, unsigned mask, const unsigned char *raw,
                         uint64_t stored) {
    uint64_t length = stored;
    for (int f = FILTERS_MAX - 1; f >= 0; f--) {
        if (f >= p->filters || mask & 1u << f || length == UINT64_MAX) continue;
        if (p->filter[f] == H5Z_FILTER_DEFLATE)
            length = inflated(raw, length, p->bytes + FILTERS_MAX * CHECKSUM);
        if (p->filter[f] == H5Z_FILTER_FLETCHER32) {
            if (length < CHECKSUM) return 0; /* HDF5 would compute length - 4, which wraps around */
            length -= CHECKSUM;
        }
    }
    return length;
}

static int at_edge(const packing *p, const hsize_t at[3]) {
    int edge = 0;
    for (int d = 0; d < p->dims; d++) edge |= p->sizes[d] - at[d] < p->chunk[d];
    return edge;
}

static ch_status wrong_chunk(const packing *p, const char *verb, uint64_t length) {
    return chi_fail(
        p->context, CH_ERR_FORMAT,
        "%s: the HDF5 data set is damaged: one of its chunks %s %llu bytes instead of %llu",
        p->label, verb, (unsigned long long)length, (unsigned long long)p->bytes);
}

/* Queries the stored size of a chunk by its position, like H5Dread_chunk(): lists of chunks may
 * hold a position twice, with different lengths. */
static ch_status check_packed(const packing *p, const hsize_t at[3], uint64_t *seen, int64_t most) {
    uint32_t mask = 0;
    hsize_t stored = 0;
    if (H5Dget_chunk_storage_size(p->set, at, &stored) < 0 || stored == 0) return CH_OK;
    if (stored > (hsize_t)most)
        return chi_fail(p->context, CH_ERR_FORMAT,
                        "%s: the HDF5 data set is damaged: it states a chunk of %llu bytes, which "
                        "is more than the whole file",
                        p->label, (unsigned long long)stored);
    *seen += stored + p->bytes;
    unsigned char *raw = chi_take(p->context, p->label, "a chunk", (int64_t)stored, 1);
    if (!raw) return CH_ERR_MEMORY;
    uint64_t length = UINT64_MAX; /* HDF5 will report it again */
    if (H5Dread_chunk(p->set, H5P_DEFAULT, at, &mask, raw) >= 0)
        length = unpacked(p, p->bare_edges && at_edge(p, at) ? ~0u : mask, raw, stored);
    chi_free(p->context, raw);
    if (length == p->bytes || length == UINT64_MAX) return CH_OK;
    return wrong_chunk(p, "unpacks to", length);
}

/* Refuses an unreadable list of chunks, although HDF5 might still read the part that it needs. */
static ch_status no_list(const packing *p) {
    return chi_fail(p->context, CH_ERR_FORMAT,
                    "%s: the HDF5 data set is damaged: the list of its chunks cannot be read",
                    p->label);
}

static ch_status check_stored(const packing *p, hid_t space, int64_t most) {
    hsize_t count = 0, at[3], length;
    uint64_t seen = 0;
    haddr_t address;
    unsigned mask;
    if (H5Dget_num_chunks(p->set, space, &count) < 0) return no_list(p);
    if (p->filters == 0 && count > 0 && H5Dget_storage_size(p->set) / count != p->bytes)
        return wrong_chunk(p, "takes", H5Dget_storage_size(p->set) / count);
    for (hsize_t k = 0; k < count && k < LOOKS && seen < BUDGET; k++) {
        if (H5Dget_chunk_info(p->set, space, k, at, &mask, &address, &length) < 0)
            return no_list(p);
        if (p->filters) TRY(check_packed(p, at, &seen, most));
        if (!p->filters && length != p->bytes) return wrong_chunk(p, "takes", length);
    }
    return CH_OK;
}

ch_status chi_hdf5_check_chunks(ch_context *context, hid_t set, int64_t most, int64_t most_unpacked,
                                const char *label) {
    packing p = {.context = context, .label = label, .set = set};
    if (!look_at_packing(&p)) return CH_OK;
    if (p.bytes > (uint64_t)most_unpacked)
        return chi_fail(context, CH_ERR_FORMAT,
                        "%s: the HDF5 data set is damaged: its chunks of %llu bytes are too large "
                        "for this file",
                        label, (unsigned long long)p.bytes); /* UINT64_MAX: or more */
    if (!p.known) return CH_OK;
    hid_t space = H5Dget_space(set); /* HDF5 1.10 does not accept H5S_ALL */
    ch_status status = check_stored(&p, space, most);
    chi_hdf5_close(space);
    return status;
}
