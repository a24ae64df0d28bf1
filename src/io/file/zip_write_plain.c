/* A zip archive of stored members without libarchive (APPNOTE.TXT of PKWARE, sections 4.3.7, 4.3.12
 * and 4.3.16): for every member a local header and its bytes; then the directory, which repeats the
 * headers with their places; then the end record. Sizes up to 4 GB: there is no ZIP64 here. */
#include "io/file/format.h"
#include <string.h>
#include <zlib.h>

enum { LOCAL = 30, ENTRY = 46, END = 22, VERSION = 20, FIRST_DAY = 0x21 /* 1980-01-01 */ };

typedef struct writing {
    ch_context *context;
    ch_output_file *output;
    const char *path;
    int64_t place;
} writing;

static unsigned char *put2(unsigned char *to, unsigned value) {
    to[0] = value & 255;
    to[1] = value >> 8 & 255;
    return to + 2;
}

static unsigned char *put4(unsigned char *to, uint32_t value) {
    return put2(put2(to, value & 65535), value >> 16);
}

static ch_status put_bytes(writing *w, const void *bytes, int64_t count) {
    w->place += count;
    if (w->place > UINT32_MAX)
        return chi_fail(w->context, CH_ERR_UNSUPPORTED,
                        "%s: the archive would be larger than 4 GB, and this build of conehull "
                        "cannot write such archives",
                        w->path);
    return count > 0 ? ch_output_file_write(w->output, bytes, (size_t)count) : CH_OK;
}

/* Fields that a local header and a directory entry share, from the needed version on. */
static unsigned char *put_facts(unsigned char *to, const chi_zip_member *member) {
    uint32_t size = (uint32_t)(member->head_bytes + member->body_bytes);
    uLong check = crc32_z(0, (const Bytef *)member->head, (size_t)member->head_bytes);
    if (member->body_bytes > 0) check = crc32_z(check, member->body, (size_t)member->body_bytes);
    to = put2(put2(put2(to, VERSION), 0), 0); /* flags; method: stored */
    to = put2(put2(to, 0), FIRST_DAY);        /* time, date */
    to = put4(put4(put4(to, (uint32_t)check), size), size);
    return put2(put2(to, (unsigned)strlen(member->name)), 0); /* no extra field */
}

static ch_status put_member(writing *w, const chi_zip_member *member) {
    unsigned char local[LOCAL];
    put_facts(put4(local, 0x04034b50), member);
    TRY(put_bytes(w, local, LOCAL));
    TRY(put_bytes(w, member->name, (int64_t)strlen(member->name)));
    TRY(put_bytes(w, member->head, member->head_bytes));
    return put_bytes(w, member->body, member->body_bytes);
}

static ch_status put_entry(writing *w, const chi_zip_member *member, int64_t place) {
    unsigned char entry[ENTRY];
    unsigned char *to = put_facts(put2(put4(entry, 0x02014b50), 3 << 8 | VERSION), member);
    to = put2(put2(put2(to, 0), 0), 0);                   /* no comment, first disk, attributes */
    to = put4(put4(to, 0100644U << 16), (uint32_t)place); /* a file, rw-r--r-- */
    TRY(put_bytes(w, entry, to - entry));
    return put_bytes(w, member->name, (int64_t)strlen(member->name));
}

static ch_status put_end(writing *w, int count, int64_t directory) {
    unsigned char end[END];
    unsigned char *to = put2(put2(put4(end, 0x06054b50), 0), 0);
    to = put2(put2(to, (unsigned)count), (unsigned)count);
    to = put4(put4(to, (uint32_t)(w->place - directory)), (uint32_t)directory);
    put2(to, 0);
    return put_bytes(w, end, END);
}

static int64_t member_bytes(const chi_zip_member *member) {
    return LOCAL + (int64_t)strlen(member->name) + member->head_bytes + member->body_bytes;
}

ch_status chi_zip_write(ch_context *context, ch_output_file *output, const char *path, int count,
                        void (*describe)(void *user, int i, chi_zip_member *member), void *user) {
    writing w = {context, output, path, 0};
    chi_zip_member member;
    for (int i = 0; i < count; i++) {
        describe(user, i, &member);
        TRY(put_member(&w, &member));
    }
    int64_t directory = w.place, place = 0;
    for (int i = 0; i < count; i++) {
        describe(user, i, &member);
        TRY(put_entry(&w, &member, place));
        place += member_bytes(&member);
    }
    return put_end(&w, count, directory);
}
