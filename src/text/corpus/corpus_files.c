/* The text files of a folder and of the folders below it, in natural order. */
#include "text/corpus/corpus_internal.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096, DEPTH_MAX = 64 };

static int is_text_name(const char *path) {
    return chi_has_suffix(path, ".txt") || chi_has_suffix(path, ".txt.gz");
}

/* Other names of text files, as in collections of mail, news and notes. */
static int is_plain_name(const char *path) {
    static const char *const suffixes[] = {".text", ".md", ".rst", ".eml", ".mail"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    if (!dot) return 1;
    for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes; k++)
        if (chi_has_suffix(path, suffixes[k])) return 1;
    return dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1);
}

/* Called for every text file with its path below the folder; a status other than CH_OK ends the
 * walk. */
typedef ch_status (*visit_fn)(void *user, const char *below);

typedef struct walk {
    ch_context *context; /* NULL: failures are not reported */
    visit_fn visit;
    void *user;
    char path[PATH_BYTES];
    size_t folder; /* length of the folder's own part of path, with its slash */
    int (*is_wanted)(const char *path);
    int64_t others;    /* number of other files                  */
    chi_list *skipped; /* their names, SKIPPED_MAX at most; or NULL */
    chi_bad_files *bad;
} walk;

enum { SKIPPED_MAX = 1000 };

static ch_status skip_file(walk *way) {
    const char *name = way->path + way->folder;
    if (way->others++ >= SKIPPED_MAX || !way->skipped) return CH_OK;
    return chi_list_add(way->skipped, name, (int64_t)strlen(name));
}

static ch_status refuse(const walk *way) {
    if (!way->context) return CH_ERR_IO;
    return chi_fail_system(way->context, way->path, "cannot read");
}

/* A folder of texts from a stranger must not cause other files to be read: a link may lead to
 * another text of the folder, not out of it. */
static ch_status check_link(const walk *way) {
    char folder[PATH_BYTES];
    memcpy(folder, way->path, way->folder);
    folder[way->folder] = '\0';
    char *root = realpath(folder, NULL), *target = realpath(way->path, NULL);
    size_t length = root ? strlen(root) : 0;
    int broken = !root || !target;
    int inside = !broken && strncmp(target, root, length) == 0 &&
                 (target[length] == '/' || root[length - 1] == '/');
    ch_status status = CH_OK;
    if (broken)
        status = refuse(way);
    else if (!inside)
        status = !way->context
                     ? CH_ERR_UNSUPPORTED
                     : chi_fail(way->context, CH_ERR_UNSUPPORTED,
                                "%s: this is a link to a file outside the folder of texts, which "
                                "is not followed; copy the file into the folder",
                                way->path);
    free(root);
    free(target);
    return status;
}

/* Notes a file or folder that cannot be read; without a context it is just passed over. */
static ch_status pass_bad(walk *way, ch_status status) {
    if (!chi_is_bad_file(status)) return status;
    return way->context ? chi_bad_files_add(way->bad, status, way->path + way->folder) : CH_OK;
}

static ch_status walk_folder(walk *way, size_t length, int depth);

/* way->path[0..length) is a file or a folder in it. */
static ch_status walk_entry(walk *way, size_t length, int depth) {
    struct stat facts;
    if (lstat(way->path, &facts) != 0) return errno == ENOENT ? CH_OK : pass_bad(way, refuse(way));
    if (S_ISDIR(facts.st_mode)) return walk_folder(way, length, depth);
    if (!way->is_wanted(way->path)) return skip_file(way);
    if (S_ISLNK(facts.st_mode)) {
        ch_status status = check_link(way);
        if (status == CH_OK && stat(way->path, &facts) != 0) status = refuse(way);
        if (status != CH_OK) return pass_bad(way, status);
    }
    return S_ISREG(facts.st_mode) ? way->visit(way->user, way->path + way->folder) : CH_OK;
}

static ch_status walk_folder(walk *way, size_t length, int depth) {
    errno = ELOOP;
    DIR *stream = depth < DEPTH_MAX ? opendir(way->path) : NULL;
    if (!stream) return depth > 0 ? pass_bad(way, refuse(way)) : refuse(way);
    ch_status status = CH_OK;
    const struct dirent *entry;
    if (way->path[length - 1] != '/') way->path[length++] = '/';
    while (status == CH_OK && (entry = readdir(stream))) {
        size_t name = strlen(entry->d_name);
        if (entry->d_name[0] == '.') continue;
        errno = ENAMETOOLONG;
        way->path[length] = '\0';
        if (length + name + 2 > PATH_BYTES) {
            status = refuse(way);
        } else {
            memcpy(way->path + length, entry->d_name, name + 1);
            status = walk_entry(way, length + name, depth + 1);
        }
    }
    closedir(stream);
    return status;
}

static ch_status walk_all(walk *way, const char *folder) {
    size_t length = strlen(folder);
    errno = ENAMETOOLONG;
    if (length + 2 > PATH_BYTES || length == 0)
        return way->context ? chi_fail_system(way->context, folder, "cannot read") : CH_ERR_IO;
    memcpy(way->path, folder, length + 1);
    way->folder = length + (folder[length - 1] != '/');
    return walk_folder(way, length, 0);
}

static ch_status found_one(void *user, const char *below) {
    (void)below;
    *(int *)user = 1;
    return CH_STOP_COMPLETE;
}

static ch_status count_one(void *user, const char *below) {
    (void)below;
    ++*(int64_t *)user;
    return CH_OK;
}

int chi_corpus_is_mailbox(const char *path) {
    return chi_has_suffix(path, ".mbox") || chi_has_suffix(path, ".mbox.gz");
}

int ch_corpus_is_text(const char *path) {
    struct stat facts;
    if (!path) return 0;
    if (stat(path, &facts) != 0 || !S_ISDIR(facts.st_mode))
        return is_text_name(path) || chi_corpus_is_mailbox(path);
    int found = 0;
    int64_t plain = 0;
    walk way = {.visit = found_one, .user = &found, .is_wanted = is_text_name};
    walk_all(&way, path);
    if (found) return 1;
    walk again = {.visit = count_one, .user = &plain, .is_wanted = is_plain_name};
    walk_all(&again, path);
    return plain > again.others;
}

static ch_status add_file(void *user, const char *below) {
    return chi_vocabulary_add(user, NULL, below, (int)strlen(below));
}

static int compare_names(const void *left, const void *right) {
    return chi_natural_order(*(const char *const *)left, *(const char *const *)right);
}

/* Sorts the files, which come in the order of the folder, into natural order. */
static ch_status sort_files(ch_context *context, chi_vocabulary *files,
                            const chi_vocabulary *found) {
    const char **names = chi_alloc(context, found->count, sizeof *names);
    if (!names) return chi_no_memory(context, "file names", found->count, sizeof *names);
    for (int64_t i = 0; i < found->count; i++) names[i] = chi_vocabulary_word(found, i);
    qsort(names, (size_t)found->count, sizeof *names, compare_names);
    ch_status status = CH_OK;
    for (int64_t i = 0; i < found->count && status == CH_OK; i++)
        status = add_file(files, names[i]);
    chi_free(context, names);
    return status;
}

ch_status chi_corpus_files(ch_context *context, chi_vocabulary *files, int64_t *others,
                           ch_text_list *skipped, chi_bad_files *bad, const char *folder) {
    chi_vocabulary found;
    chi_list names = {.context = context, .path = folder};
    TRY(chi_vocabulary_create(context, &found, folder));
    walk way = {.context = context,
                .visit = add_file,
                .user = &found,
                .is_wanted = is_text_name,
                .skipped = &names,
                .bad = bad};
    ch_status status = walk_all(&way, folder);
    if (status == CH_OK && found.count == 0) {
        way.is_wanted = is_plain_name;
        way.others = 0;
        chi_list_free(&names);
        names = (chi_list){.context = context, .path = folder};
        chi_bad_files_clear(bad);
        status = walk_all(&way, folder);
    }
    if (status == CH_OK && found.count == 0 && !bad->skip)
        status = chi_bad_files_end(bad, NULL, folder);
    if (status == CH_OK && found.count == 0)
        status = chi_fail(context, CH_ERR_FORMAT,
                          "%s: the folder contains no text files; these are files named .txt or "
                          ".txt.gz, or without a suffix",
                          folder);
    if (status == CH_OK) status = sort_files(context, files, &found);
    if (status == CH_OK) status = chi_list_give(skipped, &names);
    if (status == CH_OK && skipped->count)
        qsort(skipped->text, (size_t)skipped->count, sizeof *skipped->text, compare_names);
    for (int64_t k = 0; status == CH_OK && k < skipped->count; k++)
        ch_text_make_printable(skipped->bytes + (skipped->text[k] - skipped->bytes));
    *others = way.others;
    chi_list_free(&names);
    chi_vocabulary_free(&found);
    return status;
}
