/* Names of files: their suffixes, and natural order: 2.png before 10.png, and the files of a folder
 * together. */
#include "io/file/format.h"
#include <string.h>
#include <strings.h>

int chi_has_suffix(const char *path, const char *suffix) {
    size_t length = strlen(path), tail = strlen(suffix);
    return length >= tail && !strcasecmp(path + length - tail, suffix);
}

static uint8_t rank_of(char c) {
    return c == '/' ? 0 : (uint8_t)c; /* files of a folder stay together */
}

int chi_natural_order(const char *left, const char *right) {
    const char *a = left, *b = right;
    while (*a && *b) {
        if ((uint8_t)(*a - '0') < 10 && (uint8_t)(*b - '0') < 10) {
            while (*a == '0') a++;
            while (*b == '0') b++;
            size_t digits = strspn(a, "0123456789"), others = strspn(b, "0123456789");
            if (digits != others) return digits < others ? -1 : 1;
            int order = memcmp(a, b, digits);
            if (order) return order;
            a += digits;
            b += digits;
        } else if (*a != *b) {
            return rank_of(*a) < rank_of(*b) ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    if (*a || *b) return *a ? 1 : -1;
    return strcmp(left, right); /* 01 and 1 */
}
