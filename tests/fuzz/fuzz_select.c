/* Selections on small matrices: lazy and eager runs end with the same bits, W holds the anchors'
 * columns, and the recheck, which shares no solver, finds that the answer holds. */
#include "fuzz.h"
#include "problems.h"
#include <conehull/anchors.h>
#include <string.h>

fuzz_target fuzz_select;

enum { ROWS_MOST = 8, COLS_MOST = 14 };

static void same(const ch_anchors_result *a, const ch_anchors_result *b) {
    size_t list = (size_t)a->rank * sizeof *a->anchors;
    fuzz_require(a->rank == b->rank && !memcmp(a->anchors, b->anchors, list),
                 "other anchors, %d and %d", (int)a->rank, (int)b->rank);
    fuzz_require(!memcmp(a->H, b->H, (size_t)(a->rank * a->cols) * sizeof *a->H), "another H");
    fuzz_require(!memcmp(&a->objective, &b->objective, sizeof a->objective), "%.17g and %.17g",
                 a->objective, b->objective);
}

static void check_result(ch_context *context, const ch_anchors_result *result, const ch_matrix *X,
                         const ch_anchors_settings *set) {
    ch_verification found = {.size = sizeof found};
    const double *values = X->values;
    for (int64_t k = 0; k < result->rank; k++) {
        int64_t j = result->anchors[k];
        fuzz_require(j >= 0 && j < X->cols, "anchor %lld", (long long)j);
        fuzz_require(!memcmp(result->W + k * X->rows, values + j * X->rows,
                             (size_t)X->rows * sizeof(double)),
                     "W is not column %lld", (long long)j);
        for (int64_t e = 0; e < k; e++)
            fuzz_require(result->anchors[e] != j, "anchor %lld twice", (long long)j);
    }
    if (result->status == CH_STOP_INACCURATE || result->status == CH_STOP_ITER) return;
    ch_status status = ch_verify(context, &found, X, result, set);
    fuzz_require(status == CH_OK && found.ok, "status %d: %s", (int)status,
                 status < 0 ? ch_context_message(context) : found.why);
}

static ch_anchors_settings choose(ch_context *context, fuzz_bytes *bytes) {
    static const char *const losses[] = {"l1", "l1", "l2", "kl", "l2", "is", "l1", "beta:1.5"};
    static const char *const rules[] = {"max", "rand"}, *const all[] = {"max", "rand", "dist",
                                                                        "greedy"};
    ch_anchors_settings set;
    const char *loss = losses[fuzz_below(bytes, 8)];
    unsigned how = fuzz_byte(bytes);
    const char *rule = loss[1] == '2' ? all[how % 4] : rules[how % 2];
    ch_anchors_defaults(&set);
    fuzz_require(ch_settings_set(context, ch_anchors_table(), &set, "loss", loss) == CH_OK &&
                     ch_settings_set(context, ch_anchors_table(), &set, "exterior", rule) == CH_OK,
                 "%s", ch_context_message(context));
    set.rank = 1 + (how >> 2) % 6;
    set.first = how >> 5 & 1;
    set.reverse = (how >> 6 & 1) && loss[0] != 'l';
    set.keep_duals = 1;
    set.seed = how >> 7;
    return set;
}

/* Rows that stand for columns already there, scaled or added up, make ties and inner points. */
static void fill(double *values, int64_t rows, int64_t cols, fuzz_bytes *bytes) {
    int plain = (int)fuzz_byte(bytes) & 1;
    for (int64_t j = 0; j < cols; j++) {
        double *x = values + j * rows;
        unsigned kind = fuzz_byte(bytes);
        int64_t one = j ? (int64_t)(kind >> 3) % j : 0, two = j ? (int64_t)(kind >> 5) % j : 0;
        for (int64_t i = 0; i < rows; i++)
            x[i] = j && kind % 8 == 0   ? 2 * values[one * rows + i]
                   : j && kind % 8 == 1 ? values[one * rows + i] + values[two * rows + i]
                                        : problem_value(fuzz_byte(bytes), plain);
    }
}

int fuzz_select(const uint8_t *input, size_t count) {
    static double values[ROWS_MOST * COLS_MOST];
    fuzz_run run;
    fuzz_bytes bytes = {input, count};
    ch_matrix X;
    ch_anchors_result lazy = {.size = sizeof lazy}, eager = {.size = sizeof eager};
    fuzz_begin(&run, count);
    ch_anchors_settings set = choose(run.context, &bytes);
    int64_t rows = 1 + fuzz_below(&bytes, ROWS_MOST), cols = 1 + fuzz_below(&bytes, COLS_MOST);
    fill(values, rows, cols, &bytes);
    fuzz_require(ch_matrix_borrow(run.context, &X,
                                  &(ch_matrix){.rows = rows, .cols = cols, .values = values}) ==
                     CH_OK,
                 "%s", ch_context_message(run.context));
    ch_status status = ch_anchors(run.context, &lazy, &X, &set);
    if (status >= 0) {
        check_result(run.context, &lazy, &X, &set);
        set.eager = 1;
        fuzz_require(ch_anchors(run.context, &eager, &X, &set) == status, "eager ends otherwise");
        same(&lazy, &eager);
        ch_anchors_result_free(run.context, &lazy);
        ch_anchors_result_free(run.context, &eager);
    }
    fuzz_end(&run, status);
    return 0;
}
