/* Time to read text: a table (.csv) and a sparse matrix (.mtx.gz), both made on the spot, on one
 * thread and on all, against programs that only pass over the bytes (`wc -l`, `zcat`) and against
 * pandas' and SciPy's readers. The files stay in the system's cache. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "harness/python_peer.h"
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <conehull/random.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern const char bench_peer_pandas[]; /* made at build time */
extern char **environ;

enum { TABLE_COLS = 200, EACH = 50 }; /* numbers in a row of the table; entries of a column */

typedef struct reading {
    bench_run *run;
    const char *path;
    int threads;
} reading;

static int read_file(void *user, bench_time *time) {
    const reading *r = user;
    ch_context *context = r->run->session->context;
    ch_matrix X = {0};
    (void)time;
    int code = bench_code(r->run, ch_context_set_threads(context, r->threads));
    if (code == EXIT_DONE) code = bench_code(r->run, ch_matrix_read(context, &X, r->path, NULL));
    ch_matrix_free(context, &X);
    return code;
}

typedef struct program {
    char *words[4]; /* ends with NULL */
} program;

static double seconds_of(struct timeval time) {
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/* A program that prints what it reads to nowhere; processor time is its own. */
static int run_program(void *user, bench_time *time) {
    const program *p = user;
    posix_spawn_file_actions_t actions;
    struct rusage used;
    pid_t pid;
    int status = 1;
    bench_time start = bench_now();
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&pid, p->words[0], &actions, NULL, p->words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (!failed && wait4(pid, &status, 0, &used) == pid && status == 0) {
        time->wall = bench_since(start).wall;
        time->processor = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
        return EXIT_DONE;
    }
    return cli_error(EXIT_FILES, "bench: the program %s cannot be run", p->words[0]);
}

/* ---- the files ---- */

static int write_table(bench_run *run, char *path, size_t size, int64_t rows) {
    ch_context *context = run->session->context;
    double *values = malloc((size_t)(rows * TABLE_COLS) * sizeof *values);
    ch_random random;
    int code = values ? bench_temporary(path, size, ".csv") : cli_no_memory();
    ch_random_seed(&random, 1);
    for (int64_t i = 0; values && i < rows * TABLE_COLS; i++)
        values[i] = (double)ch_random_below(&random, 1000000) / 1000; /* 123.456 */
    ch_matrix X = {.rows = rows, .cols = TABLE_COLS, .values = values, .stride = rows};
    if (code == EXIT_DONE) code = bench_code(run, ch_matrix_write(context, path, &X));
    free(values);
    return code;
}

static int write_sparse(bench_run *run, char *path, size_t size, int64_t cols) {
    int64_t rows = cols, count = cols * EACH;
    double *values = malloc((size_t)count * sizeof *values);
    int32_t *row = malloc((size_t)count * sizeof *row);
    int64_t *start = malloc((size_t)(cols + 1) * sizeof *start);
    ch_random random;
    int code = values && row && start ? bench_temporary(path, size, ".mtx.gz") : cli_no_memory();
    ch_random_seed(&random, 2);
    for (int64_t j = 0; code == EXIT_DONE && j <= cols; j++) start[j] = j * EACH;
    for (int64_t i = 0; code == EXIT_DONE && i < count; i++) {
        row[i] = (int32_t)(i % EACH * (rows / EACH) + ch_random_below(&random, rows / EACH));
        values[i] = 1 + (double)ch_random_below(&random, 9);
    }
    ch_matrix X = {.rows = rows,
                   .cols = cols,
                   .layout = CH_CSC,
                   .values = values,
                   .column_start = start,
                   .row_index = row};
    if (code == EXIT_DONE) code = bench_code(run, ch_matrix_write(run->session->context, path, &X));
    free(values);
    free(row);
    free(start);
    return code;
}

/* ---- the ratios ---- */

enum { ALONE, TOGETHER, PASS, OTHER, WORKS };

static int measure_file(bench_run *run, char *path, program *pass, const char *pass_name,
                        bench_python *python, const char *data) {
    reading alone = {run, path, 1}, together = {run, path, run->threads};
    const bench_work works[WORKS] = {{"one thread", read_file, &alone},
                                     {"all threads", read_file, &together},
                                     {pass_name, run_program, pass},
                                     {python->name, bench_python_ask, python}};
    char names[3][BENCH_TEXT];
    snprintf(names[1], sizeof names[1], "reading over %s", pass_name);
    snprintf(names[2], sizeof names[2], "%s over reading", python->name);
    const bench_pair pairs[] = {{"one thread over all threads", ALONE, TOGETHER, 0, 0, 1},
                                {names[1], TOGETHER, PASS, 0, 0, 1},
                                {names[2], OTHER, TOGETHER, 0, 0, 1}};
    int count = python->peer.pid ? WORKS : OTHER;
    bench_series series[WORKS];
    int code = bench_take_turns(run, series, works, count);
    if (code != EXIT_DONE) return code;
    return bench_add_pairs(run, series, pairs, count == WORKS ? 3 : 2, data);
}

int bench_reading(bench_run *run) {
    char table[1000] = "", sparse[1000] = "", data[BENCH_TEXT];
    int64_t rows = run->quick ? 2000 : 20000, cols = run->quick ? 5000 : 50000;
    bench_python python = {.name = "pandas"};
    int code = write_table(run, table, sizeof table, rows);
    if (code == EXIT_DONE) code = write_sparse(run, sparse, sizeof sparse, cols);
    if (code == EXIT_DONE) {
        char *words[] = {table, sparse};
        program lines = {{"wc", "-l", table}}, unpack = {{"zcat", sparse}};
        bench_python_start(&python, "pandas", run, bench_peer_pandas, words, 2);
        snprintf(data, sizeof data, ".csv, %lld x %d numbers", (long long)rows, TABLE_COLS);
        python.line = "csv\n";
        code = measure_file(run, table, &lines, "wc -l", &python, data);
        snprintf(data, sizeof data, ".mtx.gz, %lld entries", (long long)cols * EACH);
        python.line = "mtx\n";
        python.name = "SciPy";
        if (code == EXIT_DONE) code = measure_file(run, sparse, &unpack, "zcat", &python, data);
        bench_python_stop(&python);
    }
    if (*table) unlink(table);
    if (*sparse) unlink(sparse);
    return code;
}
