/* Reading the folder of conehull topics. */
#include "topics/topics_folder.h"
#include "common/input_guard.h"
#include "common/output_folder.h"
#include "common/try.h"
#include <unistd.h>

int topics_is_folder(const char *path) {
    char *file = cli_path_join(path, "topics.json");
    int found = file && access(file, F_OK) == 0;
    free(file);
    return found;
}

static int read_json(topics_stored *stored, const cli_session *session, const char *file) {
    json_error_t error;
    ch_topics_settings settings;
    stored->json = json_load_file(file, 0, &error);
    if (!stored->json)
        return cli_refuse("%s: line %d, column %d: %s", file, error.line, error.column, error.text);
    ch_topics_defaults(&settings);
    TRY(cli_check_file(session,
                       cli_settings_from_json(session->context, ch_topics_table(), &settings,
                                              json_object_get(stored->json, "settings")),
                       file));
    stored->topics.objective = settings.objective;
    stored->topics.weight = settings.weight;
    return EXIT_DONE;
}

static int read_terms(topics_stored *stored, const cli_session *session, const char *file) {
    TRY(cli_check(session, ch_text_list_read(session->context, &stored->terms, file, -1, NULL)));
    stored->topics.terms = stored->terms.count;
    return EXIT_DONE;
}

/* Reads doubles by column, finite and not negative, as topics writes them; refuses anything
 * else. */
static int read_matrix(ch_matrix *M, const cli_session *session, const char *file) {
    TRY(cli_check(session, ch_matrix_read(session->context, M, file, NULL)));
    TRY(cli_check_file(session, ch_matrix_check(session->context, M), file));
    if (M->layout == CH_COLUMN_MAJOR && M->type == CH_F64 && M->stride == M->rows) return EXIT_DONE;
    return cli_refuse("%s: this file was not written by 'conehull topics'", file);
}

static int read_words(topics_stored *stored, const cli_session *session, const char *file) {
    TRY(read_matrix(&stored->topic_word, session, file));
    stored->topics.rank = stored->topic_word.rows;
    stored->topics.topic_word = (double *)stored->topic_word.values; /* only read */
    const json_t *topics = json_object_get(stored->json, "topics");
    if (stored->topic_word.cols == stored->terms.count &&
        (int64_t)json_array_size(topics) == stored->topics.rank)
        return EXIT_DONE;
    return cli_refuse("%s: the file has %lld topics of %lld words, but topics.json and terms.txt "
                      "list %lld topics of %lld words; do the files belong to the same run?",
                      file, (long long)stored->topic_word.rows, (long long)stored->topic_word.cols,
                      (long long)json_array_size(topics), (long long)stored->terms.count);
}

static int read_idf(topics_stored *stored, const cli_session *session, const char *file) {
    if (access(file, F_OK) != 0)
        return cli_refuse("%s: this file is missing; run 'conehull topics' again to get it", file);
    TRY(read_matrix(&stored->idf, session, file));
    stored->topics.idf = (double *)stored->idf.values; /* only read */
    if (stored->idf.cols == 1 && stored->idf.rows == stored->terms.count) return EXIT_DONE;
    return cli_refuse("%s: the array is %lld x %lld, but terms.txt has %lld lines; do the files "
                      "belong to the same run?",
                      file, (long long)stored->idf.rows, (long long)stored->idf.cols,
                      (long long)stored->terms.count);
}

int topics_read(topics_stored *stored, const cli_session *session, const char *path) {
    static const struct part {
        const char *name;
        int (*read)(topics_stored *, const cli_session *, const char *);
    } parts[] = {{"topics.json", read_json},
                 {"terms.txt", read_terms},
                 {"topic_word.npy", read_words},
                 {"idf.npy", read_idf}};
    *stored = (topics_stored){.topics.size = sizeof stored->topics};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *file = cli_path_join(path, parts[i].name);
        int code = file ? cli_refuse_special(file) : cli_no_memory();
        if (code == EXIT_DONE) code = parts[i].read(stored, session, file);
        free(file);
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}

void topics_stored_free(topics_stored *stored, const cli_session *session) {
    ch_matrix_free(session->context, &stored->topic_word);
    ch_matrix_free(session->context, &stored->idf);
    ch_text_list_free(session->context, &stored->terms);
    json_decref(stored->json);
}

int topics_text_settings(ch_corpus_settings *settings, const topics_stored *stored,
                         const cli_session *session, const char *path) {
    const json_t *text = json_object_get(stored->json, "text");
    if (!json_is_object(text))
        return cli_refuse(
            "%s: these topics were found from a matrix of counts, so the settings for counting "
            "words of raw text are unknown; give a matrix, or run 'conehull topics' on raw text",
            path);
    TRY(cli_check_file(session,
                       cli_settings_from_json(session->context, ch_corpus_table(), settings, text),
                       path));
    settings->stop_words = json_string_value(json_object_get(text, "stop_words"));
    settings->stem = json_string_value(json_object_get(text, "stem"));
    settings->vocabulary = &stored->terms;
    return EXIT_DONE;
}

const char *topics_name(const topics_stored *stored, int64_t z) {
    const json_t *topic = json_array_get(json_object_get(stored->json, "topics"), (size_t)z);
    const char *name = json_string_value(json_object_get(topic, "name"));
    return name ? name : "";
}
