/* The folder of conehull exemplars. */
#include "common/exit_codes.h"
#include "common/message.h"
#include "exemplars/exemplars_command.h"
#include "report_exemplars.h"
#include <conehull/picture.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURES = 60 };

static int no_memory(void) {
    cli_complain("out of memory");
    return EXIT_MEMORY;
}

/* ---- frames as pictures ---- */

typedef struct pictures {
    report_blob blobs[PICTURES];
    size_t count;
} pictures;

static ch_status encode_frame(ch_context *context, report_blob *blob, const ch_clip *clip,
                              uint8_t *pixels, int64_t frame) {
    ch_picture picture = {clip->width, clip->height, 1, pixels};
    ch_status status = ch_clip_frames(context, pixels, &clip->luma, frame, frame + 1);
    if (status == CH_OK)
        status = ch_picture_encode_jpeg(context, &blob->bytes, &blob->length, &picture, 85);
    if (status == CH_OK) blob->type = "image/jpeg";
    return status;
}

static int encode_frames(const cli_session *session, pictures *made, const exemplars_data *data,
                         const json_t *columns) {
    const ch_clip *clip = &data->clip;
    uint8_t *pixels = malloc((size_t)(clip->width * clip->height) + 1);
    ch_status status = CH_OK;
    if (!pixels) return no_memory();
    for (size_t k = 0; k < json_array_size(columns) && k < PICTURES && status == CH_OK; k++) {
        status = encode_frame(session->context, &made->blobs[k], clip, pixels,
                              json_integer_value(json_array_get(columns, k)));
        if (status == CH_OK) made->count++;
    }
    free(pixels);
    return status < 0 ? cli_fail(session, status, NULL) : EXIT_DONE;
}

/* ---- the files ---- */

static void write_page(FILE *to, const json_t *result, const pictures *made) {
    report_exemplars_write(to, result, made->blobs, made->count);
}

static void write_chart(FILE *to, const json_t *result, const pictures *made) {
    (void)made;
    report_exemplars_chart(to, result);
}

static void write_csv(FILE *to, const json_t *result, const pictures *made) {
    const json_t *ranks = json_object_get(result, "ranks");
    json_int_t splits = json_integer_value(json_object_get(result, "splits"));
    (void)made;
    fputs("method,r,mean,sd", to);
    for (json_int_t s = 1; s <= splits; s++) fprintf(to, ",split%lld", (long long)s);
    fputc('\n', to);
    size_t methods = report_video_count(result);
    for (size_t i = 0; i <= methods; i++) {
        const json_t *one = i < methods ? report_video_result(result, i) : NULL;
        for (size_t k = 0; k < (one ? json_array_size(ranks) : 1); k++) {
            char rank[24] = "";
            if (one)
                snprintf(rank, sizeof rank, "%lld",
                         (long long)json_integer_value(json_array_get(ranks, k)));
            const json_t *figure = one ? json_object_get(json_object_get(one, "accuracy"), rank)
                                       : json_object_get(result, "full");
            fprintf(to, "%s,%s,%.6f", one ? report_string(one, "method") : "whole-half", rank,
                    report_real(figure, "mean"));
            if (splits > 1)
                fprintf(to, ",%.6f", report_real(figure, "sd"));
            else
                fputc(',', to);
            for (json_int_t s = 0; s < splits; s++)
                fprintf(
                    to, ",%.6f",
                    json_number_value(json_array_get(json_object_get(figure, "each"), (size_t)s)));
            fputc('\n', to);
        }
    }
}

static const char *text_at(const json_t *one, const char *key, size_t k) {
    const char *text = json_string_value(json_array_get(json_object_get(one, key), k));
    return text ? text : "";
}

/* Tabs and line ends inside a name would break the table. */
static void put_plain(FILE *to, const char *text) {
    for (; *text; text++) fputc((unsigned char)*text < ' ' ? ' ' : *text, to);
}

static void write_list(FILE *to, const json_t *one, const pictures *made) {
    const json_t *columns = json_object_get(one, "exemplars");
    (void)made;
    fputs("# column\tname\tlabel\tstands for\tterms\n", to);
    for (size_t k = 0; k < json_array_size(columns); k++) {
        const json_t *words = json_array_get(json_object_get(one, "terms"), k);
        fprintf(to, "%lld\t", (long long)json_integer_value(json_array_get(columns, k)));
        put_plain(to, text_at(one, "names", k));
        fputc('\t', to);
        put_plain(to, text_at(one, "labels", k));
        fprintf(
            to, "\t%lld\t",
            (long long)json_integer_value(json_array_get(json_object_get(one, "stands_for"), k)));
        for (size_t t = 0; t < json_array_size(words); t++) {
            if (t) fputc(' ', to);
            put_plain(to, json_string_value(json_array_get(words, t)));
        }
        fputc('\n', to);
    }
}

typedef void (*writer)(FILE *to, const json_t *result, const pictures *made);

static int add_file(cli_folder *folder, const char *name, writer write, const json_t *result,
                    const pictures *made) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to) return no_memory();
    write(to, result, made);
    int code = fclose(to) == 0 ? cli_folder_text(folder, name, text, length) : no_memory();
    free(text);
    return code;
}

/* exemplars.txt for the first method, exemplars-METHOD.txt for others. */
static int add_lists(cli_folder *folder, const json_t *result) {
    int code = EXIT_DONE;
    for (size_t i = 0; i < report_video_count(result) && code == EXIT_DONE; i++) {
        const json_t *one = report_video_result(result, i);
        char name[48] = "exemplars.txt";
        if (i) snprintf(name, sizeof name, "exemplars-%s.txt", report_string(one, "method"));
        code = add_file(folder, name, write_list, one, NULL);
    }
    return code;
}

static int add_files(cli_folder *folder, const json_t *result, const pictures *made) {
    int code = add_lists(folder, result);
    if (code == EXIT_DONE) code = cli_folder_json(folder, "result.json", result);
    if (json_object_get(result, "full")) {
        if (code == EXIT_DONE) code = add_file(folder, "accuracy.csv", write_csv, result, made);
        if (code == EXIT_DONE) code = add_file(folder, "accuracy.svg", write_chart, result, made);
    }
    if (code == EXIT_DONE) code = add_file(folder, "report.html", write_page, result, made);
    return code;
}

/* Names that an earlier run may have left and this one does not write, NULL at the end. */
enum { STALE = EXEMPLARS_METHODS + 2 };
typedef struct stale_files {
    char lists[EXEMPLARS_METHODS][48];
    const char *names[STALE + 1];
} stale_files;

static void name_stale(stale_files *stale, const exemplars_arguments *given, int labelled) {
    int count = 0;
    for (int m = 0; m < EXEMPLARS_METHODS; m++) {
        int written = 0;
        for (int i = 1; i < given->method_count; i++) written |= given->methods[i] == m;
        if (written) continue;
        snprintf(stale->lists[m], sizeof stale->lists[m], "exemplars-%s.txt",
                 ch_exemplars_methods[m].name);
        stale->names[count++] = stale->lists[m];
    }
    if (!labelled) {
        stale->names[count++] = "accuracy.csv";
        stale->names[count++] = "accuracy.svg";
    }
    stale->names[count] = NULL;
}

int exemplars_write(const cli_session *session, const exemplars_arguments *given,
                    const exemplars_data *data, json_t *result) {
    stale_files stale;
    pictures made = {.count = 0};
    cli_folder folder;
    double start = cli_seconds();
    int code = EXIT_DONE;
    name_stale(&stale, given, data->classes != NULL);
    if (data->kind == EXEMPLARS_FRAMES)
        code = encode_frames(session, &made, data,
                             json_object_get(report_video_result(result, 0), "exemplars"));
    if (code == EXIT_DONE) {
        code = cli_folder_open(&folder, session, given->folder);
        if (code == EXIT_DONE) {
            code = add_files(&folder, result, &made);
            code = cli_folder_close(&folder, code, stale.names);
        }
    }
    for (size_t k = 0; k < made.count; k++) ch_bytes_free(session->context, made.blobs[k].bytes);
    json_object_set_new(json_object_get(result, "seconds"), "write",
                        json_real(cli_seconds() - start));
    return code;
}
