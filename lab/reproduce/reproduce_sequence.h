/* A sequence with known masks, as `reproduce video` reads it from the data folder, and the quality
 * of a background for detecting moving objects in it. */
#pragma once

#include "common/command.h"
#include <conehull/clip.h>
#include <conehull/separate.h>

enum { SEQUENCE_TRUTH = 64, SEQUENCE_POINTS = 61 };

typedef struct repro_sequence {
    ch_clip clip;   /* luma                                             */
    ch_masks truth; /* known masks of the frames rows[0 .. truth.count) */
    int64_t rows[SEQUENCE_TRUTH];
} repro_sequence;

/* The frames to read: every step-th frame of the stretch, and all frames with masks. width 0: the
 * pictures are not reduced. */
typedef struct repro_stretch {
    int64_t from, frames, step, width;
} repro_stretch;

/* Reads folder/frames.mkv and folder/gt. Prints errors and returns the exit code. The caller must
 * call repro_sequence_free(), whatever the exit code. */
int repro_sequence_read(repro_sequence *sequence, const cli_session *session, const char *folder,
                        const repro_stretch *stretch);
void repro_sequence_free(repro_sequence *sequence, const cli_session *session);

/* The ROC curve of |pixel - background| over the frames with masks. */
typedef struct repro_roc {
    double auc, best_f;
    /* share of the foreground that is found, at the false alarm rates repro_roc_axis() */
    double rate[SEQUENCE_POINTS];
    double without[SEQUENCE_TRUTH]; /* area with one frame left out, to the nearest 1/128 gray */
    int64_t frames;
} repro_roc;

/* Returns the false alarm rate, a share of the background, of a point: from 0 to 0.3, denser near
 * 0. */
double repro_roc_axis(int point);

ch_status repro_sequence_score(repro_roc *roc, const repro_sequence *sequence, ch_context *context,
                               const ch_separation *parts);
