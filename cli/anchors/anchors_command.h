/* What the files of `conehull anchors` share. */
#pragma once

#include "anchors/library_input.h"
#include "anchors/loss_advice.h"
#include "options/checkpoint_option.h"
#include "result/compact_weights.h"
#include "result/result_folder.h"
#include "result/trust_options.h"

/* The anchors while their columns are projected, and whether somebody has seen them. */
typedef struct anchors_early {
    const cli_session *session;
    const ch_anchors_result *found; /* NULL: not all are chosen yet                  */
    double began;                   /* the projection, by cli_seconds()             */
    int said;                       /* they are printed, or written on stderr       */
    int kept;                       /* the folder, if there is one, has them        */
} anchors_early;

typedef struct anchors_arguments {
    cli_input input;
    cli_library library;
    ch_anchors_settings settings;
    const char *rank, *keep, *folder, *reselect, *h5ad;
    int page;
    int64_t *keep_list;
    char *unit_warning; /* or NULL; owned */
    cli_checkpoint checkpoint;
    cli_trust trust;
    int advise;
    cli_advice advice;
    cli_weights weights;
    anchors_early early;
} anchors_arguments;

/* The cases in which an option means something: bits by method, then by loss. */
enum { LOSSES = 16 };
enum {
    XRAY = 1 << CH_METHOD_XRAY,
    SPA = 1 << CH_METHOD_SPA,
    SMRS = 1 << CH_METHOD_SMRS,
    SMOOTHED = 1 << CH_METHOD_SMOOTHED_SPA,
    RANDOM = 1 << CH_METHOD_RANDOM_SPA,
    SPA_LIKE = SPA | 1 << CH_METHOD_SNPA | 1 << CH_METHOD_PSPA | SMOOTHED | RANDOM,
    BY_DIAGONAL = 1 << CH_METHOD_HOTTOPIXX | 1 << CH_METHOD_FGNSR,
    PROGRAM = BY_DIAGONAL | SMRS,
    ANY_METHOD = (1 << LOSSES) - 1,
    BETA = 1 << (LOSSES + CH_LOSS_BETA),
    QUANTILE = 1 << (LOSSES + CH_LOSS_QUANTILE),
    DIVERGENCE =
        0x7fff << LOSSES & ~(1 << (LOSSES + CH_LOSS_L1) | 1 << (LOSSES + CH_LOSS_L2) | QUANTILE),
    ANY_LOSS = 0x7fff << LOSSES
};

/* ---- anchors_first.c: the anchors as soon as they are found ---- */

/* The library calls back when the anchors are chosen, and while columns are projected. */
void anchors_early_watch(anchors_arguments *given, const cli_session *session);
/* No more calls. */
void anchors_early_end(anchors_arguments *given);

/* ---- write_h5ad.c: --write-h5ad ---- */

/* Complains when it cannot be done. Returns the exit code. */
int anchors_h5ad_check(const cli_session *session, const anchors_arguments *given);
/* Writes the file, unless none is wanted or the run was interrupted before the weights. */
int anchors_h5ad_write(const cli_session *session, const anchors_arguments *given,
                       const ch_anchors_result *result);

/* ---- anchors_print.c: the answer for people ---- */

/* Head, table and legend. */
void anchors_print_table(const anchors_arguments *given, const ch_anchors_result *result);
/* The same, unless it was printed before, and the rest. */
void anchors_print(const cli_session *session, const anchors_arguments *given,
                   const ch_anchors_result *result, const ch_comm_cost *cost, double write);

/* ---- anchors_page.c: anchors.html ---- */

typedef struct anchors_page anchors_page;

/* Pictures and thinned numbers of a page about the result; json is borrowed. Complains itself and
 * returns the exit code. Free it in any case; NULL is fine. */
int anchors_page_make(anchors_page **page, const cli_session *session,
                      const anchors_arguments *given, const ch_anchors_result *result,
                      const json_t *json);
/* A cli_writer. */
void anchors_page_write(FILE *to, const void *page);
void anchors_page_free(anchors_page *page);
