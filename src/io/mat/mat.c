/* MATLAB files, versions 4, 5 and 7, by matio: full and sparse matrices of all real classes.
 * Version 7.3 is another format (mat73.c). Full double, single, uint8 and uint16 matrices stay in
 * the memory that matio filled. */
#include "io/file/format.h"
#include <matio.h>
#include <string.h>
#include <unistd.h>

static int element_of_class(chi_element *element, enum matio_classes class_type) {
    static const struct {
        enum matio_classes class_type;
        chi_element element;
    } rows[] = {
        {MAT_C_DOUBLE, {'f', 8, 0}}, {MAT_C_SINGLE, {'f', 4, 0}}, {MAT_C_INT8, {'i', 1, 0}},
        {MAT_C_UINT8, {'u', 1, 0}},  {MAT_C_INT16, {'i', 2, 0}},  {MAT_C_UINT16, {'u', 2, 0}},
        {MAT_C_INT32, {'i', 4, 0}},  {MAT_C_UINT32, {'u', 4, 0}}, {MAT_C_INT64, {'i', 8, 0}},
        {MAT_C_UINT64, {'u', 8, 0}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        if (rows[r].class_type == class_type) {
            *element = rows[r].element;
            return 1;
        }
    return 0;
}

/* The values of a sparse matrix: doubles, or truth values. */
static int element_of_sparse(chi_element *element, const matvar_t *variable) {
    *element = (chi_element){variable->data_type == MAT_T_DOUBLE ? 'f' : 'u',
                             variable->data_type == MAT_T_DOUBLE ? 8 : 1, 0};
    return variable->data_type == MAT_T_DOUBLE || variable->data_type == MAT_T_UINT8;
}

static int is_matrix(const matvar_t *variable) {
    chi_element element;
    return variable->rank == 2 && variable->dims && !variable->isComplex &&
           (variable->class_type == MAT_C_SPARSE ||
            element_of_class(&element, variable->class_type));
}

static ch_status check_variable(ch_context *context, const matvar_t *variable, const char *path,
                                int64_t size) {
    const char *name = variable->name ? variable->name : "?";
    int64_t count;
    if (variable->isComplex)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "%s: \"%s\" is complex; save its real part or modulus", path, name);
    if (!is_matrix(variable))
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "%s: \"%s\" is not a matrix of real numbers (class %d, %d dimensions)",
                        path, name, (int)variable->class_type, variable->rank);
    if (variable->dims[0] > INT64_MAX || variable->dims[1] > INT64_MAX ||
        __builtin_mul_overflow((int64_t)variable->dims[0], (int64_t)variable->dims[1], &count))
        return chi_fail(context, CH_ERR_FORMAT, "%s: \"%s\" claims an impossible size", path, name);
    int64_t rows = (int64_t)variable->dims[0], cols = (int64_t)variable->dims[1];
    if (variable->class_type == MAT_C_SPARSE) TRY(chi_sparse_check_size(context, path, rows, cols));
    if (variable->class_type != MAT_C_SPARSE)
        TRY(chi_plausible(context, path, count, 1, size, CHI_DEFLATE_PACKING));
    return chi_plausible_shape(context, path, rows, cols, size);
}

static void free_variable(void *variable) {
    Mat_VarFree(variable);
}

/* Takes the variable over (*variable becomes NULL) when its memory can be used as it is. */
static ch_status take_full(ch_context *context, ch_matrix *X, matvar_t **variable,
                           const char *path) {
    chi_element element;
    ch_value_type type;
    int64_t rows = (int64_t)(*variable)->dims[0], cols = (int64_t)(*variable)->dims[1];
    int64_t count = rows * cols;
    element_of_class(&element, (*variable)->class_type);
    if ((*variable)->data_size != element.size ||
        (count > 0 && (!(*variable)->data || (*variable)->nbytes / element.size < (size_t)count)))
        return chi_fail(context, CH_ERR_FORMAT, "%s: \"%s\" holds other values than its class says",
                        path, (*variable)->name);
    if (count > 0 && chi_element_direct(element, &type)) {
        chi_store *store = chi_store_create(context);
        if (!store) return CH_ERR_MEMORY;
        *X = (ch_matrix){.rows = rows,
                         .cols = cols,
                         .layout = CH_COLUMN_MAJOR,
                         .type = type,
                         .values = (*variable)->data,
                         .stride = rows,
                         .owner = store,
                         .release = chi_store_release};
        store->handle = *variable;
        store->close = free_variable;
        *variable = NULL;
        return CH_OK;
    }
    void *values;
    type = chi_element_type(element);
    TRY(chi_dense_create(context, X, &values, path, rows, cols, CH_COLUMN_MAJOR, type));
    if (chi_element_convert(values, type, (*variable)->data, count, element))
        chi_log(context, CH_LOG_WARNING, "%s: integers beyond 2^53 were rounded", path);
    return CH_OK;
}

static ch_status copy_sparse(ch_context *context, chi_compressed *arrays,
                             const mat_sparse_t *sparse, chi_element element, int64_t rows,
                             int64_t cols, const char *path) {
    int64_t count = arrays->count;
    arrays->start = chi_take(context, path, "column offsets", cols + 1, sizeof *arrays->start);
    if (!arrays->start) return CH_ERR_MEMORY;
    arrays->index = chi_take(context, path, "row numbers", count, sizeof *arrays->index);
    if (!arrays->index) return CH_ERR_MEMORY;
    arrays->value = chi_take(context, path, "values", count, sizeof *arrays->value);
    if (!arrays->value) return CH_ERR_MEMORY;
    for (int64_t j = 0; j <= cols; j++) arrays->start[j] = sparse->jc[j];
    for (int64_t k = 0; k < count; k++) {
        if ((int64_t)sparse->ir[k] >= rows)
            return chi_fail(context, CH_ERR_FORMAT, "%s: row %lld of entry %lld is outside 0..%lld",
                            path, (long long)sparse->ir[k], (long long)k, (long long)rows - 1);
        arrays->index[k] = (int32_t)sparse->ir[k];
    }
    chi_element_convert(arrays->value, CH_F64, sparse->data, count, element);
    return CH_OK;
}

static ch_status take_sparse(ch_context *context, ch_matrix *X, const matvar_t *variable,
                             const char *path) {
    const mat_sparse_t *sparse = variable->data;
    chi_element element;
    int64_t rows = (int64_t)variable->dims[0], cols = (int64_t)variable->dims[1];
    if (!sparse || !sparse->jc || (int64_t)sparse->njc != cols + 1 ||
        !element_of_sparse(&element, variable))
        return chi_fail(context, CH_ERR_FORMAT, "%s: \"%s\" is not a complete sparse matrix", path,
                        variable->name);
    int64_t count = sparse->jc[cols]; /* ir and data may be longer: room that MATLAB reserved */
    if (count && (!sparse->ir || !sparse->data || sparse->nir < count || sparse->ndata < count))
        return chi_fail(context, CH_ERR_FORMAT,
                        "%s: \"%s\" promises %lld entries and holds %lld rows and %lld values",
                        path, variable->name, (long long)count, (long long)sparse->nir,
                        (long long)sparse->ndata);
    chi_compressed arrays = {.count = count};
    ch_status status = copy_sparse(context, &arrays, sparse, element, rows, cols, path);
    if (status == CH_OK)
        return chi_csc_from_compressed(context, X, path, &arrays, rows, cols, 0,
                                       chi_element_narrowing(element));
    chi_compressed_free(context, &arrays);
    return status;
}

static ch_status read_variable(ch_context *context, ch_matrix *X, mat_t *file, const char *name,
                               const char *path, int64_t size) {
    matvar_t *variable = Mat_VarReadInfo(file, name);
    if (!variable) return chi_fail(context, CH_ERR_FORMAT, "%s: cannot read \"%s\"", path, name);
    ch_status status = check_variable(context, variable, path, size);
    if (status == CH_OK && Mat_VarReadDataAll(file, variable))
        status = chi_fail(context, CH_ERR_FORMAT,
                          "%s: the values of \"%s\" are truncated or damaged", path, name);
    if (status == CH_OK)
        status = variable->class_type == MAT_C_SPARSE ? take_sparse(context, X, variable, path)
                                                      : take_full(context, X, &variable, path);
    Mat_VarFree(variable);
    return status;
}

static void offer_variables(chi_pick *pick, mat_t *file) {
    for (matvar_t *variable; (variable = Mat_VarReadNextInfo(file)); Mat_VarFree(variable)) {
        if (!variable->name) continue;
        chi_pick_name(pick, variable->name);
        if (is_matrix(variable))
            chi_pick_offer(pick, variable->name, (int64_t)variable->dims[0],
                           (int64_t)variable->dims[1]);
    }
}

ch_status chi_mat_read(ch_context *context, ch_matrix *X, const char *path, const char *var) {
    int fd;
    int64_t size;
    const char *name;
    ch_matrix made;
    chi_pick pick = {.var = var};
    TRY(chi_open_source(context, &fd, &size, path));
    int hdf5;
    const char *fault = chi_mat_fault(&hdf5, fd, size);
    close(fd);
    if (fault) return chi_fail(context, CH_ERR_FORMAT, "%s: %s", path, fault);
    if (hdf5) return chi_mat73_read(context, X, path, var, size);
    mat_t *file = Mat_Open(path, MAT_ACC_RDONLY);
    ch_status status =
        file ? CH_OK : chi_fail(context, CH_ERR_FORMAT, "%s: matio cannot open it", path);
    if (file) {
        offer_variables(&pick, file);
        status = chi_pick_decide(context, &pick, &name, path);
        if (status == CH_OK) status = read_variable(context, &made, file, name, path, size);
        Mat_Close(file);
    }
    if (status == CH_OK) *X = made;
    return status;
}
