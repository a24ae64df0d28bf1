/* Folders in memory: found, copied, written. */
#include "forgeries.h"
#include "result/column_residuals.h"
#include "result/result_json.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t below(bench *b, int64_t count) {
    return (int64_t)(ch_random_uniform(&b->random) * (double)count);
}

void bench_trust(const bench *b, ch_anchors_settings *set) {
    const char *trust = trust_of(b->of);
    set->row_weights = b->row_weights;
    set->row_weight_count = b->row_weights ? b->input.X.rows : 0;
    set->column_weights = b->column_weights;
    set->column_weight_count = b->column_weights ? b->input.X.cols : 0;
    set->observed = strchr(trust, 'm') ? &b->entries : NULL;
    set->weights = strchr(trust, 'w') ? &b->entries : NULL;
}

static void *copy(const void *from, int64_t count, size_t size) {
    if (!from) return NULL;
    void *to = malloc((size_t)count * size + 1);
    if (to) memcpy(to, from, (size_t)count * size);
    return to;
}

static void copy_arrays(ch_anchors_result *r) {
    int64_t duals = r->dual_start ? r->dual_start[r->cols] : 0;
    r->anchors = copy(r->anchors, r->rank, sizeof(int64_t));
    r->max_residual = copy(r->max_residual, r->rank, sizeof(double));
    r->objective_path = copy(r->objective_path, r->rank, sizeof(double));
    r->weights = copy(r->weights, r->rank, sizeof(double));
    r->W = copy(r->W, r->rows * r->rank, sizeof(double));
    r->H = copy(r->H, r->rank * r->cols, sizeof(double));
    r->step_exterior = copy(r->step_exterior, r->steps, sizeof(int64_t));
    r->step_anchor = copy(r->step_anchor, r->steps, sizeof(int64_t));
    r->step_dual = copy(r->step_dual, r->dual_rows * r->steps, sizeof(double));
    r->dual_start = copy(r->dual_start, r->cols + 1, sizeof(int64_t));
    r->dual_row = copy(r->dual_row, duals, sizeof(int32_t));
    r->dual_value = copy(r->dual_value, duals, sizeof(double));
    r->completed_entries = copy(r->completed_entries, r->rows * r->rank, 1);
}

int folder_find(folder *made, const bench *b, const ch_anchors_settings *settings) {
    ch_anchors_result found = {.size = sizeof found};
    *made = (folder){.settings = *settings};
    for (int64_t k = 0; k < settings->keep_count && k < MOST_KEPT; k++)
        made->keep[k] = settings->keep[k];
    made->settings.keep_duals = 1;
    bench_trust(b, &made->settings);
    ch_status status = ch_anchors(b->context, &found, &b->input.X, &made->settings);
    if (status < 0) return 0;
    made->result = found;
    copy_arrays(&made->result);
    ch_anchors_result_free(b->context, &found);
    made->settings.keep_duals = 0;
    folder_restate(made, b);
    return made->result.H != NULL;
}

folder folder_copy(const folder *from) {
    folder f = *from;
    copy_arrays(&f.result);
    f.json = json_deep_copy(from->json);
    return f;
}

void folder_free(folder *f) {
    ch_anchors_result *r = &f->result;
    void *arrays[] = {
        r->anchors,  r->max_residual,  r->objective_path,   r->weights,   r->W,
        r->H,        r->step_exterior, r->step_anchor,      r->step_dual, r->dual_start,
        r->dual_row, r->dual_value,    r->completed_entries};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    json_decref(f->json);
}

void folder_restate(folder *f, const bench *b) {
    json_decref(f->json);
    f->settings.keep = f->keep;
    bench_trust(b, &f->settings);
    f->json = cli_result_json(&b->session, &b->input, &f->settings, &f->result);
    cli_json_set_seconds(f->json, "write", 0);
    if (library_of(b->of))
        json_object_set_new(f->json, "library", cli_json_pack("columns:i", f->result.library));
    int single = strchr(trust_of(b->of), 'f') != NULL,
        sparse = strchr(trust_of(b->of), 'z') != NULL;
    json_t *h = NULL, *residuals = NULL;
    cli_residuals_sample(&residuals, &b->session, &b->input, &f->settings, &f->result);
    if (residuals) json_object_set_new(f->json, "residuals", residuals);
    if ((single || sparse) && f->result.H &&
        cli_weights_again(&h, single, sparse, &f->result, &f->settings) == 0)
        json_object_set_new(f->json, "h", h);
}

static void must(int good, const char *what) {
    if (good) return;
    fprintf(stderr, "forgeries: %s\n", what);
    exit(2);
}

static const char *file_of(const bench *b, const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", b->path, name);
    return path;
}

static void write_matrix(const bench *b, const char *name, const double *values, int64_t rows,
                         int64_t cols) {
    ch_matrix M = {.rows = rows, .cols = cols, .values = values};
    must(ch_matrix_borrow(b->context, &M, &M) == CH_OK &&
             ch_matrix_write(b->context, file_of(b, name), &M) == CH_OK,
         name);
}

/* H.npy, or H.npz; rounded where the problem says so. */
static void write_H(const bench *b, const ch_anchors_result *r) {
    const char *trust = trust_of(b->of);
    int single = strchr(trust, 'f') != NULL;
    int sparse = strchr(trust, 'z') != NULL;
    if (!single && !sparse) {
        write_matrix(b, "H.npy", r->H, r->rank, r->cols);
        return;
    }
    float rounded[1024];
    int64_t start[1025] = {0}, count = 0;
    int32_t row[1024];
    double kept[1024];
    must(r->rank * r->cols <= 1024, "H");
    for (int64_t j = 0; j < r->cols; j++) {
        for (int32_t k = 0; k < r->rank; k++) {
            double h = r->H[k + j * r->rank];
            if (h == 0 || (single && (float)h == 0)) continue;
            row[count] = k;
            kept[count] = h;
            rounded[count++] = (float)h;
        }
        start[j + 1] = count;
    }
    ch_matrix M = {.rows = r->rank,
                   .cols = r->cols,
                   .layout = CH_CSC,
                   .type = single ? CH_F32 : CH_F64,
                   .values = single ? (void *)rounded : (void *)kept,
                   .column_start = start,
                   .row_index = row};
    must(ch_matrix_borrow(b->context, &M, &M) == CH_OK &&
             ch_matrix_write(b->context, file_of(b, sparse ? "H.npz" : "H.npy"), &M) == CH_OK,
         "H");
}

void folder_write(const folder *f, const bench *b) {
    const ch_anchors_result *r = &f->result;
    int64_t starts = r->dual_start ? r->cols + 1 : 0;
    int64_t duals = starts ? b->honest.result.dual_start[r->cols] : 0;
    uint64_t seed = r->p_seed;
    const ch_npz_array arrays[] = {
        {"step_exterior", 'i', 1, {r->steps, 0}, r->step_exterior},
        {"step_anchor", 'i', 1, {r->steps, 0}, r->step_anchor},
        {"step_dual", 'f', 2, {r->dual_rows, r->steps}, r->step_dual},
        {"p_seed", 'i', 0, {0, 0}, &seed},
        {"dual_start", 'i', 1, {starts, 0}, r->dual_start},
        {"dual_row", 'j', 1, {duals, 0}, r->dual_row},
        {"dual_value", 'f', 1, {duals, 0}, r->dual_value},
    };
    write_matrix(b, "W.npy", r->W, r->rows, r->rank);
    write_H(b, r);
    if (b->row_weights) write_matrix(b, "row_weights.npy", b->row_weights, r->rows, 1);
    if (r->completed_entries) {
        double marks[1024];
        must(r->rows * r->rank <= 1024, "W_completed.npy");
        for (int64_t e = 0; e < r->rows * r->rank; e++) marks[e] = r->completed_entries[e];
        write_matrix(b, "W_completed.npy", marks, r->rows, r->rank);
    }
    must(ch_npz_write(b->context, file_of(b, "certificate.npz"), arrays, 7) == CH_OK, "arrays");
    must(json_dump_file(f->json, file_of(b, "result.json"), JSON_REAL_PRECISION(17)) == 0, "JSON");
    FILE *list = fopen(file_of(b, "anchors.txt"), "w");
    must(list != NULL, "anchors.txt");
    for (int64_t k = 0; k < r->rank; k++) fprintf(list, "%lld\n", (long long)r->anchors[k]);
    must(fclose(list) == 0, "anchors.txt");
}

void folder_take_objective(folder *f, const bench *b) {
    ch_verification v = {.size = sizeof v};
    ch_anchors_result *r = &f->result;
    if (r->dual_start && memcmp(r->dual_start, b->honest.result.dual_start,
                                (size_t)(r->cols + 1) * sizeof *r->dual_start) != 0)
        return; /* the call is to be given arrays of the lengths that they promise */
    if (ch_verify(b->context, &v, &b->input.X, r, &f->settings) == CH_OK && v.objective > 0)
        r->objective = v.objective;
}

void folder_refit(folder *f, const bench *b) {
    ch_anchors_result *r = &f->result;
    const ch_matrix *X = &b->input.X;
    ch_project_info info = {.size = sizeof info};
    ch_anchors_settings set = f->settings;
    for (int64_t k = 0; k < r->rank; k++) /* an earlier change may have left any number there */
        for (int64_t i = 0; i < r->rows; i++) {
            int64_t j = r->anchors[k], known = j - r->cols;
            if (r->completed_entries && r->completed_entries[i + k * r->rows]) continue;
            if (j >= 0 && known < b->library.cols)
                r->W[i + k * r->rows] =
                    known < 0 ? ch_matrix_at(X, i, j) : ch_matrix_at(&b->library, i, known);
        }
    if (r->floor > 0) set.floor = r->floor;
    if (ch_project(b->context, r->H, &info, X, r->W, r->rank, &set) == CH_OK) {
        r->objective = info.objective;
        r->certificate = info.certificate;
        r->unproven = info.unproven;
    }
    folder_take_objective(f, b);
    folder_restate(f, b);
}
