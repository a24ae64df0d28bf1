/* A long run of mixed jobs in one process, through the public calls:  soak SECONDS
 *
 * Every job's results are reduced to 64 bits; each round must give the bits of the first. What the
 * library holds between two rounds must be the same, to the block; what the process has from malloc
 * (other libraries, caches of freed blocks) and its resident memory may not grow by more than
 * GROWTH after WARM rounds. Both are checked and printed after each tenth of the time. */
#include "soak.h"
#include <hdf5.h>
#include <malloc.h>
#include <matio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WARM = 3, PARTS = 10, JOBS_MAX = 32 };
static const int64_t GROWTH = 4 << 20; /* what an allocator may keep in other places than before */

static int64_t blocks; /* of the library; its threads allocate too */

static void *take(size_t bytes, void *user) {
    (void)user;
    __atomic_add_fetch(&blocks, 1, __ATOMIC_RELAXED);
    return malloc(bytes);
}

static void give(void *block, void *user) {
    (void)user;
    __atomic_sub_fetch(&blocks, 1, __ATOMIC_RELAXED);
    free(block);
}

/* ---- for the jobs ---- */

void check(const place *p, ch_status status, const char *what) {
    if (status >= 0) return;
    fprintf(stderr, "%s: %s\n", what, ch_context_message(p->context));
    exit(1);
}

void require(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "does not hold: %s\n", what);
    exit(1);
}

bits add(bits sum, const void *bytes, size_t count) {
    const unsigned char *from = bytes;
    for (size_t i = 0; i < count; i++) sum = (sum ^ from[i]) * 1099511628211u;
    return sum;
}

bits add_reals(bits sum, const double *values, int64_t count) {
    return add(sum, values, (size_t)count * sizeof *values);
}

const char *path_of(const place *p, const char *name) {
    static char path[100];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    return path;
}

/* ---- what they work on ---- */

static void prepare_matrices(place *p) {
    ch_synthetic_settings set = {.size = sizeof set,
                                 .rows = ROWS,
                                 .cols = COLS,
                                 .rank = RANK,
                                 .noise = CH_NOISE_SPARSE,
                                 .level = 0.2,
                                 .shuffle = 1,
                                 .seed = 4};
    check(p, ch_synthetic_make(p->context, &p->X, NULL, &set), "data");
    check(p, ch_synthetic_make(p->context, &p->S, NULL, &set), "data");
    double *values = (double *)p->S.values;
    int64_t start[COLS + 1], count = 0;
    int32_t *rows = malloc(sizeof *rows * ROWS * COLS);
    double *kept = malloc(sizeof *kept * ROWS * COLS);
    for (int64_t j = 0; j < COLS; j++) {
        start[j] = count;
        for (int32_t i = 0; i < ROWS; i++)
            if ((i * 7 + j * 3) % 4 == 0 && values[j * ROWS + i] > 0) {
                rows[count] = i;
                kept[count++] = (double)(int64_t)(1 + 20 * values[j * ROWS + i]);
            }
    }
    start[COLS] = count;
    ch_matrix view;
    check(p,
          ch_matrix_borrow(p->context, &view,
                           &(ch_matrix){.rows = ROWS,
                                        .cols = COLS,
                                        .layout = CH_CSC,
                                        .values = kept,
                                        .column_start = start,
                                        .row_index = rows}),
          "data");
    ch_matrix_free(p->context, &p->S);
    check(p, ch_matrix_copy(p->context, &p->S, &view, NULL, 0), "data");
    free(rows);
    free(kept);
}

static void prepare_film(place *p) {
    static uint8_t rgb[3 * PIXELS];
    ch_scene_settings set = {.size = sizeof set,
                             .frames = FRAMES,
                             .width = WIDTH,
                             .height = HEIGHT,
                             .noise = 3,
                             .seed = 2};
    for (int64_t f = 0; f < FRAMES; f++) {
        check(p, ch_scene_make(p->context, rgb, p->truth + f * PIXELS, f, &set), "film");
        for (int64_t i = 0; i < PIXELS; i++) p->film[f * PIXELS + i] = rgb[3 * i + 1];
    }
    check(p,
          ch_matrix_borrow(p->context, &p->clip,
                           &(ch_matrix){.rows = FRAMES,
                                        .cols = PIXELS,
                                        .layout = CH_ROW_MAJOR,
                                        .type = CH_U8,
                                        .values = p->film}),
          "film");
}

static void write_mat(const place *p, const char *name, enum mat_ft version) {
    size_t sizes[] = {ROWS, COLS};
    mat_t *file = Mat_CreateVer(path_of(p, name), NULL, version);
    matvar_t *X = Mat_VarCreate("X", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, sizes, (void *)p->X.values, 0);
    require(file && X && Mat_VarWrite(file, X, MAT_COMPRESSION_NONE) == 0, name);
    Mat_VarFree(X);
    Mat_Close(file);
}

/* HDF5 keeps rows together. */
static void write_hdf5(const place *p, const char *name) {
    static double rows[ROWS * COLS];
    hsize_t sizes[] = {ROWS, COLS};
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLS; j++) rows[i * COLS + j] = ch_matrix_at(&p->X, i, j);
    hid_t file = H5Fcreate(path_of(p, name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, sizes, NULL);
    hid_t set =
        H5Dcreate2(file, "X", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    require(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0, name);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
}

static const char *const foreign[] = {"x.mat", "x73.mat", "x.h5"};

static void prepare(place *p) {
    ch_memory_hooks memory = {take, give, NULL};
    strcpy(p->folder, "/tmp/conehull-soak-XXXXXX");
    require(mkdtemp(p->folder) && ch_context_create(&p->context, &memory) == CH_OK &&
                ch_context_set_threads(p->context, 2) == CH_OK,
            "a folder and a context");
    prepare_matrices(p);
    prepare_film(p);
    write_mat(p, foreign[0], MAT_FT_MAT5);
    write_mat(p, foreign[1], MAT_FT_MAT73);
    write_hdf5(p, foreign[2]);
}

static void clear(place *p) {
    for (int f = 0; f < 3; f++) unlink(path_of(p, foreign[f]));
    rmdir(p->folder);
    ch_matrix_free(p->context, &p->X);
    ch_matrix_free(p->context, &p->S);
    ch_context_destroy(p->context);
}

/* ---- the run ---- */

static int64_t resident(void) {
    long long pages = 0, all = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lld %lld", &all, &pages) != 2) exit(1);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static int64_t in_use(void) {
    struct mallinfo2 facts = mallinfo2();
    return (int64_t)(facts.uordblks + facts.hblkhd);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int list_jobs(const job **list) {
    int count = 0;
    for (const job *one = matrix_jobs; one->name; one++) list[count++] = one;
    for (const job *one = film_jobs; one->name; one++) list[count++] = one;
    return count;
}

static int round_differs(const place *p, bits *first, int64_t round, const job *const *list,
                         int count) {
    for (int j = 0; j < count; j++) {
        bits got = list[j]->run(p);
        if (round == 0) first[j] = got;
        if (got == first[j]) continue;
        printf("round %lld: %s gave other bits than at first\n", (long long)round, list[j]->name);
        return 1;
    }
    return 0;
}

/* Memory of the process when it was warm. */
typedef struct outside {
    int64_t heap, pages;
} outside;

static int has_grown(const outside *warm, int64_t rounds, double seconds) {
    int64_t heap = in_use() - warm->heap, pages = resident() - warm->pages;
    int more = heap > GROWTH || pages > GROWTH;
    printf("%.0f s, %lld rounds: malloc grown by %lld bytes, resident memory by %lld kB%s\n",
           seconds, (long long)rounds, (long long)heap, (long long)pages / 1024,
           more ? ": too much" : "");
    fflush(stdout);
    return more;
}

int main(int count, char **words) {
    static place p;
    static bits first[JOBS_MAX];
    const job *list[JOBS_MAX];
    int jobs = list_jobs(list), part = 1, failed = 0;
    double seconds = count > 1 ? atof(words[1]) : 10;
    int64_t round = 0, held = 0;
    outside warm = {0};
    require(seconds >= 1, "SECONDS of 1 or more");
    prepare(&p);
    double start = now(), spent = 0;
    for (; !failed && (round <= WARM + 1 || spent < seconds); round++) {
        failed = round_differs(&p, first, round, list, jobs);
        if (round == 0) held = blocks;
        if (blocks != held) {
            printf("round %lld: the library holds %lld blocks, %lld before\n", (long long)round,
                   (long long)blocks, (long long)held);
            failed = 1;
        }
        if (round == WARM) warm = (outside){in_use(), resident()};
        spent = now() - start;
        if (round > WARM && spent >= seconds * part / PARTS) {
            failed |= has_grown(&warm, round + 1, spent);
            part = (int)(spent * PARTS / seconds) + 1;
        }
    }
    if (!failed)
        printf("%lld rounds of %d jobs in %.0f s: same bits, %lld blocks held after each\n",
               (long long)round, jobs, spent, (long long)held);
    clear(&p);
    return failed;
}
