/* Reads one file of a corpus: bytes to code points to words, piece by piece, so that memory depends
 * on the vocabulary and the counts, not on the text. */
#include "text/corpus/corpus_internal.h"
#include <string.h>

enum { ELLIPSIS = 0x2026 };

/* Windows-1252 where it differs from ISO 8859-1, which has no characters there. */
static const uint16_t western[32] = {0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
                                     0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0x8d,   0x17d,  0x8f,
                                     0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                     0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};

void chi_corpus_note_bytes(chi_corpus_reader *read, const char *bytes, int64_t count) {
    if (read->settings->encoding != CH_ENCODING_LATIN1) return;
    for (int64_t k = 0; k < count; k++) {
        uint8_t byte = (uint8_t)bytes[k];
        int continues = byte >= 0x80 && byte < 0xc0;
        if (continues && read->expected > 0) {
            if (--read->expected == 0) read->sequences++;
            continue;
        }
        read->strays += continues || read->expected > 0;
        read->expected = byte < 0xc0 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    }
}

int64_t chi_western_to_utf8(char *to, const char *bytes, int64_t count, int keep) {
    int64_t length = 0;
    for (int64_t at = 0; at < count;) {
        uint32_t code = (uint8_t)bytes[at];
        int taken = keep ? chi_utf8_decode(&code, bytes + at, count - at) : 0;
        if (taken <= 0) {
            code = (uint8_t)bytes[at];
            if (code >= 0x80 && code < 0xa0) code = western[code - 0x80];
            taken = 1;
        }
        length += chi_utf8_encode(to + length, code);
        at += taken;
    }
    return length;
}

/* Counts the previous word and this one as one term. */
static ch_status count_pair(chi_corpus_reader *read, const char *word, int length) {
    char pair[2 * CHI_WORD_MAX + 2];
    int before = (int)strlen(read->last);
    if (before > 0) {
        memcpy(pair, read->last, (size_t)before);
        pair[before] = '_';
        memcpy(pair + before + 1, word, (size_t)length);
        TRY(chi_counts_word(&read->counts, pair, before + 1 + length));
    }
    memcpy(read->last, word, (size_t)length);
    read->last[length] = '\0';
    return CH_OK;
}

ch_status chi_corpus_take_word(void *user, const char *word, int length) {
    chi_corpus_reader *read = user;
    if (chi_vocabulary_has(&read->stop, word, length)) {
        read->last[0] = '\0';
        return CH_OK;
    }
    if (read->stemmer) {
        word = chi_stem_word(read->stemmer, word, &length);
        if (!word)
            return chi_fail(read->context, CH_ERR_MEMORY,
                            "not enough memory for the stem of a word");
        if (length == 0 || length > CHI_WORD_MAX) return CH_OK;
    }
    TRY(chi_counts_word(&read->counts, word, length));
    return read->settings->bigrams ? count_pair(read, word, length) : CH_OK;
}

/* Adds to the excerpt, the beginning of the document with white space as single blanks. */
static void add_to_excerpt(chi_corpus_reader *read, uint32_t code) {
    int blank = code <= ' ' || code == 0xa0;
    if (read->excerpt_letters >= read->settings->excerpts) return;
    if (blank && (read->excerpt_bytes == 0 || read->excerpt[read->excerpt_bytes - 1] == ' '))
        return;
    read->excerpt_bytes += chi_utf8_encode(read->excerpt + read->excerpt_bytes, blank ? ' ' : code);
    if (++read->excerpt_letters == read->settings->excerpts)
        read->excerpt_bytes += chi_utf8_encode(read->excerpt + read->excerpt_bytes, ELLIPSIS);
}

static ch_status take_plain(chi_corpus_reader *read, uint32_t code) {
    add_to_excerpt(read, code);
    return chi_tokens_code(&read->tokens, code);
}

/* ---- mail: line by line ---- */

/* Passes on the stored part of a line if it is part of the text. */
static ch_status end_mail_line(chi_corpus_reader *read, int whole) {
    chi_mail *mail = &read->mail;
    if (!mail->decided) mail->kept = chi_mail_decide(mail, whole);
    for (int k = 0; k < mail->count && mail->kept; k++) TRY(take_plain(read, mail->line[k]));
    if (whole && mail->kept) TRY(take_plain(read, '\n'));
    mail->decided = !whole;
    mail->count = 0;
    return CH_OK;
}

static ch_status take_mail(chi_corpus_reader *read, uint32_t code) {
    if (code == '\n') return end_mail_line(read, 1);
    read->mail.line[read->mail.count++] = code;
    return read->mail.count == CHI_MAIL_LINE ? end_mail_line(read, 0) : CH_OK;
}

static ch_status end_document(chi_corpus_reader *read) {
    read->in_line = 0;
    if (read->settings->mail) {
        TRY(end_mail_line(read, 1));
        chi_mail_start(&read->mail);
    }
    TRY(chi_tokens_end(&read->tokens));
    read->last[0] = '\0';
    if (read->settings->excerpts > 0)
        TRY(chi_list_add(&read->excerpts, read->excerpt, read->excerpt_bytes));
    read->excerpt_bytes = read->excerpt_letters = 0;
    return chi_counts_end_document(&read->counts);
}

void chi_corpus_forget_document(chi_corpus_reader *read) {
    read->in_line = 0;
    chi_mail_start(&read->mail);
    chi_tokens_start(&read->tokens, read->settings, chi_corpus_take_word, read);
    read->last[0] = '\0';
    read->excerpt_bytes = read->excerpt_letters = 0;
    chi_counts_forget_document(&read->counts);
}

static ch_status not_text(const chi_corpus_reader *read, char byte) {
    unsigned value = (uint8_t)byte;
    const char *remedy = "convert the file to UTF-8, or use --encoding latin1 or --encoding auto";
    return chi_fail(read->context, CH_ERR_FORMAT,
                    "%s: line %lld, byte %lld of the %s: the byte 0x%02x is not valid UTF-8; %s",
                    read->path, (long long)read->line, (long long)read->byte + 1, read->part, value,
                    remedy);
}

static ch_status pass_on(chi_corpus_reader *read, uint32_t code) {
    return read->settings->mail ? take_mail(read, code) : take_plain(read, code);
}

/* ---- mailbox: a mail begins with a line "From ..." after an empty line (RFC 4155) ---- */

static const char from_line[] = "From ";

/* Passes on the characters that might have begun such a line. */
static ch_status release_from(chi_corpus_reader *read) {
    int count = read->from_at > 0 ? read->from_at : 0;
    read->from_at = -1;
    if (count > 0) read->empty_line = 0;
    for (int k = 0; k < count; k++) TRY(pass_on(read, (uint8_t)from_line[k]));
    return CH_OK;
}

static ch_status take_mailbox(chi_corpus_reader *read, uint32_t code) {
    if (read->from_at >= 0 && code == (uint8_t)from_line[read->from_at]) {
        if (from_line[++read->from_at]) return CH_OK;
        if (read->in_mail) TRY(end_document(read));
        read->in_mail = 1;
        return release_from(read);
    }
    if (!read->in_mail && code != '\n' && code != '\r')
        return chi_fail(read->context, CH_ERR_FORMAT,
                        "%s: the file does not begin with 'From ', so it is not a mailbox (mbox)",
                        read->path);
    TRY(release_from(read));
    if (code == '\n') {
        read->from_at = read->empty_line ? 0 : -1;
        read->empty_line = 1;
    } else if (code != '\r') {
        read->empty_line = 0;
    }
    return pass_on(read, code);
}

static ch_status take_code(chi_corpus_reader *read, uint32_t code) {
    if (code == 0)
        return chi_fail(read->context, CH_ERR_FORMAT,
                        "%s: line %lld, byte %lld of the %s is zero, so this is not text, or it is "
                        "UTF-16 and must be converted to UTF-8",
                        read->path, (long long)read->line, (long long)read->byte + 1, read->part);
    if (code == '\n') {
        read->line++;
        if (read->by_line) return end_document(read);
    }
    return read->by_mail ? take_mailbox(read, code) : pass_on(read, code);
}

/* How files that are no text begin. */
static const struct {
    const char *bytes, *what;
} signatures[] = {{"\xff\xd8\xff", "a JPEG picture"},
                  {"\x89PNG\r\n", "a PNG picture"},
                  {"GIF8", "a GIF picture"},
                  {"%PDF-", "a PDF document"},
                  {"PK\x03\x04", "a ZIP archive, as .docx, .odt and .xlsx files are"},
                  {"\xd0\xcf\x11\xe0", "a document of Microsoft Office"},
                  {"\x7f\x45LF", "a program"},
                  {"\xff\xfe", "UTF-16; convert it to UTF-8"},
                  {"\xfe\xff", "UTF-16; convert it to UTF-8"}};

/* Refuses a file that is no text by its first bytes, read->piece[0..count). */
static ch_status check_signature(const chi_corpus_reader *read, int count) {
    for (size_t k = 0; k < sizeof signatures / sizeof *signatures; k++) {
        size_t length = strlen(signatures[k].bytes);
        if ((size_t)count >= length && !memcmp(read->piece, signatures[k].bytes, length))
            return chi_fail(read->context, CH_ERR_FORMAT, "%s: the file seems to be %s", read->path,
                            signatures[k].what);
    }
    return CH_OK;
}

/* Reads the characters of read->piece[0..count). Unless `last`, the final *left bytes are the start
 * of an incomplete character. */
static ch_status take_piece(chi_corpus_reader *read, int count, int last, int *left) {
    int latin1 = read->settings->encoding == CH_ENCODING_LATIN1 && !read->is_utf8;
    int at = 0, length = 1;
    for (; at < count; at += length, read->byte += length) {
        uint32_t code = (uint8_t)read->piece[at];
        if (!latin1) length = chi_utf8_decode(&code, read->piece + at, count - at);
        if (length == 0 && !last) break;
        int single = latin1; /* a byte that is not valid UTF-8 */
        if (length <= 0) {
            if (read->settings->encoding != CH_ENCODING_AUTO)
                return not_text(read, read->piece[at]);
            single = length = 1;
        }
        if (single && code >= 0x80 && code < 0xa0) code = western[code - 0x80];
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
        if (got == 0 && held > 0 && read->settings->encoding == CH_ENCODING_AUTO)
            return take_piece(read, held, 1, &held);
        if (got == 0 && held > 0)
            return chi_fail(
                read->context, CH_ERR_FORMAT,
                "%s: line %lld: the file ends inside a UTF-8 character; it is truncated",
                read->path, (long long)read->line);
        if (got == 0) return CH_OK;
        chi_corpus_note_bytes(read, read->piece + held, got);
        if (read->byte == 0 && held == 0) TRY(check_signature(read, got));
        TRY(take_piece(read, held + got, 0, &held));
        if ((read->by_line || read->by_mail) &&
            chi_notify(read->context, "read", chi_gz_offset(file), size, -1, 0))
            return CH_STOP_CANCELLED;
    }
}

ch_status chi_corpus_read_file(chi_corpus_reader *read, const char *path) {
    chi_gz *file;
    int64_t size;
    read->path = path;
    read->part = "file";
    read->line = 1;
    read->byte = 0;
    read->from_at = read->in_mail = 0;
    read->empty_line = 1;
    TRY(chi_gz_open(read->context, &file, &size, path));
    ch_status status = read_pieces(read, file, size > 0 ? size : 0);
    chi_gz_close(file);
    if (status == CH_OK && read->by_mail) status = release_from(read);
    int more = read->by_line ? read->in_line : read->by_mail ? read->in_mail : 1;
    if (status == CH_OK && more) status = end_document(read);
    return status;
}

ch_status chi_corpus_read_bytes(chi_corpus_reader *read, const char *bytes, int64_t count,
                                int64_t line) {
    int held = 0;
    read->part = "text";
    read->line = line;
    read->byte = 0;
    for (int64_t at = 0; at < count || held > 0;) {
        int64_t take = count - at < CHI_CORPUS_PIECE - held ? count - at : CHI_CORPUS_PIECE - held;
        int last = at + take == count;
        memcpy(read->piece + held, bytes + at, (size_t)take);
        at += take;
        int before = held + (int)take;
        TRY(take_piece(read, before, last, &held));
        if (last && held > 0) return not_text(read, read->piece[0]);
    }
    return end_document(read);
}
