/* Declarations shared by the files of `conehull demo`: the results of the demo, and the functions
 * that write its files. */
#pragma once

#include "common/recovery_experiment.h"
#include "video/video_command.h"
#include <conehull/scene.h>

typedef struct demo_run {
    const cli_session *session;
    const char *folder;
    int64_t seed;
    cli_recovery experiment;
    /* One data set that is shown in detail, with the result of RobustXray. */
    int close_level;
    ch_matrix X;
    ch_anchors_result close;
    int64_t *planted, found;
    /* A film, and the result of `conehull video` for it. */
    ch_scene_settings scene;
    int has_video;               /* the film is clip.mkv; else it is pictures in clip/ */
    char *clip, *truth, *output; /* paths of the film, its masks and the result */
    cli_session typed;
    video_arguments given;
    video_run video; /* video.session is NULL until the run starts */
} demo_run;

/* demo_clip.c: adds clip.mkv to the folder, in a build with video. Prints errors and returns the
 * exit code. */
int demo_clip_write(cli_folder *folder, const ch_scene_settings *scene);
/* demo_spectra.c: adds scene.hdr, scene.img and scene_truth.npz (M: bands x materials, A: materials
 * x pixels). Prints errors and returns the exit code. */
int demo_spectra_write(cli_folder *folder, int64_t seed);
/* Writes masks of some frames to truth/ and, in a build without video, the frames to clip/. Then
 * runs conehull video on the film, with results in video/ and in demo->video. Prints errors and
 * returns the exit code. */
int demo_clip_run(demo_run *demo);
/* A sentence that names the files that a build without video does not write. */
extern const char demo_left_out[];

/* demo_report.c: functions that write one file each (cli_writer); `demo` is the demo_run. */
void demo_csv(FILE *to, const void *demo);
void demo_picture(FILE *to, const void *demo);
void demo_planted(FILE *to, const void *demo);
void demo_page(FILE *to, const void *demo);
/* Writes the page with links to both pages; demo->video must be complete. */
void demo_index(FILE *to, const void *demo);
