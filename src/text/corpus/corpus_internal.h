/* The steps from raw text to counts: files, words, vocabulary, counts, terms. */
#pragma once

#include "io/file/format.h"
#include "text/corpus/unicode.h"
#include <conehull/corpus.h>

/* ---- corpus_vocabulary.c: distinct words and their numbers ---- */

typedef struct chi_vocabulary {
    ch_context *context;
    const char *path; /* for messages */
    int64_t count;
    int64_t *start; /* count + 1 positions in `bytes`; every word ends with a zero byte */
    int64_t start_capacity;
    char *bytes;
    int64_t bytes_capacity;
    int32_t *slots; /* word + 1, or 0; slot_count is a power of two */
    int64_t slot_count;
} chi_vocabulary;

ch_status chi_vocabulary_create(ch_context *context, chi_vocabulary *words, const char *path);
void chi_vocabulary_free(chi_vocabulary *words);
/* Adds the word unless it is there already. Sets *number, unless NULL, to its number; a new word
 * gets the number words->count before the call. */
ch_status chi_vocabulary_add(chi_vocabulary *words, int32_t *number, const char *word, int length);
/* Returns the number of the word, or -1 if there is no such word. */
int32_t chi_vocabulary_find(const chi_vocabulary *words, const char *word, int length);
int chi_vocabulary_has(const chi_vocabulary *words, const char *word, int length);
static inline const char *chi_vocabulary_word(const chi_vocabulary *words, int64_t number) {
    return words->bytes + words->start[number];
}

/* ---- corpus_tokens.c: code points to words ---- */

enum { CHI_WORD_MAX = 255 };
typedef ch_status (*chi_word_fn)(void *user, const char *word, int length);

typedef struct chi_tokens {
    const ch_corpus_settings *settings;
    chi_word_fn emit;
    void *user;
    char word[CHI_WORD_MAX + 8];
    int bytes, letters; /* number of letters and numbers, without marks */
    int last_at;        /* position of the last code point */
    uint32_t last;      /* the last code point */
    char joiner;        /* an apostrophe or hyphen that may belong to the word */
    int real_letters;   /* number of letters, without numbers */
    int too_long;
} chi_tokens;

void chi_tokens_start(chi_tokens *tokens, const ch_corpus_settings *settings, chi_word_fn emit,
                      void *user);
ch_status chi_tokens_code(chi_tokens *tokens, uint32_t code);
/* Ends the current word. */
ch_status chi_tokens_end(chi_tokens *tokens);

/* ---- corpus_mail.c: headers, quotations and signatures of mail ---- */

enum { CHI_MAIL_LINE = 1024 };
typedef enum chi_mail_state {
    CHI_MAIL_FIRST,
    CHI_MAIL_HEADER,
    CHI_MAIL_BODY,
    CHI_MAIL_END
} chi_mail_state;

typedef struct chi_mail {
    chi_mail_state state;
    int count;         /* number of stored characters of the current line */
    int decided, kept; /* the line was longer than the buffer: the decision on its start */
    uint32_t line[CHI_MAIL_LINE];
} chi_mail;

void chi_mail_start(chi_mail *mail);
/* Returns whether the stored line is part of the text; whole: it is the complete line. */
int chi_mail_decide(chi_mail *mail, int whole);

/* ---- stem_snowball.c or stem_none.c, as CMake chooses ---- */

/* Opens the stemmer of a language; *stemmer is NULL if language is NULL or "none". */
ch_status chi_stem_open(ch_context *context, void **stemmer, const char *language);
void chi_stem_close(void *stemmer);
/* Returns the stem of the word and sets *length to its length; the stem is valid until the next
 * call. Returns NULL if memory is short. */
const char *chi_stem_word(void *stemmer, const char *word, int *length);

/* ---- corpus_files.c: the files of a folder ---- */

struct chi_bad_files;

/* Lists the paths below folder, in natural order, as words 0, 1, ... of `files`. *others = number
 * of files that are not text by their names; *skipped gets their names. `bad` gets those that
 * cannot be read. */
ch_status chi_corpus_files(ch_context *context, chi_vocabulary *files, int64_t *others,
                           ch_text_list *skipped, struct chi_bad_files *bad, const char *folder);

/* ---- bad_files.c: files that cannot be read, or are not text ---- */

/* They are gathered, so that a message can name several. */
typedef struct chi_bad_files {
    chi_list list;    /* name and reason of each; without skip up to ten */
    int skip;         /* they are left out; else they are an error */
    char names[200];  /* for that message */
    char first[300];  /* message of the first, with its path */
    char reason[300]; /* the same without */
    ch_status status; /* of the first */
} chi_bad_files;

/* Empties the list. */
void chi_bad_files_clear(chi_bad_files *bad);
/* Returns whether the failure is one of the file alone, so that others may be read. */
int chi_is_bad_file(ch_status status);
/* Adds a file after a failure, whose message is that of the context. Returns that failure if there
 * are enough to report. */
ch_status chi_bad_files_add(chi_bad_files *bad, ch_status failure, const char *name);
/* Returns the failure if there are bad files that must not be left out; else gives the list. */
ch_status chi_bad_files_end(chi_bad_files *bad, ch_text_list *list, const char *folder);

/* ---- corpus_counts.c: how often each word is in each document ---- */

typedef struct chi_word_count {
    int64_t documents; /* documents containing the word                       */
    int64_t here;      /* occurrences in the current document                 */
    int32_t seen;      /* the words of the current document, as a linked list */
} chi_word_count;

typedef struct chi_counts {
    chi_vocabulary words;
    chi_word_count *of; /* one per word */
    int64_t word_capacity, seen_count;
    int64_t cols, start_capacity, entry_capacity, total;
    chi_compressed entries; /* one list per document; index: number of the word */
} chi_counts;

ch_status chi_counts_create(ch_context *context, chi_counts *counts, const char *path);
void chi_counts_free(chi_counts *counts);
ch_status chi_counts_word(chi_counts *counts, const char *word, int length);
/* Removes what was counted since the end of the last document. */
void chi_counts_forget_document(chi_counts *counts);
ch_status chi_counts_end_document(chi_counts *counts);

/* Sorts the words that become terms and makes X and terms. Empties the entries of counts.
 * (corpus_terms.c) */
ch_status chi_corpus_terms(ch_context *context, ch_corpus *corpus, chi_counts *counts,
                           const ch_corpus_settings *settings);

/* ---- corpus_stop.c ---- */

/* Reads the words of settings->stop_words into `stop`. */
ch_status chi_corpus_stop_words(ch_context *context, chi_vocabulary *stop,
                                const ch_corpus_settings *settings);

/* ---- corpus_read.c: one file ---- */

enum { CHI_CORPUS_PIECE = 1 << 16, CHI_EXCERPT_MAX = 1000 };

typedef struct chi_corpus_reader {
    ch_context *context;
    const ch_corpus_settings *settings;
    chi_tokens tokens;
    chi_vocabulary stop;
    chi_counts counts;
    int by_line;        /* each line is a document                              */
    int by_mail;        /* a mailbox: each mail is a document                   */
    int from_at;        /* characters of "From " at the start of a line; -1: not there */
    int empty_line;     /* mailbox: nothing of the current line was read        */
    int in_mail;        /* mailbox: after the first "From "                     */
    int in_line;        /* part of the current document was read                */
    int64_t sequences;  /* of UTF-8, in text that is read as Latin 1            */
    int64_t strays;     /* bytes beyond ASCII that are not in one               */
    int expected;       /* bytes that complete the current one                  */
    int is_utf8;        /* the bytes were converted to UTF-8 before             */
    const char *path;   /* path of the current file                             */
    const char *part;   /* "file" or "text": unit of byte positions in messages */
    char text_name[40]; /* the path for messages if the text is in memory       */
    int64_t line, byte;
    chi_mail mail;
    void *stemmer;               /* NULL: no stemming                         */
    char last[CHI_WORD_MAX + 1]; /* the previous word, for pairs; empty: none */
    chi_list excerpts;
    char excerpt[4 * CHI_EXCERPT_MAX + 8]; /* start of the current document */
    int excerpt_bytes, excerpt_letters;
    char piece[CHI_CORPUS_PIECE];
} chi_corpus_reader;

/* The callback of chi_tokens: counts a word unless it is a stop word. */
ch_status chi_corpus_take_word(void *user, const char *word, int length);
/* Counts sequences of UTF-8 and stray bytes if the encoding is Latin 1. */
void chi_corpus_note_bytes(chi_corpus_reader *read, const char *bytes, int64_t count);
/* Converts Windows-1252, at most three bytes for one, to to[0 .. result). keep: valid UTF-8 stays
 * as it is. */
int64_t chi_western_to_utf8(char *to, const char *bytes, int64_t count, int keep);
/* Adds the words of the file to counts, as one document, or as one per line or mail. */
ch_status chi_corpus_read_file(chi_corpus_reader *read, const char *path);
/* Removes what was read of a file that failed. */
void chi_corpus_forget_document(chi_corpus_reader *read);
/* Adds the words of bytes[0..count), which begin in `line` of read->path, as one document. */
ch_status chi_corpus_read_bytes(chi_corpus_reader *read, const char *bytes, int64_t count,
                                int64_t line);

/* ---- corpus_table.c: a column of a table ---- */

/* Returns whether a file is a table, judged by its name: CSV, TSV or JSON lines, optionally
 * compressed by gzip. */
int chi_corpus_is_table(const char *path);
/* Returns whether a file is a mailbox, judged by its name (corpus_files.c). */
int chi_corpus_is_mailbox(const char *path);
ch_status chi_corpus_read_table(chi_corpus_reader *read, chi_list *names, chi_list *labels,
                                const char *path);

/* ---- text_list.c ---- */

/* Makes lines from the words of a vocabulary: all in order, or order[0..count). */
ch_status chi_lines_copy(ch_context *context, ch_text_list *lines, const chi_vocabulary *words,
                         const int32_t *order, int64_t count);
