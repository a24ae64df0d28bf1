/* Frames by their position in the input: a video decodes one after the other, a list of pictures
 * opens only those that are wanted. */
#include "io/clip/frames.h"
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static const char *const picture_suffixes[] = {".png", ".jpg", ".jpeg", ".pgm",  ".ppm",  ".pnm",
                                               ".pbm", ".bmp", ".tif",  ".tiff", ".webp", NULL};
static const double picture_rate = 25; /* pictures have no times: as libav counts them */

struct chi_input {
    ch_context *context;
    const char *path;
    chi_names names; /* pictures; empty for a video                                           */
    chi_video *video;
    int64_t position;   /* of the next frame                                                  */
    int64_t opened;     /* the picture that video is, or -1                                   */
    double start, last; /* time of the first frame, and of the one before                     */
    int crooked;        /* time stamps were missing or did not rise, and the log knows        */
};

static ch_status list_pictures(chi_input *input) {
    struct stat facts;
    int exists = strcmp(input->path, "-") != 0 && stat(input->path, &facts) == 0;
    if (exists && S_ISDIR(facts.st_mode)) {
        TRY(chi_names_folder(input->context, &input->names, input->path, picture_suffixes));
        if (input->names.count) return CH_OK;
        return chi_fail(input->context, CH_ERR_FORMAT,
                        "%s: a folder without pictures (png, jpg, pgm, ppm, bmp, tif, webp)",
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

ch_status chi_input_open(ch_context *context, chi_input **input, const char *path,
                         int64_t silence) {
    chi_input *made = chi_alloc_zero(context, 1, sizeof *made);
    if (!made)
        return chi_no_memory(context, silence ? "reading an address" : "reading a clip", 1,
                             sizeof *made);
    *made = (chi_input){.context = context, .path = path, .opened = -1};
    ch_status status = silence ? CH_OK : list_pictures(made);
    if (status == CH_OK)
        status = made->names.count ? open_picture(made, 0)
                                   : chi_video_open(context, &made->video, path, silence);
    if (status == CH_OK)
        *input = made;
    else
        chi_input_close(made);
    return status;
}

void chi_input_close(chi_input *input) {
    if (!input) return;
    chi_video_close(input->video);
    chi_names_free(input->context, &input->names);
    chi_free(input->context, input);
}

ch_status chi_input_count(chi_input *input, int64_t *count, int64_t enough) {
    *count = input->names.count;
    return *count ? CH_OK : chi_video_count(input->video, count, enough);
}

/* Seconds from the first frame. Writers and readers of curves rely on rising times, so a stamp that
 * is missing or goes back is replaced by the nominal one after the last. */
static double rising_time(chi_input *input, double stamp, int64_t position) {
    ch_clip facts = {.size = sizeof facts};
    chi_video_describe(input->video, &facts);
    double nominal = facts.rate > 0 ? 1 / facts.rate : 1 / picture_rate;
    if (position == 0) {
        input->start = isnan(stamp) ? 0 : stamp;
        return input->last = 0;
    }
    double time = stamp - input->start;
    if (time > input->last) return input->last = time; /* false for NaN */
    if (!input->crooked)
        chi_log(input->context, CH_LOG_WARNING,
                "%s: frame %lld has no time stamp that rises; the nominal rate is used there",
                input->path, (long long)position);
    input->crooked = 1;
    return input->last += nominal;
}

static ch_status seek_picture(chi_input *input, chi_frame *frame, int64_t wanted) {
    if (wanted >= input->names.count) {
        frame->native = NULL;
        return CH_OK;
    }
    TRY(open_picture(input, wanted));
    TRY(chi_video_next(input->video, frame));
    input->position = wanted + 1;
    if (!frame->native)
        return chi_fail(input->context, CH_ERR_FORMAT, "%s: no picture could be decoded",
                        chi_input_name(input));
    frame->time = (double)wanted / picture_rate;
    return CH_OK;
}

ch_status chi_input_seek(chi_input *input, chi_frame *frame, int64_t wanted, int64_t total) {
    if (input->names.count) {
        if (chi_notify(input->context, "read", input->position, input->names.count, -1, 0))
            return CH_STOP_CANCELLED;
        return seek_picture(input, frame, wanted);
    }
    do {
        if (chi_notify(input->context, "read", input->position, total, -1, 0))
            return CH_STOP_CANCELLED;
        ch_status status = chi_video_next(input->video, frame);
        if (status != CH_OK || !frame->native) return status;
        frame->time = rising_time(input, frame->time, input->position);
    } while (input->position++ < wanted);
    return CH_OK;
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

ch_status chi_input_report(const chi_input *input, int partial) {
    return input->names.count ? CH_OK : chi_video_report(input->video, input->position, partial);
}

const char *chi_input_name(const chi_input *input) {
    return input->opened >= 0 ? input->names.name[input->opened] : input->path;
}
