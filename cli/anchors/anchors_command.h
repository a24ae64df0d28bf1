/* Declarations shared by the files of `conehull anchors`. */
#pragma once

#include "anchors/advice_output.h"
#include "anchors/library_input.h"
#include "options/checkpoint_option.h"
#include "result/compact_weights.h"
#include "result/result_folder.h"
#include "result/trust_options.h"

/* The anchors during the projection of all columns, and whether they were already printed or
 * written. */
typedef struct anchors_early {
    const cli_session *session;
    const ch_anchors_result *found; /* NULL: the selection has not ended yet */
    double began;                   /* start of the projection, by cli_seconds() */
    int said;                       /* 1: the anchors were printed on stdout or stderr */
    int kept;                       /* 1: the anchors were written to the folder, if there is one */
} anchors_early;

typedef struct anchors_arguments {
    cli_input input;
    cli_library library;
    ch_anchors_settings settings;
    const char *rank, *keep, *folder, *reselect, *h5ad;
    int page;
    int64_t *keep_list;
    char *unit_warning; /* warning about units (cli_scale_warning()), to be freed; or NULL */
    json_t *residuals;  /* of a sample of the columns (cli_residuals_sample()); or NULL */
    cli_checkpoint checkpoint;
    cli_trust trust;
    int advise;
    ch_loss_advice advice;
    cli_weights weights;
    anchors_early early;
} anchors_arguments;

/* The cases in which an option has an effect: bits for the methods, then for the losses. */
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

/* Sets the callbacks of the library for the end of the selection and for progress of the
 * projection. */
void anchors_early_watch(anchors_arguments *given, const cli_session *session);
/* Ends the use of the callbacks. */
void anchors_early_end(anchors_arguments *given);

/* ---- write_h5ad.c: --write-h5ad ---- */

/* Checks whether --write-h5ad is possible. Prints errors and returns the exit code. */
int anchors_h5ad_check(const cli_session *session, const anchors_arguments *given);
/* Writes the file, if it is requested and the run was not interrupted before the weights were
 * computed. Prints errors and returns the exit code. */
int anchors_h5ad_write(const cli_session *session, const anchors_arguments *given,
                       const ch_anchors_result *result);

/* ---- anchors_print.c: the result as text ---- */

/* Prints head, table and legend. */
void anchors_print_table(const anchors_arguments *given, const ch_anchors_result *result);
/* Prints the table, unless it was printed before, and the rest of the result. */
void anchors_print(const cli_session *session, const anchors_arguments *given,
                   const ch_anchors_result *result, const ch_comm_cost *cost, double write);

/* ---- anchors_page.c: anchors.html ---- */

typedef struct anchors_page anchors_page;

/* Makes the pictures and the reduced data of the page of the result. json must stay valid. Prints
 * errors and returns the exit code. The caller must call anchors_page_free(), whatever the exit
 * code; it accepts NULL. */
int anchors_page_make(anchors_page **page, const cli_session *session,
                      const anchors_arguments *given, const ch_anchors_result *result,
                      const json_t *json);
/* Writes the page (a cli_writer). */
void anchors_page_write(FILE *to, const void *page);
void anchors_page_free(anchors_page *page);
