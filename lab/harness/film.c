/* Films: real or generated. */
#include "harness/film.h"
#include "common/exit_codes.h"
#include "common/output_folder.h"
#include <conehull/picture.h>
#include <conehull/scene.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_film_close(const bench_run *run, bench_film *f) {
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

/* Generates the frames of the film of the demo, and the known masks of every tenth frame. */
static int fill_film(const bench_run *run, bench_film *f, const ch_scene_settings *scene) {
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
    return rgb ? bench_code(run, status) : cli_no_memory();
}

static int make_film(const bench_run *run, bench_film *f, int64_t frames) {
    ch_scene_settings scene;
    ch_scene_defaults(&scene);
    scene.frames = frames;
    int64_t pixels = scene.width * scene.height, masks = frames / 10 + 1;
    f->made = malloc((size_t)(frames * pixels));
    f->truth.frame = malloc((size_t)masks * sizeof *f->truth.frame);
    f->truth.foreground = malloc((size_t)(masks * pixels));
    if (!f->made || !f->truth.frame || !f->truth.foreground) return cli_no_memory();
    f->truth.width = scene.width;
    f->truth.height = scene.height;
    snprintf(f->data, sizeof f->data, "generated film, %lld frames of %lld x %lld",
             (long long)frames, (long long)scene.width, (long long)scene.height);
    int code = fill_film(run, f, &scene);
    if (code != EXIT_DONE) return code;
    return bench_code(
        run, ch_matrix_borrow(
                 run->session->context, &f->X,
                 &(ch_matrix){.rows = frames, .cols = pixels, .type = CH_U8, .values = f->made}));
}

/* Finds the rows of X to which the known masks belong. */
static void match_truth(bench_film *f) {
    int64_t kept = 0, row = 0, size = f->truth.width * f->truth.height;
    for (int64_t i = 0; i < f->truth.count; i++) {
        while (row < f->clip.frames && f->clip.index[row] < f->truth.frame[i]) row++;
        if (row == f->clip.frames || f->clip.index[row] != f->truth.frame[i]) continue;
        memmove(f->truth.foreground + kept * size, f->truth.foreground + i * size, (size_t)size);
        f->truth.frame[kept++] = row;
    }
    f->truth.count = kept;
}

static int read_film(const bench_run *run, bench_film *f, const bench_scene *of) {
    ch_context *context = run->session->context;
    ch_clip_settings set;
    char name[2][BENCH_TEXT];
    ch_clip_defaults(&set);
    set.from = of->from;
    set.frames = of->frames;
    set.step = of->step;
    snprintf(name[0], sizeof name[0], "video/%s/frames.mkv", of->folder);
    snprintf(name[1], sizeof name[1], "video/%s/gt", of->folder);
    char *path = cli_path_join(run->data, name[0]), *masks = cli_path_join(run->data, name[1]);
    int code = path && masks ? EXIT_DONE : cli_no_memory();
    if (code == EXIT_DONE) code = bench_code(run, ch_masks_read(context, &f->truth, masks));
    set.keep = f->truth.frame;
    set.keep_count = f->truth.count;
    if (code == EXIT_DONE) code = bench_code(run, ch_clip_read(context, &f->clip, path, &set));
    if (code == EXIT_DONE) {
        match_truth(f);
        f->X = f->clip.luma;
        snprintf(f->data, sizeof f->data, "%s, %lld frames from frame %lld on, step %lld",
                 of->title, (long long)f->clip.frames, (long long)of->from, (long long)of->step);
    }
    free(path);
    free(masks);
    return code;
}

const bench_scene bench_window = {"lobby", "Lobby", 1315, 200, 1, 200};

int bench_film_open(const bench_run *run, bench_film *f, const bench_scene *of) {
    memset(f, 0, sizeof *f);
    f->clip.size = sizeof f->clip;
    f->truth.size = sizeof f->truth;
    return run->data ? read_film(run, f, of) : make_film(run, f, of->made);
}
