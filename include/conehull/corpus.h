/* Counts words in raw text. The text is a folder with one document per file, a file with one
 * document per line, a mailbox (.mbox), or a column of a table (CSV, TSV, JSON lines). The result
 * is a matrix terms x documents with the list of terms and the names of the documents. Files may be
 * compressed by gzip (.txt.gz). Simple use:
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
 * Words. Text is UTF-8. A word is a sequence of letters, marks and numbers of any script (Unicode
 * categories L, M, N). Words are converted to lower case; a letter and a combining accent become
 * one letter if Unicode has that letter. An apostrophe between letters belongs to the word, as in
 * "don't" (typographic apostrophes become '); a final 's is removed, so that "company's" becomes
 * "company". A hyphen separates two words, unless `hyphens` is set. Soft hyphens are removed. Words
 * without any letter (numbers) are skipped, unless `numbers` is set. Words longer than 255 bytes
 * are skipped, because they are data, not words. Texts in scripts without spaces between words must
 * be segmented into words beforehand. The locale has no effect.
 *
 * Terms, which are the rows of the matrix, are sorted by their bytes. A document without any term
 * remains as a column of zeros and is counted in ch_corpus.empty.
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

/** Settings of ch_corpus_read() and ch_corpus_count(). ch_corpus_defaults() fills them;
 *  ch_corpus_table() lists their bounds. A term is a word (with `bigrams` also a pair of words)
 *  that has a row in the matrix of counts. */
typedef struct ch_corpus_settings {
    size_t size;                 /**< sizeof(ch_corpus_settings); ch_corpus_defaults() sets it */
    ch_corpus_encoding encoding; /**< encoding of the files */
    int keep_case; /**< 1: words keep upper and lower case; 0: words are converted to lower case */
    int numbers; /**< 1: words without letters, such as numbers, are counted; 0: they are skipped */
    int hyphens; /**< 1: a hyphen between letters belongs to the word; 0: it separates two words */
    /** Minimum length of a word in Unicode code points, not counting combining marks; shorter words
     *  are skipped. */
    int64_t min_length;
    /** Minimum document frequency: terms that occur in fewer documents are dropped. */
    int64_t min_df;
    /** Maximum document frequency, as a share of all documents, 0 to 1: terms that occur in a
     *  larger share of the documents are dropped. */
    double max_df;
    /** Maximum number of terms. If there are more, the terms that occur in the most documents are
     *  used and, among terms that occur in equally many documents, those whose bytes sort first. 0:
     *  no limit. */
    int64_t max_terms;
    /** 1: two consecutive words that are not stop words also form a term, such as "new_york"; 0:
     *  only single words are terms. */
    int bigrams;
    int mail; /**< 1: documents are e-mails; headers, quotations and signatures are skipped */
    /** Number of bytes of the beginning of each document to store (ch_corpus.excerpts); 0: none. */
    int64_t excerpts;
    /** 1: files of a folder that cannot be read, or are not text, are left out and listed
     *  (ch_corpus.bad); 0: they are an error. */
    int skip_bad;

    /* The table of the settings does not list the following members. */

    /** Stop words, which are not counted: "english" for a built-in list, the name of a file with
     *  one word per line, or several such names separated by commas. NULL or "none": no stop
     *  words. */
    const char *stop_words;
    /** Language of the Snowball stemmer, which reduces words to their stems, such as "english" or
     *  "german". Stop words are removed before stemming. NULL or "none": no stemming. */
    const char *stem;
    /** Tables (CSV, TSV, JSON lines): the column that holds the texts, given by its name or by its
     *  position, counted from 1. Required for tables. */
    const char *text_column;
    /** Tables: column with the names of the documents, given like text_column; NULL: none. */
    const char *name_column;
    /** Tables: column with the labels of the documents, given like text_column; NULL: none. */
    const char *label_column;
    /** A fixed list of terms without duplicates. The rows of X then have the order of this list,
     *  all other words are dropped, and min_df, max_df and max_terms have no effect. The caller
     *  owns the list. NULL: the terms are those found in the documents. */
    const ch_text_list *vocabulary;
    /** Further stop words, in addition to those of stop_words. The caller owns the list. NULL:
     *  none. */
    const ch_text_list *stop_list;
} ch_corpus_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_corpus_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_corpus_defaults(ch_corpus_settings *settings) {
    ch_settings_defaults(ch_corpus_table(), settings, sizeof *settings);
}

/** The word counts of a collection of documents. ch_corpus_free() frees the matrix and all
 *  lists. */
typedef struct ch_corpus {
    size_t size; /**< sizeof(ch_corpus); the caller sets it */
    /** The counts, terms x documents: a sparse matrix (CH_CSC) of the smallest type that holds them
     *  all. */
    ch_matrix X;
    ch_text_list terms; /**< the term of each row of X */
    /** The name of each document. For a folder, the name is the path of the file relative to the
     *  folder. For a file with one document per line, the names are "line 1", "line 2" and so on;
     *  for a mailbox, they are "mail 1", "mail 2" and so on. For a table, the name is the text of
     *  the name column; without a name column, the names are "row 1", "row 2" and so on. After
     *  ch_corpus_count() the list is empty. */
    ch_text_list names;
    /** Number of words read, without stop words. Words that did not become terms are counted
     *  too. */
    int64_t words;
    /** Number of different words that did not become terms because of ch_corpus_settings.min_df,
     *  max_df, max_terms or vocabulary. */
    int64_t dropped;
    int64_t empty; /**< number of documents without any term */
    /** The label of each document. For a table, it is the text of the label column; for a folder,
     *  it is the name of the first sub-folder on the path of the file. If any document has no
     *  label, the list is empty. */
    ch_text_list labels;
    /** The beginning of each document; empty if ch_corpus_settings.excerpts is 0. */
    ch_text_list excerpts;
    /** Number of words of each document, without stop words. Words that did not become terms are
     *  counted too. */
    int64_t *lengths;
    /** Number of files in the folder that were skipped because of their suffixes. */
    int64_t others;
    /** Names of the files counted in `others`, relative to the folder; at most a thousand names. */
    ch_text_list skipped;
    /** With ch_corpus_settings.skip_bad: the files of the folder that were left out because they
     *  cannot be read or are not text, as "NAME: reason". */
    ch_text_list bad;
    /** 1: the texts were read as CH_ENCODING_LATIN1, but seem to be UTF-8, because all of their
     *  bytes beyond ASCII are in sequences of UTF-8. 0: in all other cases. */
    int looks_utf8;
} ch_corpus;

/** Returns non-zero if `path` looks like raw text, else 0. A file looks like raw text if its name
 *  ends in .txt, .txt.gz, .mbox or .mbox.gz. A folder looks like raw text if it contains such a
 *  file at any depth, or if most of its files have no suffix, a number as suffix, or the suffix
 *  .md, .rst, .text or .eml, as in folders of mail and news. Tables (CSV, TSV, JSON lines) do not
 *  count as raw text; ch_corpus_read() reads them if text_column is given. */
CH_API int ch_corpus_is_text(const char *path);

/** Returns non-zero if `word`, which must be in lower case, is in the built-in list of English stop
 *  words, else 0. */
CH_API int ch_corpus_is_stop_word(const char *word);

/** Lists the names of those columns of a table (CSV, TSV, JSON lines) that hold text. A column
 *  holds text if at least one of its fields in the first hundred records is neither empty nor a
 *  number. If only the first column of several columns holds text, its fields count as row names,
 *  and the list is empty. Free the list with ch_text_list_free(). Returns CH_ERR_FORMAT if the file
 *  is not a table. */
CH_API ch_status ch_corpus_columns(ch_context *context, ch_text_list *columns, const char *path);

/** Reads the text of a file, or of all files of a folder and its sub-folders, and counts the words.
 *  The files of a folder are read in natural order (2.txt before 10.txt). Hidden files and links to
 *  folders are skipped. If a folder has no .txt file, the other text files that ch_corpus_is_text()
 *  lists are read. Only terms and counts stay in memory, not the text. The caller sets
 *  corpus->size; free the corpus with ch_corpus_free(). Returns CH_ERR_IO if the path is missing or
 *  not readable; CH_ERR_DATA if no terms are left; CH_STOP_CANCELLED with an empty corpus if the
 *  progress callback cancels. Returns CH_ERR_FORMAT if a folder has no texts or, without skip_bad,
 *  if a file is not text or not in the requested encoding. The message then names file, line and
 *  byte or, if several files of a folder are bad, up to ten of these files. */
CH_API ch_status ch_corpus_read(ch_context *context, ch_corpus *corpus, const char *path,
                                const ch_corpus_settings *settings);
/** Counts the words in texts that are in memory; each text is one document. The result is the same
 *  as that of ch_corpus_read() on a file with these texts, but without names and labels. Settings
 *  for tables are ignored. The caller sets corpus->size; free the corpus with ch_corpus_free(). */
CH_API ch_status ch_corpus_count(ch_context *context, ch_corpus *corpus,
                                 const ch_text_list *documents, const ch_corpus_settings *settings);
/** Frees a corpus. NULL is allowed. */
CH_API void ch_corpus_free(ch_context *context, ch_corpus *corpus);

/** Reads the lines of a UTF-8 file, such as terms, names or labels, into *lines, without line ends
 *  and byte order mark. Empty lines count; a line feed at the end of the file does not begin
 *  another line. If `expected` is not negative and the file has a different number of lines, the
 *  call fails with CH_ERR_DATA. The message states both numbers and the text `what`, which
 *  describes the expected lines, such as "rows of counts.mtx". Free the list with
 *  ch_text_list_free(). */
CH_API ch_status ch_text_list_read(ch_context *context, ch_text_list *lines, const char *path,
                                   int64_t expected, const char *what);

CH_END_DECLS
#endif
