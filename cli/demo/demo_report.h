/* What conehull demo found, and the files it makes of it. */
#ifndef CONEHULL_DEMO_REPORT_H
#define CONEHULL_DEMO_REPORT_H

#include "common/recovery_experiment.h"
#include <conehull/synthetic.h>
#include <jansson.h>
#include <stdio.h>

typedef struct cli_demo {
    cli_recovery experiment;
    const char *folder;
    /* One data set looked at closely, by RobustXray. */
    int close_level;
    ch_matrix X;
    ch_anchors_result close;
    int64_t *planted, found;
    /* A film, and what conehull video makes of it: its scores.json. */
    ch_scene_settings scene;
    json_t *video;
} cli_demo;

void cli_demo_csv(FILE *to, const cli_demo *demo);
void cli_demo_picture(FILE *to, const cli_demo *demo);
void cli_demo_planted(FILE *to, const cli_demo *demo);
void cli_demo_page(FILE *to, const cli_demo *demo);
/* Leads to both pages; needs demo->video. */
void cli_demo_index(FILE *to, const cli_demo *demo);

#endif
