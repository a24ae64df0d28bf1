/* Matrix Market over several ranks: every rank has its columns of what one process reads, and the
 * memory it takes on the way follows these columns and not the file. */
#include "support_files.h"
#include "support_ranks.h"
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLS = 64 * 9 + 5,
    ENTRIES = 20000,
    LINES = (1 << 20) + (1 << 16) + 1024, /* bytes: buffers of lines and of what the file holds */
    SMALL = 1 << 15                       /* bytes: contexts, stores    */
};

typedef struct shape {
    const char *name, *banner; /* of the file */
    int symmetric;
    double lean; /* columns are drawn as u^lean: above 1, the first rank has most */
    int sorted;
} shape;

static const shape shapes[] = {
    {"even", "coordinate real general", 0, 1, 0},
    {"sorted", "coordinate real general", 0, 1, 1},
    {"counts", "coordinate integer general", 0, 1, 0},
    {"first rank", "coordinate real general", 0, 30, 0},
    {"last rank", "coordinate integer general", 0, 0.03, 1},
    {"mirrored", "coordinate real symmetric", 1, 1, 0},
    {"mirrored, first rank", "coordinate real skew-symmetric", 1, 30, 0},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct drawn {
    int row, col;
} drawn;

static int by_column(const void *left, const void *right) {
    const drawn *a = left, *b = right;
    return a->col != b->col ? (a->col > b->col) - (a->col < b->col) : a->row - b->row;
}

/* counts[j]: entries of column j, several at one place included. */
static void write_shape(const char *path, const shape *s, int64_t *counts, ch_random *random) {
    static drawn draws[ENTRIES];
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int k = 0; k < ENTRIES; k++) {
        double u = ch_random_uniform(random), at = u;
        for (int t = 1; t < (int)s->lean; t++) at *= u;
        if (s->lean < 1) at = 1 - (1 - u) * s->lean;
        draws[k] = (drawn){1 + (int)(COLS * ch_random_uniform(random)), 1 + (int)(COLS * at)};
    }
    if (s->sorted) qsort(draws, ENTRIES, sizeof *draws, by_column);
    fprintf(file, "%%%%MatrixMarket matrix %s\n%d %d %d\n", s->banner, COLS, COLS, ENTRIES);
    memset(counts, 0, COLS * sizeof *counts);
    for (int k = 0; k < ENTRIES; k++) {
        fprintf(file, "%d %d %d\n", draws[k].row, draws[k].col, 1 + k % 200);
        counts[draws[k].col - 1]++;
        if (s->symmetric && draws[k].row != draws[k].col) counts[draws[k].row - 1]++;
    }
    fclose(file);
}

/* Values one after the other, as many as the symmetry stores. */
static void write_dense(const char *path, const char *symmetry, int64_t rows, ch_random *random) {
    int first = !strcmp(symmetry, "skew-symmetric"), general = !strcmp(symmetry, "general");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%%%%MatrixMarket matrix array real %s\n%lld %d\n", symmetry, (long long)rows,
            COLS);
    for (int64_t j = 0; j < COLS; j++)
        for (int64_t i = general ? 0 : j + first; i < rows; i++)
            fprintf(file, "%.6g\n", ch_random_uniform(random));
    fclose(file);
}

typedef struct task {
    const char *path;
    const ch_matrix *whole;
    const int64_t *counts; /* entries of each column; NULL for a dense matrix */
    support_memory *memory;
    int ranks;
} task;

/* Sparse: 20 bytes for each of its entries, or of its share of all if that is more, once and a half
 * because that is what arrays grow by, and 12 for a copy to sort; dense: its values. */
static double most_bytes(const ch_matrix *X, const int64_t *counts) {
    double own = 0, all = 0;
    if (!counts) return 8 * (double)ch_matrix_stored(X);
    for (int64_t j = 0; j < COLS; j++) {
        all += (double)counts[j];
        if (j >= X->first && j < X->first + X->cols) own += (double)counts[j];
    }
    double share = all * (double)X->cols / COLS;
    return 42 * (own > share ? own : share) + 8 * (double)X->cols;
}

static void compare(void *user, ch_context *context, int rank) {
    const task *t = user;
    ch_matrix_read_settings settings = {.size = sizeof settings, .distributed = 1};
    ch_matrix X;
    int64_t first, count;
    ch_status status = ch_matrix_read(context, &X, t->path, &settings);
    support_check(status == CH_OK, "%s: %s", t->path, ch_context_message(context));
    ch_comm_part(context, &first, &count, COLS);
    support_check(X.first == first && X.cols == count && X.rows == t->whole->rows,
                  "%s, rank %d of %d: another part", t->path, rank, t->ranks);
    support_check(X.type == t->whole->type && X.layout == t->whole->layout, "%s: stored otherwise",
                  t->path);
    for (int64_t j = 0; j < count; j++)
        for (int64_t i = 0; i < X.rows; i++)
            support_check(ch_matrix_at(&X, i, j) == ch_matrix_at(t->whole, i, first + j),
                          "%s, rank %d of %d: (%d, %d) differs", t->path, rank, t->ranks, (int)i,
                          (int)(first + j));
    double peak = (double)t->memory[rank].peak - LINES - SMALL;
    double most = most_bytes(&X, t->counts);
    support_check(peak <= most, "%s, rank %d of %d: %.0f bytes for a part that may take %.0f",
                  t->path, rank, t->ranks, peak, most);
    ch_matrix_free(context, &X);
}

static void check_file(const char *path, const int64_t *counts) {
    static const int ranks[] = {2, 4, 7, 13};
    ch_context *context = support_context(NULL, 1);
    ch_matrix whole;
    support_check(ch_matrix_read(context, &whole, path, NULL) == CH_OK, "%s",
                  ch_context_message(context));
    for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++) {
        support_memory memory[16];
        task t = {path, &whole, counts, memory, ranks[k]};
        support_run_ranks(ranks[k], NULL, memory, compare, &t);
    }
    ch_matrix_free(context, &whole);
    support_finish(context, NULL);
}

static void sparse_parts(void **state) {
    (void)state;
    ch_random random;
    int64_t counts[COLS];
    support_seed(&random, "sparse_parts", 41);
    for (int s = 0; s < SHAPES; s++) {
        char path[512];
        snprintf(path, sizeof path, "%s", support_path("%s.mtx", shapes[s].name));
        write_shape(path, &shapes[s], counts, &random);
        check_file(path, counts);
    }
}

static void dense_parts(void **state) {
    (void)state;
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric"};
    ch_random random;
    support_seed(&random, "dense_parts", 42);
    for (int s = 0; s < 3; s++) {
        char path[512];
        snprintf(path, sizeof path, "%s", support_path("dense %s.mtx", symmetries[s]));
        write_dense(path, symmetries[s], s ? COLS : 60, &random);
        check_file(path, NULL);
    }
}

/* One rank of several, to which the others seem to say what it says. */
static int share_alike(void *user, void *all, const void *own, int64_t count) {
    for (int r = 0; r < ((const ch_comm *)user)->processes; r++)
        memcpy((char *)all + r * count, own, (size_t)count);
    return 0;
}

static int broadcast_alike(void *user, void *bytes, int64_t count, int from) {
    (void)user, (void)bytes, (void)count, (void)from;
    return 0;
}

/* Rank 0 of 7 holds nearly all, so that its arrays grow; allocation k fails, for every k. */
static void growing_fails(void **state) {
    (void)state;
    ch_random random;
    char path[512];
    ch_status status = CH_ERR_MEMORY;
    int64_t k = 1, counts[COLS];
    support_seed(&random, "growing_fails", 43);
    snprintf(path, sizeof path, "%s", support_path("grows.mtx"));
    write_shape(path, &shapes[3], counts, &random);
    for (; status == CH_ERR_MEMORY; k++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        ch_comm table = {.size = sizeof table,
                         .processes = 7,
                         .share = share_alike,
                         .broadcast = broadcast_alike};
        ch_matrix_read_settings settings = {.size = sizeof settings, .distributed = 1};
        ch_matrix X = {.rows = -7};
        table.user = &table;
        assert_int_equal(ch_context_set_comm(context, &table), CH_OK);
        memory.fail_at = memory.requests + k;
        status = ch_matrix_read(context, &X, path, &settings);
        if (status == CH_ERR_MEMORY) assert_int_equal(X.rows, -7);
        if (status == CH_ERR_MEMORY) support_message(context, "memory");
        if (status == CH_OK) ch_matrix_free(context, &X);
        support_finish(context, &memory);
    }
    assert_int_equal(status, CH_OK);
    support_check(k > 12, "only %d allocations: nothing grew", (int)k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_parts),
        cmocka_unit_test(dense_parts),
        cmocka_unit_test(growing_fails),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
