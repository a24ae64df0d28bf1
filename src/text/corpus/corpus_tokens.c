/* Splits a stream of code points into words; corpus.h defines a word. It takes one code point at a
 * time, so that a document of any length needs only the memory of one word. */
#include "text/corpus/corpus_internal.h"

enum {
    SOFT_HYPHEN = 0xad,
    ZERO_WIDTH_NON_JOINER = 0x200c,
    ZERO_WIDTH_JOINER = 0x200d,
    HYPHEN = 0x2010,
    HYPHEN_NO_BREAK = 0x2011,
    APOSTROPHE = 0x2019,
    WORD_JOINER = 0x2060,
    BYTE_ORDER_MARK = 0xfeff,
    WIDE_APOSTROPHE = 0xff07
};

static void forget(chi_tokens *tokens) {
    tokens->bytes = tokens->letters = tokens->last_at = 0;
    tokens->last = 0;
    tokens->joiner = 0;
    tokens->real_letters = tokens->too_long = 0;
}

void chi_tokens_start(chi_tokens *tokens, const ch_corpus_settings *settings, chi_word_fn emit,
                      void *user) {
    tokens->settings = settings;
    tokens->emit = emit;
    tokens->user = user;
    forget(tokens);
}

/* Invisible characters, which are skipped inside words. */
static int invisible(uint32_t code) {
    return code == SOFT_HYPHEN || code == ZERO_WIDTH_NON_JOINER || code == ZERO_WIDTH_JOINER ||
           code == WORD_JOINER || code == BYTE_ORDER_MARK;
}

static char joins(uint32_t code, int hyphens) {
    if (code == '\'' || code == APOSTROPHE || code == WIDE_APOSTROPHE) return '\'';
    return hyphens && (code == '-' || code == HYPHEN || code == HYPHEN_NO_BREAK) ? '-' : '\0';
}

static void append(chi_tokens *tokens, uint32_t code) {
    if (tokens->bytes > CHI_WORD_MAX) {
        tokens->too_long = 1;
        return;
    }
    tokens->last = code;
    tokens->last_at = tokens->bytes;
    tokens->bytes += chi_utf8_encode(tokens->word + tokens->bytes, code);
}

static void append_letter(chi_tokens *tokens, uint32_t code, chi_letter_kind kind) {
    if (tokens->joiner) append(tokens, (uint32_t)tokens->joiner);
    tokens->joiner = 0;
    append(tokens, tokens->settings->keep_case ? code : chi_lower(code));
    tokens->letters++;
    tokens->real_letters += kind == CHI_LETTER;
}

static void cut_genitive(chi_tokens *tokens) {
    int end = tokens->bytes;
    if (end < 3 || (tokens->word[end - 1] | 0x20) != 's' || tokens->word[end - 2] != '\'') return;
    tokens->bytes -= 2;
    tokens->letters--;
    tokens->real_letters--;
}

ch_status chi_tokens_end(chi_tokens *tokens) {
    const ch_corpus_settings *settings = tokens->settings;
    ch_status status = CH_OK;
    cut_genitive(tokens);
    if (tokens->bytes > 0 && tokens->bytes <= CHI_WORD_MAX && !tokens->too_long &&
        tokens->letters >= settings->min_length && (tokens->real_letters > 0 || settings->numbers))
        status = tokens->emit(tokens->user, tokens->word, tokens->bytes);
    forget(tokens);
    return status;
}

ch_status chi_tokens_code(chi_tokens *tokens, uint32_t code) {
    chi_letter_kind kind = chi_letter(code);
    if (kind == CHI_LETTER || kind == CHI_NUMBER) {
        append_letter(tokens, code, kind);
        return CH_OK;
    }
    if (tokens->bytes == 0) return CH_OK; /* between words */
    if (invisible(code)) return CH_OK;
    if (kind == CHI_MARK && !tokens->joiner) {
        uint32_t whole = chi_compose(tokens->last, code);
        if (whole && !tokens->too_long) tokens->bytes = tokens->last_at;
        append(tokens, whole ? whole : code);
        return CH_OK;
    }
    char joiner = tokens->joiner ? '\0' : joins(code, tokens->settings->hyphens);
    if (!joiner) return chi_tokens_end(tokens);
    tokens->joiner = joiner;
    return CH_OK;
}
