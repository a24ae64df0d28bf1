/* Zip archives of members that are stored as they are, their checksums right: what a fuzzer would
 * not find by chance. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct zip_member {
    const char *name;
    const uint8_t *bytes;
    size_t count;
} zip_member;

void zip_store(const char *path, const zip_member *members, int count);
