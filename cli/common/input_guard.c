/* Ensures that inputs and outputs of a command are different files. */
#include "common/input_guard.h"
#include "common/message.h"
#include "common/output_folder.h"
#include "common/try.h"
#include <dirent.h>
#include <fnmatch.h>
#include <fts.h>
#include <libgen.h>
#include <unistd.h>

typedef struct identity {
    dev_t device;
    ino_t inode;
} identity;

static struct input {
    const char *path;
    identity of;
    int folder;
} * inputs;
static int input_count;

static identity identify(const struct stat *facts) {
    return (identity){facts->st_dev, facts->st_ino};
}

static int is_same(identity a, identity b) {
    return a.device == b.device && a.inode == b.inode;
}

/* ---- inputs ---- */

/* Records an input file. Addresses, cameras, corners of a region and missing files are skipped. */
static void add_input(const char *path) {
    struct stat facts;
    int found = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &facts) : stat(path, &facts);
    if (found != 0) return;
    if (!S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)) return;
    inputs[input_count++] = (struct input){path, identify(&facts), S_ISDIR(facts.st_mode)};
}

static const char *text_of(const cli_option *option) {
    return option->row.value && !option->setting ? *(const char **)option->place : NULL;
}

static int names_input(const cli_option *option) {
    const char *value = option->row.value;
    if (option->row.written || strcmp(option->flag, "output") == 0) return 0;
    return text_of(option) &&
           (strstr(value, "FILE") || strstr(value, "DIR") || strstr(value, "REGION"));
}

static int collect_inputs(const cli_options *options) {
    free(inputs);
    input_count = 0;
    inputs = calloc((size_t)(options->all_count + CLI_OPTIONS_MAX), sizeof *inputs);
    if (!inputs) return cli_no_memory();
    for (int i = 0; i < options->all_count; i++) add_input(options->all[i]);
    for (int i = 0; i < options->count; i++)
        if (names_input(&options->rows[i])) add_input(text_of(&options->rows[i]));
    return EXIT_DONE;
}

const char *cli_input_with(const struct stat *facts) {
    for (int i = 0; i < input_count; i++)
        if (is_same(inputs[i].of, identify(facts))) return inputs[i].path;
    return NULL;
}

/* ---- the output folder ---- */

static int matches(const char *const *patterns, const char *name) {
    for (; patterns && *patterns; patterns++)
        if (fnmatch(*patterns, name, 0) == 0) return 1;
    return 0;
}

/* Returns the input that has this identity, including files in input folders, with links followed.
 * The caller frees it. NULL if there is none. */
static char *find_input(const struct stat *facts) {
    const char *direct = cli_input_with(facts);
    char *found = direct ? strdup(direct) : NULL;
    for (int i = 0; i < input_count && !found; i++) {
        if (!inputs[i].folder) continue;
        char *roots[] = {(char *)inputs[i].path, NULL};
        FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
        for (FTSENT *entry; walk && !found && (entry = fts_read(walk));)
            if (entry->fts_info == FTS_F && is_same(identify(entry->fts_statp), identify(facts)))
                found = strdup(entry->fts_path);
        if (walk) fts_close(walk);
    }
    return found;
}

/* Checks a file of the output folder that would be replaced. */
static int check_replaced(const char *folder, const char *name) {
    struct stat facts;
    char *path = cli_path_join(folder, name);
    if (!path) return cli_no_memory();
    char *input = stat(path, &facts) == 0 ? find_input(&facts) : NULL;
    int same_name = input && strcmp(input, path) == 0;
    free(path);
    if (!input) return EXIT_DONE;
    int code = same_name ? cli_refuse("%s: this run would replace this file, but it is one of its "
                                      "inputs; choose another folder with -o",
                                      input)
                         : cli_refuse("%s: this file is an input, and this run would replace it as "
                                      "%s/%s; choose another folder with -o",
                                      input, folder, name);
    free(input);
    return code;
}

static int check_folder(const char *folder, const char *const *writes) {
    struct stat facts;
    if (stat(folder, &facts) != 0 || !S_ISDIR(facts.st_mode)) return EXIT_DONE;
    const char *input = cli_input_with(&facts);
    if (input)
        return cli_refuse("%s: this is the input folder %s; its files would be replaced, or the "
                          "next run would read the results as input; choose another folder with -o",
                          folder, input);
    DIR *entries = opendir(folder);
    int code = EXIT_DONE;
    for (struct dirent *entry; entries && code == EXIT_DONE && (entry = readdir(entries));)
        if (matches(writes, entry->d_name)) code = check_replaced(folder, entry->d_name);
    if (entries) closedir(entries);
    return code;
}

/* ---- files that are written by name ---- */

/* Finds the folder of a file, and its name in the folder. Returns 0 if the folder does not
 * exist. */
static int find_place(const char *path, identity *folder, char name[NAME_MAX + 1]) {
    char copy[PATH_MAX];
    struct stat facts;
    if (strlen(path) >= sizeof copy) return 0;
    strcpy(copy, path);
    snprintf(name, NAME_MAX + 1, "%s", basename(copy));
    strcpy(copy, path);
    if (stat(dirname(copy), &facts) != 0) return 0;
    *folder = identify(&facts);
    return 1;
}

static int is_one_file(const char *a, const char *b) {
    struct stat facts_a, facts_b;
    identity folder_a, folder_b;
    char name_a[NAME_MAX + 1], name_b[NAME_MAX + 1];
    if (stat(a, &facts_a) == 0 && stat(b, &facts_b) == 0)
        return is_same(identify(&facts_a), identify(&facts_b));
    return find_place(a, &folder_a, name_a) && find_place(b, &folder_b, name_b) &&
           is_same(folder_a, folder_b) && strcmp(name_a, name_b) == 0;
}

static int check_written(const cli_option *option, const char *folder, const char *const *writes) {
    const char *path = text_of(option);
    struct stat facts;
    identity place;
    char name[NAME_MAX + 1];
    char *input = stat(path, &facts) == 0 ? find_input(&facts) : NULL;
    if (input) {
        int code = cli_refuse("--%s %s: this file is the input %s, which this run would overwrite; "
                              "choose another file",
                              option->flag, path, input);
        free(input);
        return code;
    }
    if (!folder || !find_place(path, &place, name) || !matches(writes, name)) return EXIT_DONE;
    if (stat(folder, &facts) != 0 || !is_same(place, identify(&facts))) return EXIT_DONE;
    return cli_refuse(
        "--%s %s: this run also writes a result of this name to %s; choose another file",
        option->flag, path, folder);
}

static int check_pair(const cli_option *a, const cli_option *b) {
    if (!is_one_file(text_of(a), text_of(b))) return EXIT_DONE;
    return cli_refuse("--%s and --%s name the same file, %s; choose two different files", a->flag,
                      b->flag, text_of(b));
}

static int is_written(const cli_option *option) {
    return option->row.written && text_of(option) && *text_of(option);
}

/* Refuses a named pipe. Opening it blocks until another program reads it, and a signal cannot
 * interrupt that; also, files of these options are read again by a later run. Open streams
 * (/dev/stdout) already have a reader. */
static int refuse_pipe(const cli_option *option) {
    struct stat facts;
    const char *path = text_of(option);
    if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0) return EXIT_DONE;
    if (stat(path, &facts) != 0 || !(S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode)))
        return EXIT_DONE;
    return cli_refuse("--%s %s: this is a pipe or a socket; give the name of a regular file",
                      option->flag, path);
}

int cli_inputs_guard(const cli_options *options, const char *const *writes) {
    const cli_option *output = cli_options_find(options, "output");
    const char *folder = output ? text_of(output) : NULL;
    if (folder && strcmp(folder, "-") == 0) folder = NULL;
    TRY(collect_inputs(options));
    if (folder) TRY(check_folder(folder, writes));
    for (int i = 0; i < options->count; i++) {
        const cli_option *option = &options->rows[i];
        if (!is_written(option)) continue;
        TRY(refuse_pipe(option));
        TRY(check_written(option, folder, writes));
        for (int k = 0; k < i; k++)
            if (is_written(&options->rows[k])) TRY(check_pair(&options->rows[k], option));
    }
    return EXIT_DONE;
}

int cli_refuse_special(const char *path) {
    struct stat facts;
    if (stat(path, &facts) != 0 || S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode))
        return EXIT_DONE;
    return cli_refuse("%s: this is a pipe, a socket or a device; give the name of a regular file",
                      path);
}
