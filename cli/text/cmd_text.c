/* conehull text: raw text to counts, terms and names. */
#include "common/output_folder.h"
#include "common/try.h"
#include "text/text_input.h"

typedef struct arguments {
    cli_text text;
    const char *folder;
} arguments;

static const cli_option_row rows[] = {
    {"Options", "output", 'o', "DIR", .at = offsetof(arguments, folder),
     "folder for the results (required): counts.mtx, terms.txt, names.txt and, if there are "
     "labels, labels.txt"},
    {"Options", "label-column", 0, "NAME", .at = offsetof(arguments, text.settings.label_column),
     "for a table: the column that holds the labels (classes) of the documents; they are written "
     "to labels.txt"},
    {0}};

static void describe(cli_options *options, void *given) {
    cli_text_options(options, &((arguments *)given)->text, 0);
}

static int write_files(cli_folder *folder, const ch_corpus *corpus) {
    char *path;
    TRY(cli_folder_begin(folder, &path, "counts.mtx"));
    TRY(cli_folder_end(folder, path, ch_matrix_write(folder->session->context, path, &corpus->X)));
    TRY(cli_folder_write(folder, "terms.txt", cli_write_lines, &corpus->terms));
    if (corpus->labels.count)
        TRY(cli_folder_write(folder, "labels.txt", cli_write_lines, &corpus->labels));
    return cli_folder_write(folder, "names.txt", cli_write_lines, &corpus->names);
}

static int write_folder(const cli_session *session, const arguments *given) {
    cli_folder folder;
    static const char *const stale[] = {"labels.txt", NULL};
    int code = cli_folder_open(&folder, session, given->folder);
    if (code == EXIT_DONE) code = write_files(&folder, &given->text.corpus);
    return cli_folder_close(&folder, code, stale);
}

static json_t *result_json(const arguments *given) {
    const ch_corpus *corpus = &given->text.corpus;
    return cli_json_pack(
        "file:s shape:[ii] nnz:i words:i dropped_terms:i empty_documents:i output:s "
        "seconds:{read:r}",
        given->text.matrix.file, corpus->X.rows, corpus->X.cols, given->text.nonzeros,
        corpus->words, corpus->dropped, corpus->empty, given->folder, given->text.seconds);
}

static void print_people(const arguments *given) {
    const ch_corpus *corpus = &given->text.corpus;
    printf("%s: %lld documents, %lld words, %lld terms (%lld more left out), %lld counts\n",
           cli_plain(given->text.matrix.file), (long long)corpus->X.cols, (long long)corpus->words,
           (long long)corpus->X.rows, (long long)corpus->dropped, (long long)given->text.nonzeros);
    printf("written to %s: counts.mtx (terms x documents), terms.txt, names.txt%s\n",
           cli_plain(given->folder), corpus->labels.count ? ", labels.txt" : "");
}

static int count_words(const cli_session *session, arguments *given) {
    const char *path = session->options.operands[0];
    if (!given->folder)
        return cli_wrong_use(session, "-o is missing: give a folder for the counts");
    if (!given->text.settings.text_column) TRY(cli_text_refuse_table(session, path));
    if (cli_is_matrix_name(path) && !given->text.settings.text_column)
        return cli_refuse("text: the name of %s is that of a matrix: give it to 'conehull topics' "
                          "or 'conehull exemplars' directly; rename text with one document per "
                          "line to .txt; for a table of texts give --text-column",
                          path);
    TRY(cli_folder_check(given->folder));
    TRY(cli_text_read_raw(&given->text, session, path));
    cli_text_warn_empty(session, &given->text.corpus, given->text.corpus.empty);
    cli_text_warn_folder(session, given->folder);
    TRY(write_folder(session, given));
    if (session->common.json) return cli_json_print(result_json(given));
    print_people(given);
    return EXIT_DONE;
}

static int run_text(cli_session *session) {
    arguments *given = session->arguments;
    int code = count_words(session, given);
    if (code == EXIT_INTERRUPTED) cli_complain("the run was interrupted; nothing was written");
    cli_text_free(&given->text, session);
    return code;
}

static const char *const writes[] = {"counts.mtx", "terms.txt", "names.txt", "labels.txt", NULL};

/* Rows of --help. */
static const cli_basic basics[] = {
    {"output", "folder for the counts"},
    {"text-column", "for a table: the column that holds the texts"},
    {"name-column", "for a table: the column that holds the names"},
    {"label-column", "for a table: the column that holds the classes"},
    {"stop-words", "common words to leave out, for example english"},
    {"stem", "reduce words to their stems, for example english"},
    {"mail", "skip headers, quotes and signatures of mails"},
    {"bigrams", "also count pairs of successive words"},
    {"min-df", "leave out words that occur in fewer than N documents"},
    {"max-df", "leave out words that occur in more than this share of the documents, from 0 to 1"},
    {"max-terms", "keep only the N most common words"},
    {"encoding", "the encoding of the files"},
    {0}};

const cli_command cli_cmd_text = {
    .name = "text",
    .summary = "count words in raw text",
    .synopsis = "INPUT -o DIR [options]",
    .about = "Counts the words of every document. INPUT is one of: a folder of .txt files, one\n"
             "document each, subfolders included (if it has no .txt file, its files without a\n"
             "suffix, as in collections of mail and news); one .txt file with a document per\n"
             "line; or a .csv, .tsv or .jsonl file with --text-column. Files may be compressed\n"
             "(.gz). 'conehull topics', 'exemplars' and 'anchors' read the result. Labels are\n"
             "taken from --label-column, or are the names of the folders in INPUT.\n",
    .details = "What a word is:\n"
               "  A word is a sequence of letters, accents and digits of any script, in lower\n"
               "  case. Apostrophes inside a word are kept, and a final 's is removed. Hyphens\n"
               "  separate words. Numbers and words longer than 255 bytes are not counted. Text\n"
               "  must be UTF-8 unless --encoding says otherwise; other bytes are an error that\n"
               "  names the file, the line and the position.\n"
               "\n"
               "Documents without words are kept as columns of zeros; a message gives their\n"
               "number.\n",
    .basics = basics,
    .examples = "  conehull text letters/ -o counts --stop-words english --min-df 3\n"
                "  conehull text news/ -o posts --mail --encoding auto --stem english\n"
                "  conehull text reviews.csv --text-column review --label-column stars -o stars\n"
                "  conehull topics counts/counts.mtx --terms counts/terms.txt -r 20 -o topics\n",
    .common = CLI_QUIET | CLI_JSON,
    .arguments_size = sizeof(arguments),
    .operand = "INPUT",
    .rows = rows,
    .describe = describe,
    .run = run_text,
    .writes = writes,
};
