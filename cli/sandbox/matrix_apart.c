/* Reads a matrix that HDF5 parses in a child process. HDF5 loops, uses all memory or crashes on
 * some damaged files; here that ends only the child.
 *
 * Both processes share a region that is mapped before the child is made, so it has the same
 * addresses in both. The context of the child allocates from it, so the parent can use what the
 * child has read directly; the arrays are then moved step by step to memory of the parent. HDF5's
 * own memory belongs to the child and is limited. */
#include "sandbox/matrix_apart.h"
#include "common/matrix_input.h"
#include "common/progress.h"
#include "common/try.h"
#include "sandbox/sandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* How the child ended, and what it read. */
typedef struct report {
    ch_status status;
    char message[1024], note[CLI_NOTE];
    ch_matrix X;
    ch_matrix_names names;
} report;

/* The start of the shared region. */
typedef struct shared_head {
    report report;
    _Atomic size_t taken; /* bytes used, from the start on */
} shared_head;

/* Each process has its own copy: the size is never read from memory that the child can write to. */
typedef struct region {
    shared_head *head;
    size_t bytes;
} region;

typedef struct job {
    const cli_session *session;
    const char *file;
    const ch_matrix_read_settings *settings;
    int64_t memory; /* limit of the context, 0: none */
    region shared;
    const ch_cube_open_settings *cube; /* for a cube, which is only tested; NULL: a matrix */
    const char *library;               /* that parses it */
} job;

/* ---- whose file it is ---- */

/* A name of another format is trusted, as in ch_matrix_read(); pipes are not touched. */
static int may_be_hdf5(const char *path) {
    static const char *const suffixes[] = {"*.mat", "*.h5", "*.hdf5", "*.h5ad", "*.hspy", "*.nc"};
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode)) return 0;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (fnmatch(suffixes[i], path, FNM_CASEFOLD) == 0) return 1;
    return !cli_is_matrix_name(path);
}

/* Returns the bytes read at this offset, fewer at the end of the file; -1 if it cannot be read. */
static ssize_t read_at(int file, char *to, size_t count, int64_t place) {
    size_t done = 0;
    while (done < count) {
        ssize_t got = pread(file, to + done, count - done, place + (int64_t)done);
        if (got == 0) break;
        if (got < 0 && errno != EINTR) return -1;
        if (got > 0) done += (size_t)got;
    }
    return (ssize_t)done;
}

/* The signature of HDF5 is at the start or, after a user block (MATLAB has one), at 512 bytes,
 * 1024, 2048 and so on. Returns 1 if found, 0 if not, -1 if the file cannot be read. */
static int find_mark(int file, int64_t size) {
    static const char mark[] = "\x89HDF\r\n\x1a\n";
    char found[sizeof mark - 1];
    for (int64_t at = 0; at < size; at = at ? 2 * at : 512) {
        ssize_t got = read_at(file, found, sizeof found, at);
        if (got < 0) return -1;
        if (got == (ssize_t)sizeof found && memcmp(found, mark, sizeof found) == 0) return 1;
    }
    return 0;
}

/* *is = HDF5 would parse it; *bytes = size of the file. */
static int look_at(const char *path, int *is, int64_t *bytes) {
    struct stat facts;
    *is = 0;
    if (!may_be_hdf5(path)) return EXIT_DONE;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return cli_error(EXIT_FILES, "%s: the file cannot be opened: %s", path, strerror(errno));
    *bytes = fstat(file, &facts) == 0 ? facts.st_size : 0;
    *is = find_mark(file, *bytes);
    int reason = errno;
    close(file);
    if (*is >= 0) return EXIT_DONE;
    return cli_error(EXIT_FILES, "%s: the file cannot be read: %s", path, strerror(reason));
}

/* Returns whether libtiff would parse it, by its name, as ch_cube_open() chooses; pipes are not
 * touched. */
static int is_tiff(const char *path, int64_t *bytes) {
    struct stat facts;
    if (fnmatch("*.tif", path, FNM_CASEFOLD) != 0 && fnmatch("*.tiff", path, FNM_CASEFOLD) != 0)
        return 0;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode)) return 0;
    *bytes = facts.st_size;
    return 1;
}

/* ---- memory of both ---- */

enum { ALIGNMENT = 4096 };

/* Blocks follow one another, each preceded by its size. */
static void *take(size_t bytes, void *user) {
    const region *shared = user;
    if (bytes > shared->bytes) return NULL;
    size_t whole = (bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t at = atomic_fetch_add(&shared->head->taken, whole);
    if (at > shared->bytes || whole > shared->bytes - at) {
        atomic_fetch_sub(&shared->head->taken, whole);
        return NULL;
    }
    char *block = (char *)shared->head + at;
    *(size_t *)block = whole;
    return block + ALIGNMENT;
}

static void give(void *block, void *user) {
    (void)user;
    if (!block) return;
    char *begin = (char *)block - ALIGNMENT;
    madvise(begin, *(size_t *)begin, MADV_REMOVE); /* the addresses are not used again */
}

static int64_t physical_memory(void) {
    return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

static void *map_shared(int64_t bytes) {
    void *made = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return made == MAP_FAILED ? NULL : made;
}

/* Reserves addresses for twice the memory of the machine (freed blocks leave gaps). If a limit of
 * the process forbids that, half of what is available, because HDF5 needs some too. Memory is used
 * when it is written to. */
static int map_region(region *shared) {
    int64_t wanted = 2 * physical_memory(), bytes = wanted;
    void *made = NULL;
    while (bytes > ALIGNMENT && !(made = map_shared(bytes))) bytes /= 2;
    if (made && bytes < wanted) {
        munmap(made, (size_t)bytes);
        bytes /= 2;
        made = map_shared(bytes);
    }
    if (!made) return 0;
    *shared = (region){made, (size_t)bytes};
    shared->head->taken = (sizeof *shared->head + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return 1;
}

/* ---- in the child ---- */

/* Reads the whole cube and discards it. */
static ch_status try_cube(const job *task, ch_context *context) {
    ch_cube cube = {.size = sizeof cube};
    ch_cube_part part = {.size = sizeof part, .scratch = task->settings->scratch};
    ch_matrix X = {0};
    ch_status status = ch_cube_open(context, &cube, task->file, task->cube);
    if (status == CH_OK) status = ch_cube_matrix(context, &X, &cube, &part);
    ch_matrix_free(context, &X);
    ch_cube_close(context, &cube);
    return status;
}

static ch_status read_here(const job *task, ch_context *context, ch_matrix *X) {
    ch_context_set_threads(context, ch_context_threads(task->session->context));
    if (!task->cube) /* a cube is read again, which logs then */
        ch_context_set_log(context, cli_hear_log, (void *)(uintptr_t)task->session);
    ch_context_set_progress(context, cli_progress_event, NULL);
    if (task->memory > 0) ch_context_set_memory_limit(context, task->memory);
    if (task->cube) return try_cube(task, context);
    ch_matrix_read_settings settings = *task->settings;
    ch_matrix_names *names = &task->shared.head->report.names;
    names->size = sizeof *names;
    if (settings.names) settings.names = names;
    return ch_matrix_read(context, X, task->file, &settings);
}

static void read_and_report(void *user) {
    job *task = user;
    report *to = &task->shared.head->report;
    ch_memory_hooks hooks = {take, give, &task->shared};
    ch_context *context = NULL;
    to->status = ch_context_create(&context, task->memory > 0 || task->cube ? NULL : &hooks);
    if (to->status == CH_OK) to->status = read_here(task, context, &to->X);
    snprintf(to->message, sizeof to->message, "%s",
             context ? ch_context_message(context) : ch_status_sentence(to->status));
    if (task->session->note) memcpy(to->note, task->session->note, sizeof to->note);
    cli_progress_clear();
}

/* ---- here again ---- */

static int lies_inside(const region *shared, const void *array, int64_t count, size_t size) {
    uintptr_t at = (uintptr_t)array, begin = (uintptr_t)shared->head, bytes;
    return at >= begin && at - begin <= shared->bytes && count >= 0 &&
           !__builtin_mul_overflow((uintptr_t)count, size, &bytes) &&
           bytes <= shared->bytes - (at - begin);
}

/* The file may have taken control of the child, so its answer is checked like a file. */
static int is_whole(const region *shared, const ch_matrix *X) {
    int64_t count;
    if (X->rows < 0 || X->cols < 0 || X->cols == INT64_MAX) return 0;
    if (X->layout != CH_CSC) {
        int64_t lines = X->layout == CH_ROW_MAJOR ? X->rows : X->cols;
        return !__builtin_mul_overflow(lines, X->stride, &count) &&
               lies_inside(shared, X->values, count, ch_value_type_size(X->type));
    }
    if (!lies_inside(shared, X->column_start, X->cols + 1, sizeof(int64_t))) return 0;
    count = X->column_start[X->cols];
    return lies_inside(shared, X->values, count, ch_value_type_size(X->type)) &&
           lies_inside(shared, X->row_index, count, sizeof(int32_t));
}

static int refuse_matrix(const job *task) {
    return cli_refuse("%s: HDF5 returned an inconsistent matrix; the file is damaged or malicious",
                      task->file);
}

/* Arrays of a matrix in memory of the parent. */
typedef struct arrays {
    void *values, *start, *index;
} arrays;

static void release_arrays(ch_context *context, void *owner) {
    arrays *own = owner;
    (void)context;
    if (!own) return;
    free(own->values);
    free(own->start);
    free(own->index);
    free(own);
}

/* Moves an array out of the shared memory step by step. Each step is released after it is copied,
 * so that at most one step exists twice. Returns NULL if memory is short. */
static void *move_out(const void *array, size_t bytes) {
    enum { PAGE = 2 << 20, STEP = 16 << 20 };
    char *to = NULL, *from = (char *)(uintptr_t)array;
    if (posix_memalign((void **)&to, PAGE, bytes ? bytes : 1) != 0) return NULL;
    madvise(to, bytes / PAGE * PAGE, MADV_HUGEPAGE);
    for (size_t done = 0, step; done < bytes; done += step) {
        step = bytes - done < STEP ? bytes - done : STEP;
        memcpy(to + done, from + done, step);
        uintptr_t begin = (uintptr_t)(from + done), end = begin + step;
        begin = (begin + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        end = end / ALIGNMENT * ALIGNMENT;
        if (end > begin) madvise((void *)begin, end - begin, MADV_REMOVE);
    }
    return to;
}

/* of has passed is_whole(). */
static int move_arrays(const ch_matrix *of, ch_matrix *X) {
    int sparse = of->layout == CH_CSC;
    int64_t lines = of->layout == CH_ROW_MAJOR ? of->rows : of->cols;
    size_t stored = (size_t)(sparse ? of->column_start[of->cols] : lines * of->stride);
    arrays *own = calloc(1, sizeof *own);
    if (!own) return 0;
    X->owner = own;
    X->release = release_arrays;
    if (sparse) own->start = move_out(of->column_start, (size_t)(of->cols + 1) * sizeof(int64_t));
    if (sparse) own->index = move_out(of->row_index, stored * sizeof(int32_t));
    own->values = move_out(of->values, stored * ch_value_type_size(of->type));
    X->values = own->values;
    X->column_start = own->start;
    X->row_index = own->index;
    if (own->values && (!sparse || (own->start && own->index))) return 1;
    release_arrays(NULL, own);
    return 0;
}

/* Copies instead of using a view, because shared memory has small pages and passes over it took a
 * third longer. */
static int take_matrix(const job *task, ch_matrix *X) {
    const ch_matrix *of = &task->shared.head->report.X;
    ch_matrix view;
    if (of->type < CH_F64 || of->type > CH_U16 || !is_whole(&task->shared, of) ||
        ch_matrix_borrow(task->session->context, &view, of) < 0)
        return refuse_matrix(task);
    if (!move_arrays(of, &view))
        return cli_error(EXIT_MEMORY, "%s: not enough memory to read this file", task->file);
    *X = view;
    return EXIT_DONE;
}

/* Takes names if they are consistent; without names the matrix is still usable. */
static int take_list(const job *task, ch_text_list *list, const ch_text_list *of) {
    const region *shared = &task->shared;
    const char *end = (const char *)shared->head + shared->bytes;
    if (of->count <= 0 || !lies_inside(shared, of->text, of->count, sizeof *of->text))
        return EXIT_DONE;
    for (int64_t k = 0; k < of->count; k++)
        if (!lies_inside(shared, of->text[k], 1, 1) ||
            !memchr(of->text[k], 0, (size_t)(end - of->text[k])))
            return EXIT_DONE;
    return cli_check(task->session,
                     ch_text_list_copy(task->session->context, list, of->text, of->count));
}

/* The child has ended, so the names do not change any more. */
static int take_names(const job *task) {
    ch_matrix_names *names = task->settings->names;
    const ch_matrix_names of = task->shared.head->report.names;
    if (!names) return EXIT_DONE;
    TRY(take_list(task, &names->rows, &of.rows));
    return take_list(task, &names->columns, &of.columns);
}

/* Texts of the child end at the latest where their space does. */
static int take_over(const job *task, ch_matrix *X) {
    const report *said = &task->shared.head->report;
    if (task->session->note)
        snprintf(task->session->note, CLI_NOTE, "%.*s", (int)sizeof said->note - 1, said->note);
    if (said->status == CH_STOP_CANCELLED) return EXIT_INTERRUPTED;
    if (said->status < 0)
        return cli_error(cli_exit_code(said->status), "%.*s", (int)sizeof said->message - 1,
                         said->message);
    if (task->memory > 0 || task->cube) return EXIT_DONE;
    TRY(take_names(task));
    return take_matrix(task, X);
}

/* Filters unpack at most 1032 to 1; HDF5 holds a chunk packed and unpacked, and converts parts of
 * it. It also needs its caches, and stacks and heaps of threads. Time: reading takes a second per
 * 100 KB of the file in the worst case, usually far less. */
static cli_sandbox limits_of(const job *task, int64_t bytes) {
    enum { PACKING = 1032, CACHES = 512 << 20, THREAD = 160 << 20, SPEED = 100000, SECONDS = 5 };
    int64_t most = physical_memory() + task->memory, unfolded;
    if (__builtin_mul_overflow(bytes, 3 * PACKING, &unfolded) || unfolded > most) unfolded = most;
    int64_t threads = ch_context_threads(task->session->context);
    return (cli_sandbox){.file = task->file,
                         .library = task->library,
                         .memory = unfolded + CACHES + threads * THREAD,
                         .seconds = SECONDS + bytes / SPEED,
                         .writes = task->memory > 0};
}

static int run_apart(job *task, ch_matrix *X, int64_t bytes) {
    if (!map_region(&task->shared))
        return cli_error(EXIT_MEMORY, "%s: not enough memory to read this file: %s", task->file,
                         strerror(errno));
    cli_sandbox sandbox = limits_of(task, bytes);
    int code = cli_sandbox_run(&sandbox, read_and_report, task);
    if (code == EXIT_DONE) code = take_over(task, X);
    munmap(task->shared.head, task->shared.bytes);
    return code;
}

int cli_matrix_read_apart(const cli_session *session, ch_matrix *X, int *apart, const char *file,
                          const ch_matrix_read_settings *settings, int64_t memory) {
    int64_t bytes;
    int is_hdf5;
    *apart = 0;
    if (ch_context_comm(session->context)) return EXIT_DONE;
    TRY(look_at(file, &is_hdf5, &bytes));
    if (!is_hdf5) return EXIT_DONE;
    job task = {session, file, settings, memory, {0}, NULL, "HDF5"};
    int code = run_apart(&task, X, bytes);
    *apart = code == EXIT_DONE && memory == 0;
    return code;
}

int cli_cube_try_apart(const cli_session *session, const char *file,
                       const ch_cube_open_settings *cube, const char *scratch, int64_t memory) {
    int64_t bytes;
    int is_hdf5;
    ch_matrix_read_settings settings = {.size = sizeof settings, .scratch = scratch};
    TRY(look_at(file, &is_hdf5, &bytes));
    int tiff = !is_hdf5 && is_tiff(file, &bytes);
    if (!is_hdf5 && !tiff) return EXIT_DONE;
    job task = {session, file, &settings, memory, {0}, cube, tiff ? "libtiff" : "HDF5"};
    return run_apart(&task, NULL, bytes);
}
