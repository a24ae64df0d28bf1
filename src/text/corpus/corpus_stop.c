/* Stop words: the built-in list, files, or several of them.
 *
 * The list holds English words that say nothing about the subject of a text: articles, pronouns,
 * prepositions, conjunctions, auxiliaries with their contractions, and the commonest adverbs. */
#include "text/corpus/corpus_internal.h"
#include <string.h>
#include <unistd.h>

static const char english[] =
    "a about above across after afterwards again against all almost alone along already also "
    "although always am among amongst an and another any anybody anyhow anyone anything anyway "
    "anywhere are aren't around as at away back be became because become becomes becoming been "
    "before beforehand behind being below beside besides between beyond both but by came can "
    "can't cannot come comes could couldn't did didn't do does doesn't doing don't done down due "
    "during each either else elsewhere enough etc even ever every everybody everyone everything "
    "everywhere except far few for former formerly from further furthermore get gets give given "
    "go goes going gone got had hadn't has hasn't have haven't having he he'd he'll hence her "
    "here hereby hers herself him himself his how however i i'd i'll i'm i've if in indeed "
    "instead into is isn't it it'd it'll its itself just last latter least less let like likely "
    "made make makes many may maybe me meanwhile might mightn't mine more moreover most mostly "
    "much must mustn't my myself namely near needn't neither never nevertheless next no nobody "
    "none nor not nothing now nowhere of off often oh on once one only onto or other others "
    "otherwise ought our ours ourselves out over own per perhaps please put quite rather re "
    "really same say says said see seem seemed seeming seems several shall shan't she she'd "
    "she'll should shouldn't since so some somebody somehow someone something sometimes somewhat "
    "somewhere still such take taken than that that'll the their theirs them themselves then "
    "thence there thereafter thereby therefore therein these they they'd they'll they're they've "
    "this those though through throughout thus to together too toward towards under until unto "
    "up upon us use used very via was wasn't we we'd we'll we're we've well went were weren't "
    "what whatever when whence whenever where whereas whereby wherein whereupon wherever whether "
    "which whichever while whilst who whoever whole whom whose why will with within without "
    "won't would wouldn't yes yet you you'd you'll you're you've your yours yourself yourselves";

int ch_corpus_is_stop_word(const char *word) {
    size_t length = word && !strchr(word, ' ') ? strlen(word) : 0;
    for (const char *at = english; length > 0 && (at = strstr(at, word)) != NULL; at++)
        if ((at == english || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return 1;
    return 0;
}

static ch_status take_stop_word(void *user, const char *word, int length) {
    return chi_vocabulary_add(user, NULL, word, length);
}

/* Splits and lowercases the list like the text, so that the words match. */
static ch_status add_words(chi_tokens *tokens, const char *text) {
    uint32_t code;
    const char *end = text + strlen(text);
    while (text < end) {
        text += chi_utf8_decode(&code, text, end - text);
        TRY(chi_tokens_code(tokens, code));
    }
    return chi_tokens_end(tokens);
}

static ch_status add_file(ch_context *context, chi_tokens *tokens, const char *path) {
    ch_text_list lines;
    ch_status status = ch_text_list_read(context, &lines, path, -1, NULL);
    if (status == CH_ERR_IO)
        return chi_fail(
            context, status,
            "the stop words must be 'none', 'english', the name of a file with one word per line, "
            "or several of these separated by commas: %s",
            ch_context_message(context));
    if (status != CH_OK) return status;
    for (int64_t i = 0; i < lines.count && status == CH_OK; i++)
        status = add_words(tokens, lines.text[i]);
    ch_text_list_free(context, &lines);
    return status;
}

/* Adds several lists, with commas between them. */
static ch_status add_lists(ch_context *context, chi_tokens *tokens, const char *names) {
    char one[4096];
    for (const char *at = names;; at++) {
        size_t length = strcspn(at, ",");
        if (length >= sizeof one)
            return chi_fail(context, CH_ERR_SETTING,
                            "the name of a file of stop words is too long");
        memcpy(one, at, length);
        one[length] = '\0';
        TRY(strcmp(one, "english") ? add_file(context, tokens, one) : add_words(tokens, english));
        at += length;
        if (!*at) return CH_OK;
    }
}

ch_status chi_corpus_stop_words(ch_context *context, chi_vocabulary *stop,
                                const ch_corpus_settings *settings) {
    const char *which = settings->stop_words;
    ch_corpus_settings any = *settings;
    any.min_length = 1;
    any.numbers = 1;
    chi_tokens tokens;
    chi_tokens_start(&tokens, &any, take_stop_word, stop);
    const ch_text_list *own = settings->stop_list;
    for (int64_t i = 0; own && i < own->count; i++) TRY(add_words(&tokens, own->text[i]));
    if (!which || !strcmp(which, "none")) return CH_OK;
    if (strcmp(which, "english") != 0 && access(which, F_OK) == 0)
        return add_file(context, &tokens, which);
    return add_lists(context, &tokens, which);
}
