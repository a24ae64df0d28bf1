/* The frames of a long clip, one by one, by the background that a sample of them has given.
 *
 * The frame step is that of conehull live with a background that stays as it is: weights from
 * sampled pixels, exact in l1 and with a certificate, background, score, mask. A thread decodes
 * ahead and each file has one that encodes behind (ch_feed, ch_video_writer), so memory is that of
 * some frames and time that of the slowest. */
#include "common/progress.h"
#include "video/video_command.h"

typedef struct streaming {
    video_run *run;
    video_result *result;
    ch_feed *feed;
    ch_live *live;
    video_taking taking;
} streaming;

static int check(const streaming *work, ch_status status) {
    return cli_check(work->run->session, status);
}

/* The sample's colours have served; its luma stays for the curves of the page. */
static void shrink_sample(const streaming *work) {
    ch_clip *clip = &work->run->video.clip;
    for (int c = 0; c < 3; c++) ch_matrix_free(work->run->session->context, &clip->channel[c]);
}

static int begin(streaming *work) {
    video_run *run = work->run;
    const video_clip *video = &run->video;
    ch_live_settings set;
    ch_live_start start = {.rank = work->result->parts[0].rank, .noise = work->result->noise};
    for (int p = 0; p < video->planes; p++)
        start.H[p] = work->result->parts[video_part_of_plane(video, p)].H;
    ch_live_defaults(&set);
    set.mask = &run->given->mask;
    set.watch = video->watched;
    set.start = &start;
    set.halves = video->clip.halves;
    TRY(check(work,
              ch_live_create(
                  run->session->context, &work->live,
                  &(ch_frame_shape){video->clip.width, video->clip.height, video->planes}, &set)));
    shrink_sample(work);
    return video_feed_open(run->session, &work->feed, run->given);
}

/* What is wanted of a frame in addition to its mask. */
static int flags_of(streaming *work, int64_t row, int64_t index) {
    const video_run *run = work->run;
    int known = video_take_known(&work->taking, index);
    if (known || run->given->choice.views[CLI_VIEW_SOFT]) return CH_LIVE_SCORES;
    int shown = video_files_want(work->taking.files, row) ||
                cli_stills_want(&run->stills, work->result->number, row, known);
    return shown ? 0 : CH_LIVE_MASK_ALONE;
}

/* One frame; *more 0: there was none. */
static int take_frame(streaming *work, int *more) {
    video_clip *video = &work->run->video;
    ch_feed_frame frame = {.size = sizeof frame};
    ch_live_result now = {.size = sizeof now};
    ch_progress_event event = {sizeof event, "frames", video->frames, video->clip.spread_over,
                               -1,           0};
    double start = cli_seconds();
    *more = !video_take_stops(work->run, video->frames);
    if (!*more) return EXIT_DONE;
    if (cli_progress_event(&event, NULL)) return EXIT_INTERRUPTED;
    TRY(check(work, ch_feed_next(work->feed, &frame)));
    video->seconds += cli_seconds() - start;
    *more = frame.planes[0] != NULL;
    if (!*more) return EXIT_DONE;
    TRY(video_clip_count(video, frame.index, frame.time));
    TRY(cli_recording_note(&work->run->recording, frame.file, frame.file_start));
    int flags = flags_of(work, video->frames - 1, frame.index);
    start = cli_seconds();
    TRY(check(work, ch_live_process(work->live, &now, frame.planes, flags)));
    work->result->score += cli_seconds() - start;
    video_block block = {.first = video->frames - 1,
                         .count = 1,
                         .masks = (uint8_t *)now.mask, /* only read, as all of these */
                         .scores = (float *)now.score,
                         .yuv = frame.yuv};
    for (int p = 0; p < video->planes; p++) {
        block.pixels[p] = (uint8_t *)frame.planes[p];
        block.background[p] = (float *)now.background[p];
    }
    return video_take(&work->taking, &block);
}

/* Masks that no frame belonged to are left out of the answer. */
static int match_truth(const streaming *work) {
    video_clip *video = &work->run->video;
    ch_masks *truth = &video->truth;
    int64_t kept = 0;
    if (!work->run->given->truth) return EXIT_DONE;
    for (int64_t i = 0, row = 0; i < truth->count; i++) {
        while (row < video->frames && video->index[row] < truth->frame[i]) row++;
        if (row < video->frames && video->index[row] == truth->frame[i])
            truth->frame[kept++] = truth->frame[i];
    }
    if (kept > 0 || work->run->partial) {
        truth->count = kept;
        return EXIT_DONE;
    }
    return cli_refuse(
        "%s: none of the %lld masks in this folder (frames %lld to %lld) belongs to a frame that "
        "was read (%lld to %lld); change --from and --frames, or the names of the masks",
        work->run->given->truth, (long long)video->truth_found, (long long)truth->frame[0],
        (long long)truth->frame[truth->count - 1], (long long)video->index[0],
        (long long)video->index[video->frames - 1]);
}

static int stream(streaming *work) {
    int more = 1;
    TRY(begin(work));
    while (more) TRY(take_frame(work, &more));
    TRY(match_truth(work));
    ch_live_info info = {.size = sizeof info};
    TRY(check(work, ch_live_get_info(work->live, &info)));
    if (info.worst_gap > work->result->gap) work->result->gap = info.worst_gap;
    work->result->unproven += info.unproven;
    return video_take_end(&work->taking);
}

int video_stream(video_run *run, video_result *result, video_files *files) {
    streaming work = {.run = run, .result = result};
    TRY(video_mask_settle(run, result));
    int code = video_take_begin(&work.taking, run, result, files);
    if (code == EXIT_DONE) code = stream(&work);
    ch_feed_close(work.feed);
    ch_live_destroy(work.live);
    video_take_free(&work.taking);
    return code;
}
