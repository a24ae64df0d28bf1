/* Handles of HDF5 that a reader left open. leaks.txt keeps the leak checker silent about all that
 * HDF5 allocates, so that a handle of ours that is never closed would not show there: it is counted
 * here. HDF5 counts files, groups, sets, attributes and types itself; spaces and property lists it
 * numbers one after another, so that those given out since the mark can be asked for one by one. */
#include "fuzz.h"
#include <hdf5.h>

static hid_t first_space, first_list; /* of the mark, closed again */

/* The number that the next space, or list, gets; it stays closed. */
static hid_t next_space(void) {
    hid_t id = H5Screate(H5S_SCALAR);
    fuzz_require(id >= 0 && H5Sclose(id) >= 0, "HDF5 has no space to give");
    return id;
}

static hid_t next_list(void) {
    hid_t id = H5Pcreate(H5P_DATASET_CREATE);
    fuzz_require(id >= 0 && H5Pclose(id) >= 0, "HDF5 has no property list to give");
    return id;
}

void fuzz_handles_mark(void) {
    first_space = next_space();
    first_list = next_list();
}

static int64_t open_between(hid_t first, hid_t end) {
    int64_t count = 0;
    for (hid_t id = first; id < end; id++) count += H5Iis_valid(id) > 0;
    return count;
}

void fuzz_handles_closed(void) {
    static const struct {
        unsigned kind;
        const char *name;
    } kinds[] = {{H5F_OBJ_FILE, "files"},
                 {H5F_OBJ_GROUP, "groups"},
                 {H5F_OBJ_DATASET, "data sets"},
                 {H5F_OBJ_DATATYPE, "types"},
                 {H5F_OBJ_ATTR, "attributes"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        ssize_t count = H5Fget_obj_count(H5F_OBJ_ALL, kinds[k].kind);
        fuzz_require(count == 0, "HDF5 holds %lld %s open", (long long)count, kinds[k].name);
    }
    int64_t spaces = open_between(first_space, next_space());
    int64_t lists = open_between(first_list, next_list());
    fuzz_require(spaces == 0, "HDF5 holds %lld spaces open", (long long)spaces);
    fuzz_require(lists == 0, "HDF5 holds %lld property lists open", (long long)lists);
}
