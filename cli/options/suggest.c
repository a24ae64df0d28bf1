/* Edit distance with swapped neighbours (optimal string alignment), three rows at a time:
 * O(length^2). */
#include "options/options.h"
#include <string.h>

enum { LONGEST = 40 }; /* longer words are truncated; all names are shorter */

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static int distance(const char *a, const char *b) {
    int rows[3][LONGEST + 1];
    int la = (int)strnlen(a, LONGEST), lb = (int)strnlen(b, LONGEST);
    for (int j = 0; j <= lb; j++) rows[0][j] = j;
    for (int i = 1; i <= la; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= lb; j++) {
            row[j] =
                smaller(above[j - 1] + (a[i - 1] != b[j - 1]), smaller(above[j], row[j - 1]) + 1);
            int swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = smaller(row[j], above2[j - 2] + 1);
        }
    }
    return rows[la % 3][lb];
}

const char *cli_closest(const char *typed, const char *const *known, int count) {
    const char *best = NULL;
    size_t length = strlen(typed);
    int least = 2 + (int)length / 4; /* one typing error per four letters, and one more */
    for (int i = 0; i < count; i++) {
        int begins = length >= 2 && strncmp(typed, known[i], length) == 0;
        int edits = begins ? 0 : distance(typed, known[i]);
        if (edits < least) {
            least = edits;
            best = known[i];
        }
    }
    return best;
}
