/* A data set of an HDF5 file can be in, or take its values from, any other file that this process
 * may read, in four ways: by an external link, also in the middle of the path of a soft link; by
 * external raw storage; as a virtual data set; by a link of a class that the program has
 * registered. None is followed: every object is opened by chi_hdf5_open(), the only function that
 * gives a path to HDF5. It is called before anything is asked of a data set, because HDF5 looks up
 * the extent of a virtual one in its sources. */
#include "io/hdf5/hdf5_file.h"
#include <string.h>

/* PACKING: bytes of numbers that may come from one byte of a file in chunks. BESIDES: additional
 * bytes allowed for every file. Filters compress as well as the values allow, and chunks that were
 * never written take no space, but 4 KB must not ask for gigabytes. 16: a byte from deflate becomes
 * two doubles. */
enum { PACKING = 16 * CHI_DEFLATE_PACKING, BESIDES = 4096 };

void chi_hdf5_close(hid_t id) {
    if (id >= 0) H5Idec_ref(id);
}

static herr_t note_memory(unsigned number, const H5E_error2_t *error, void *found) {
    (void)number;
    if (error->maj_num == H5E_RESOURCE || error->min_num == H5E_NOSPACE ||
        error->min_num == H5E_CANTALLOC)
        *(int *)found = 1;
    return 0;
}

ch_status chi_hdf5_open_file(ch_context *context, hid_t *file, const char *path, const char *what) {
    int memory = 0;
    *file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (*file >= 0) return CH_OK;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, note_memory, &memory);
    return memory ? chi_fail(context, CH_ERR_MEMORY,
                             "%s: not enough memory for the HDF5 library to open the file", path)
                  : chi_fail(context, CH_ERR_FORMAT, "%s: the file is not %s, or it is truncated",
                             path, what);
}

/* HDF5 prints its errors unless that is switched off. */
ch_status chi_hdf5_read_file(ch_context *context, ch_matrix *X, const char *path, int64_t size,
                             chi_request *request, chi_hdf5_reader read, const char *what) {
    H5E_auto2_t print = NULL;
    void *user = NULL;
    H5Eget_auto2(H5E_DEFAULT, &print, &user);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file;
    ch_status status = chi_hdf5_open_file(context, &file, path, what);
    if (status == CH_OK) status = read(context, X, file, path, size, request);
    chi_hdf5_close(file);
    H5Eset_auto2(H5E_DEFAULT, print, user);
    return status;
}

/* HDF5 calls this before it opens the file that an external link names. */
static herr_t refuse_file(const char *from_file, const char *from_group, const char *to_file,
                          const char *to_object, unsigned *flags, hid_t access, void *elsewhere) {
    (void)from_file, (void)from_group, (void)to_file, (void)to_object, (void)flags, (void)access;
    *(int *)elsewhere = 1;
    return -1;
}

static hid_t inside_only(int *elsewhere) {
    hid_t access = H5Pcreate(H5P_LINK_ACCESS);
    if (access >= 0 && H5Pset_elink_cb(access, refuse_file, elsewhere) >= 0) return access;
    chi_hdf5_close(access);
    return -1;
}

int chi_hdf5_has(hid_t place, const char *name) {
    int elsewhere = 0;
    hid_t access = inside_only(&elsewhere);
    int found = access >= 0 && H5Lexists(place, name, access) > 0;
    chi_hdf5_close(access);
    return found;
}

static int same_file(hid_t a, hid_t b) {
    hid_t one = H5Iget_file_id(a), other = H5Iget_file_id(b);
    int same = one >= 0 && one == other;
    chi_hdf5_close(one);
    chi_hdf5_close(other);
    return same;
}

static int values_inside(hid_t set) {
    hid_t made = H5Dget_create_plist(set);
    H5D_layout_t layout = made >= 0 ? H5Pget_layout(made) : H5D_LAYOUT_ERROR;
    int inside = (layout == H5D_COMPACT || layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED) &&
                 H5Pget_external_count(made) == 0;
    chi_hdf5_close(made);
    return inside;
}

/* Links within the file have these two classes; no link leads to the root. */
static int leads_inside(hid_t place, const char *name, hid_t access) {
    H5L_info_t link;
    if (!strcmp(name, "/")) return 1;
    return H5Lget_info(place, name, &link, access) >= 0 &&
           (link.type == H5L_TYPE_HARD || link.type == H5L_TYPE_SOFT);
}

hid_t chi_hdf5_open(hid_t place, const char *name, int *elsewhere) {
    *elsewhere = 0;
    hid_t access = inside_only(elsewhere), object = -1;
    if (access >= 0) {
        if (!leads_inside(place, name, access))
            *elsewhere = chi_hdf5_has(place, name) || *elsewhere;
        else
            object = H5Oopen(place, name, access);
    }
    if (object >= 0 && (!same_file(place, object) ||
                        (H5Iget_type(object) == H5I_DATASET && !values_inside(object)))) {
        *elsewhere = 1;
        chi_hdf5_close(object);
        object = -1;
    }
    chi_hdf5_close(access);
    return object;
}

ch_status chi_hdf5_refuse(ch_context *context, const char *label) {
    return chi_fail(context, CH_ERR_UNSUPPORTED,
                    "%s: the values are stored in another file, which conehull does not open for "
                    "safety; copy them into this file, for example with h5py",
                    label);
}

/* Values without filters are stored unchanged: all of them, except in chunked sets, where unwritten
 * chunks take no space. */
ch_status chi_hdf5_check_storage(ch_context *context, hid_t set, int64_t count, int64_t file_bytes,
                                 const char *label) {
    hsize_t stored = H5Dget_storage_size(set);
    hid_t made = H5Dget_create_plist(set), type = H5Dget_type(set);
    int chunks = made >= 0 && H5Pget_layout(made) == H5D_CHUNKED;
    size_t size = type >= 0 ? H5Tget_size(type) : 0;
    chi_hdf5_close(type);
    chi_hdf5_close(made);
    if (count > 0 && stored == 0)
        return chi_fail(context, CH_ERR_FORMAT,
                        "%s: the HDF5 data set is empty, because no values were ever written to it",
                        label);
    if (file_bytes >= 0 && stored > (hsize_t)file_bytes)
        return chi_fail(context, CH_ERR_FORMAT,
                        "%s: the HDF5 data set states %llu stored bytes, but the file has %lld "
                        "bytes; it is truncated or damaged",
                        label, (unsigned long long)stored, (long long)file_bytes);
    if (!chunks) return chi_plausible(context, label, count, size, file_bytes, 1);
    if (file_bytes < 0 ||
        (double)count * sizeof(double) <= ((double)file_bytes + BESIDES) * PACKING)
        return chi_hdf5_check_chunks(context, set, file_bytes < 0 ? INT64_MAX : file_bytes,
                                     INT64_MAX, label);
    return chi_fail(context, CH_ERR_UNSUPPORTED,
                    "%s: the HDF5 data set has %lld values, which is implausible for a file of "
                    "%lld bytes; if the file is complete, save the data as a sparse matrix",
                    label, (long long)count, (long long)file_bytes);
}
