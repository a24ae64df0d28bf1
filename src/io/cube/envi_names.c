/* Finds the files that belong together in ENVI: a header next to its data, with the same name
 * except for the suffix, or with .hdr appended. */
#include "io/cube/envi_file.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Suffixes of data files; the first is none. */
static const char *const suffixes[] = {"",     ".img", ".dat", ".bsq", ".bil", ".bip",
                                       ".raw", ".sli", ".bin", ".IMG", ".DAT", ".BSQ",
                                       ".BIL", ".BIP", ".RAW", ".SLI", ".BIN"};
enum { SUFFIXES = sizeof suffixes / sizeof *suffixes, LONGEST = 4 };

/* Returns the first `stem` characters of path plus a suffix, or NULL without memory. */
static char *with_suffix(ch_context *context, const char *path, size_t stem, const char *suffix) {
    size_t tail = strlen(suffix) + 1;
    char *name = chi_alloc(context, (int64_t)(stem + tail), 1);
    if (!name) {
        chi_no_memory(context, "the name of a file", (int64_t)(stem + tail), 1);
        return NULL;
    }
    memcpy(name, path, stem);
    memcpy(name + stem, suffix, tail);
    return name;
}

static size_t stem_of(const char *path) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    return dot && dot > base ? (size_t)(dot - path) : strlen(path);
}

/* Returns the length of a regular file, or -1 if it is not one. */
static int64_t length_of(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) ? (int64_t)facts.st_size : -1;
}

/* *header stays NULL if there is none. */
static ch_status look_for_header(ch_context *context, char **header, const char *path) {
    static const char *const ends[] = {".hdr", ".HDR"};
    size_t stems[2] = {strlen(path), stem_of(path)};
    *header = NULL;
    for (int way = 0; way < 4; way++) {
        char *name = with_suffix(context, path, stems[way / 2], ends[way % 2]);
        if (!name) return CH_ERR_MEMORY;
        if (length_of(name) >= 0) {
            *header = name;
            return CH_OK;
        }
        chi_free(context, name);
    }
    return CH_OK;
}

int chi_envi_has_header(ch_context *context, const char *path) {
    char *header;
    int found = look_for_header(context, &header, path) == CH_OK && header;
    chi_free(context, header);
    return found;
}

ch_status chi_envi_find_header(ch_context *context, char **header, const char *path) {
    if (chi_has_suffix(path, ".hdr")) {
        *header = with_suffix(context, path, strlen(path), "");
        return *header ? CH_OK : CH_ERR_MEMORY;
    }
    int fd;
    int64_t size;
    TRY(chi_open_file(context, &fd, &size, path));
    close(fd);
    TRY(look_for_header(context, header, path));
    if (*header) return CH_OK;
    return chi_fail(
        context, CH_ERR_IO,
        "%s: the ENVI header of this file is missing; neither %s.hdr nor %.*s.hdr exists", path,
        path, (int)stem_of(path), path);
}

ch_status chi_envi_find_data(ch_context *context, char **data, const char *header, int64_t bytes) {
    size_t stem = strlen(header) - LONGEST;
    *data = NULL;
    for (int s = 0; s < SUFFIXES; s++) {
        char *name = with_suffix(context, header, stem, suffixes[s]);
        if (!name) {
            chi_free(context, *data);
            return CH_ERR_MEMORY;
        }
        int64_t length = length_of(name);
        int fits = length == bytes, first = length >= 0 && !*data;
        if (!fits && !first) {
            chi_free(context, name);
            continue;
        }
        chi_free(context, *data);
        *data = name;
        if (fits) return CH_OK;
    }
    if (*data) return CH_OK;
    return chi_fail(context, CH_ERR_IO,
                    "%s: the data file of this ENVI header is missing; neither %.*s nor %.*s with "
                    "the suffix .img .dat .bsq .bil .bip .raw .sli or .bin exists",
                    header, (int)stem, header, (int)stem, header);
}
