/* The files of a folder, or of a pattern with a number, in natural order. */
#include "io/clip/frames.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void chi_names_free(ch_context *context, chi_names *names) {
    for (int64_t i = 0; i < names->count; i++) chi_free(context, names->name[i]);
    chi_free(context, names->name);
    *names = (chi_names){NULL, 0, 0};
}

static ch_status reserve(ch_context *context, chi_names *names) {
    if (names->count < names->capacity) return CH_OK;
    int64_t larger = names->capacity ? 2 * names->capacity : 64;
    char **moved = chi_alloc(context, larger, sizeof *moved);
    if (!moved) return chi_no_memory(context, "names of files", larger, sizeof *moved);
    if (names->count) memcpy(moved, names->name, (size_t)names->count * sizeof *moved);
    chi_free(context, names->name);
    names->name = moved;
    names->capacity = larger;
    return CH_OK;
}

static ch_status append(ch_context *context, chi_names *names, const char *folder,
                        size_t folder_length, const char *last) {
    TRY(reserve(context, names));
    size_t slash = folder_length && folder[folder_length - 1] != '/';
    size_t length = folder_length + slash + strlen(last) + 1;
    char *path = chi_alloc(context, (int64_t)length, 1);
    if (!path) return chi_no_memory(context, "the name of a file", (int64_t)length, 1);
    snprintf(path, length, "%.*s%s%s", (int)folder_length, folder, slash ? "/" : "", last);
    names->name[names->count++] = path;
    return CH_OK;
}

static int compare_names(const void *left, const void *right) {
    return chi_natural_order(*(char *const *)left, *(char *const *)right);
}

/* Returns whether a name of a folder is to be listed. */
typedef int (*wanted_fn)(const char *name, const void *user);

static ch_status list_folder(ch_context *context, chi_names *names, const char *folder,
                             size_t folder_length, wanted_fn wanted, const void *user) {
    char path[4096] = ".";
    errno = ENAMETOOLONG;
    if (folder_length < sizeof path && folder_length)
        snprintf(path, sizeof path, "%.*s", (int)folder_length, folder);
    DIR *open_folder = folder_length < sizeof path ? opendir(path) : NULL;
    if (!open_folder) return chi_fail_system(context, folder, "cannot open");
    ch_status status = CH_OK;
    chi_names found = {NULL, 0, 0};
    for (struct dirent *entry; status == CH_OK && (entry = readdir(open_folder));)
        if (entry->d_name[0] != '.' && wanted(entry->d_name, user))
            status = append(context, &found, folder, folder_length, entry->d_name);
    closedir(open_folder);
    if (found.count) qsort(found.name, (size_t)found.count, sizeof *found.name, compare_names);
    if (status == CH_OK)
        *names = found;
    else
        chi_names_free(context, &found);
    return status;
}

static int has_listed_suffix(const char *name, const void *user) {
    for (const char *const *suffix = user; *suffix; suffix++)
        if (chi_has_suffix(name, *suffix)) return 1;
    return 0;
}

ch_status chi_names_folder(ch_context *context, chi_names *names, const char *folder,
                           const char *const *suffixes) {
    return list_folder(context, names, folder, strlen(folder), has_listed_suffix, suffixes);
}

/* ---- patterns ---- */

typedef struct pattern_parts {
    const char *last;  /* the pattern without its folder */
    size_t before;     /* characters before the number   */
    const char *after; /* characters after the number    */
    size_t digits;     /* minimum number of digits       */
} pattern_parts;

/* Parses a path with one "%d" or "%0Nd" in its last part. */
static int parse_pattern(pattern_parts *parts, const char *path) {
    const char *slash = strrchr(path, '/');
    parts->last = slash ? slash + 1 : path;
    const char *percent = strchr(parts->last, '%');
    if (!percent) return 0;
    char *end = (char *)percent + 1;
    unsigned long digits = isdigit((unsigned char)*end) ? strtoul(end, &end, 10) : 1;
    parts->before = (size_t)(percent - parts->last);
    parts->digits = digits ? digits : 1;
    parts->after = end + 1;
    return *end == 'd' && digits < 20 && !strchr(parts->after, '%');
}

int chi_is_pattern(const char *path) {
    pattern_parts parts;
    return parse_pattern(&parts, path);
}

static int fits_pattern(const char *name, const void *user) {
    const pattern_parts *parts = user;
    if (strncmp(name, parts->last, parts->before) != 0) return 0;
    const char *number = name + parts->before;
    size_t digits = strspn(number, "0123456789");
    if (digits < parts->digits || (digits > parts->digits && number[0] == '0')) return 0;
    return strcmp(number + digits, parts->after) == 0;
}

ch_status chi_names_pattern(ch_context *context, chi_names *names, const char *pattern) {
    pattern_parts parts;
    if (!parse_pattern(&parts, pattern))
        return chi_fail(
            context, CH_ERR_ARGUMENT,
            "%s: this is not a pattern of file names; a pattern contains a number such as %%06d",
            pattern);
    TRY(list_folder(context, names, pattern, (size_t)(parts.last - pattern), fits_pattern, &parts));
    if (names->count) return CH_OK;
    return chi_fail(context, CH_ERR_IO, "%s: no file has a name that matches this pattern",
                    pattern);
}
