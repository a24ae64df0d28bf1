/* Zip archives by hand: for every member a local header and its bytes, then the directory (APPNOTE
 * 4.3.7, 4.3.12, 4.3.16). */
#include "zip_store.h"
#include "fuzz.h"
#include <stdio.h>
#include <string.h>
#include <zlib.h>

typedef struct field {
    int bytes;
    uint32_t value;
} field;

static size_t put(FILE *file, const field *fields, int count) {
    size_t length = 0;
    for (int f = 0; f < count; f++)
        for (int b = 0; b < fields[f].bytes; b++, length++)
            fputc((int)(fields[f].value >> 8 * b & 255), file);
    return length;
}

/* What the local header and the directory say alike. */
enum { SHARED = 9 };
static void describe(field shared[SHARED], const zip_member *member) {
    uint32_t sum = (uint32_t)crc32(0, member->bytes, (uInt)member->count);
    uint32_t size = (uint32_t)member->count, name = (uint32_t)strlen(member->name);
    const field fields[SHARED] = {{2, 20},  {2, 0},    {2, 0},    {2, 0},   {2, 0x21},
                                  {4, sum}, {4, size}, {4, size}, {2, name}};
    memcpy(shared, fields, sizeof fields);
}

void zip_store(const char *path, const zip_member *members, int count) {
    FILE *file = fopen(path, "wb");
    size_t at[16], length = 0, directory = 0;
    field shared[SHARED];
    fuzz_require(file && count <= 16, "%s cannot be written", path);
    for (int m = 0; m < count; m++) {
        describe(shared, &members[m]);
        at[m] = length;
        length += put(file, (const field[]){{4, 0x04034b50}}, 1);
        length += put(file, shared, SHARED);
        length += put(file, (const field[]){{2, 0}}, 1);
        length += fwrite(members[m].name, 1, strlen(members[m].name), file);
        if (members[m].count) length += fwrite(members[m].bytes, 1, members[m].count, file);
    }
    for (int m = 0; m < count; m++) {
        const field end[] = {{2, 0}, {2, 0}, {2, 0}, {2, 0}, {4, 0}, {4, (uint32_t)at[m]}};
        describe(shared, &members[m]);
        directory += put(file, (const field[]){{4, 0x02014b50}, {2, 20}}, 2);
        directory += put(file, shared, SHARED);
        directory += put(file, end, 6);
        directory += fwrite(members[m].name, 1, strlen(members[m].name), file);
    }
    const field tail[] = {{4, 0x06054b50},
                          {2, 0},
                          {2, 0},
                          {2, (uint32_t)count},
                          {2, (uint32_t)count},
                          {4, (uint32_t)directory},
                          {4, (uint32_t)length},
                          {2, 0}};
    put(file, tail, 8);
    fuzz_require(fclose(file) == 0, "%s cannot be written", path);
}
