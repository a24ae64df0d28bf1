/* Counts words in raw text: a folder with one document per file, one file with a document per line,
 * or a column of a table (CSV, TSV, JSON lines). The result is a matrix terms x documents with the
 * list of terms and the names of the documents. Files may be compressed by gzip (.txt.gz). Simple
 * use:
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
 * Words. Text is UTF-8. A word is a run of letters, marks and numbers of any script (Unicode
 * categories L, M, N), in lower case; a letter and a combining accent become one letter where
 * Unicode has it. An apostrophe between letters belongs to the word (typographic ones become ') and
 * a final 's is removed: "don't", "company's" is "company". A hyphen separates, unless `hyphens` is
 * set. Soft hyphens are removed. Words without any letter (numbers) are skipped unless `numbers` is
 * set. Words longer than 255 bytes are skipped: they are data, not words. Scripts without spaces
 * between words must be segmented beforehand. Nothing depends on the locale.
 *
 * Terms are sorted by their bytes. A document without any term remains as a column of zeros and is
 * counted in `empty`.
 *
 * Experimental (library conehull_text): may change in any version. */
#ifndef CONEHULL_CORPUS_H
#define CONEHULL_CORPUS_H

#include <conehull/io.h>
#include <conehull/settings.h>

CH_BEGIN_DECLS

typedef enum ch_corpus_encoding {
    CH_ENCODING_UTF8 = 0,
    CH_ENCODING_LATIN1 = 1, /**< ISO 8859-1 and Windows-1252 */
    CH_ENCODING_AUTO = 2    /**< UTF-8; invalid bytes are read as Windows-1252 */
} ch_corpus_encoding;

/** Described, with defaults and bounds, by ch_corpus_table(). */
typedef struct ch_corpus_settings {
    size_t size; /**< sizeof(ch_corpus_settings); ch_corpus_defaults() sets it */
    ch_corpus_encoding encoding;
    int keep_case;      /**< do not convert to lower case                                   */
    int numbers;        /**< keep words without letters                                    */
    int hyphens;        /**< a hyphen between letters belongs to the word                  */
    int64_t min_length; /**< shortest word, in code points without marks                   */
    int64_t min_df;     /**< minimum number of documents containing a term ...             */
    double max_df;      /**< ... and maximum share of documents                            */
    int64_t max_terms;  /**< keep the terms in most documents (ties: by bytes); 0: all     */
    int bigrams; /**< two words that follow each other, no stop word between them, are a term too,
                    as new_york                                                                 */
    int mail;    /**< skip headers, quotations and signatures of mail                         */
    int64_t excerpts;       /**< length of the excerpt stored of each document; 0: none        */
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
    int64_t empty;   /**< number of documents without any term                                  */
    ch_text_list labels; /**< X.cols: the label column, or the first folder below the folder; count
                            0: a document has none */
    ch_text_list excerpts; /**< X.cols: how the documents begin; count 0: not asked for         */
    int64_t *lengths; /**< X.cols: words of each document, those of `dropped` terms included    */
    int64_t others;   /**< files of the folder that were not read because of their names        */
} ch_corpus;

/** Returns non-zero if path is read as raw text by default: its name ends in .txt or .txt.gz, or it
 *  is a folder that contains such a file at any depth, or a folder most of whose files have no
 *  suffix (or .md, .rst, .text, .eml, or a number), as mail and news folders do. Tables are read as
 *  text if text_column is given. */
CH_API int ch_corpus_is_text(const char *path);

/** Returns non-zero if word, which must be in lower case, is one of the stop words that
 *  stop_words = "english" leaves out. */
CH_API int ch_corpus_is_stop_word(const char *word);

/** Lists the columns of a table (CSV, TSV, JSON lines) that hold text: some field in the first
 *  hundred records is neither empty nor a number. If only the first of several columns does, it
 *  holds row names and the list is empty. Returns CH_ERR_FORMAT for other files. */
CH_API ch_status ch_corpus_columns(ch_context *context, ch_text_list *columns, const char *path);

/** Reads a folder with all its sub-folders, files in natural order (2.txt before 10.txt). Hidden
 *  files and links to folders are skipped. Memory holds vocabulary and counts, not the text. In a
 *  folder without any .txt file the files without suffix are read, as above. CH_ERR_FORMAT: not
 *  UTF-8 (the message names file, line and byte), not text at all, or a folder without texts;
 *  CH_ERR_IO: missing, not permitted; CH_ERR_DATA: no terms are left. CH_STOP_CANCELLED leaves an
 *  empty corpus. */
CH_API ch_status ch_corpus_read(ch_context *context, ch_corpus *corpus, const char *path,
                                const ch_corpus_settings *settings);
/** Counts texts in memory, one document each, with the same words, terms and counts as a file with
 *  these texts. There are no names and labels, and settings for files (the columns of tables) are
 *  ignored. */
CH_API ch_status ch_corpus_count(ch_context *context, ch_corpus *corpus,
                                 const ch_text_list *documents, const ch_corpus_settings *settings);
CH_API void ch_corpus_free(ch_context *context, ch_corpus *corpus);

/** Reads the lines of a UTF-8 file (terms, names, labels) without line ends and byte order mark.
 *  Empty lines count; a final line feed ends the last line. If `expected` >= 0, any other number of
 *  lines is refused (CH_ERR_DATA) with a message that gives both numbers and says what the lines
 *  belong to (`what`, e.g. "rows of counts.mtx"). */
CH_API ch_status ch_text_list_read(ch_context *context, ch_text_list *lines, const char *path,
                                   int64_t expected, const char *what);

CH_END_DECLS
#endif
