/* Builds without Snowball. */
#include "text/corpus/corpus_internal.h"
#include <string.h>

ch_status chi_stem_open(ch_context *context, void **stemmer, const char *language) {
    *stemmer = NULL;
    if (!language || !strcmp(language, "none")) return CH_OK;
    return chi_fail(context, CH_ERR_UNSUPPORTED,
                    "this build of conehull cannot stem words; install Snowball (Debian: "
                    "libstemmer-dev) and build again");
}

void chi_stem_close(void *stemmer) {
    (void)stemmer;
}

const char *chi_stem_word(void *stemmer, const char *word, int *length) {
    (void)stemmer, (void)length;
    return word;
}
