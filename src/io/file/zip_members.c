/* The members of a zip archive, one after the other, by libarchive. The central directory at the
 * end of the file is required, because an archive without it is truncated. */
#include "io/file/format.h"
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ch_status fail_archive(const chi_zip *zip, const char *label) {
    const char *words = archive_error_string(zip->archive);
    int code = archive_errno(zip->archive);
    if (code == ENOMEM) return chi_no_memory(zip->context, "a decompressor", 1, 1 << 16);
    return chi_fail(zip->context, code == EIO ? CH_ERR_IO : CH_ERR_FORMAT,
                    "%s: the zip archive is empty, truncated or damaged (%s)", label,
                    words ? words : "no reason given");
}

/* Reads up to count bytes of the current member; fewer only at its end. */
static ch_status read_some(chi_zip *zip, void *bytes, int64_t count, int64_t *got) {
    *got = 0;
    while (*got < count) {
        la_ssize_t part =
            archive_read_data(zip->archive, (char *)bytes + *got, (size_t)(count - *got));
        if (part == ARCHIVE_RETRY) continue;
        if (part < 0) return fail_archive(zip, zip->label);
        if (part == 0) break;
        *got += part;
    }
    return CH_OK;
}

static ch_status wrong_length(const chi_zip *zip, int64_t promised, int64_t found) {
    return chi_fail(zip->context, CH_ERR_FORMAT,
                    "%s: the header states %lld bytes of values, but the archive contains %s%lld; "
                    "the file is damaged",
                    zip->label, (long long)promised, found > promised ? "at least " : "",
                    (long long)found);
}

/* The members cannot unpack to more than deflate can make of the file's bytes, unless they share
 * bytes. */
static ch_status count_loaded(chi_zip *zip, int64_t bytes) {
    const chi_npy *npy = &zip->npy;
    TRY(chi_plausible(zip->context, zip->label, npy->count, (size_t)npy->element.size, zip->size,
                      CHI_DEFLATE_PACKING));
    zip->loaded += bytes;
    if (zip->size < 0 || zip->loaded / CHI_DEFLATE_PACKING <= zip->size) return CH_OK;
    return chi_fail(zip->context, CH_ERR_FORMAT,
                    "%s: the arrays of this archive unpack to %lld bytes up to here, which is more "
                    "than a zip archive of %lld bytes can contain; the file is damaged",
                    zip->label, (long long)zip->loaded, (long long)zip->size);
}

ch_status chi_zip_load(chi_zip *zip, void **raw) {
    const chi_npy *npy = &zip->npy;
    int64_t bytes, more, held = zip->held - npy->offset, extra;
    char after;
    if (__builtin_mul_overflow(npy->count, npy->element.size, &bytes))
        return chi_fail(zip->context, CH_ERR_FORMAT,
                        "%s: the header states an impossible size; the file is damaged",
                        zip->label);
    TRY(count_loaded(zip, bytes));
    if (held > bytes) return wrong_length(zip, bytes, held);
    char *block = chi_take(zip->context, zip->label, "values", bytes, 1);
    if (!block) return CH_ERR_MEMORY;
    memcpy(block, zip->head + npy->offset, (size_t)held);
    ch_status status = read_some(zip, block + held, bytes - held, &more);
    if (status == CH_OK) status = read_some(zip, &after, 1, &extra);
    if (status == CH_OK && held + more + extra != bytes)
        status = wrong_length(zip, bytes, held + more + extra);
    if (status == CH_OK)
        *raw = block;
    else
        chi_free(zip->context, block);
    return status;
}

static ch_status visit_member(chi_zip *zip, struct archive_entry *entry, chi_zip_visit visit,
                              void *user) {
    const char *found = archive_entry_pathname(entry);
    char name[512];
    if (!found || !chi_has_suffix(found, ".npy") || strlen(found) - 4 >= sizeof name) return CH_OK;
    memcpy(name, found, strlen(found) - 4);
    name[strlen(found) - 4] = '\0';
    snprintf(zip->label, sizeof zip->label, "%.300s: %.200s", zip->path, found);
    ch_status status = read_some(zip, zip->head, sizeof zip->head, &zip->held);
    if (status == CH_OK)
        status = chi_npy_parse(zip->context, &zip->npy, zip->label, zip->head, zip->held);
    return status == CH_OK ? visit(user, zip, name, &zip->npy) : status;
}

typedef struct member_name {
    uint64_t hash;
    char begin[56]; /* for the message */
} member_name;

static int compare_hashes(const void *left, const void *right) {
    uint64_t a = ((const member_name *)left)->hash, b = ((const member_name *)right)->hash;
    return (a > b) - (a < b);
}

/* Refuses two members of one name: programs differ in which of them they read, so a reader could
 * get other values than the one who checked the file. */
static ch_status refuse_duplicates(const chi_zip *zip, member_name *names, int64_t count) {
    if (count > 0) qsort(names, (size_t)count, sizeof *names, compare_hashes);
    for (int64_t i = 1; i < count; i++)
        if (names[i].hash == names[i - 1].hash)
            return chi_fail(
                zip->context, CH_ERR_FORMAT,
                "%s: the archive contains two arrays named %s; the file is damaged or malicious",
                zip->path, names[i].begin);
    return CH_OK;
}

static ch_status walk_members(chi_zip *zip, chi_zip_visit visit, void *user) {
    struct archive_entry *entry;
    member_name *names = NULL;
    int64_t capacity = 0, count = 0;
    ch_status status = CH_OK;
    for (int code; status == CH_OK; count++) {
        code = archive_read_next_header(zip->archive, &entry);
        if (code == ARCHIVE_EOF) break;
        if (code != ARCHIVE_OK && code != ARCHIVE_WARN) status = fail_archive(zip, zip->path);
        if (status == CH_OK && count == capacity)
            status = chi_array_double(zip->context, &names, &capacity, count, sizeof *names,
                                      zip->path, "names of members");
        const char *name = status == CH_OK ? archive_entry_pathname(entry) : NULL;
        if (status == CH_OK) {
            if (!name) name = "?";
            names[count].hash = chi_hash(0, name, strlen(name));
            snprintf(names[count].begin, sizeof names[count].begin, "%s", name);
            status = visit_member(zip, entry, visit, user);
        }
        if (status == CH_OK && chi_notify(zip->context, "read", count, 0, -1, 0))
            status = CH_STOP_CANCELLED;
    }
    if (status == CH_OK) status = refuse_duplicates(zip, names, count);
    chi_free(zip->context, names);
    return status;
}

ch_status chi_zip_walk(ch_context *context, const char *path, chi_zip_visit visit, void *user) {
    int fd;
    int64_t size;
    TRY(chi_open_file(context, &fd, &size, path));
    chi_zip *zip = chi_take(context, path, "a member's head", 1, sizeof *zip);
    ch_status status = zip ? CH_OK : CH_ERR_MEMORY;
    if (zip) {
        *zip = (chi_zip){
            .context = context, .path = path, .size = size, .archive = archive_read_new()};
        if (!zip->archive) status = chi_no_memory(context, "a decompressor", 1, 1 << 16);
    }
    if (status == CH_OK) {
        archive_read_support_format_zip_seekable(zip->archive);
        status = archive_read_open_fd(zip->archive, fd, 1 << 16) == ARCHIVE_OK
                     ? walk_members(zip, visit, user)
                     : fail_archive(zip, path);
        archive_read_free(zip->archive);
    }
    chi_free(context, zip);
    close(fd);
    return status;
}
