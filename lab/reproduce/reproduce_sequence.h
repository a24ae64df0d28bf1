/* A sequence with known masks, as `reproduce video` reads it from the data folder, and how well a
 * background tells what moves in it. */
#pragma once

#include "common/command.h"
#include <conehull/clip.h>
#include <conehull/separate.h>

enum { SEQUENCE_TRUTH = 64, SEQUENCE_POINTS = 61 };

typedef struct repro_sequence {
    ch_clip clip;   /* luma                                                                   */
    ch_masks truth; /* of the frames rows[0 .. truth.count)                                   */
    int64_t rows[SEQUENCE_TRUTH];
} repro_sequence;

/* Which frames: those of the stretch, every step-th, and all with masks. width 0: as it is. */
typedef struct repro_stretch {
    int64_t from, frames, step, width;
} repro_stretch;

/* folder/frames.mkv and folder/gt. Complains itself; free in any case. */
int repro_sequence_read(repro_sequence *sequence, const cli_session *session, const char *folder,
                        const repro_stretch *stretch);
void repro_sequence_free(repro_sequence *sequence, const cli_session *session);

/* What |pixel - background| is worth over the frames with masks. */
typedef struct repro_roc {
    double auc, best_f;
    double rate[SEQUENCE_POINTS];   /* share of the foreground found at repro_roc_axis()       */
    double without[SEQUENCE_TRUTH]; /* area with one frame left out, to the nearest 1/128 gray */
    int64_t frames;
} repro_roc;

/* False alarms, a share of the background, from 0 to 0.3, close together near 0. */
double repro_roc_axis(int point);

ch_status repro_sequence_score(repro_roc *roc, const repro_sequence *sequence, ch_context *context,
                               const ch_separation *parts);
