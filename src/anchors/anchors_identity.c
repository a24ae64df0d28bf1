/* What a run is of, as text with a line per fact: whatever could change a bit of the answer. A
 * checkpoint goes on only where all lines agree; the first that does not is told. */
#include "anchors/anchors_record.h"
#include "base/hash.h"
#include "base/processes.h"
#include "linalg/linalg.h"
#include <conehull/version.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FORMAT = 2, ROOM = 8192 /* some 40 lines */ };

typedef struct text {
    char bytes[ROOM];
    size_t length;
} text;

/* "name value\n" */
__attribute__((format(printf, 3, 4))) static void put(text *t, const char *name, const char *format,
                                                      ...) {
    char value[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    int written = snprintf(t->bytes + t->length, ROOM - t->length, "%s %s\n", name, value);
    t->length += (size_t)written < ROOM - t->length ? (size_t)written : 0;
}

static void put_setting(text *t, const ch_setting *row, const void *settings) {
    const void *field = (const char *)settings + row->offset;
    switch (row->kind) {
    case CH_SETTING_INT:
        put(t, row->name, "%lld", (long long)*(const int64_t *)field);
        break;
    case CH_SETTING_REAL:
        put(t, row->name, "%.17g", *(const double *)field);
        break;
    case CH_SETTING_FLAG:
        put(t, row->name, "%d", *(const int *)field);
        break;
    case CH_SETTING_CHOICE:
        put(t, row->name, "%s", row->choices[*(const int *)field]);
        break;
    }
}

/* The hash of the columns of all ranks, however they are split. */
static ch_status hash_all(ch_context *context, uint64_t *hash, const ch_matrix *X) {
    uint64_t own;
    chi_begin_phase(context, "hash", 0);
    TRY(chi_matrix_hash(context, &own, X)); /* on several ranks it always ends */
    const uint64_t *all = chi_share(context, &own, sizeof own);
    if (!all) return CH_ERR_IO;
    *hash = 0;
    for (int r = 0; r < chi_process_count(context); r++) *hash += all[r];
    return CH_OK;
}

/* The functions of a custom loss cannot be told apart: they are the caller's word. */
static ch_status describe(ch_context *context, text *t, const ch_matrix *X, const chi_run_of *run) {
    static const char *const layouts[] = {"column-major", "row-major", "csc"};
    uint64_t hash;
    int64_t cols = X->cols;
    TRY(chi_total(context, &cols, 1));
    TRY(hash_all(context, &hash, X));
    put(t, "format", "%d", FORMAT);
    put(t, "version", "%s", CH_VERSION);
    put(t, "kernels", "%s, %s", ch_context_kernel(context), ch_blas_name());
    put(t, "rows", "%lld", (long long)X->rows);
    put(t, "columns", "%lld", (long long)cols);
    put(t, "storage", "%s %s", layouts[X->layout], ch_value_type_name(X->type));
    for (int i = 0; i < run->table->count; i++) put_setting(t, &run->table->rows[i], run->settings);
    put(t, run->list_name, "%lld columns, %016llx", (long long)run->list_count,
        (unsigned long long)chi_hash(0, run->list, (size_t)run->list_count * run->list_size));
    put(t, "keep_duals", "%d", run->duals);
    put(t, "data", "%016llx", (unsigned long long)hash); /* last: what else differs says more */
    return CH_OK;
}

static size_t line_length(const char *line, const char *end) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    return (size_t)((stop ? stop : end) - line);
}

/* Lines stand in the same order, or the format line, which is the first, differs. */
static ch_status refuse(ch_context *context, const ch_checkpoint *checkpoint, const char *then,
                        size_t length, const text *now) {
    const char *line = now->bytes, *end = line + now->length, *then_end = then + length;
    size_t old = line_length(then, then_end), new = line_length(line, end);
    while (old == new &&memcmp(then, line, old) == 0 && then + old < then_end && line + new < end) {
        then += old + 1;
        line += new + 1;
        old = line_length(then, then_end);
        new = line_length(line, end);
    }
    size_t name = strcspn(line, " \n");
    if (name == strlen("data") && memcmp(line, "data", name) == 0)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the checkpoint %s is of other data, of the same shape: give the file it "
                        "was made from, or remove it",
                        checkpoint->name);
    int same = old > name && memcmp(then, line, name) == 0;
    return chi_fail(context, CH_ERR_ARGUMENT,
                    "the checkpoint %s is of another run: %.*s is '%.*s' now, and was '%.*s' then; "
                    "go on with the same, or remove the file",
                    checkpoint->name, (int)name, line, (int)(new > name ? new - name - 1 : 0),
                    line + name + 1, same ? (int)(old - name - 1) : (int)(old < 80 ? old : 80),
                    same ? then + name + 1 : then);
}

static ch_status compare(ch_context *context, const ch_checkpoint *checkpoint, const text *now) {
    chi_record record;
    TRY(chi_records_take(context, &record, checkpoint, CHI_KEEP_IDENTITY));
    const char *then = (const char *)record.at;
    size_t length = (size_t)record.left;
    if (length == now->length && memcmp(then, now->bytes, length) == 0) return CH_OK;
    return refuse(context, checkpoint, then, length, now);
}

ch_status chi_record_run(ch_context *context, const ch_matrix *X, const chi_run_of *run) {
    const ch_checkpoint *checkpoint = run->checkpoint;
    text now = {.length = 0};
    int found;
    if (!checkpoint) return CH_OK;
    TRY(describe(context, &now, X, run));
    TRY(chi_records_found(context, &found, checkpoint, CHI_KEEP_IDENTITY));
    if (found) return ch_comm_agree(context, compare(context, checkpoint, &now));
    ch_record_piece piece = {now.bytes, (int64_t)now.length};
    return chi_records_add(context, checkpoint, &piece, 1, CHI_KEEP_IDENTITY);
}

ch_status chi_record_identity(ch_context *context, const ch_matrix *X,
                              const ch_anchors_settings *settings) {
    chi_run_of run = {.checkpoint = settings->checkpoint,
                      .table = &ch_anchors_table,
                      .settings = settings,
                      .list_name = "keep",
                      .list = settings->keep,
                      .list_count = settings->keep_count,
                      .list_size = sizeof *settings->keep,
                      .duals = settings->keep_duals != 0};
    return chi_record_run(context, X, &run);
}
