/* A long run of mixed jobs in one process, through the public calls:  soak SECONDS
 *
 * Every job's results are reduced to 64 bits; each round must give the bits of the first. What the
 * library holds between two rounds must be the same, to the block; what the process has from malloc
 * (other libraries, caches of freed blocks) and its resident memory may not grow by more than
 * GROWTH after WARM rounds. */
#include <conehull/conehull.h>
#include <conehull/corpus.h>
#include <conehull/io.h>
#include <conehull/stream.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 60, COLS = 200, RANK = 6, WARM = 5 };
static const int64_t GROWTH = 4 << 20; /* what an allocator may keep in other places than before */

typedef uint64_t bits;

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

typedef struct place {
    ch_context *context;
    ch_matrix X, S; /* dense, and the same with most values zero, CSC */
    char folder[64];
} place;

static void check(const place *p, ch_status status, const char *what) {
    if (status >= 0) return;
    fprintf(stderr, "%s: %s\n", what, ch_context_message(p->context));
    exit(1);
}

static bits add(bits sum, const void *bytes, size_t count) {
    const unsigned char *from = bytes;
    for (size_t i = 0; i < count; i++) sum = (sum ^ from[i]) * 1099511628211u;
    return sum;
}

static bits add_reals(bits sum, const double *values, int64_t count) {
    return values ? add(sum, values, (size_t)count * sizeof *values) : sum;
}

/* ---- jobs ---- */

static bits anchors(const place *p, const ch_matrix *X, const char *method, const char *loss) {
    ch_anchors_settings set;
    ch_result result;
    ch_verification found = {.ok = 1};
    ch_settings_defaults(&ch_anchors_table, &set);
    set.rank = RANK;
    set.keep_duals = 1;
    check(p, ch_settings_set(p->context, &ch_anchors_table, &set, "method", method), method);
    check(p, ch_settings_set(p->context, &ch_anchors_table, &set, "loss", loss), loss);
    check(p, ch_anchors(p->context, &result, X, &set), loss);
    check(p, ch_verify(p->context, &found, X, &result, &set), loss);
    if (!found.ok) {
        fprintf(stderr, "%s %s: %s\n", method, loss, found.why);
        exit(1);
    }
    bits sum = add(14695981039346656037u, result.anchors, (size_t)result.rank * sizeof(int64_t));
    sum = add_reals(sum, result.H, result.rank * result.cols);
    sum = add_reals(sum, &result.objective, 1);
    ch_result_free(p->context, &result);
    return sum;
}

static bits job_l1(const place *p) {
    return anchors(p, &p->X, "xray", "l1");
}
static bits job_l2_sparse(const place *p) {
    return anchors(p, &p->S, "xray", "l2");
}
static bits job_kl(const place *p) {
    return anchors(p, &p->S, "xray", "kl");
}
static bits job_is(const place *p) {
    return anchors(p, &p->X, "xray", "is");
}
static bits job_spa(const place *p) {
    return anchors(p, &p->X, "spa", "l1");
}

/* Written and read back in every format that is written. */
static bits job_files(const place *p) {
    static const char *const names[] = {"x.npy", "x.mtx", "x.csv", "x.mtx.gz"};
    bits sum = 1;
    for (int f = 0; f < 4; f++) {
        char path[100];
        ch_matrix back;
        snprintf(path, sizeof path, "%s/%s", p->folder, names[f]);
        check(p, ch_write_matrix(p->context, path, f % 2 ? &p->S : &p->X), path);
        check(p, ch_read_matrix(p->context, &back, path, NULL), path);
        for (int64_t j = 0; j < COLS; j += 7) {
            double value = ch_matrix_at(&back, j % ROWS, j);
            sum = add_reals(sum, &value, 1);
        }
        ch_matrix_free(p->context, &back);
        unlink(path);
    }
    return sum;
}

/* Refused, with a message, and nothing held. */
static bits job_refused(const place *p) {
    char path[100];
    ch_matrix X;
    snprintf(path, sizeof path, "%s/bad.csv", p->folder);
    FILE *file = fopen(path, "w");
    if (!file || fputs("1,2\n3,four\n", file) < 0 || fclose(file)) exit(1);
    ch_status status = ch_read_matrix(p->context, &X, path, NULL);
    unlink(path);
    return add(1, ch_context_message(p->context), strlen(ch_context_message(p->context))) + status;
}

static bits job_topics(const place *p) {
    ch_topics_settings set;
    ch_topics topics;
    ch_settings_defaults(&ch_topics_table, &set);
    set.rank = 3;
    check(p, ch_topics_find(p->context, &topics, &p->S, &set), "topics");
    bits sum = add(1, topics.anchors, (size_t)topics.rank * sizeof *topics.anchors);
    ch_topics_free(p->context, &topics);
    return sum;
}

static bits job_stream(const place *p) {
    ch_anchors_settings set;
    ch_stream_settings settings;
    ch_stream *stream;
    ch_result result;
    double bound;
    ch_settings_defaults(&ch_anchors_table, &set);
    ch_settings_defaults(&ch_stream_table, &settings);
    set.rank = RANK;
    settings.store = 40;
    check(p, ch_stream_create(p->context, &stream, ROWS, &set, &settings), "stream");
    check(p, ch_stream_push(stream, &p->X), "stream");
    check(p, ch_stream_anchors(stream, &result, &bound), "stream");
    bits sum = add(1, result.anchors, (size_t)result.rank * sizeof(int64_t));
    ch_result_free(p->context, &result);
    ch_stream_destroy(stream);
    return sum;
}

static bits job_separate(const place *p) {
    ch_separate_settings set;
    ch_separation parts;
    ch_settings_defaults(&ch_separate_table, &set);
    set.rank = 1;
    check(p, ch_separate(p->context, &parts, &p->X, &set), "separate");
    bits sum = add_reals(1, parts.H, parts.rank * parts.pixels);
    ch_separation_free(p->context, &parts);
    return sum;
}

static const struct {
    const char *name;
    bits (*run)(const place *p);
} jobs[] = {{"l1", job_l1},           {"l2, sparse", job_l2_sparse},
            {"kl", job_kl},           {"is", job_is},
            {"spa", job_spa},         {"files", job_files},
            {"refused", job_refused}, {"topics", job_topics},
            {"stream", job_stream},   {"separate", job_separate}};
enum { JOBS = sizeof jobs / sizeof *jobs };

/* ---- the run ---- */

static void prepare(place *p) {
    ch_synthetic_settings set = {.rows = ROWS,
                                 .cols = COLS,
                                 .rank = RANK,
                                 .noise = CH_NOISE_SPARSE,
                                 .level = 0.2,
                                 .shuffle = 1,
                                 .seed = 4};
    ch_memory memory = {take, give, NULL};
    strcpy(p->folder, "/tmp/conehull-soak-XXXXXX");
    if (!mkdtemp(p->folder) || ch_context_create(&p->context, &memory) ||
        ch_context_set_threads(p->context, 2))
        exit(1);
    check(p, ch_synthetic(p->context, &p->X, NULL, &set), "data");
    check(p, ch_synthetic(p->context, &p->S, NULL, &set), "data");
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
    check(p, ch_matrix_borrow_csc(p->context, &view, kept, start, rows, ROWS, COLS, CH_F64),
          "data");
    ch_matrix_free(p->context, &p->S);
    check(p, ch_matrix_copy(p->context, &p->S, &view, NULL, 0), "data");
    free(rows);
    free(kept);
}

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

static int round_differs(const place *p, bits *first, int64_t round) {
    for (int j = 0; j < JOBS; j++) {
        bits got = jobs[j].run(p);
        if (round == 0) first[j] = got;
        if (got == first[j]) continue;
        printf("round %lld: %s gave other bits than at first\n", (long long)round, jobs[j].name);
        return 1;
    }
    return 0;
}

int main(int count, char **words) {
    place p = {0};
    bits first[JOBS];
    double seconds = count > 1 ? atof(words[1]) : 10, start = now();
    int64_t round = 0, held = 0, heap = 0, pages = 0;
    prepare(&p);
    for (; round <= WARM || now() - start < seconds; round++) {
        if (round_differs(&p, first, round)) return 1;
        if (round == 0) held = blocks;
        if (blocks != held) {
            printf("round %lld: the library holds %lld blocks, %lld before\n", (long long)round,
                   (long long)blocks, (long long)held);
            return 1;
        }
        if (round == WARM) {
            heap = in_use();
            pages = resident();
        }
    }
    heap = in_use() - heap;
    pages = resident() - pages;
    printf("%lld rounds of %d jobs in %.0f s: same bits, %lld blocks held after each, malloc grown "
           "by %lld bytes, resident memory by %lld kB\n",
           (long long)round, JOBS, now() - start, (long long)held, (long long)heap,
           (long long)pages / 1024);
    ch_matrix_free(p.context, &p.X);
    ch_matrix_free(p.context, &p.S);
    ch_context_destroy(p.context);
    rmdir(p.folder);
    return heap > GROWTH || pages > GROWTH;
}
