/* What the parts of `conehull demo` share: what was found, and the files that are made of it. */
#pragma once

#include "common/recovery_experiment.h"
#include "video/video_command.h"
#include <conehull/scene.h>

typedef struct demo_run {
    const cli_session *session;
    const char *folder;
    int64_t seed;
    cli_recovery experiment;
    /* One data set looked at closely, by RobustXray. */
    int close_level;
    ch_matrix X;
    ch_anchors_result close;
    int64_t *planted, found;
    /* A film, and what `conehull video` makes of it, as if its arguments had been typed. */
    ch_scene_settings scene;
    int has_video;               /* the film is clip.mkv; else it is pictures in clip/ */
    char *clip, *truth, *output; /* where the film, its masks and the answer are       */
    cli_session typed;
    video_arguments given;
    video_run video; /* session NULL: not yet */
} demo_run;

/* demo_clip.c: adds clip.mkv to the folder, in a build with video. Complains itself and returns the
 * exit code, as the next. */
int demo_clip_write(cli_folder *folder, const ch_scene_settings *scene);
/* demo_spectra.c: adds scene.hdr, scene.img and scene_truth.npz (M: bands x materials, A: materials
 * x pixels). The same. */
int demo_spectra_write(cli_folder *folder, int64_t seed);
/* Without video the frames as clip/; masks of some frames in truth/; then demo->video of the film in
 * video/. */
int demo_clip_run(demo_run *demo);
/* What the demo of a build without video has not written, in a sentence. */
extern const char demo_left_out[];

/* demo_report.c: files, each a cli_writer of the demo_run. */
void demo_csv(FILE *to, const void *demo);
void demo_picture(FILE *to, const void *demo);
void demo_planted(FILE *to, const void *demo);
void demo_page(FILE *to, const void *demo);
/* Leads to both pages, once demo->video is there. */
void demo_index(FILE *to, const void *demo);
