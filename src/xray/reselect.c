/* Chooses the first anchor again. Algorithm 1 starts with R = D* = X, and under noise the first
 * choice is often no anchor. When all anchors are found, the first is dropped, and the usual rule
 * chooses a replacement. */
#include "xray/select.h"

#include <string.h>

static void move_last_to(int64_t *anchors, int64_t count, int64_t k) {
    int64_t last = anchors[count - 1];
    memmove(anchors + k + 1, anchors + k, (size_t)(count - 1 - k) * sizeof *anchors);
    anchors[k] = last;
}

/* With an automatic rank, a replacement is chosen only if an anchor is missing. */
static ch_status drop_first(chi_run *run, int *missed) {
    TRY(chi_auto_watch(run));
    chi_remove_anchor(run, run->basis.given);
    run->reselecting = 1;
    return chi_auto_missed(run, missed);
}

ch_status chi_reselect(chi_run *run) {
    int64_t *anchors = run->result->anchors, given = run->basis.given, first = anchors[given];
    int64_t wanted = run->basis.cone.count;
    int missed;
    ch_status status = chi_outside_status(drop_first(run, &missed));
    if (!run->reselecting || (status == CH_OK && !missed)) return status;
    if (status == CH_OK) status = chi_grow(run);
    if (status < 0 || status == CH_STOP_COMPLETE) return status;
    if (run->basis.cone.count < wanted)
        TRY(chi_append_anchor(run, first)); /* cancelled: restore it */
    move_last_to(anchors, run->basis.cone.count, given);
    return status;
}
