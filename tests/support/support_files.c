#include "support_files.h"
#include <dirent.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[512];

int support_folder_make(void **state) {
    const char *parent = getenv("TMPDIR");
    (void)state;
    if (!parent || !*parent) parent = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm"; /* no disk */
    snprintf(folder, sizeof folder, "%s/conehull-test-XXXXXX", parent);
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *walk) {
    (void)facts, (void)kind, (void)walk;
    return remove(path);
}

int support_folder_remove(void **state) {
    (void)state;
    return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

int support_folder_count(void) {
    int count = 0;
    DIR *list = opendir(folder);
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list));)
        count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(list);
    return count;
}

const char *support_path(const char *format, ...) {
    static char names[8][1024];
    static int turn;
    char *name = names[turn = (turn + 1) % 8];
    int length = snprintf(name, sizeof names[0], "%s/", folder);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name + length, sizeof names[0] - (size_t)length, format, arguments);
    va_end(arguments);
    return name;
}

const char *support_data(const char *name) {
    static char path[1024];
    const char *data = getenv("CONEHULL_DATA");
    snprintf(path, sizeof path, "%s/%s", data ? data : CH_TEST_DATA, name);
    if (access(path, R_OK) == 0) return path;
    print_message("skipped: no %s\n", path);
    return NULL;
}

void support_file_write(const char *path, const void *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

unsigned char *support_file_read(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    support_check(file != NULL, "cannot open %s", path);
    fseek(file, 0, SEEK_END);
    *count = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*count + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *count, file), *count);
    fclose(file);
    return bytes;
}

void support_same_matrix_at(const ch_matrix *A, const ch_matrix *B, const char *file, int line) {
    support_check_at(A->rows == B->rows && A->cols == B->cols, file, line,
                     "%lld x %lld, not %lld x %lld", (long long)A->rows, (long long)A->cols,
                     (long long)B->rows, (long long)B->cols);
    for (int64_t j = 0; j < A->cols; j++)
        for (int64_t i = 0; i < A->rows; i++) {
            double a = ch_matrix_at(A, i, j), b = ch_matrix_at(B, i, j);
            support_check_at(a == b || (isnan(a) && isnan(b)), file, line,
                             "(%lld, %lld) is %.17g, not %.17g", (long long)i, (long long)j, a, b);
        }
}

int support_python(const char *modules, const char *script) {
    static const char python[] = "/usr/bin/python3";
    enum { MODULE_MISSING = 77 };
    char command[2048];
    if (access(python, X_OK)) return 0;
    const char *path = support_path("script.py");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "import sys\ntry:\n    import %s\nexcept ImportError:\n    sys.exit(%d)\n%s",
            modules, MODULE_MISSING, script);
    fclose(file);
    snprintf(command, sizeof command, "cd '%s' && %s script.py", folder, python);
    int code = system(command);
    unlink(path);
    if (WIFEXITED(code) && WEXITSTATUS(code) == MODULE_MISSING) return 0;
    support_check(code == 0, "the Python script failed:\n%s", script);
    return 1;
}
