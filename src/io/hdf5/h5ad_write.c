/* Writes results into a copy of an AnnData file (.h5ad): weights and components as obsm/X_KEY and
 * varm/KEY, the rest as the dictionary uns/KEY. Elements have the attributes encoding-type and
 * encoding-version, by which AnnData (0.8 and later) recognises them.
 *
 * The copy is made next to its target and renamed when it is complete; the input, which may be the
 * target, is intact at every moment. */
#include "io/hdf5/hdf5_file.h"
#include <conehull/io.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY_BLOCK = 1 << 18, KEY_MAX = 100 };

/* ---- elements ---- */

static hid_t text_type(void) {
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0) {
        H5Tset_size(type, H5T_VARIABLE);
        H5Tset_cset(type, H5T_CSET_UTF8);
    }
    return type;
}

static int write_text_attribute(hid_t object, const char *name, const char *text) {
    hid_t type = text_type(), space = H5Screate(H5S_SCALAR);
    if (H5Aexists(object, name) > 0) H5Adelete(object, name);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int done = attribute >= 0 && H5Awrite(attribute, type, &text) >= 0;
    chi_hdf5_close(attribute);
    chi_hdf5_close(space);
    chi_hdf5_close(type);
    return done;
}

static int encode(hid_t object, const char *type, const char *version) {
    return object >= 0 && write_text_attribute(object, "encoding-type", type) &&
           write_text_attribute(object, "encoding-version", version);
}

/* Writes values of a type in memory with the given dimensions; 0 dimensions mean a single value. */
static int write_values(hid_t group, const char *name, hid_t type, int dims, const hsize_t *shape,
                        const void *values, const char *encoding) {
    if (chi_hdf5_has(group, name)) H5Ldelete(group, name, H5P_DEFAULT);
    hid_t space = dims ? H5Screate_simple(dims, shape, NULL) : H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int done = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0 &&
               encode(set, encoding, "0.2.0");
    chi_hdf5_close(set);
    chi_hdf5_close(space);
    return done;
}

static int write_number(hid_t group, const char *name, double value) {
    return write_values(group, name, H5T_NATIVE_DOUBLE, 0, NULL, &value, "numeric-scalar");
}

static int write_text(hid_t group, const char *name, const char *text) {
    hid_t type = text_type();
    int done = write_values(group, name, type, 0, NULL, &text, "string");
    chi_hdf5_close(type);
    return done;
}

/* Opens a group of the file, or creates it; returns -1, and sets *elsewhere, if it lies in another
 * file. */
static hid_t open_group(hid_t place, const char *name, int *elsewhere) {
    *elsewhere = 0;
    if (chi_hdf5_has(place, name)) return chi_hdf5_open(place, name, elsewhere);
    hid_t group = H5Gcreate2(place, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (encode(group, "dict", "0.1.0")) return group;
    chi_hdf5_close(group);
    return -1;
}

/* ---- what is written ---- */

/* by_row: lines x rank by row. */
static int write_factor(hid_t file, const char *place, const char *name, const double *by_row,
                        int64_t lines, int64_t rank) {
    int elsewhere;
    hid_t group = open_group(file, place, &elsewhere);
    hsize_t shape[2] = {(hsize_t)lines, (hsize_t)rank};
    int done =
        group >= 0 && write_values(group, name, H5T_NATIVE_DOUBLE, 2, shape, by_row, "array");
    chi_hdf5_close(group);
    return done;
}

static int write_dictionary(hid_t file, const ch_h5ad_results *r) {
    int elsewhere;
    hsize_t shape[1] = {(hsize_t)r->rank};
    hid_t uns = open_group(file, "uns", &elsewhere);
    if (uns < 0) return 0;
    if (chi_hdf5_has(uns, r->key)) H5Ldelete(uns, r->key, H5P_DEFAULT);
    hid_t own = open_group(uns, r->key, &elsewhere);
    int done =
        own >= 0 && write_values(own, "anchors", H5T_NATIVE_INT64, 1, shape, r->anchors, "array") &&
        write_values(own, "max_residual", H5T_NATIVE_DOUBLE, 1, shape, r->max_residual, "array") &&
        write_number(own, "objective", r->objective) && write_number(own, "gap", r->gap) &&
        write_number(own, "unproven", (double)r->unproven) && write_text(own, "loss", r->loss) &&
        write_text(own, "method", r->method) && write_text(own, "status", r->status);
    chi_hdf5_close(own);
    chi_hdf5_close(uns);
    return done;
}

/* Returns the number of cells or genes, from the length of the index column of obs or var; -1 if it
 * is not an AnnData file, or an earlier one, whose obs is a table. */
static int64_t count_labels(hid_t file, const char *frame) {
    char index[64];
    int elsewhere;
    hid_t group = chi_hdf5_has(file, frame) ? chi_hdf5_open(file, frame, &elsewhere) : -1;
    int64_t count = -1;
    if (group >= 0 && H5Iget_type(group) == H5I_GROUP) {
        chi_hdf5_text(index, group, "_index");
        const char *name = *index ? index : "_index";
        hid_t set = chi_hdf5_has(group, name) ? chi_hdf5_open(group, name, &elsewhere) : -1;
        if (set >= 0) count = chi_hdf5_extent(set).count;
        chi_hdf5_close(set);
    }
    chi_hdf5_close(group);
    return count;
}

static ch_status add(ch_context *context, hid_t file, const char *path, const ch_h5ad_results *r,
                     const double *components) {
    char obsm[KEY_MAX + 8], *varm = obsm;
    int64_t cells = count_labels(file, "obs"), genes = count_labels(file, "var");
    int64_t wanted[2] = {r->genes ? r->features : r->points, r->genes ? r->points : r->features};
    if (cells != wanted[0] || genes != wanted[1])
        return chi_fail(context, CH_ERR_DATA,
                        "%s: the file has %lld cells and %lld genes (-1: unknown), but the results "
                        "are for %lld cells and %lld genes",
                        path, (long long)cells, (long long)genes, (long long)wanted[0],
                        (long long)wanted[1]);
    const double *of_cells = r->genes ? components : r->weights;
    const double *of_genes = r->genes ? r->weights : components;
    snprintf(obsm, sizeof obsm, "X_%s", r->key);
    int done = write_factor(file, "obsm", obsm, of_cells, cells, r->rank);
    snprintf(varm, sizeof obsm, "%s", r->key);
    done = done && write_factor(file, "varm", varm, of_genes, genes, r->rank) &&
           write_dictionary(file, r) && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
    return done ? CH_OK
                : chi_fail(context, CH_ERR_IO,
                           "%s: the HDF5 library could not write the groups obsm, varm or uns",
                           path);
}

/* ---- the file ---- */

static ch_status copy_file(ch_context *context, int to, const char *path, const char *from) {
    int in;
    int64_t size;
    TRY(chi_open_file(context, &in, &size, from));
    char *block = chi_alloc(context, COPY_BLOCK, 1);
    ch_status status = block ? CH_OK : chi_no_memory(context, "a copy", COPY_BLOCK, 1);
    ssize_t got = 0;
    while (status == CH_OK && (got = read(in, block, COPY_BLOCK)) != 0) {
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            status = chi_fail_system(context, from, "cannot read");
        else if (chi_put(to, block, (size_t)got, -1) != (size_t)got)
            status = chi_fail_system(context, path, "cannot write");
    }
    chi_free(context, block);
    close(in);
    return status;
}

/* W is features x rank by column; AnnData stores it by row. */
static double *turn(ch_context *context, const ch_h5ad_results *r) {
    double *by_row = chi_alloc(context, r->features * r->rank + 1, sizeof *by_row);
    for (int64_t i = 0; by_row && i < r->features; i++)
        for (int64_t k = 0; k < r->rank; k++)
            by_row[i * r->rank + k] = r->components[i + k * r->features];
    return by_row;
}

static ch_status add_to_file(ch_context *context, const char *file, const char *path,
                             const ch_h5ad_results *r) {
    double *components = turn(context, r);
    if (!components) return chi_no_memory(context, "components", r->features * r->rank, 8);
    H5E_auto2_t print = NULL;
    void *user = NULL;
    H5Eget_auto2(H5E_DEFAULT, &print, &user);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* otherwise HDF5 prints its errors */
    hid_t id = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT);
    ch_status status =
        id >= 0 ? add(context, id, path, r, components)
                : chi_fail(context, CH_ERR_FORMAT,
                           "%s: the HDF5 library could not open the file for writing", path);
    if (id >= 0 && H5Fclose(id) < 0 && status == CH_OK)
        status =
            chi_fail(context, CH_ERR_IO, "%s: the HDF5 library could not write the file", path);
    H5Eset_auto2(H5E_DEFAULT, print, user);
    chi_free(context, components);
    return status;
}

/* Creates a new file next to the target; returns -1 on failure. */
static int create_beside(char *file, size_t length, const char *target) {
    int fd = -1;
    errno = EEXIST;
    for (unsigned attempt = 0; attempt < 1000 && fd < 0 && errno == EEXIST; attempt++) {
        snprintf(file, length, "%s.part-%ld-%u", target, (long)getpid(), attempt);
        fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return fd;
}

/* Renames the temporary file to the target, with the mode that the target had. */
static ch_status put_in_place(ch_context *context, int fd, const char *file, const char *path) {
    struct stat facts;
    if (stat(path, &facts) == 0 && fchmod(fd, facts.st_mode & 0777) != 0)
        errno = 0; /* the default mode is acceptable */
    if (fsync(fd) != 0) return chi_fail_system(context, path, "cannot write");
    return rename(file, path) == 0 ? CH_OK : chi_fail_system(context, path, "cannot rename");
}

static ch_status check(ch_context *context, const char *path, const char *from,
                       const ch_h5ad_results *r) {
    if (!r || r->size != sizeof *r || !r->key || !*r->key || !r->weights || !r->components ||
        !r->anchors || !r->max_residual || !r->loss || !r->method || !r->status)
        return chi_fail(
            context, CH_ERR_ARGUMENT,
            "ch_h5ad_results is incomplete: its size, key or one of its pointers is not set");
    if (strlen(r->key) > KEY_MAX || strchr(r->key, '/'))
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "ch_h5ad_results.key must have at most %d bytes and no /", KEY_MAX);
    TRY(chi_check_name(context, from, "an .h5ad file"));
    return chi_check_name(context, path, "an .h5ad file");
}

ch_status ch_h5ad_write(ch_context *context, const char *path, const char *from,
                        const ch_h5ad_results *results) {
    if (!context) return CH_ERR_ARGUMENT;
    TRY(check(context, path, from, results));
    char *resolved = realpath(path, NULL), *file = NULL; /* a link keeps pointing to its file */
    const char *target = resolved ? resolved : path;
    int64_t length = (int64_t)strlen(target) + 48;
    ch_status status = CH_OK;
    int fd = -1;
    file = chi_alloc(context, length, 1);
    if (!file) status = chi_no_memory(context, "a file name", length, 1);
    if (status == CH_OK) {
        fd = create_beside(file, (size_t)length, target);
        if (fd < 0) status = chi_fail_system(context, path, "cannot create");
    }
    if (status == CH_OK) status = copy_file(context, fd, path, from);
    if (status == CH_OK) status = add_to_file(context, file, path, results);
    if (status == CH_OK) status = put_in_place(context, fd, file, target);
    if (status != CH_OK && fd >= 0) unlink(file);
    if (fd >= 0) close(fd);
    chi_free(context, file);
    free(resolved);
    return status;
}
