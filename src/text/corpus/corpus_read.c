/* One file of a corpus: bytes to code points to words, piece by piece, so that memory follows the
 * vocabulary and the counts, not the text. */
#include "text/corpus/corpus_internal.h"
#include <string.h>

/* Windows-1252 where it differs from ISO 8859-1, which has no characters there. */
static const uint16_t western[32] = {0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
                                     0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0x8d,   0x17d,  0x8f,
                                     0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                     0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};

ch_status chi_corpus_take_word(void *user, const char *word, int length) {
    chi_corpus_reader *read = user;
    if (chi_vocabulary_has(&read->stop, word, length)) return CH_OK;
    return chi_counts_word(&read->counts, word, length);
}

static ch_status end_document(chi_corpus_reader *read) {
    read->in_line = 0;
    TRY(chi_tokens_end(&read->tokens));
    return chi_counts_end_document(&read->counts);
}

static ch_status not_text(const chi_corpus_reader *read, char byte) {
    unsigned value = (uint8_t)byte;
    const char *remedy = read->byte < 2 && value >= 0xfe
                             ? "it looks like UTF-16: convert the file to UTF-8"
                             : "convert the file to UTF-8, or say --encoding latin1 if it is that";
    return chi_fail(read->context, CH_ERR_FORMAT,
                    "%s: line %lld, byte %lld of the file: 0x%02x is not UTF-8; %s", read->path,
                    (long long)read->line, (long long)read->byte + 1, value, remedy);
}

static ch_status take_code(chi_corpus_reader *read, uint32_t code) {
    if (code == 0)
        return chi_fail(read->context, CH_ERR_FORMAT,
                        "%s: line %lld, byte %lld of the file is zero: this is not text, or it is "
                        "UTF-16, which must be converted to UTF-8",
                        read->path, (long long)read->line, (long long)read->byte + 1);
    if (code != '\n') return chi_tokens_code(&read->tokens, code);
    read->line++;
    return read->by_line ? end_document(read) : chi_tokens_end(&read->tokens);
}

/* The characters of read->piece[0..count). The last *left bytes are the beginning of another. */
static ch_status take_piece(chi_corpus_reader *read, int count, int *left) {
    int at = 0, length = 1, latin1 = read->settings->encoding == CH_ENCODING_LATIN1;
    for (; at < count; at += length, read->byte += length) {
        uint32_t code = (uint8_t)read->piece[at];
        if (!latin1) length = chi_utf8_decode(&code, read->piece + at, count - at);
        if (length < 0) return not_text(read, read->piece[at]);
        if (length == 0) break;
        if (latin1 && code >= 0x80 && code < 0xa0) code = western[code - 0x80];
        read->in_line = 1;
        TRY(take_code(read, code));
    }
    *left = count - at;
    memmove(read->piece, read->piece + at, (size_t)*left);
    return CH_OK;
}

static ch_status read_pieces(chi_corpus_reader *read, chi_gz *file, int64_t size) {
    for (int held = 0, got;;) {
        got = chi_gz_read(file, read->piece + held, CHI_CORPUS_PIECE - held);
        if (got < 0) return chi_gz_fail(file, read->path, "byte", read->byte);
        if (got == 0 && held > 0)
            return chi_fail(
                read->context, CH_ERR_FORMAT,
                "%s: line %lld: the file ends inside a UTF-8 character; it is truncated",
                read->path, (long long)read->line);
        if (got == 0) return CH_OK;
        TRY(take_piece(read, held + got, &held));
        if (read->by_line && chi_notify(read->context, "read", chi_gz_offset(file), size, -1, 0))
            return CH_STOP_CANCELLED;
    }
}

ch_status chi_corpus_read_file(chi_corpus_reader *read, const char *path) {
    chi_gz *file;
    int64_t size;
    read->path = path;
    read->line = 1;
    read->byte = 0;
    TRY(chi_gz_open(read->context, &file, &size, path));
    ch_status status = read_pieces(read, file, size > 0 ? size : 0);
    chi_gz_close(file);
    if (status == CH_OK && (!read->by_line || read->in_line)) status = end_document(read);
    return status;
}
