/* Stems by Snowball (M. Porter; Debian's libstemmer). */
#include "text/corpus/corpus_internal.h"
#include <libstemmer.h>
#include <string.h>

ch_status chi_stem_open(ch_context *context, void **stemmer, const char *language) {
    *stemmer = NULL;
    if (!language || !strcmp(language, "none")) return CH_OK;
    *stemmer = sb_stemmer_new(language, "UTF_8");
    if (*stemmer) return CH_OK;
    char known[1024] = "";
    for (const char **name = sb_stemmer_list(); *name; name++)
        if (strlen(known) + strlen(*name) + 3 < sizeof known)
            strcat(strcat(known, *known ? ", " : ""), *name);
    return chi_fail(context, CH_ERR_SETTING,
                    "the setting 'stem' must be none or one of the languages %s; got '%s'", known,
                    language);
}

void chi_stem_close(void *stemmer) {
    sb_stemmer_delete(stemmer);
}

const char *chi_stem_word(void *stemmer, const char *word, int *length) {
    const sb_symbol *stem = sb_stemmer_stem(stemmer, (const sb_symbol *)word, *length);
    if (!stem) return NULL;
    *length = sb_stemmer_length(stemmer);
    return (const char *)stem;
}
