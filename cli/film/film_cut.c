/* Cuts events out of a recording as clips. An event that continues in the next file has one clip
 * per file. */
#include "film/film_cut.h"
#include "common/progress.h"
#include "common/try.h"
#include <math.h>

const char *const cli_cut_names[] = {"event_[0-9][0-9][0-9]*.mp4", "event_[0-9][0-9][0-9]*.mkv",
                                     NULL};

int cli_cut_check(const cli_session *session, const char *const *files, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        const char *suffix;
        ch_status status = ch_video_cut_suffix(session->context, &suffix, files[k]);
        if (status == CH_ERR_ARGUMENT)
            return cli_refuse("%s: --cut: %s", session->options.command,
                              ch_context_message(session->context));
        TRY(cli_check(session, status));
    }
    return EXIT_DONE;
}

int cli_recording_note(cli_recording *recording, int64_t file, const double *start) {
    if (file < recording->reached) return EXIT_DONE;
    double *more = realloc(recording->start, (size_t)(file + 1) * sizeof *more);
    if (!more) return cli_no_memory();
    recording->start = more;
    for (; recording->reached <= file; recording->reached++)
        more[recording->reached] = start[recording->reached];
    return EXIT_DONE;
}

json_t *cli_recording_json(const cli_recording *recording) {
    json_t *list = json_array();
    for (int64_t k = 0; k < recording->reached; k++)
        list = cli_json_append(
            list, cli_json_pack("file:s start:r", recording->files[k], recording->start[k]));
    return cli_json_pack("files:o", list);
}

void cli_recording_free(cli_recording *recording) {
    free(recording->start);
    recording->start = NULL;
}

/* ---- the clips of one file ---- */

static int add_clip(cli_events *events, int64_t event, int64_t file, const char *suffix) {
    if (events->clip_count == events->clip_room) {
        int64_t room = events->clip_room ? 2 * events->clip_room : 64;
        cli_event_clip *more = realloc(events->clips, (size_t)room * sizeof *more);
        if (!more) return cli_no_memory();
        events->clips = more;
        events->clip_room = room;
    }
    int further = 0; /* number of clips that this event already has */
    for (int64_t c = 0; c < events->clip_count; c++) further += events->clips[c].event == event;
    cli_event_clip *clip = &events->clips[events->clip_count++];
    *clip = (cli_event_clip){.event = event, .file = file};
    if (further)
        snprintf(clip->name, sizeof clip->name, "event_%03lld_%d.%s", (long long)(event + 1),
                 further + 1, suffix);
    else
        snprintf(clip->name, sizeof clip->name, "event_%03lld.%s", (long long)(event + 1), suffix);
    return EXIT_DONE;
}

/* Lists the clips of the events that overlap the file, which begins at `start` and ends before
 * `end`. */
static int list_clips(cli_events *events, int64_t file, double start, double end,
                      const char *suffix) {
    for (int64_t i = 0; i < events->count; i++)
        if (events->list[i].end > start && events->list[i].start < end)
            TRY(add_clip(events, i, file, suffix));
    return EXIT_DONE;
}

/* Cuts clips [first, count) out of their file. */
static int cut_file(cli_events *events, cli_folder *folder, int64_t first, const char *path,
                    double start) {
    const cli_session *session = folder->session;
    int64_t count = events->clip_count - first;
    ch_video_piece *pieces = calloc((size_t)count + 1, sizeof *pieces);
    int code = pieces ? EXIT_DONE : cli_no_memory();
    for (int64_t k = 0; k < count && code == EXIT_DONE; k++) {
        const cli_event_clip *clip = &events->clips[first + k];
        const ch_event *event = &events->list[clip->event];
        char *to;
        code = cli_folder_begin(folder, &to, clip->name);
        pieces[k] = (ch_video_piece){.size = sizeof *pieces,
                                     .path = to,
                                     .start = fmax(event->start - start, 0),
                                     .end = event->end - start};
    }
    if (code == EXIT_DONE)
        code = cli_check(session, ch_video_cut(session->context, pieces, count, path));
    for (int64_t k = 0; k < count && pieces; k++) {
        cli_event_clip *clip = &events->clips[first + k];
        clip->start = start + pieces[k].cut_start;
        clip->end = start + pieces[k].cut_end;
        free((char *)pieces[k].path);
    }
    free(pieces);
    return code;
}

static int cut_all(cli_events *events, cli_folder *folder, const cli_recording *recording) {
    events->files = recording->files;
    for (int64_t k = 0; k < recording->reached; k++) {
        int64_t first = events->clip_count;
        double end = k + 1 < recording->reached ? recording->start[k + 1] : INFINITY;
        const char *suffix;
        TRY(cli_check(events->session,
                      ch_video_cut_suffix(events->session->context, &suffix, recording->files[k])));
        TRY(list_clips(events, k, recording->start[k], end, suffix));
        if (events->clip_count > first)
            TRY(cut_file(events, folder, first, recording->files[k], recording->start[k]));
    }
    return EXIT_DONE;
}

int cli_cut_events(cli_events *events, cli_folder *folder, const cli_recording *recording) {
    ch_context *context = folder->session->context;
    /* the clips are cut also after Ctrl-C */
    if (folder->keeps) ch_context_set_progress(context, NULL, NULL);
    int code = cut_all(events, folder, recording);
    if (folder->keeps) ch_context_set_progress(context, cli_progress_event, NULL);
    if (code == EXIT_DONE) return code;
    for (int64_t c = 0; c < events->clip_count; c++) cli_folder_drop(folder, events->clips[c].name);
    events->clip_count = 0;
    return code;
}
