/* Background and moving objects: robust PCA against RobustXray, and one thread against two. */
#include "bench/ratio.h"
#include "common/exit_codes.h"
#include "common/json.h"
#include "common/message.h"
#include "common/output_folder.h"
#include <conehull/clip.h>
#include <conehull/metrics.h>
#include <conehull/picture.h>
#include <conehull/separate.h>
#include <conehull/synthetic.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- films ---- */

typedef struct film {
    ch_clip clip;   /* read; its luma is X ...                                           */
    uint8_t *made;  /* ... or made: pixel after pixel                                     */
    ch_matrix X;    /* frames x pixels                                                    */
    ch_masks truth; /* frame: row of X                                                    */
    char data[120];
} film;

static int no_memory(void) {
    cli_complain("out of memory");
    return EXIT_MEMORY;
}

static void close_film(const ratio_run *run, film *f) {
    ch_context *context = run->session->context;
    if (f->made) {
        free(f->truth.frame);
        free(f->truth.foreground);
    } else {
        ch_masks_free(context, &f->truth);
    }
    ch_clip_free(context, &f->clip);
    free(f->made);
}

/* Frames as the demo's camera sees them; truth of every tenth. */
static int fill_film(const ratio_run *run, film *f, const ch_scene_settings *scene) {
    enum { EVERY = 10 };
    int64_t pixels = scene->width * scene->height;
    uint8_t *rgb = malloc((size_t)(3 * pixels));
    ch_status status = rgb ? CH_OK : CH_ERR_MEMORY;
    for (int64_t i = 0; i < scene->frames && status == CH_OK; i++) {
        int known = i % EVERY == 0;
        uint8_t *mask = known ? f->truth.foreground + f->truth.count * pixels : NULL;
        status = ch_scene_make(run->session->context, rgb, mask, i, scene);
        if (known) f->truth.frame[f->truth.count++] = i;
        for (int64_t p = 0; p < pixels; p++)
            f->made[i + p * scene->frames] = (uint8_t)lrint(
                0.299 * rgb[3 * p] + 0.587 * rgb[3 * p + 1] + 0.114 * rgb[3 * p + 2]);
    }
    free(rgb);
    return rgb ? ratio_code(run, status) : no_memory();
}

static int make_film(const ratio_run *run, film *f, int64_t frames) {
    ch_scene_settings scene;
    ch_settings_defaults(&ch_scene_table, &scene);
    scene.frames = frames;
    int64_t pixels = scene.width * scene.height, masks = frames / 10 + 1;
    f->made = malloc((size_t)(frames * pixels));
    f->truth.frame = malloc((size_t)masks * sizeof *f->truth.frame);
    f->truth.foreground = malloc((size_t)(masks * pixels));
    if (!f->made || !f->truth.frame || !f->truth.foreground) return no_memory();
    f->truth.width = scene.width;
    f->truth.height = scene.height;
    snprintf(f->data, sizeof f->data, "made film, %lld frames of %lld x %lld", (long long)frames,
             (long long)scene.width, (long long)scene.height);
    int code = fill_film(run, f, &scene);
    if (code != EXIT_DONE) return code;
    return ratio_code(run, ch_matrix_borrow_dense(run->session->context, &f->X, f->made, frames,
                                                  pixels, frames, CH_COLUMN_MAJOR, CH_U8));
}

/* Masks of frames that were read, by their rows. */
static void match_truth(film *f) {
    int64_t kept = 0, row = 0, size = f->truth.width * f->truth.height;
    for (int64_t i = 0; i < f->truth.count; i++) {
        while (row < f->clip.frames && f->clip.index[row] < f->truth.frame[i]) row++;
        if (row == f->clip.frames || f->clip.index[row] != f->truth.frame[i]) continue;
        memmove(f->truth.foreground + kept * size, f->truth.foreground + i * size, (size_t)size);
        f->truth.frame[kept++] = row;
    }
    f->truth.count = kept;
}

/* Of the Lobby: `frames` frames from `from` (0: all), every step-th. */
static int read_film(const ratio_run *run, film *f, int64_t from, int64_t frames, int64_t step) {
    ch_context *context = run->session->context;
    ch_clip_settings set;
    ch_settings_defaults(&ch_clip_table, &set);
    set.from = from;
    set.frames = frames;
    set.step = step;
    char *path = cli_path_join(run->data, "video/lobby/frames.mkv");
    char *masks = cli_path_join(run->data, "video/lobby/gt");
    int code = path && masks ? EXIT_DONE : no_memory();
    if (code == EXIT_DONE) code = ratio_code(run, ch_masks_read(context, &f->truth, masks));
    set.keep = f->truth.frame;
    set.keep_count = f->truth.count;
    if (code == EXIT_DONE) code = ratio_code(run, ch_clip_read(context, &f->clip, path, &set));
    if (code == EXIT_DONE) {
        match_truth(f);
        f->X = f->clip.luma;
        snprintf(f->data, sizeof f->data, "Lobby, %lld frames from %lld, every %lld",
                 (long long)f->clip.frames, (long long)from, (long long)step);
    }
    free(path);
    free(masks);
    return code;
}

static int open_film(const ratio_run *run, film *f, int full) {
    memset(f, 0, sizeof *f);
    if (run->data && full) return read_film(run, f, 0, 0, run->quick ? 5 : 1);
    if (run->data) return read_film(run, f, 1315, 200, 1);
    return make_film(run, f, !full ? 200 : run->quick ? 400 : 1500);
}

/* ---- separating ---- */

typedef struct separation {
    const ratio_run *run;
    const film *from;
    int threads;
    ch_separate_settings set;
    ch_separation parts; /* of the last run */
} separation;

static separation plan_separation(const ratio_run *run, const film *f, int method, int threads) {
    separation s = {.run = run, .from = f, .threads = threads};
    ch_settings_defaults(&ch_separate_table, &s.set);
    s.set.method = method;
    return s;
}

static int separate(void *user, ratio_time *time) {
    separation *s = user;
    ch_context *context = s->run->session->context;
    ch_separation_free(context, &s->parts);
    memset(&s->parts, 0, sizeof s->parts);
    ch_status status = ch_context_set_threads(context, s->threads);
    ratio_time start = ratio_start();
    if (status == CH_OK) status = ch_separate(context, &s->parts, &s->from->X, &s->set);
    *time = ratio_stop(start);
    return ratio_code(s->run, status);
}

/* Area under the ROC of |X - background| in the frames whose truth is known. */
static ch_status score(double *auc, const separation *s) {
    ch_context *context = s->run->session->context;
    const ch_masks *truth = &s->from->truth;
    int64_t pixels = s->from->X.cols;
    ch_scorer *scorer = NULL;
    ch_roc roc;
    float *left = malloc((size_t)pixels * sizeof *left);
    ch_status status = left ? ch_scorer_create(context, &scorer) : CH_ERR_MEMORY;
    for (int64_t i = 0; i < truth->count && status == CH_OK; i++) {
        status = ch_separation_residual(context, left, &s->parts, &s->from->X, truth->frame[i], 1);
        for (int64_t p = 0; p < pixels; p++) left[p] = fabsf(left[p]);
        if (status == CH_OK)
            status = ch_scorer_add_f32(scorer, left, truth->foreground + i * pixels, NULL, pixels);
    }
    if (status == CH_OK) status = ch_scorer_finish(scorer, &roc);
    if (status == CH_OK) {
        *auc = roc.auc;
        ch_roc_free(context, &roc);
    }
    ch_scorer_destroy(scorer);
    free(left);
    return status;
}

static int compare_rpca(json_t **object, const ratio_row *row, const ratio_run *run, int full) {
    ch_context *context = run->session->context;
    film f;
    int code = open_film(run, &f, full);
    separation rpca = plan_separation(run, &f, CH_SEPARATE_RPCA, run->threads);
    separation xray = plan_separation(run, &f, CH_SEPARATE_ROBUST_XRAY, run->threads);
    ratio_work above = {"robust PCA", separate, &rpca}, below = {"RobustXray", separate, &xray};
    double auc[2] = {NAN, NAN};
    if (code == EXIT_DONE) code = ratio_take_turns(object, row, run, &above, &below, 1);
    if (code == EXIT_DONE) code = ratio_code(run, score(&auc[0], &rpca));
    if (code == EXIT_DONE) code = ratio_code(run, score(&auc[1], &xray));
    if (code == EXIT_DONE)
        ratio_describe(*object, f.data,
                       json_pack("{sI sI so so}", "rpca_rank", (json_int_t)rpca.parts.rank,
                                 "robust_xray_rank", (json_int_t)xray.parts.rank, "rpca_auc",
                                 cli_json_real(auc[0]), "robust_xray_auc", cli_json_real(auc[1])));
    ch_separation_free(context, &rpca.parts);
    ch_separation_free(context, &xray.parts);
    close_film(run, &f);
    return code;
}

int ratio_rpca(json_t **object, const ratio_row *row, const ratio_run *run) {
    return compare_rpca(object, row, run, 0);
}

int ratio_rpca_full(json_t **object, const ratio_row *row, const ratio_run *run) {
    return compare_rpca(object, row, run, 1);
}

int ratio_two_threads(json_t **object, const ratio_row *row, const ratio_run *run) {
    ch_context *context = run->session->context;
    film f;
    int code = open_film(run, &f, 0);
    separation one = plan_separation(run, &f, CH_SEPARATE_ROBUST_XRAY, 1);
    separation two = plan_separation(run, &f, CH_SEPARATE_ROBUST_XRAY, 2);
    ratio_work above = {"RobustXray, one thread", separate, &one};
    ratio_work below = {"RobustXray, two threads", separate, &two};
    if (code == EXIT_DONE) code = ratio_take_turns(object, row, run, &above, &below, 1);
    if (code == EXIT_DONE) ratio_describe(*object, f.data, NULL);
    ch_context_set_threads(context, run->threads);
    ch_separation_free(context, &one.parts);
    ch_separation_free(context, &two.parts);
    close_film(run, &f);
    return code;
}
