/* Frames by their position in the input: a video is decoded frame by frame; of a list of pictures
 * only the needed ones are opened. */
#include "io/clip/frames.h"
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static const char *const picture_suffixes[] = {".png", ".jpg", ".jpeg", ".pgm",  ".ppm",  ".pnm",
                                               ".pbm", ".bmp", ".tif",  ".tiff", ".webp", NULL};
static const double picture_rate = 25; /* pictures have no times; libav uses this rate */

struct chi_input {
    ch_context *context;
    chi_files files; /* files of the recording; `file` is the current one */
    int64_t file;
    const char *path; /* path of the current file */
    int64_t silence;
    int partial;     /* whether to use what there is of a file that ends early */
    chi_names names; /* list of pictures; empty for a video                    */
    chi_video *video;
    int64_t position;   /* position of the next frame                                  */
    int64_t begin;      /* position of the first frame of the file                     */
    int64_t opened;     /* the picture that `video` has open, or -1                    */
    double offset;      /* time of the recording at which the file begins, in seconds  */
    double *starts;     /* offsets of the files so far                                 */
    double start, last; /* stamp of the file's first frame; time of the previous frame */
    int crooked;        /* whether missing or decreasing time stamps have been logged  */
};

ch_status chi_files_list(ch_context *context, chi_files *files, const char *path,
                         const char *const *more, int64_t count) {
    if (count < 0 || (count && !more))
        return chi_fail(context, CH_ERR_ARGUMENT, "ch_clip_settings: more_count is %lld, but %s",
                        (long long)count, count < 0 ? "it must not be negative" : "more is NULL");
    const char **list = chi_alloc(context, 1 + count, sizeof *list);
    if (!list) return chi_no_memory(context, "names of files", 1 + count, sizeof *list);
    list[0] = path;
    *files = (chi_files){list, 1 + count};
    ch_status status = CH_OK;
    for (int64_t k = 0; k < count && status == CH_OK; k++) {
        status = chi_check_name(context, more[k], "a file of a recording");
        list[1 + k] = more[k];
    }
    if (status < 0) chi_free(context, (void *)list);
    return status;
}

static ch_status list_pictures(chi_input *input) {
    struct stat facts;
    int exists = strcmp(input->path, "-") != 0 && stat(input->path, &facts) == 0;
    if (exists && S_ISDIR(facts.st_mode)) {
        TRY(chi_names_folder(input->context, &input->names, input->path, picture_suffixes));
        if (input->names.count) return CH_OK;
        return chi_fail(input->context, CH_ERR_FORMAT,
                        "%s: the folder contains no pictures (png, jpg, pgm, ppm, bmp, tif, webp)",
                        input->path);
    }
    if (!exists && chi_is_pattern(input->path))
        return chi_names_pattern(input->context, &input->names, input->path);
    return CH_OK;
}

static ch_status open_picture(chi_input *input, int64_t position) {
    if (input->opened == position) return CH_OK;
    chi_video_close(input->video);
    input->video = NULL;
    input->opened = -1;
    TRY(chi_video_open(input->context, &input->video, input->names.name[position], 0));
    input->opened = position;
    return CH_OK;
}

static void close_file(chi_input *input) {
    chi_video_close(input->video);
    chi_names_free(input->context, &input->names);
    input->video = NULL;
    input->names = (chi_names){0};
    input->opened = -1;
}

static ch_status open_file(chi_input *input, int64_t file) {
    input->file = file;
    input->path = input->files.path[file];
    if (input->starts) input->starts[file] = input->offset;
    if (!input->silence) TRY(list_pictures(input));
    if (input->names.count) return open_picture(input, 0);
    return chi_video_open(input->context, &input->video, input->path, input->silence);
}

/* Checks before any work that the files of a recording have pictures of one size, and that all can
 * be read more than once. */
static ch_status check_files(chi_input *input) {
    int64_t size[2], other[2];
    for (int64_t file = 0; file < input->files.count; file++) {
        close_file(input);
        TRY(open_file(input, file));
        if (!chi_video_seekable(input->video))
            return chi_fail(
                input->context, CH_ERR_ARGUMENT,
                "%s: a recording of several files can be read from files only, not from a pipe",
                input->path);
        chi_video_size(input->video, other);
        if (file == 0) memcpy(size, other, sizeof size);
        if (size[0] != other[0] || size[1] != other[1])
            return chi_fail(
                input->context, CH_ERR_FORMAT,
                "%s: the pictures of this file are %lld x %lld, but the pictures of %s are %lld x "
                "%lld; all files of a recording must have pictures of the same size",
                input->path, (long long)other[0], (long long)other[1], input->files.path[0],
                (long long)size[0], (long long)size[1]);
    }
    close_file(input);
    return open_file(input, 0);
}

ch_status chi_input_open(ch_context *context, chi_input **input, const chi_files *files,
                         int64_t silence, int partial) {
    chi_input *made = chi_alloc_zero(context, 1, sizeof *made);
    if (!made)
        return chi_no_memory(context, silence ? "reading an address" : "reading a clip", 1,
                             sizeof *made);
    *made = (chi_input){
        .context = context, .files = *files, .silence = silence, .partial = partial, .opened = -1};
    made->starts = chi_alloc_zero(context, files->count, sizeof *made->starts);
    ch_status status = !made->starts
                           ? chi_no_memory(context, "names of files", files->count, sizeof(double))
                       : files->count > 1 ? check_files(made)
                                          : open_file(made, 0);
    if (status == CH_OK)
        *input = made;
    else
        chi_input_close(made);
    return status;
}

void chi_input_close(chi_input *input) {
    if (!input) return;
    close_file(input);
    chi_free(input->context, input->starts);
    chi_free(input->context, input);
}

/* Counts the frames of another file than the current one. */
static ch_status count_other(const chi_input *input, int64_t file, int64_t *count, int64_t enough) {
    chi_input other = {.context = input->context, .files = input->files, .opened = -1};
    ch_status status = open_file(&other, file);
    *count = other.names.count;
    if (status == CH_OK && !*count) status = chi_video_count(other.video, count, enough);
    close_file(&other);
    return status;
}

ch_status chi_input_count(chi_input *input, int64_t *count, int64_t enough) {
    *count = input->names.count;
    if (!*count) TRY(chi_video_count(input->video, count, enough));
    for (int64_t file = 1; file < input->files.count && *count >= 0 && *count < enough; file++) {
        int64_t more;
        TRY(count_other(input, file, &more, enough - *count));
        *count = more < 0 ? more : *count + more;
    }
    return CH_OK;
}

static double nominal_space(const chi_input *input) {
    ch_clip facts = {.size = sizeof facts};
    chi_video_describe(input->video, &facts);
    return !input->names.count && facts.rate > 0 ? 1 / facts.rate : 1 / picture_rate;
}

/* Returns seconds since the first frame. Writers and readers of curves rely on increasing times, so
 * a stamp that is missing or decreases is replaced by the last time plus a nominal frame. */
static double rising_time(chi_input *input, double stamp) {
    double first = chi_video_stamp(input->video, 0);
    if (!isnan(first) && input->position > input->begin) input->start = first;
    if (input->position == input->begin) {
        input->start = isnan(stamp) ? 0 : stamp;
        return input->last = input->offset;
    }
    double time = stamp - input->start + input->offset;
    if (time > input->last) return input->last = time; /* false for NaN */
    if (!input->crooked)
        chi_log(input->context, CH_LOG_WARNING,
                "%s: the time stamp of frame %lld is missing or does not increase; the nominal "
                "frame rate is used for it",
                input->path, (long long)(input->position - input->begin));
    input->crooked = 1;
    return input->last += nominal_space(input);
}

/* Opens a picture of a list by its number. frame->native is NULL if it is in a later file or does
 * not exist. */
static ch_status seek_picture(chi_input *input, chi_frame *frame, int64_t wanted) {
    int64_t number = wanted - input->begin;
    frame->native = NULL;
    if (number >= input->names.count) {
        input->position = input->begin + input->names.count;
        input->last = input->offset + (double)(input->names.count - 1) / picture_rate;
        return CH_OK;
    }
    TRY(open_picture(input, number));
    TRY(chi_video_next(input->video, frame));
    input->position = wanted + 1;
    if (!frame->native)
        return chi_fail(input->context, CH_ERR_FORMAT,
                        "%s: no picture of the video could be decoded", chi_input_name(input));
    frame->time = input->last = input->offset + (double)number / picture_rate;
    return CH_OK;
}

/* Skips a whole file, which ends with its last frame. */
static void pass_file(chi_input *input, int64_t frames) {
    input->position = input->begin + frames;
    input->last =
        input->offset + chi_video_stamp(input->video, 1) - chi_video_stamp(input->video, 0);
}

/* Decodes the next picture of a video: the wanted one, or one before it. */
static ch_status decode_picture(chi_input *input, chi_frame *frame, int64_t wanted) {
    int64_t passed;
    frame->native = NULL;
    ch_status status = chi_video_skip(input->video, &passed, wanted - input->begin);
    if (status == CH_OK && passed >= 0) {
        pass_file(input, passed);
        return CH_OK;
    }
    if (status == CH_OK) status = chi_video_next(input->video, frame);
    if (status != CH_OK || !frame->native) return status;
    if (frame->number >= 0) input->position = input->begin + frame->number;
    frame->time = rising_time(input, frame->time);
    input->position++;
    return CH_OK;
}

/* Opens the next file. Its time begins one frame after the last frame of this file. */
static ch_status open_next(chi_input *input) {
    if (!input->names.count)
        TRY(chi_video_report(input->video, input->position - input->begin, input->partial));
    if (input->position > input->begin) input->offset = input->last + nominal_space(input);
    input->begin = input->position;
    input->crooked = 0;
    close_file(input);
    return open_file(input, input->file + 1);
}

ch_status chi_input_seek(chi_input *input, chi_frame *frame, int64_t wanted, int64_t total) {
    for (;;) {
        if (chi_notify(input->context, "read", input->position,
                       input->names.count && input->files.count == 1 ? input->names.count : total,
                       -1, 0))
            return CH_STOP_CANCELLED;
        ch_status status = input->names.count ? seek_picture(input, frame, wanted)
                                              : decode_picture(input, frame, wanted);
        if (status != CH_OK) return status;
        frame->file = input->file;
        frame->starts = input->starts;
        if (!frame->native && input->file + 1 == input->files.count) return CH_OK;
        if (!frame->native)
            TRY(open_next(input));
        else if (input->position > wanted)
            return CH_OK;
    }
}

ch_status chi_input_near_key(chi_input *input, int64_t *near, int64_t number, int64_t farthest) {
    *near = number;
    if (input->files.count > 1 || input->names.count) return CH_OK;
    return chi_video_near_key(input->video, near, number, farthest);
}

chi_video *chi_input_video(const chi_input *input) {
    return input->video;
}

void chi_input_describe(const chi_input *input, ch_clip *clip) {
    chi_video_describe(input->video, clip);
    if (!input->names.count) return;
    clip->rate = picture_rate;
    clip->time_base[0] = 1;
    clip->time_base[1] = (int64_t)picture_rate;
    strcpy(clip->container, "pictures");
}

int64_t chi_input_promised(const chi_input *input) {
    if (input->files.count > 1) return 0;
    return input->names.count ? input->names.count : chi_video_promised(input->video);
}

ch_status chi_input_report(const chi_input *input, int partial) {
    return input->names.count
               ? CH_OK
               : chi_video_report(input->video, input->position - input->begin, partial);
}

const char *chi_input_name(const chi_input *input) {
    return input->opened >= 0 ? input->names.name[input->opened] : input->path;
}
