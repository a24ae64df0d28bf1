/* The run of conehull video, one method after the other; files appear together at the end. */
#include "video/video_run.h"
#include "common/exit_codes.h"
#include "common/matrix_input.h"
#include "common/message.h"
#include "common/output_folder.h"
#include "video/video_files.h"
#include "video/video_json.h"
#include "video/video_page_frames.h"
#include <stdlib.h>
#include <string.h>

typedef struct video_whole {
    const cli_session *session;
    video_arguments *given;
    video_clip video;
    video_model model;
    cli_folder folder;
    video_film film;
    json_t *results;
    ch_status status; /* of the method that ended worst */
    double start;
} video_whole;

static int no_memory(void) {
    cli_complain("out of memory");
    return EXIT_MEMORY;
}

/* ---- texts of one method ---- */

static void put_activity(FILE *to, const video_result *result, const ch_clip *clip) {
    fputs("frame,time,foreground,share,objects,left,top,right,bottom\n", to);
    for (int64_t i = 0; i < clip->frames; i++) {
        const ch_activity *now = &result->activity[i];
        fprintf(to, "%lld,%.3f,%lld,%.6f,%lld,%lld,%lld,%lld,%lld\n", (long long)clip->index[i],
                clip->time[i], (long long)now->foreground, now->share, (long long)now->objects,
                (long long)now->left, (long long)now->top, (long long)now->right,
                (long long)now->bottom);
    }
}

static int write_activity(video_whole *run, const video_result *result, const char *suffix) {
    char name[VIDEO_NAME_SIZE], *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to) return no_memory();
    put_activity(to, result, &run->video.clip);
    video_file_name(name, "activity.csv", suffix);
    int code = fclose(to) == 0 ? cli_folder_text(&run->folder, name, text, length) : no_memory();
    free(text);
    return code;
}

/* ---- one method ---- */

static int mask_and_write(video_whole *run, video_result *result, int number) {
    const video_model *model = run->given->model ? &run->model : NULL;
    const char *suffix = number > 0 ? video_method_name(result->method) : NULL;
    video_files files;
    video_film_turn(&run->film, number, &result->report);
    int code = video_files_open(&files, &run->folder, &run->video, suffix, run->given->soft,
                                &result->write);
    const video_listener listeners[] = {{video_files_hear, &files}, {video_film_hear, &run->film}};
    if (code == EXIT_DONE)
        code = video_mask(run->session, result, &run->video, run->given, model, listeners, 2);
    code = video_files_close(&files, code);
    return code == EXIT_DONE ? write_activity(run, result, suffix) : code;
}

static int run_method(video_whole *run, int number) {
    const video_model *model = run->given->model ? &run->model : NULL;
    video_result result = {.method = model ? model->method : run->given->methods[number]};
    int code = video_memory_check(run->session, &run->video, run->given, result.method,
                                  model ? model->rank : 0);
    if (code == EXIT_DONE)
        code = video_separate(run->session, &result, &run->video, run->given, model);
    if (code == EXIT_DONE) code = mask_and_write(run, &result, number);
    if (code == EXIT_DONE) code = video_find_path(run->session, &result, &run->video);
    if (code == EXIT_DONE && run->given->save)
        code = video_model_write(run->session, run->given->save, &result, &run->video);
    if (code == EXIT_DONE && number == 0) video_film_start(&run->film, result.activity);
    if (code == EXIT_DONE &&
        json_array_append_new(run->results, video_json_result(&result, &run->video)) != 0)
        code = no_memory();
    if (cli_exit_code(result.status) > cli_exit_code(run->status)) run->status = result.status;
    video_result_free(run->session, &result);
    return code;
}

/* ---- the page, and the end ---- */

static int write_page(video_whole *run, const json_t *scores) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to) return no_memory();
    report_video_write(to, scores, &run->film.film);
    int code =
        fclose(to) == 0 ? cli_folder_text(&run->folder, "report.html", text, length) : no_memory();
    free(text);
    return code;
}

static int write_results(video_whole *run, json_t **scores) {
    double start = cli_seconds();
    *scores = video_json_join(video_json_run(run->session, &run->video, run->given),
                              json_incref(run->results));
    if (!*scores) return no_memory();
    video_json_seconds(*scores, 0, cli_seconds() - run->start);
    int code = write_page(run, *scores);
    video_json_seconds(*scores, cli_seconds() - start, cli_seconds() - run->start);
    return code == EXIT_DONE ? cli_folder_json(&run->folder, "scores.json", *scores) : code;
}

static int run_in_folder(video_whole *run, json_t **scores) {
    int methods = run->given->model ? 1 : run->given->method_count;
    int code = cli_folder_open(&run->folder, run->session, run->given->folder);
    if (code == EXIT_DONE) code = video_film_create(&run->film, run->session, &run->video, methods);
    for (int i = 0; i < methods && code == EXIT_DONE; i++) code = run_method(run, i);
    if (code == EXIT_DONE) code = write_results(run, scores);
    return video_folder_close(&run->folder, code);
}

int video_run(const cli_session *session, video_arguments *given, json_t **scores) {
    video_whole run = {.session = session, .given = given, .start = cli_seconds()};
    *scores = NULL;
    run.results = json_array();
    int code = run.results ? cli_folder_check(given->folder) : no_memory();
    if (code == EXIT_DONE && given->model)
        code = video_model_read(session, &run.model, given->model);
    if (code == EXIT_DONE) code = video_clip_read(session, &run.video, given);
    if (code == EXIT_DONE && given->model)
        code = video_model_check(&run.model, &run.video, given->model);
    if (code == EXIT_DONE) code = run_in_folder(&run, scores);
    if (code == EXIT_INTERRUPTED) cli_complain("interrupted; nothing was written");
    if (code != EXIT_DONE) {
        json_decref(*scores);
        *scores = NULL;
    }
    video_film_free(&run.film);
    video_clip_free(session, &run.video);
    video_model_free(session, &run.model);
    json_decref(run.results);
    return code == EXIT_DONE ? cli_exit_code(run.status) : code;
}
