/* Raw text to counts: a folder of files, one document each, one file
 * with one document per line, or a column of a table (CSV, TSV, JSON lines), to a matrix
 * terms x documents with the list of terms and the names of
 * the documents. Files may be compressed by gzip (.txt.gz). Simple use:
 *
 *     ch_corpus_settings set;
 *     ch_corpus_defaults(&set);
 *     set.stop_words = "english";
 *     ch_corpus corpus = {.size = sizeof corpus};
 *     if (ch_corpus_read(context, &corpus, "letters/", &set) < 0)
 *         puts(ch_context_message(context));
 *     // corpus.X, corpus.terms.text[i], corpus.names.text[j]
 *     ch_corpus_free(context, &corpus);
 *
 * What a word is. Text is UTF-8. A word is a run of letters, marks and numbers of any script
 * (Unicode categories L, M, N), in lower case; a letter and the accent after it become one where
 * Unicode has such a letter. An apostrophe between letters belongs to the word, typographic ones as
 * ', and a final 's is cut off: "don't", "company's" is "company". A hyphen separates, unless
 * `hyphens` is set. Soft hyphens are passed over. Words without any letter (numbers) are left out
 * unless `numbers` is set, and so is what is longer than 255 bytes, which is no word but data.
 * Scripts that put no spaces between words must be segmented before. Nothing depends on the locale.
 *
 * Terms are sorted by their bytes. A document without any term stays, as a column of zeros, and is
 * counted in `empty`.
 *
 * Experimental (library conehull_text): may change in any version. */
#ifndef CONEHULL_CORPUS_H
#define CONEHULL_CORPUS_H

#include <conehull/matrix.h>
#include <conehull/settings.h>

CH_BEGIN_DECLS

typedef enum ch_corpus_encoding {
    CH_ENCODING_UTF8 = 0,
    CH_ENCODING_LATIN1 = 1, /**< ISO 8859-1 and Windows-1252 */
    CH_ENCODING_AUTO = 2    /**< UTF-8 where the bytes are that, else Windows-1252 */
} ch_corpus_encoding;

/** Lines of text, each ended by a zero byte. */
typedef struct ch_text_list {
    int64_t count;
    const char **text;
    char *bytes; /**< where they lie */
} ch_text_list;

/** Described, with defaults and bounds, by ch_corpus_table(). */
typedef struct ch_corpus_settings {
    size_t size; /**< sizeof(ch_corpus_settings); ch_corpus_defaults() sets it */
    ch_corpus_encoding encoding;
    int keep_case;      /**< letters as they are                                           */
    int numbers;        /**< words without letters too                                     */
    int hyphens;        /**< a hyphen between letters belongs to the word                  */
    int64_t min_length; /**< shortest word, in code points without marks                   */
    int64_t min_df;     /**< a term must be in that many documents ...                     */
    double max_df;      /**< ... and in no more than this share of them                    */
    int64_t max_terms;  /**< the terms in most documents (ties: first by bytes); 0: all    */
    int bigrams; /**< two words that follow each other, no stop word between them, are a term too,
                    as new_york                                                                 */
    int mail;    /**< headers, quotations and signatures of mail are left out                  */
    int64_t excerpts;       /**< letters of each document that are kept to be shown; 0: none   */
    const char *stop_words; /**< NULL or "none", "english", or a file, one word per line; not
                                 in the table, nor what follows                                */
    const char *stem; /**< NULL or "none", or a language of Snowball: "english", "german"; stop
                         words are looked for before */
    const char *text_column; /**< of a table: the name of the column of the texts, or its number
                                  from 1; needed for CSV, TSV and JSON lines                   */
    const char *name_column, *label_column; /**< NULL: none                                    */
    const ch_text_list *vocabulary;         /**< NULL, or the terms themselves, all different: rows
                                                        are in this order, other words are dropped, and
                                                        min_df, max_df and max_terms have no part       */
    const ch_text_list *stop_list; /**< NULL, or words that are left out, besides stop_words   */
} ch_corpus_settings;

CH_API const ch_settings_table *ch_corpus_table(void);
static inline void ch_corpus_defaults(ch_corpus_settings *settings) {
    ch_settings_defaults(ch_corpus_table(), settings, sizeof *settings);
}

typedef struct ch_corpus {
    size_t size; /**< sizeof(ch_corpus); the caller sets it */
    ch_matrix X; /**< terms x documents, CSC counts in the smallest type that holds them    */
    ch_text_list terms; /**< X.rows */
    ch_text_list names; /**< X.cols: path below the folder, "line 1", "row 1", or the name column */
    int64_t words;   /**< read, those of `dropped` terms included; stop words not               */
    int64_t dropped; /**< distinct words that min_df, max_df, max_terms, vocabulary left out */
    int64_t empty;   /**< documents without any term                                            */
    ch_text_list labels; /**< X.cols: the label column, or the first folder below the folder; count
                            0: a document has none */
    ch_text_list excerpts; /**< X.cols: how the documents begin; count 0: not asked for         */
    int64_t *lengths; /**< X.cols: words of each document, those of `dropped` terms included    */
    int64_t others;   /**< files of the folder that were not read: their names are no texts'    */
} ch_corpus;

/** Whether path is taken for raw text when the settings do not say: its name ends in .txt or
 * .txt.gz, or it is a folder with such a file somewhere in it, or with more files without any
 * suffix (or .md, .rst, .text, .eml, or a number for a suffix), as mail and news have them, than
 * others. Tables are when text_column is given. */
CH_API int ch_corpus_is_text(const char *path);

/** Whether a word, in lower case, is in the list that stop_words = "english" leaves out. */
CH_API int ch_corpus_is_stop_word(const char *word);

/** The columns of a table (CSV, TSV, JSON lines) that hold texts, by its first hundred records:
 * some field there is neither empty nor a number. Where this is the first of several columns alone,
 * the list is empty: those are names of rows. CH_ERR_FORMAT for other files. */
CH_API ch_status ch_corpus_columns(ch_context *context, ch_text_list *columns, const char *path);

/** Folders are walked with all folders below, files in natural order (2.txt before 10.txt); hidden
 *  ones and links to folders are passed over. Memory: vocabulary and counts, not the text.
 *  A folder without any .txt file is read by its files without suffix, as above.
 *  CH_ERR_FORMAT: not UTF-8 (the message names file, line and byte), not text at all, or a folder
 *  without texts; CH_ERR_IO: missing, not permitted; CH_ERR_DATA: no terms are left.
 *  CH_STOP_CANCELLED leaves an empty corpus. */
CH_API ch_status ch_corpus_read(ch_context *context, ch_corpus *corpus, const char *path,
                                const ch_corpus_settings *settings);
/** The same of texts in memory, one document each: the same words, terms and counts as of a file
 *  that holds them. There are no names and labels, and settings of files (the columns of tables)
 *  have no part. */
CH_API ch_status ch_corpus_count(ch_context *context, ch_corpus *corpus,
                                 const ch_text_list *documents, const ch_corpus_settings *settings);
CH_API void ch_corpus_free(ch_context *context, ch_corpus *corpus);

/** The lines of a UTF-8 file (terms, names, labels), without line ends and byte order mark; empty
 *  ones count, a last line feed ends the last line. `expected` >= 0 is how many there must be, and
 *  `what` they are ("rows of counts.mtx"): CH_ERR_DATA otherwise, with both numbers. */
CH_API ch_status ch_text_list_read(ch_context *context, ch_text_list *lines, const char *path,
                                   int64_t expected, const char *what);
CH_API void ch_text_list_free(ch_context *context, ch_text_list *lines);

CH_END_DECLS
#endif
