/* Describes the input and settings of a run as text, one line per fact, with everything that could
 * change a bit of the result. A run resumes from a checkpoint only if all lines agree; otherwise
 * the first difference is reported. */
#include "checkpoint/run_identity.h"
#include "base/processes.h"
#include "checkpoint/records.h"
#include <conehull/version.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FORMAT = 5, SPACE = 8192 /* about 40 lines */ };

typedef struct text {
    char bytes[SPACE];
    int64_t length;
} text;

/* Appends the line "name value". */
__attribute__((format(printf, 3, 4))) static void put(text *t, const char *name, const char *format,
                                                      ...) {
    char value[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    size_t space = SPACE - (size_t)t->length;
    int written = snprintf(t->bytes + t->length, space, "%s %s\n", name, value);
    t->length += (size_t)written < space ? written : 0;
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

/* Writes all lines. The functions of a custom loss are not among them, because functions cannot be
 * compared; the caller must pass the same ones. */
static ch_status describe(ch_context *context, text *t, const ch_matrix *X,
                          const chi_run_identity *run) {
    static const char *const layouts[] = {"column-major", "row-major", "csc"};
    int64_t all[] = {X->cols, run->hash & UINT32_MAX, (int64_t)(run->hash >> 32)};
    TRY(chi_total(context, all, 3));
    uint64_t hash = (uint64_t)all[1] + ((uint64_t)all[2] << 32); /* hashes of the parts add up */
    put(t, "format", "%d", FORMAT);
    put(t, "version", "%s", CH_VERSION);
    put(t, "kernels", "%s, %s", ch_context_kernel(context), ch_blas_name());
    put(t, "rows", "%lld", (long long)X->rows);
    put(t, "columns", "%lld", (long long)all[0]);
    put(t, "storage", "%s %s", layouts[X->layout], ch_value_type_name(X->type));
    for (int i = 0; i < run->table->count; i++)
        if (!run->aside || strcmp(run->aside, run->table->rows[i].name) != 0)
            put_setting(t, &run->table->rows[i], run->settings);
    put(t, run->list_name, "%lld columns, %016llx", (long long)run->list_count,
        (unsigned long long)chi_hash(0, run->list, (size_t)run->list_count * run->list_size));
    put(t, "keep_duals", "%d", run->duals);
    put(t, "data", "%016llx", (unsigned long long)hash); /* last: other differences are
                                                            more useful */
    return CH_OK;
}

static size_t line_length(const char *line, const char *end) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    return (size_t)((stop ? stop : end) - line);
}

/* Reports the first line that differs. Lines are in the same order, unless the first one, the
 * format, differs. */
static ch_status refuse(ch_context *context, const ch_checkpoint *checkpoint, const text *before,
                        const text *now) {
    const char *line = now->bytes, *end = line + now->length;
    const char *then = before->bytes, *then_end = then + before->length;
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
                        "the checkpoint %s belongs to other data of the same shape; give the "
                        "original data, or remove the checkpoint",
                        checkpoint->name);
    int same = old > name && memcmp(then, line, name) == 0;
    return chi_fail(context, CH_ERR_ARGUMENT,
                    "the checkpoint %s belongs to another run: %.*s is now '%.*s', but it was "
                    "'%.*s' in that run; resume with the same settings, or remove the file",
                    checkpoint->name, (int)name, line, (int)(new > name ? new - name - 1 : 0),
                    line + name + 1, same ? (int)(old - name - 1) : (int)(old < 80 ? old : 80),
                    same ? then + name + 1 : then);
}

static void identity_fields(chi_record *record, void *user) {
    text *t = user;
    chi_record_number(record, &t->length, 0, SPACE);
    chi_record_values(record, t->bytes, t->length, 1);
}

ch_status chi_identity_settle(ch_context *context, const ch_checkpoint *checkpoint,
                              const ch_matrix *X, const chi_run_identity *run) {
    text now = {.length = 0}, then;
    int found;
    if (!checkpoint) return CH_OK;
    TRY(describe(context, &now, X, run));
    TRY(chi_record_load(context, &found, checkpoint, CHI_RECORD_IDENTITY, identity_fields, &then));
    if (!found)
        return chi_record_save(context, checkpoint, CHI_RECORD_IDENTITY, identity_fields, &now);
    if (then.length == now.length && memcmp(then.bytes, now.bytes, (size_t)now.length) == 0)
        return CH_OK;
    return refuse(context, checkpoint, &then, &now);
}
