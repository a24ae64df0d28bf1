/* One file of a corpus: bytes to code points to words, piece by piece, so that memory follows the
 * vocabulary and the counts, not the text. */
#include "text/corpus/corpus_internal.h"
#include <unistd.h>
#include <zlib.h>

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

static ch_status not_text(const chi_corpus_reader *read, const chi_utf8 *decoder) {
    int64_t at = read->byte - decoder->taken;
    const char *remedy = at < 2 && decoder->lead >= 0xfe
                             ? "it looks like UTF-16: convert the file to UTF-8"
                             : "convert the file to UTF-8, or say --encoding latin1 if it is that";
    return chi_fail(read->context, CH_ERR_FORMAT,
                    "%s: line %lld, byte %lld of the file: 0x%02x is not UTF-8; %s", read->path,
                    (long long)read->line, (long long)at + 1, decoder->lead, remedy);
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

static ch_status take_latin1(chi_corpus_reader *read, const uint8_t *bytes, int count) {
    for (int i = 0; i < count; i++, read->byte++) {
        read->in_line++;
        uint8_t byte = bytes[i];
        TRY(take_code(read, byte >= 0x80 && byte < 0xa0 ? western[byte - 0x80] : byte));
    }
    return CH_OK;
}

static ch_status take_utf8(chi_corpus_reader *read, chi_utf8 *decoder, const uint8_t *bytes,
                           int count) {
    for (int i = 0; i < count; i++, read->byte++) {
        read->in_line++;
        chi_utf8_state state = chi_utf8_decode(decoder, bytes[i]);
        if (state == CHI_UTF8_BAD) return not_text(read, decoder);
        if (state == CHI_UTF8_DONE) TRY(take_code(read, decoder->code));
    }
    return CH_OK;
}

static ch_status fail_reading(const chi_corpus_reader *read, gzFile file) {
    int code;
    const char *words = chi_gz_error(file, &code);
    if (code == Z_ERRNO) return chi_fail_system(read->context, read->path, "cannot read");
    if (code == Z_MEM_ERROR) return chi_no_memory(read->context, "a decompressor", 1, 1 << 16);
    return chi_fail(read->context, CH_ERR_FORMAT,
                    "%s: after byte %lld: compressed data are truncated or damaged (%s)",
                    read->path, (long long)read->byte, words);
}

static ch_status read_pieces(chi_corpus_reader *read, gzFile file, int64_t size) {
    chi_utf8 decoder = {0};
    for (;;) {
        int got = gzread(file, read->piece, CHI_CORPUS_PIECE), code = Z_OK;
        if (got <= 0) gzerror(file, &code);
        if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) return fail_reading(read, file);
        if (got == 0) break;
        TRY(read->settings->encoding == CH_ENCODING_LATIN1
                ? take_latin1(read, read->piece, got)
                : take_utf8(read, &decoder, read->piece, got));
        if (read->by_line && chi_notify(read->context, "read", gzoffset(file), size, -1, 0))
            return CH_STOP_CANCELLED;
    }
    if (decoder.missing)
        return chi_fail(read->context, CH_ERR_FORMAT,
                        "%s: line %lld: the file ends inside a UTF-8 character; it is truncated",
                        read->path, (long long)read->line);
    return CH_OK;
}

ch_status chi_corpus_read_file(chi_corpus_reader *read, const char *path) {
    int fd;
    int64_t size;
    read->path = path;
    read->line = 1;
    read->byte = 0;
    TRY(chi_open_source(read->context, &fd, &size, path));
    gzFile file = gzdopen(fd, "rb");
    if (!file) {
        close(fd);
        return chi_no_memory(read->context, "a decompressor", 1, 1 << 16);
    }
    ch_status status = read_pieces(read, file, size > 0 ? size : 0);
    gzclose_r(file);
    if (status == CH_OK && (!read->by_line || read->in_line > 0)) status = end_document(read);
    return status;
}
