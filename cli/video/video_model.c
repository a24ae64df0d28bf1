/* Backgrounds that are stored: one .npz file, which NumPy reads too.
 *
 *     format, method, width, height, colour   numbers
 *     anchors   rank: the pixels that were chosen, y * width + x; empty without
 *     H         rank x pixels, of luma; H_red, H_green, H_blue of a colour clip
 *     noise     pixels: of each pixel, in gray levels */
#include "video/video_command.h"

enum { FORMAT = 1, MODEL_ARRAYS = 11 };
static const char *const names[VIDEO_PARTS] = {"H", "H_red", "H_green", "H_blue"};

int video_model_write(const video_run *run, const video_result *result) {
    const cli_session *session = run->session;
    const video_clip *video = &run->video;
    const ch_separation *luma = &result->parts[0];
    int64_t format = FORMAT, method = result->method, width = video->clip.width,
            height = video->clip.height, colour = video->clip.colour;
    double *noise = malloc((size_t)video->pixels * sizeof *noise);
    if (!noise) return cli_no_memory();
    for (int64_t j = 0; j < video->pixels; j++) noise[j] = result->noise[j];
    ch_npz_array arrays[MODEL_ARRAYS] = {
        {"format", 'i', 0, {0, 0}, &format},
        {"method", 'i', 0, {0, 0}, &method},
        {"width", 'i', 0, {0, 0}, &width},
        {"height", 'i', 0, {0, 0}, &height},
        {"colour", 'i', 0, {0, 0}, &colour},
        {"anchors", 'i', 1, {luma->anchors ? luma->rank : 0, 0}, luma->anchors},
        {"noise", 'f', 1, {video->pixels, 0}, noise},
    };
    int count = 7;
    for (int c = 0; c < (colour ? VIDEO_PARTS : 1); c++)
        arrays[count++] =
            (ch_npz_array){names[c], 'f', 2, {luma->rank, video->pixels}, result->parts[c].H};
    ch_status status = ch_npz_write(session->context, run->given->save, arrays, count);
    free(noise);
    return cli_check(session, status);
}

static const ch_npz_array *find(const video_model *model, const char *name, char kind, int dims) {
    for (int i = 0; i < model->array_count; i++) {
        const ch_npz_array *array = &model->arrays[i];
        if (strcmp(array->name, name) == 0 && array->kind == kind && array->dims == dims)
            return array;
    }
    return NULL;
}

static int64_t number(const video_model *model, const char *name) {
    const ch_npz_array *array = find(model, name, 'i', 0);
    return array ? *(const int64_t *)array->data : -1;
}

/* Every array there, of one size; NULL when all is well, else what is not. */
static const char *take(video_model *model) {
    if (number(model, "format") != FORMAT) return "format";
    model->method = (int)number(model, "method");
    model->width = number(model, "width");
    model->height = number(model, "height");
    model->colour = number(model, "colour") == 1;
    if (model->method < 0 || model->method > CH_SEPARATE_MEDIAN) return "method";
    if (model->width < 1 || model->width > 65536) return "width";
    if (model->height < 1 || model->height > 65536) return "height";
    int64_t pixels = model->width * model->height;
    for (int c = 0; c < (model->colour ? VIDEO_PARTS : 1); c++) {
        const ch_npz_array *H = find(model, names[c], 'f', 2);
        if (!H || H->shape[1] != pixels || H->shape[0] < 1) return names[c];
        if (c > 0 && H->shape[0] != model->rank) return names[c];
        model->rank = H->shape[0];
        model->H[c] = H->data;
    }
    const ch_npz_array *noise = find(model, "noise", 'f', 1),
                       *anchors = find(model, "anchors", 'i', 1);
    if (!noise || noise->shape[0] != pixels) return "noise";
    if (!anchors || (anchors->shape[0] != 0 && anchors->shape[0] != model->rank)) return "anchors";
    model->anchors = anchors->data;
    model->anchor_count = anchors->shape[0];
    model->noise = malloc((size_t)pixels * sizeof *model->noise);
    if (!model->noise) return "noise";
    for (int64_t j = 0; j < pixels; j++) model->noise[j] = (float)((const double *)noise->data)[j];
    return NULL;
}

int video_model_read(const cli_session *session, video_model *model, const char *file) {
    memset(model, 0, sizeof *model);
    TRY(cli_check(session,
                  ch_npz_read(session->context, &model->arrays, &model->array_count, file)));
    const char *wrong = take(model);
    if (!wrong) return EXIT_DONE;
    return cli_refuse("%s: this is not a model that 'conehull video --save' wrote, because the "
                      "array '%s' is missing or has the wrong shape",
                      file, wrong);
}

int video_model_check(const video_model *model, const video_clip *video, const char *file) {
    const ch_clip *clip = &video->clip;
    if (model->width != clip->width || model->height != clip->height)
        return cli_refuse("%s: the pictures of the model are %lld x %lld, but those of this clip "
                          "are %lld x %lld; use the same --width and --roi as with --save",
                          file, (long long)model->width, (long long)model->height,
                          (long long)clip->width, (long long)clip->height);
    if (clip->colour && !model->colour)
        return cli_refuse(
            "%s: the model was learned from a gray clip, but this clip is in colour; add --gray",
            file);
    return EXIT_DONE;
}

void video_model_free(const cli_session *session, video_model *model) {
    ch_npz_free(session->context, model->arrays, model->array_count);
    free(model->noise);
}
