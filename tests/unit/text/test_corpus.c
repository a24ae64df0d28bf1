/* Raw text to counts: what a word is, byte by byte; files, their order and their faults. */
#include "support.h"
#include "support_files.h"
#include "text/corpus/corpus_internal.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static ch_corpus_settings defaults(void) {
    ch_corpus_settings set;
    ch_corpus_defaults(&set);
    return set;
}

/* ---- words ---- */

static ch_status join(void *user, const char *word, int length) {
    char *text = user;
    if (*text) strcat(text, "|");
    strncat(text, word, (size_t)length);
    return CH_OK;
}

static const char *words_of(const char *text, const ch_corpus_settings *set) {
    static char joined[4096];
    chi_tokens tokens;
    uint32_t code;
    joined[0] = '\0';
    chi_tokens_start(&tokens, set, join, joined);
    for (int length; *text; text += length) {
        length = chi_utf8_decode(&code, text, (int64_t)strlen(text));
        assert_true(length > 0);
        assert_int_equal(chi_tokens_code(&tokens, code), CH_OK);
    }
    assert_int_equal(chi_tokens_end(&tokens), CH_OK);
    return joined;
}

static void words_are_what_the_header_says(void **state) {
    (void)state;
    static const struct {
        const char *text, *plain, *all; /* all: numbers, hyphens, single letters, case */
    } cases[] = {
        {"", "", ""},
        {"The cat sat.", "the|cat|sat", "The|cat|sat"},
        {"a I x1 4 1984 3g mp3", "x1|3g|mp3", "a|I|x1|4|1984|3g|mp3"},
        {"well-known -dash- co-op's", "well|known|dash|co|op", "well-known|dash|co-op"},
        {"don't company's dogs' 'tis O'Neill's", "don't|company|dogs|tis|o'neill",
         "don't|company|dogs|tis|O'Neill"},
        {"it\u2019s don\u2019t l\uff07eau", "it|don't|l'eau", "it|don't|l'eau"},
        {"a''b x--y p'-q", "", "a|b|x|y|p|q"},
        {"'S 's s's'", "", "S|s|s"},
        {"1990's 747's 3g's x's", "3g", "1990|747|3g|x"}, /* the letter of 's is not the word's */
        {"\u00c4rger \u0141\u00d3D\u0179 \u0395\u039b\u039b\u0391\u03a3 "
         "\u041c\u041e\u0421\u041a\u0412\u0410",
         "\u00e4rger|\u0142\u00f3d\u017a|\u03b5\u03bb\u03bb\u03b1\u03c3|"
         "\u043c\u043e\u0441\u043a\u0432\u0430",
         "\u00c4rger|\u0141\u00d3D\u0179|\u0395\u039b\u039b\u0391\u03a3|"
         "\u041c\u041e\u0421\u041a\u0412\u0410"},
        {"cafe\u0301 caf\u00e9 E\u0301tat", "caf\u00e9|caf\u00e9|\u00e9tat",
         "caf\u00e9|caf\u00e9|\u00c9tat"},
        {"x\u0301y \u0301 alone", "x\u0301y|alone", "x\u0301y|alone"}, /* no such letter */
        {"so\u00adftly na\u200dme", "softly|name", "softly|name"},
        {"\ufeffmark", "mark", "mark"},
        {"a\u00a0b ab\u3000cd ef\u2014gh \u201cij\u201d", "ab|cd|ef|gh|ij", "a|b|ab|cd|ef|gh|ij"},
        {"\u0939\u093f\u0928\u094d\u0926\u0940 \u4e2d\u6587 \u05e9\u05c1\u05dc\u05d5\u05dd",
         "\u0939\u093f\u0928\u094d\u0926\u0940|\u4e2d\u6587|\u05e9\u05c1\u05dc\u05d5\u05dd",
         "\u0939\u093f\u0928\u094d\u0926\u0940|\u4e2d\u6587|\u05e9\u05c1\u05dc\u05d5\u05dd"},
        {"\U0001d400\U0001d401 \U0001f600\ufe0fok \U00010400\U00010401",
         "\U0001d400\U0001d401|ok|\U00010428\U00010429",
         "\U0001d400\U0001d401|ok|\U00010400\U00010401"},
        {"100\u00b2 x\u00b2 \u0663\u0664 \u00bd", "x\u00b2",
         "100\u00b2|x\u00b2|\u0663\u0664|\u00bd"},
        {"12,5 80.5 a.b 1'000", "", "12|5|80|5|a|b|1'000"},
        {"e-mail covid-19 2\u20113 end-", "mail|covid|end", "e-mail|covid-19|2-3|end"},
    };
    ch_corpus_settings plain = defaults(), all = plain;
    all.numbers = all.hyphens = all.keep_case = 1;
    all.min_length = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(words_of(cases[i].text, &plain), cases[i].plain);
        assert_string_equal(words_of(cases[i].text, &all), cases[i].all);
    }
}

static void long_runs_are_no_words(void **state) {
    (void)state;
    ch_corpus_settings set = defaults();
    char text[1024];
    for (int length = 250; length < 270; length++) {
        memset(text, 'x', sizeof text);
        strcpy(text + length, " end");
        const char *words = words_of(text, &set);
        assert_int_equal(strlen(words), length <= 255 ? length + 4 : 3);
    }
    for (int letters = 80; letters < 100; letters++) { /* three bytes each */
        text[0] = '\0';
        for (int i = 0; i < letters; i++) strcat(text, "\u4e2d");
        assert_int_equal(strlen(words_of(text, &set)), letters <= 85 ? 3 * letters : 0);
    }
}

/* ---- code points ---- */

static void utf8_takes_all_code_points_and_nothing_else(void **state) {
    (void)state;
    for (uint32_t code = 0; code < 0x110000; code++) {
        char text[4];
        if (code >= 0xd800 && code < 0xe000) continue;
        uint32_t back = UINT32_MAX;
        int count = chi_utf8_encode(text, code);
        for (int i = 1; i <= count; i++)
            if (chi_utf8_decode(&back, text, i) != (i < count ? 0 : count))
                fail_msg("U+%04X, %d bytes", code, i);
        if (back != code) fail_msg("U+%04X came back as U+%04X", code, back);
    }
    static const struct {
        const char *text;
        int bad;
    } cases[] = {
        {"\x80", 0},
        {"ab\xbf", 2},
        {"\xc0\x80", 0},
        {"\xc1\xbf", 0},
        {"\xe0\x9f\xbf", 0},
        {"\xed\xa0\x80", 0},
        {"a\xf0\x8f\xbf\xbf", 1},
        {"\xf4\x90\x80\x80", 0},
        {"\xf5\x80", 0},
        {"\xff", 0},
        {"\xc3(", 0},
        {"abc\xe2\x82(", 3},
        {"\xe2\x82", 0},
        {"x\xc3", 1},
        {"ok\xc3\xa9", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(chi_utf8_check(cases[i].text, (int64_t)strlen(cases[i].text)),
                         cases[i].bad);
    static const char *const dead_ends[] = {"\xe0\x9f", "\xed\xa0", "\xf0\x8f", "\xf4\x90",
                                            "\xe2(",    "\xc0",     "\xf8",     "\xf0\x90("};
    for (size_t i = 0; i < sizeof dead_ends / sizeof *dead_ends; i++) { /* no byte helps them */
        uint32_t code;
        assert_int_equal(chi_utf8_decode(&code, dead_ends[i], (int64_t)strlen(dead_ends[i])), -1);
    }
}

/* Of the same version of Unicode; others differ where they should. */
static const char whole_table[] =
    "import sys, unicodedata as u\n"
    "if u.unidata_version != '14.0.0': sys.exit()\n"
    "kinds = {'L': 1, 'N': 2, 'M': 3}\n"
    "for line in open('letters.txt'):\n"
    "    code, kind, low = map(int, line.split())\n"
    "    c = chr(code)\n"
    "    if u.category(c) == 'Cn': continue\n"
    "    want = c.lower() if len(c.lower()) == 1 else c\n"
    "    assert kind == kinds.get(u.category(c)[0], 0), hex(code)\n"
    "    assert low == ord(want), (hex(code), low)\n"
    "for line in open('composed.txt'):\n"
    "    a, b, c = map(int, line.split())\n"
    "    n = u.normalize('NFC', chr(a) + chr(b))\n"
    "    if c or a < 128:\n" /* marks on composed letters may also change their order */
    "        assert (ord(n) if len(n) == 1 else 0) == c, (hex(a), hex(b), c)\n";

static void tables_agree_with_python(void **state) {
    (void)state;
    FILE *file = fopen(support_path("letters.txt"), "w");
    for (uint32_t code = 0; code < 0x110000; code++)
        if (code < 0xd800 || code >= 0xe000)
            fprintf(file, "%u %d %u\n", code, (int)chi_letter(code), chi_lower(code));
    fclose(file);
    file = fopen(support_path("composed.txt"), "w");
    for (uint32_t letter = 'A'; letter < 0x250; letter++)
        for (uint32_t mark = 0x300; mark < 0x340; mark++)
            fprintf(file, "%u %u %u\n", letter, mark, chi_compose(letter, mark));
    fclose(file);
    if (!support_python("unicodedata", whole_table)) skip();
}

/* ---- corpora ---- */

static void write_text(const char *path, const char *text) {
    support_file_write(path, text, strlen(text));
}

static void check_counts(const ch_corpus *corpus, const char *wanted) {
    char got[4096] = "";
    for (int64_t j = 0; j < corpus->X.cols; j++) {
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s:", corpus->names.text[j]);
        for (int64_t i = 0; i < corpus->X.rows; i++)
            if (ch_matrix_at(&corpus->X, i, j) != 0)
                snprintf(got + strlen(got), sizeof got - strlen(got), " %s=%g",
                         corpus->terms.text[i], ch_matrix_at(&corpus->X, i, j));
        strcat(got, "\n");
    }
    assert_string_equal(got, wanted);
}

static void one_document_per_line(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_corpus_settings set = defaults();
    ch_corpus corpus = {.size = sizeof corpus};
    const char *path = support_path("lines.txt");
    write_text(path, "\xef\xbb\xbfRed blue red\r\n\r\nblue Green\n1 2 3\nred");
    assert_int_equal(ch_corpus_read(context, &corpus, path, &set), CH_OK);
    check_counts(&corpus, "line 1: blue=1 red=2\nline 2:\nline 3: blue=1 green=1\nline 4:\n"
                          "line 5: red=1\n");
    assert_int_equal(corpus.empty, 2);
    assert_int_equal(corpus.words, 6);
    assert_int_equal(corpus.dropped, 0);
    assert_int_equal(corpus.X.type, CH_U8);
    assert_int_equal(ch_matrix_check(context, &corpus.X), CH_OK);
    ch_corpus_free(context, &corpus);
    set.min_df = 2;
    set.max_df = 0.4;
    assert_int_equal(ch_corpus_read(context, &corpus, path, &set), CH_OK);
    check_counts(&corpus,
                 "line 1: blue=1 red=2\nline 2:\nline 3: blue=1\nline 4:\nline 5: red=1\n");
    assert_int_equal(corpus.dropped, 1);
    ch_corpus_free(context, &corpus);
    set.max_terms = 1;
    assert_int_equal(ch_corpus_read(context, &corpus, path, &set), CH_OK);
    check_counts(&corpus, "line 1: blue=1\nline 2:\nline 3: blue=1\nline 4:\nline 5:\n");
    ch_corpus_free(context, &corpus);
    set.max_df = 0.1;
    assert_int_equal(ch_corpus_read(context, &corpus, path, &set), CH_ERR_DATA);
    support_message(context, "no terms are left");
    support_finish(context, &memory);
}

/* Rows are the words that are given, in their order, whether a document has them or not. */
static void a_vocabulary_may_be_given(void **state) {
    (void)state;
    const char *words[] = {"cat", "zebra", "ant"};
    const ch_text_list given = {.count = 3, .text = words};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    const char *path = support_path("vocabulary.txt");
    write_text(path, "ant cat cat dog\ndog\nzebra cat");
    ch_corpus_settings set = defaults();
    set.vocabulary = &given;
    set.min_df = 3; /* has no part */
    ch_corpus corpus = {.size = sizeof corpus};
    assert_int_equal(ch_corpus_read(context, &corpus, path, &set), CH_OK);
    assert_int_equal(corpus.X.rows, 3);
    assert_int_equal(corpus.X.cols, 3);
    assert_int_equal(corpus.dropped, 1);
    assert_int_equal(corpus.empty, 1);
    const double counts[3][3] = {{2, 0, 1}, {0, 0, 1}, {1, 0, 0}};
    for (int i = 0; i < 3; i++) {
        assert_string_equal(corpus.terms.text[i], words[i]);
        for (int j = 0; j < 3; j++) assert_true(ch_matrix_at(&corpus.X, i, j) == counts[i][j]);
    }
    ch_corpus_free(context, &corpus);
    words[2] = "cat";
    assert_int_equal(ch_corpus_read(context, &corpus, path, &set), CH_ERR_DATA);
    support_message(context, "\"cat\" occurs twice");
    support_finish(context, &memory);
}

/* Texts in memory give what a file with the same lines gives, to the last count. */
static void texts_in_memory_are_as_in_files(void **state) {
    (void)state;
    const char *texts[] = {"The cat's hat, it's 42", "caf\xc3\xa9 CAFE\xcc\x81 x1", "",
                           "New York, new hat"};
    const char *left_out[] = {"Hat"};
    const ch_text_list documents = {.count = 4, .text = texts}, own = {.count = 1, left_out};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    const char *path = support_path("memory.txt");
    write_text(path, "The cat's hat, it's 42\ncaf\xc3\xa9 CAFE\xcc\x81 x1\n\nNew York, new hat\n");
    ch_corpus_settings set = defaults();
    set.stop_words = "english";
    set.stop_list = &own;
    set.bigrams = 1;
    set.excerpts = 8;
    ch_corpus here = {.size = sizeof here}, there = {.size = sizeof there};
    assert_int_equal(ch_corpus_count(context, &here, &documents, &set), CH_OK);
    assert_int_equal(ch_corpus_read(context, &there, path, &set), CH_OK);
    assert_int_equal(here.names.count, 0);
    assert_int_equal(here.terms.count, 9); /* café café_café café_x1 cat new new_york x1 york
                                              york_new, and no hat */
    assert_int_equal(here.empty, 1);
    assert_int_equal(here.X.rows, there.X.rows);
    assert_int_equal(here.X.cols, there.X.cols);
    assert_int_equal(here.words, there.words);
    for (int64_t i = 0; i < here.X.rows; i++) {
        assert_string_equal(here.terms.text[i], there.terms.text[i]);
        for (int64_t j = 0; j < here.X.cols; j++)
            assert_true(ch_matrix_at(&here.X, i, j) == ch_matrix_at(&there.X, i, j));
    }
    for (int64_t j = 0; j < here.X.cols; j++)
        assert_string_equal(here.excerpts.text[j], there.excerpts.text[j]);
    ch_corpus_free(context, &here);
    ch_corpus_free(context, &there);
    const ch_text_list none = {0};
    assert_int_equal(ch_corpus_count(context, &here, &none, &set), CH_ERR_ARGUMENT);
    support_message(context, "the list of documents is empty");
    texts[1] = "\xff";
    assert_int_equal(ch_corpus_count(context, &here, &documents, &set), CH_ERR_FORMAT);
    support_message(context, "document 1: line 1");
    support_finish(context, &memory);
}

/* Which columns hold texts, and tables that are separated by semicolons. */
static void columns_of_texts_are_found(void **state) {
    (void)state;
    static const struct {
        const char *file, *text, *columns;
    } cases[] = {
        {"a.csv", "id,what,said,stars\n1,tv,\"good, clear\",5\n2,tv,,3\n", "what said "},
        {"b.csv", "\xef\xbb\xbfid;what;said\n1;tv;\"good; clear, too\"\n", "what said "},
        {"c.tsv", "id\tsaid\n1\tfine\n", "said "},
        {"d.csv", "term,d1,d2\ncat,1,0\ndog,0,2.5\n", ""}, /* rows have names */
        {"e.csv", "1,0\n0,2e3\n", ""},
        {"f.csv", "said\nfine\n", "said "},
        {"g.jsonl", "{\"id\": 1, \"what\": {\"a\": \"b\"}, \"said\": \"x\\\"y\"}\n", "said "},
        {"h.csv", "", ""},
    };
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char got[200] = "";
        ch_text_list columns;
        write_text(support_path("%s", cases[k].file), cases[k].text);
        assert_int_equal(ch_corpus_columns(context, &columns, support_path("%s", cases[k].file)),
                         CH_OK);
        for (int64_t i = 0; i < columns.count; i++) strcat(strcat(got, columns.text[i]), " ");
        assert_string_equal(got, cases[k].columns);
        ch_text_list_free(context, &columns);
    }
    ch_text_list columns;
    assert_int_equal(ch_corpus_columns(context, &columns, "x.npy"), CH_ERR_FORMAT);
    ch_corpus_settings set = defaults();
    ch_corpus corpus = {.size = sizeof corpus};
    set.text_column = "said";
    set.name_column = "what";
    assert_int_equal(ch_corpus_read(context, &corpus, support_path("b.csv"), &set), CH_OK);
    check_counts(&corpus, "tv: clear=1 good=1 too=1\n");
    assert_int_equal(corpus.lengths[0], 3);
    ch_corpus_free(context, &corpus);
    assert_true(ch_corpus_is_stop_word("the") && ch_corpus_is_stop_word("yourselves") &&
                ch_corpus_is_stop_word("a"));
    assert_false(ch_corpus_is_stop_word("th") || ch_corpus_is_stop_word("cat") ||
                 ch_corpus_is_stop_word("") || ch_corpus_is_stop_word("the their"));
    support_finish(context, &memory);
}

/* A program that was compiled before ch_corpus had its last member: nothing is written or freed
 * beyond the size that it states. */
static void a_program_of_before(ch_context *context, const char *folder) {
    struct {
        ch_corpus corpus;
        char next;
    } caller;
    memset(&caller, 0x5A, sizeof caller);
    caller.corpus.size = offsetof(ch_corpus, skipped);
    assert_int_equal(ch_corpus_read(context, &caller.corpus, folder, NULL), CH_OK);
    assert_int_equal(caller.corpus.others, 1);
    ch_corpus_free(context, &caller.corpus);
    const char *beyond = (const char *)&caller.corpus.skipped;
    for (size_t i = 0; i < sizeof caller.corpus.skipped; i++) assert_int_equal(beyond[i], 0x5A);
}

static void a_folder_in_natural_order(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_corpus corpus = {.size = sizeof corpus};
    char folder[512];
    strcpy(folder, support_path("texts"));
    mkdir(folder, 0777);
    mkdir(support_path("texts/b"), 0777);
    mkdir(support_path("texts/.hidden"), 0777);
    assert_false(ch_corpus_is_text(folder));
    assert_int_equal(ch_corpus_read(context, &corpus, folder, NULL), CH_ERR_FORMAT);
    support_message(context, "the folder contains no text files");
    write_text(support_path("texts/10.txt"), "ten");
    write_text(support_path("texts/9.TXT"), "nine nine");
    write_text(support_path("texts/b/2.txt"), "");
    write_text(support_path("texts/b/11.txt"), "eleven\nlines\n");
    write_text(support_path("texts/b-side.txt"), "side");
    write_text(support_path("texts/notes.md"), "not read");
    write_text(support_path("texts/.hidden/x.txt"), "not read");
    gzFile packed = gzopen(support_path("texts/b/003.txt.gz"), "wb");
    gzputs(packed, "packed");
    gzclose(packed);
    assert_true(ch_corpus_is_text(folder));
    assert_int_equal(ch_corpus_read(context, &corpus, folder, NULL), CH_OK);
    check_counts(&corpus, "9.TXT: nine=2\n10.txt: ten=1\nb/2.txt:\nb/003.txt.gz: packed=1\n"
                          "b/11.txt: eleven=1 lines=1\nb-side.txt: side=1\n");
    assert_int_equal(corpus.empty, 1);
    assert_int_equal(corpus.skipped.count, 1);
    assert_string_equal(corpus.skipped.text[0], "notes.md");
    ch_corpus_free(context, &corpus);
    a_program_of_before(context, folder);
    strcat(folder, "/");
    assert_int_equal(ch_corpus_read(context, &corpus, folder, NULL), CH_OK);
    assert_string_equal(corpus.names.text[0], "9.TXT");
    ch_corpus_free(context, &corpus);
    static const char *const made[] = {
        "10.txt",   "9.TXT",         "b/2.txt", "b/11.txt", "b/003.txt.gz", "b", "b-side.txt",
        "notes.md", ".hidden/x.txt", ".hidden", ""};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        assert_int_equal(remove(support_path("texts/%s", made[i])), 0);
    support_finish(context, &memory);
}

static void names_compare_as_people_count(void **state) {
    (void)state;
    static const char *const sorted[] = {"1",     "01",     "2",   "10",   "a",     "a/1",
                                         "a/2/x", "a/10/x", "a 1", "a1b2", "a1b10", "a02"};
    int count = sizeof sorted / sizeof *sorted;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            int order = chi_natural_order(sorted[i], sorted[j]);
            int other = chi_natural_order(sorted[j], sorted[i]);
            if (i != j) assert_true(order != 0);
            assert_true((order > 0) == (other < 0));
        }
    assert_true(chi_natural_order("2", "10") < 0);
    assert_true(chi_natural_order("a/", "a\x01") < 0 && chi_natural_order("a\x01", "a/") > 0);
    assert_true(chi_natural_order("a/10/x", "a/9") > 0);
    assert_true(chi_natural_order("a/z", "a-b") < 0);
    assert_true(chi_natural_order("x99999999999999999999", "x100000000000000000000") < 0);
}

static void faults_are_named(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        const char *message;
    } cases[] = {
        {"one\ntwo \x92 three", 15, "line 2, byte 9 of the file: the byte 0x92 is not valid UTF-8"},
        {"one\xc3", 4, "ends inside a UTF-8 character"},
        {"\xff\xfeh\0i\0", 6, "seems to be UTF-16"},
        {"one\ntw\0o", 8, "line 2, byte 7 of the file is zero"},
        {"1 2 3 . !", 9, "the documents contain no words; a word must contain a letter"},
        {"", 0, "the input contains no documents"},
    };
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_corpus corpus = {.size = sizeof corpus};
    memset(&corpus, 0xa5, sizeof corpus);
    corpus.size = sizeof corpus;
    ch_corpus before = corpus;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        support_file_write(support_path("fault.txt"), cases[i].text, cases[i].count);
        assert_true(ch_corpus_read(context, &corpus, support_path("fault.txt"), NULL) < 0);
        support_message(context, cases[i].message);
        assert_memory_equal(&corpus, &before, sizeof corpus);
    }
    assert_int_equal(ch_corpus_read(context, &corpus, support_path("missing.txt"), NULL),
                     CH_ERR_IO);
    ch_corpus_settings set = defaults();
    set.encoding = CH_ENCODING_LATIN1;
    write_text(support_path("latin.txt"), "caf\xe9 don\x92t \x8cuvre");
    assert_int_equal(ch_corpus_read(context, &corpus, support_path("latin.txt"), &set), CH_OK);
    check_counts(&corpus, "line 1: caf\u00e9=1 don't=1 \u0153uvre=1\n");
    ch_corpus_free(context, &corpus);
    set = defaults();
    set.max_df = 2;
    assert_int_equal(ch_corpus_read(context, &corpus, support_path("latin.txt"), &set),
                     CH_ERR_SETTING);
    support_finish(context, &memory);
}

static void stop_words_are_left_out(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_corpus_settings set = defaults();
    ch_corpus corpus = {.size = sizeof corpus};
    write_text(support_path("stop.txt"), "Red\r\n\r\ngr\u00dcn\n");
    write_text(support_path("text.txt"), "The red don't isn\u2019t GR\u00dcN it's here, blue");
    set.stop_words = "english";
    assert_int_equal(ch_corpus_read(context, &corpus, support_path("text.txt"), &set), CH_OK);
    check_counts(&corpus, "line 1: blue=1 gr\u00fcn=1 red=1\n");
    ch_corpus_free(context, &corpus);
    char path[512];
    set.stop_words = strcpy(path, support_path("stop.txt"));
    assert_int_equal(ch_corpus_read(context, &corpus, support_path("text.txt"), &set), CH_OK);
    check_counts(&corpus, "line 1: blue=1 don't=1 here=1 isn't=1 it=1 the=1\n");
    ch_corpus_free(context, &corpus);
    set.stop_words = "no-such-file";
    assert_int_equal(ch_corpus_read(context, &corpus, support_path("text.txt"), &set), CH_ERR_IO);
    /* A file of this name does not replace the list of the library. */
    char text[512], *here = getcwd(NULL, 0);
    strcpy(text, support_path("text.txt"));
    write_text(support_path("english"), "blue\n");
    strcpy(path, support_path("english"));
    *strrchr(path, '/') = '\0';
    assert_int_equal(chdir(path), 0);
    set.stop_words = "english";
    assert_int_equal(ch_corpus_read(context, &corpus, text, &set), CH_OK);
    assert_int_equal(chdir(here), 0);
    check_counts(&corpus, "line 1: blue=1 gr\u00fcn=1 red=1\n");
    ch_corpus_free(context, &corpus);
    free(here);
    support_finish(context, &memory);
}

/* Many words, long text, counts beyond a byte: against counting by hand. */
static void counts_are_right(void **state) {
    (void)state;
    enum { WORDS = 3000, DOCUMENTS = 40, TOKENS = 60000 };
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_random random;
    support_seed(&random, "counts", 5);
    int *count = calloc(WORDS * DOCUMENTS, sizeof *count);
    FILE *file = fopen(support_path("many.txt"), "w");
    for (int j = 0; j < DOCUMENTS; j++) {
        for (int t = 0; t < TOKENS / DOCUMENTS; t++) {
            double u = ch_random_uniform(&random);
            int word = (int)(WORDS * u * u * u);
            fprintf(file, "w%d%s", word, t % 7 ? " " : ", ");
            count[word + j * WORDS]++;
        }
        fputc('\n', file);
    }
    fclose(file);
    ch_corpus corpus = {.size = sizeof corpus};
    assert_int_equal(ch_corpus_read(context, &corpus, support_path("many.txt"), NULL), CH_OK);
    assert_int_equal(corpus.X.cols, DOCUMENTS);
    int64_t words = 0;
    for (int64_t i = 0; i < corpus.X.rows; i++) {
        if (i) assert_true(strcmp(corpus.terms.text[i - 1], corpus.terms.text[i]) < 0);
        int word = atoi(corpus.terms.text[i] + 1);
        for (int64_t j = 0; j < DOCUMENTS; j++) {
            support_check(ch_matrix_at(&corpus.X, i, j) == count[word + j * WORDS], "word %d of %d",
                          word, (int)j);
            words += count[word + j * WORDS];
        }
    }
    assert_int_equal(words, corpus.words);
    ch_corpus_free(context, &corpus);
    free(count);
    support_finish(context, &memory);
}

static void lines_are_checked(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_text_list lines;
    const char *path = support_path("terms.txt");
    write_text(path, "\xef\xbb\xbfone\r\n\ntwo words\n");
    assert_int_equal(ch_text_list_read(context, &lines, path, 3, "rows"), CH_OK);
    assert_int_equal(lines.count, 3);
    assert_string_equal(lines.text[0], "one");
    assert_string_equal(lines.text[1], "");
    assert_string_equal(lines.text[2], "two words");
    ch_text_list_free(context, &lines);
    assert_int_equal(ch_text_list_read(context, &lines, path, 4, "rows of X.mtx"), CH_ERR_DATA);
    support_message(context, "the file has 3 lines, but there are 4 rows of X.mtx");
    write_text(path, "one\nt\xe9o\n");
    assert_int_equal(ch_text_list_read(context, &lines, path, -1, NULL), CH_ERR_FORMAT);
    support_message(context, "line 2: byte 2 of the line, 0xe9, is not valid UTF-8");
    write_text(path, "");
    assert_int_equal(ch_text_list_read(context, &lines, path, -1, NULL), CH_OK);
    assert_int_equal(lines.count, 0);
    ch_text_list_free(context, &lines);
    support_finish(context, &memory);
}

static int stop_at_once(const ch_progress_event *event, void *user) {
    (void)user;
    return strcmp(event->phase, "read") == 0;
}

static void reading_can_be_cancelled(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_corpus corpus = {.size = sizeof corpus};
    memset(&corpus, 0xa5, sizeof corpus);
    corpus.size = sizeof corpus;
    ch_context_set_progress(context, stop_at_once, NULL);
    write_text(support_path("cancel.txt"), "some text\n");
    assert_int_equal(ch_corpus_read(context, &corpus, support_path("cancel.txt"), NULL),
                     CH_STOP_CANCELLED);
    assert_null(corpus.terms.text);
    ch_corpus_free(context, &corpus);
    ch_corpus_settings set = defaults();
    set.mail = 1;
    write_text(support_path("cancel.mbox"), "From a Mon\nSubject: b\n\nsome text\n");
    assert_int_equal(ch_corpus_read(context, &corpus, support_path("cancel.mbox"), &set),
                     CH_STOP_CANCELLED);
    ch_corpus_free(context, &corpus);
    support_finish(context, &memory);
}

/* ---- mail ---- */

static void mail_is_read_without_what_is_not_its_text(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"From: me@here\nSubject: fish\n folded: too\n\nreal text\n", "real text"},
        {"no header here\n> quoted words\nreal\n", "header here no real"},
        {"One: header\n\nreal\n>> deep\n  | bar\nAB> initials\nabcdefghijk> kept\n",
         "abcdefghijk kept real"},
        {"One: header\n\nJohn wrote:\nreal\nIn article <1@2> x says\n-- \nsignature\n", "real"},
        {"One: header\n\nshe writes: kept\n--- kept too\n", "kept she too writes"},
        {"Header: without end", ""},
        {"Nocolon header\nbody", "body header nocolon"},
        {"\n\nOne: header\n\nreal", "real"},
        {"Subject:\twith a tab\n\nreal", "real"},
        {"Lines:\nTo: you\n\nreal", "real"},
        {"From me@here Mon Jan  1 1993\nTo: you\n\nreal", "real"},
        {"http://real.text\nmore\n", "http more real text"},
        {"One: header\n\nreal\n-----Original Message-----\nFrom: her\nall of hers\n", "real"},
        {"An: du\n\nAm 01.02.2024 um 10:11 schrieb Bert Baum\n<bert@baum.de>:\n> zitiert\nwahr\n"
         "-----Urspr\xc3\xbcngliche Nachricht-----\nalt\n",
         "wahr"},
        {"An: du\n\nBert schrieb:\nAm Montag schrieb ich\n", "am ich montag schrieb"},
        {"A: x\n\nLe 1 mai, Ana a \xc3\xa9"
         "crit\xc2\xa0:\n> cit\nvrai\n-----Message d'origine-----\nvieux\n",
         "vrai"},
        {"A: x\n\nEl lunes, Ana escribi\xc3\xb3:\nreal\n-----Mensaje original-----\nviejo\n",
         "real"},
    };
    ch_context *context = support_context(NULL, 1);
    ch_corpus_settings set = defaults();
    set.mail = 1;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char folder[32], joined[256] = "";
        ch_corpus corpus = {.size = sizeof corpus};
        snprintf(folder, sizeof folder, "mail%zu", k);
        mkdir(support_path("%s", folder), 0700);
        support_file_write(support_path("%s/1", folder), cases[k].text, strlen(cases[k].text));
        support_file_write(support_path("%s/2", folder), "zzz", 3);
        assert_int_equal(ch_corpus_read(context, &corpus, support_path("%s", folder), &set), CH_OK);
        for (int64_t i = 0; i + 1 < corpus.terms.count; i++)
            strcat(strcat(joined, *joined ? " " : ""), corpus.terms.text[i]);
        assert_string_equal(joined, cases[k].words);
        ch_corpus_free(context, &corpus);
    }
    /* A line longer than what is held of it goes as its beginning goes. */
    static char line[5000];
    for (int pass = 0; pass < 2; pass++) {
        ch_corpus corpus = {.size = sizeof corpus};
        memset(line, 'x', sizeof line);
        for (size_t k = 5; k < sizeof line; k += 6) line[k] = ' ';
        line[0] = pass ? '>' : 'x';
        mkdir(support_path("long%d", pass), 0700);
        support_file_write(support_path("long%d/1", pass), line, sizeof line);
        support_file_write(support_path("long%d/2", pass), "zzz", 3);
        assert_int_equal(ch_corpus_read(context, &corpus, support_path("long%d", pass), &set),
                         CH_OK);
        assert_int_equal(corpus.words, pass ? 1 : 835);
        ch_corpus_free(context, &corpus);
    }
    support_finish(context, NULL);
}

/* A mail of a mailbox begins with "From " after an empty line. */
static void mailboxes_are_split_into_mails(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    ch_corpus_settings set = defaults();
    ch_corpus corpus = {.size = sizeof corpus};
    const char *file = support_path("post.mbox");
    write_text(file,
               "From a@b Mon\nSubject: one\n\nalpha\nFrom here on\n\nFro beta\n\n"
               "From c@d Tue\r\nSubject: two\r\n\r\ngamma\r\n\r\nFrom e@f Wed\n\ndelta\n\nFr");
    assert_true(ch_corpus_is_text(file));
    set.mail = 1;
    assert_int_equal(ch_corpus_read(context, &corpus, file, &set), CH_OK);
    check_counts(&corpus, "mail 1: alpha=1 beta=1 fro=1 from=1 here=1 on=1\nmail 2: gamma=1\n"
                          "mail 3: delta=1 fr=1\n");
    ch_corpus_free(context, &corpus);
    set.mail = 0;
    assert_int_equal(ch_corpus_read(context, &corpus, file, &set), CH_OK);
    assert_int_equal(corpus.X.cols, 3);
    ch_corpus_free(context, &corpus);
    write_text(file, "\nSubject: one\n");
    assert_int_equal(ch_corpus_read(context, &corpus, file, &set), CH_ERR_FORMAT);
    support_finish(context, NULL);
}

static void encodings_are_recognised(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    ch_corpus_settings set = defaults();
    ch_corpus corpus = {.size = sizeof corpus};
    const char mixed[] = "caf\xe9 caf\xc3\xa9 it\x92s na\xefve\nlast caf\xc3";
    support_file_write(support_path("mixed.txt"), mixed, sizeof mixed - 1);
    assert_int_equal(ch_corpus_read(context, &corpus, support_path("mixed.txt"), &set),
                     CH_ERR_FORMAT);
    set.encoding = CH_ENCODING_AUTO;
    set.excerpts = 9;
    assert_int_equal(ch_corpus_read(context, &corpus, support_path("mixed.txt"), &set), CH_OK);
    assert_int_equal(corpus.terms.count, 5);
    assert_string_equal(corpus.terms.text[0], "caf\u00e3");
    assert_string_equal(corpus.terms.text[1], "caf\u00e9");
    assert_string_equal(corpus.terms.text[2], "it");
    assert_string_equal(corpus.terms.text[3], "last");
    assert_string_equal(corpus.terms.text[4], "na\u00efve");
    assert_true(ch_matrix_at(&corpus.X, 1, 0) == 2);
    assert_int_equal(corpus.excerpts.count, 2);
    assert_string_equal(corpus.excerpts.text[0], "caf\u00e9 caf\u00e9\u2026");
    assert_string_equal(corpus.excerpts.text[1], "last caf\u00c3\u2026");
    ch_corpus_free(context, &corpus);
    support_file_write(support_path("wide.txt"),
                       "\xff\xfe"
                       "a\0b\0",
                       6);
    assert_int_equal(ch_corpus_read(context, &corpus, support_path("wide.txt"), &set),
                     CH_ERR_FORMAT);
    support_message(context, "UTF-16");
    support_finish(context, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_what_the_header_says),
        cmocka_unit_test(long_runs_are_no_words),
        cmocka_unit_test(utf8_takes_all_code_points_and_nothing_else),
        cmocka_unit_test(tables_agree_with_python),
        cmocka_unit_test(one_document_per_line),
        cmocka_unit_test(a_vocabulary_may_be_given),
        cmocka_unit_test(texts_in_memory_are_as_in_files),
        cmocka_unit_test(columns_of_texts_are_found),
        cmocka_unit_test(a_folder_in_natural_order),
        cmocka_unit_test(names_compare_as_people_count),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(stop_words_are_left_out),
        cmocka_unit_test(counts_are_right),
        cmocka_unit_test(lines_are_checked),
        cmocka_unit_test(mail_is_read_without_what_is_not_its_text),
        cmocka_unit_test(mailboxes_are_split_into_mails),
        cmocka_unit_test(encodings_are_recognised),
        cmocka_unit_test(reading_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
