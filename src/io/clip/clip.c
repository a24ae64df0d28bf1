/* Reads clips: chooses frames of the input and a part of their pictures, and checks the memory.
 *
 * Frames i with from <= i < from + frames are kept if step divides i - from or i is in the keep
 * list. The length stated in a file is often wrong, so its packets are counted first (cheap,
 * because nothing is decoded). When the first picture shows its size, memory for this many frames
 * is announced, checked against the limit and allocated. If more frames come, the planes grow. */
#include "base/sized.h"
#include "io/clip/frames.h"

enum { PIPE_FRAMES = 256 }; /* first guess if the length is unknown */

typedef struct clip_run {
    ch_context *context;
    const char *path;
    ch_clip_settings set;
    chi_input *input;
    int64_t available;    /* frames in the input, up to the end of the range; -1 if unknown    */
    int64_t keep_next;    /* position in set.keep                                              */
    int64_t over;         /* frames, by step, over which a sample is spread; 0 if all are kept */
    int64_t sampled;      /* frames of the sample so far                                       */
    int64_t last_sampled; /* the first frame of the last pair                                  */
    ch_status status;     /* status of choosing frames                                         */
    int planned;
    chi_cut cut;
    chi_planes planes;
    ch_clip clip;
} clip_run;

static int64_t stretch_end(const clip_run *run) {
    return run->set.frames ? run->set.from + run->set.frames : INT64_MAX;
}

/* Returns the next frame of a sample. A sample consists of pairs of frames. Each pair is in the
 * middle of its share of the range or, if the file has key frames often enough, at the nearest key
 * frame, so that the frames between need not be decoded. */
static int64_t next_sampled(clip_run *run) {
    const ch_clip_settings *set = &run->set;
    int64_t pairs = set->spread / 2, pair = run->sampled / 2;
    if (pair >= pairs) return INT64_MAX;
    if (run->sampled++ % 2) return run->last_sampled + set->step;
    int64_t at = set->from + (2 * pair + 1) * run->over / (2 * pairs) * set->step;
    if (set->step == 1) {
        int64_t near;
        run->status = chi_input_near_key(run->input, &near, at, run->over / pairs / 2);
        if (run->status != CH_OK) return INT64_MAX;
        if (near > run->last_sampled + 1 && near + 1 < set->from + run->over) at = near;
    }
    return run->last_sampled = at;
}

/* Returns the first kept frame at or after position, or INT64_MAX. */
static int64_t next_kept(clip_run *run, int64_t position) {
    const ch_clip_settings *set = &run->set;
    if (run->over) return next_sampled(run);
    if (position < set->from) position = set->from;
    while (run->keep_next < set->keep_count && set->keep[run->keep_next] < position)
        run->keep_next++;
    int64_t next = position + (set->step - (position - set->from) % set->step) % set->step;
    if (run->keep_next < set->keep_count && set->keep[run->keep_next] < next)
        next = set->keep[run->keep_next];
    return next < stretch_end(run) ? next : INT64_MAX;
}

/* Returns the number of kept frames among the first `available` of the input. */
static int64_t count_kept(const clip_run *run, int64_t available) {
    const ch_clip_settings *set = &run->set;
    int64_t end = stretch_end(run) < available ? stretch_end(run) : available;
    if (end <= set->from) return 0;
    if (run->over) return set->spread / 2 * 2;
    int64_t count = (end - set->from + set->step - 1) / set->step;
    for (int64_t k = 0; k < set->keep_count; k++)
        count += set->keep[k] >= set->from && set->keep[k] < end &&
                 (set->keep[k] - set->from) % set->step != 0;
    return count;
}

static ch_status check_settings(ch_context *context, const ch_clip_settings *set) {
    if (set->keep_count < 0 || (set->keep_count && !set->keep))
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "ch_clip_settings: keep_count is negative, or keep is NULL although "
                        "keep_count is not 0");
    for (int64_t k = 1; k < set->keep_count; k++)
        if (set->keep[k] <= set->keep[k - 1])
            return chi_fail(context, CH_ERR_ARGUMENT,
                            "the list of frames to keep must be in increasing order, but frame "
                            "%lld follows frame %lld",
                            (long long)set->keep[k], (long long)set->keep[k - 1]);
    return CH_OK;
}

static void describe(clip_run *run) {
    ch_clip *clip = &run->clip;
    const chi_cut *cut = &run->cut;
    chi_input_describe(run->input, clip);
    clip->source_width = cut->source_width;
    clip->source_height = cut->source_height;
    clip->roi_x = cut->part.x;
    clip->roi_y = cut->part.y;
    clip->roi_width = cut->part.width;
    clip->roi_height = cut->part.height;
    clip->width = cut->width;
    clip->height = cut->height;
    clip->colour = cut->colour;
}

/* Returns whether colours are stored at half resolution, as in the source: only for a sample of
 * whole pictures. */
static int has_halves(const clip_run *run, const chi_frame *frame) {
    const chi_cut *cut = &run->cut;
    return run->set.halves && cut->width * cut->height >= run->set.halves && run->over &&
           cut->colour && chi_frame_yuv(frame).present && cut->width == cut->source_width &&
           cut->height == cut->source_height;
}

static ch_status plan(clip_run *run, const chi_frame *frame) {
    const ch_clip_settings *set = &run->set;
    chi_rectangle wanted = {set->roi_x, set->roi_y, set->roi_width, set->roi_height};
    TRY(chi_cut_plan(run->context, &run->cut, run->path, frame, &wanted, set->width, set->gray));
    describe(run);
    run->clip.halves = has_halves(run, frame);
    chi_frame_aspect(run->clip.aspect, frame);
    int64_t kept = run->available >= 0   ? count_kept(run, run->available)
                   : run->set.frames > 0 ? count_kept(run, INT64_MAX)
                                         : PIPE_FRAMES;
    if (kept < 1) kept = 1;
    chi_clip_memory room = {
        run->path, &run->set, &run->clip, kept, run->available < 0 && !run->set.frames, 0};
    TRY(chi_clip_memory_check(run->context, &room));
    chi_clip_memory_announce(run->context, &room);
    TRY(chi_planes_create(run->context, &run->planes, run->path, run->clip.width * run->clip.height,
                          run->clip.halves   ? CHI_PLANES_HALVES
                          : run->clip.colour ? 4
                                             : 1,
                          kept));
    TRY(chi_cut_reserve(&run->cut));
    run->planned = 1;
    return CH_OK;
}

static ch_status reserve(clip_run *run) {
    chi_planes *planes = &run->planes;
    if (planes->filled + planes->waiting < planes->capacity) return CH_OK;
    int64_t held = planes->capacity * planes->pixels; /* the plane that is being moved */
    chi_clip_memory room = {run->path, &run->set, &run->clip, 2 * planes->capacity, 1, held};
    TRY(chi_clip_memory_check(run->context, &room));
    return chi_planes_grow(planes, 2 * planes->capacity);
}

/* Records where the files of the recording begin. */
static ch_status note_file(clip_run *run, const chi_frame *frame) {
    ch_clip *clip = &run->clip;
    if (frame->file < clip->file_count) return CH_OK;
    TRY(chi_array_enlarge(run->context, &clip->file_start, clip->file_count, frame->file + 1,
                          sizeof *clip->file_start, run->path, "beginnings of files"));
    for (; clip->file_count <= frame->file; clip->file_count++)
        clip->file_start[clip->file_count] = frame->starts[clip->file_count];
    return CH_OK;
}

static ch_status take_halves(clip_run *run, uint8_t *const slot[4], const chi_frame *frame,
                             int64_t position) {
    TRY(chi_cut_check(&run->cut, run->input, frame, position));
    if (!chi_frame_yuv(frame).present)
        return chi_fail(
            run->context, CH_ERR_FORMAT,
            "%s: the pixel format of frame %lld differs from that of the frames before it",
            run->path, (long long)position);
    chi_frame_halves(slot[0], slot[1], slot[2], frame);
    return CH_OK;
}

static ch_status add_frame(clip_run *run, const chi_frame *frame, int64_t position) {
    const chi_planes *planes = &run->planes;
    TRY(reserve(run));
    uint8_t *slot[4] = {NULL};
    for (int p = 0; p < planes->count; p++)
        slot[p] = planes->block[p] + planes->waiting * planes->pitch;
    if (run->clip.halves)
        TRY(take_halves(run, slot, frame, position));
    else
        TRY(chi_cut_pixels(&run->cut, slot[0], run->cut.colour ? slot + 1 : NULL, run->input, frame,
                           position));
    chi_planes_push(&run->planes, position, frame->time);
    return note_file(run, frame);
}

static ch_status fail_empty(const clip_run *run, int64_t wanted) {
    if (wanted == 0 || run->available == 0)
        return chi_fail(
            run->context, CH_ERR_FORMAT, "%s: no picture of the video could be decoded%s",
            run->path,
            chi_video_seekable(chi_input_video(run->input))
                ? ""
                : "; most mp4 files cannot be read from a pipe: give the name of the file");
    return chi_fail(run->context, CH_ERR_ARGUMENT,
                    "%s: frame %lld was requested, but the input ends before it", run->path,
                    (long long)wanted);
}

/* Plans a sample if there are more frames than it may have, at least three for each pair. */
static void plan_sample(clip_run *run) {
    const ch_clip_settings *set = &run->set;
    int64_t end = stretch_end(run) < run->available ? stretch_end(run) : run->available;
    int64_t frames = end > set->from ? (end - set->from + set->step - 1) / set->step : 0;
    if (set->spread < 2 || frames <= set->spread + set->spread / 2 || frames <= set->spread_above)
        return;
    run->over = run->clip.spread_over = frames;
    run->last_sampled = set->from - 2;
}

static ch_status read_frames(clip_run *run) {
    int64_t end = stretch_end(run);
    TRY(chi_input_count(run->input, &run->available, end));
    plan_sample(run);
    int64_t wanted = next_kept(run, 0);
    int64_t total = run->available > 0 && run->available < end ? run->available
                    : run->set.frames                          ? end
                                                               : 0;
    chi_frame frame = {.native = NULL};
    while (wanted < INT64_MAX) {
        TRY_OK(chi_input_seek(run->input, &frame, wanted, total));
        if (!frame.native) break;
        if (!run->planned) TRY(plan(run, &frame));
        TRY(add_frame(run, &frame, wanted));
        wanted = next_kept(run, wanted + 1);
    }
    TRY_OK(run->status);
    if (!run->planned) return fail_empty(run, wanted);
    /* Damage after the last requested frame does no harm. */
    return chi_input_report(run->input, run->set.partial || wanted == INT64_MAX);
}

ch_status ch_clip_read(ch_context *context, ch_clip *clip, const char *path,
                       const ch_clip_settings *settings) {
    if (!context || !clip) return CH_ERR_ARGUMENT;
    TRY(chi_check_name(context, path, "a clip"));
    clip_run run = {.context = context, .path = path};
    TRY(chi_sized_check(context, clip, "ch_clip"));
    TRY(chi_settings_take(context, &run.set, ch_clip_table(), settings));
    TRY(check_settings(context, &run.set));
    chi_files files;
    TRY(chi_files_list(context, &files, path, run.set.more, run.set.more_count));
    ch_status status = chi_input_open(context, &run.input, &files, 0, run.set.partial);
    if (status == CH_OK) status = read_frames(&run);
    if (status == CH_OK) chi_planes_finish(&run.planes, &run.clip);
    chi_input_close(run.input);
    chi_planes_free(&run.planes);
    chi_cut_free(&run.cut);
    chi_free(context, (void *)files.path);
    if (status != CH_OK) chi_free(context, run.clip.file_start);
    if (status == CH_OK) chi_result_give(clip, &run.clip, sizeof run.clip);
    if (status == CH_STOP_CANCELLED) chi_result_clear(clip);
    return status;
}

void ch_clip_free(ch_context *context, ch_clip *clip) {
    if (!context || !clip) return;
    ch_matrix_free(context, &clip->luma);
    for (int c = 0; c < 3; c++) ch_matrix_free(context, &clip->channel[c]);
    chi_free(context, clip->index);
    chi_free(context, clip->time);
    if (clip->size >= sizeof *clip) chi_free(context, clip->file_start);
    chi_result_clear(clip);
}
