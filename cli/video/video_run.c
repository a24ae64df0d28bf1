/* The run of conehull video, one method after the other; files appear together at the end. */
#include "video/video_command.h"

static int mask_and_write(video_run *run, video_result *result) {
    video_files files;
    int code = video_files_open(&files, run, result);
    if (code == EXIT_DONE)
        code = run->video.streams ? video_stream(run, result, &files)
                                  : video_mask(run, result, &files);
    code = video_files_close(&files, result, code);
    if (code == EXIT_DONE && run->given->event.cut && result->number == 0) {
        double start = cli_seconds();
        code = cli_cut_events(&result->events, &run->folder, &run->recording);
        result->write += cli_seconds() - start;
    }
    return code == EXIT_DONE ? video_activity_write(&files, result) : code;
}

static int run_method(video_run *run, int number) {
    video_result *result = &run->results[number];
    result->method = run->given->model ? run->model.method : run->given->methods[number];
    result->number = number;
    result->ghosts.size = sizeof result->ghosts;
    result->mask.size = sizeof result->mask;
    result->roc.size = sizeof result->roc;
    for (int c = 0; c < VIDEO_PARTS; c++) result->parts[c].size = sizeof result->parts[c];
    TRY(video_memory_check(run, result->method));
    TRY(video_separate(run, result));
    TRY(mask_and_write(run, result));
    if (run->given->save) TRY(video_model_write(run, result));
    if (number == 0) cli_stills_start(&run->stills, result->activity);
    run->list = cli_json_append(run->list, video_json_result(run, result));
    video_result_shrink(run->session, result);
    return run->list ? EXIT_DONE : cli_no_memory();
}

static void write_page(FILE *to, const void *user) {
    const video_run *run = user;
    report_video_write(to, run->scores, &run->stills.film);
}

static int write_results(video_run *run) {
    double start = cli_seconds();
    run->scores = video_json(run);
    if (!run->scores) return cli_no_memory();
    video_json_seconds(run->scores, 0, cli_seconds() - run->start);
    TRY(cli_folder_write(&run->folder, "report.html", write_page, run));
    run->total = cli_seconds() - run->start;
    video_json_seconds(run->scores, cli_seconds() - start, run->total);
    return cli_folder_json(&run->folder, "scores.json", run->scores);
}

static int run_methods(video_run *run) {
    TRY(cli_folder_open(&run->folder, run->session, run->given->folder));
    TRY(cli_pictures_create(&run->pictures, run->session, &run->video.shape));
    TRY(cli_stills_create(&run->stills, &run->pictures, run->count,
                          run->video.streams ? run->video.clip.spread_over : run->video.frames));
    for (int i = 0; i < run->count; i++) TRY(run_method(run, i));
    return write_results(run);
}

static int read_and_run(video_run *run) {
    video_arguments *given = run->given;
    TRY(cli_folder_check(given->folder));
    run->recording.files = run->session->options.all;
    run->recording.count = run->session->options.all_count;
    if (given->event.cut)
        TRY(cli_cut_check(run->session, run->recording.files, run->recording.count));
    if (given->model) TRY(video_model_read(run->session, &run->model, given->model));
    TRY(video_clip_read(run->session, &run->video, given));
    if (!run->video.streams)
        TRY(cli_recording_note(&run->recording, run->video.clip.file_count - 1,
                               run->video.clip.file_start));
    if (given->model) TRY(video_model_check(&run->model, &run->video, given->model));
    run->count = given->model ? 1 : given->method_count;
    return video_folder_close(&run->folder, run_methods(run));
}

int video_run_all(video_run *run, const cli_session *session, video_arguments *given) {
    *run = (video_run){.video.clip.size = sizeof run->video.clip,
                       .video.truth.size = sizeof run->video.truth,

                       .session = session,
                       .given = given,
                       .list = json_array(),
                       .start = cli_seconds()};
    int code = read_and_run(run), status = EXIT_DONE;
    if (code == EXIT_INTERRUPTED) cli_complain("the run was interrupted; nothing was written");
    if (code != EXIT_DONE) {
        json_decref(run->scores);
        run->scores = NULL;
    }
    for (int i = 0; i < run->count; i++) {
        int own = cli_exit_code(run->results[i].status);
        if (own > status) status = own;
    }
    if (code == EXIT_DONE && run->partial) {
        cli_complain("the run was interrupted; the files so far are kept, with %lld frames up to "
                     "second %.2f",
                     (long long)run->video.frames, run->video.time[run->video.frames - 1]);
        return EXIT_INTERRUPTED;
    }
    return code == EXIT_DONE ? status : code;
}

void video_run_free(video_run *run) {
    for (int i = 0; i < VIDEO_METHODS_MAX; i++) video_result_free(run->session, &run->results[i]);
    cli_stills_free(&run->stills);
    cli_pictures_free(&run->pictures);
    video_clip_free(run->session, &run->video);
    cli_recording_free(&run->recording);
    video_model_free(run->session, &run->model);
    json_decref(run->list);
    json_decref(run->scores);
}
