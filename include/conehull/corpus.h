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

/** The encoding of text files. */
typedef enum ch_corpus_encoding {
    CH_ENCODING_UTF8 = 0,   /**< UTF-8; other bytes are an error (CH_ERR_FORMAT) */
    CH_ENCODING_LATIN1 = 1, /**< ISO 8859-1 and Windows-1252 */
    CH_ENCODING_AUTO = 2    /**< UTF-8; invalid bytes are read as Windows-1252 */
} ch_corpus_encoding;

/** Settings of counting words. ch_corpus_defaults() fills them; ch_corpus_table() lists their
 *  bounds. A term is a word, or with `bigrams` also a pair of words, that has a row of X. */
typedef struct ch_corpus_settings {
    size_t size;                 /**< sizeof(ch_corpus_settings); ch_corpus_defaults() sets it */
    ch_corpus_encoding encoding; /**< encoding of the files */
    int keep_case;               /**< 1: words are not converted to lower case */
    int numbers; /**< 1: words without letters, such as numbers, are counted; 0: they are skipped */
    int hyphens; /**< 1: a hyphen between letters is part of the word; 0: it separates two words */
    /** Minimum length of a word that is counted, in code points without marks. */
    int64_t min_length;
    /** Minimum number of documents that contain a term; rarer terms are dropped. */
    int64_t min_df;
    /** Maximum share of the documents, 0 to 1, that contain a term; more frequent terms are
     *  dropped. */
    double max_df;
    /** Maximum number of terms. The terms that occur in the most documents are used; of terms that
     *  occur in equally many documents, those whose bytes sort first are used. 0: no limit. */
    int64_t max_terms;
    /** 1: two consecutive words that are not stop words also form a term, such as new_york. */
    int bigrams;
    int mail;         /**< 1: headers, quotations and signatures of e-mail are skipped */
    int64_t excerpts; /**< number of bytes of the beginning of each document to store; 0: none */

    /* The table of the settings does not list the following members. */

    /** Stop words, which are left out: "english", or the name of a file with one word per line.
     *  NULL or "none": no stop words. */
    const char *stop_words;
    /** Language of the Snowball stemmer, such as "english" or "german". Stop words are removed
     *  before stemming. NULL or "none": no stemming. */
    const char *stem;
    /** Tables (CSV, TSV, JSON lines): name of the column that holds the texts, or position of the
     *  column, counted from 1. Required for tables. */
    const char *text_column;
    const char *name_column;  /**< tables: column with the names of the documents; NULL: none */
    const char *label_column; /**< tables: column with the labels of the documents; NULL: none */
    /** The terms, if they are fixed in advance, without duplicates. The rows of X have the order of
     *  this list, other words are dropped, and min_df, max_df and max_terms have no effect. NULL:
     *  the terms are found in the documents. */
    const ch_text_list *vocabulary;
    /** Further stop words, which are left out like those of stop_words; NULL: none. */
    const ch_text_list *stop_list;
} ch_corpus_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_corpus_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_corpus_defaults(ch_corpus_settings *settings) {
    ch_settings_defaults(ch_corpus_table(), settings, sizeof *settings);
}

/** The counts of a collection of documents. ch_corpus_free() frees the matrix and all lists. */
typedef struct ch_corpus {
    size_t size; /**< sizeof(ch_corpus); the caller sets it */
    /** Counts, terms x documents, in sparse form (CH_CSC) and the smallest type that holds them
     *  all. */
    ch_matrix X;
    ch_text_list terms; /**< the term of each row of X */
    /** The name of each document: the path of its file relative to the folder, "line 1", "row 1",
     *  or the text of the name column. Count 0: ch_corpus_count() has no names. */
    ch_text_list names;
    /** Number of words read, without stop words; words that were dropped later are included. */
    int64_t words;
    /** Number of different words that min_df, max_df, max_terms or vocabulary excluded. */
    int64_t dropped;
    int64_t empty; /**< number of documents without any term */
    /** The label of each document: the text of the label column, or the name of the first
     *  sub-folder on the path of its file. Count 0: at least one document has no label. */
    ch_text_list labels;
    ch_text_list excerpts; /**< the beginning of each document; count 0: settings.excerpts was 0 */
    /** Number of words of each document; words that were dropped later are included. */
    int64_t *lengths;
    int64_t others; /**< number of files in the folder that were not read because of their names */
} ch_corpus;

/** Returns non-zero if `path` is read as raw text by default. That is so if its name ends in .txt
 *  or .txt.gz, if it is a folder that contains such a file at any depth, or if it is a folder most
 *  of whose files have no suffix (or .md, .rst, .text, .eml, or a number as suffix), like folders
 *  of mail and news. Tables are read as text only if text_column is given. */
CH_API int ch_corpus_is_text(const char *path);

/** Returns non-zero if word, which must be in lower case, is one of the stop words that
 *  stop_words = "english" leaves out. */
CH_API int ch_corpus_is_stop_word(const char *word);

/** Lists the names of the columns of a table (CSV, TSV, JSON lines) that hold text. A column holds
 *  text if some field in the first hundred records is neither empty nor a number. If this is so
 *  only for the first of several columns, these are row names, and the list is empty. Returns
 *  CH_ERR_FORMAT for files that are not tables. Free the list with ch_text_list_free(). */
CH_API ch_status ch_corpus_columns(ch_context *context, ch_text_list *columns, const char *path);

/** Reads and counts the text of a file or of a folder with all its sub-folders, files in natural
 *  order (2.txt before 10.txt). Hidden files and links to folders are skipped. In a folder without
 *  any .txt file, the files that ch_corpus_is_text() describes are read. Memory holds vocabulary
 *  and counts, not the text. The caller sets corpus->size; free it with ch_corpus_free(). Returns
 *  CH_ERR_FORMAT if a file is not UTF-8 (the message names file, line and byte), is not text at
 *  all, or if a folder has no texts; CH_ERR_IO if the path is missing or not readable; CH_ERR_DATA
 *  if no terms are left; CH_STOP_CANCELLED with an empty corpus if the progress callback
 *  cancels. */
CH_API ch_status ch_corpus_read(ch_context *context, ch_corpus *corpus, const char *path,
                                const ch_corpus_settings *settings);
/** Counts words in texts that are in memory, one document per text. The result is that of
 *  ch_corpus_read() on a file with these texts, but without names and labels. Settings for tables
 *  are ignored. The caller sets corpus->size; free the corpus with ch_corpus_free(). */
CH_API ch_status ch_corpus_count(ch_context *context, ch_corpus *corpus,
                                 const ch_text_list *documents, const ch_corpus_settings *settings);
/** Frees a corpus. NULL is allowed. */
CH_API void ch_corpus_free(ch_context *context, ch_corpus *corpus);

/** Reads the lines of a UTF-8 file (terms, names, labels) without line ends and byte order mark.
 *  Empty lines count; a line feed at the end of the file ends the last line. If `expected` >= 0, a
 *  file with another number of lines is refused (CH_ERR_DATA); the message gives both numbers and
 *  `what`, which says what the lines belong to, such as "rows of counts.mtx". */
CH_API ch_status ch_text_list_read(ch_context *context, ch_text_list *lines, const char *path,
                                   int64_t expected, const char *what);

CH_END_DECLS
#endif
