/* Exchanges between processes, for the methods. With one process nothing is exchanged and nothing
 * fails. Functions that return a status or a record are collective: all processes must call them,
 * and all get the same result, except with chi_collect(). */
#pragma once

#include "base/base.h"
#include <conehull/comm.h>

int chi_process_index(const ch_context *context);
CHI_SHARED int chi_process_count(const ch_context *context);

/* Returns the seconds that exchanges took so far, as in ch_comm_cost.seconds. Collective. */
double chi_exchange_seconds(ch_context *context);

/* Collective: each process contributes the `size` bytes at `own`, at most CHI_RECORD_MAX. Returns
 * the records of all processes, in the order of the processes, valid until the next call; NULL on
 * failure. */
enum { CHI_RECORD_MAX = 2048 };
const void *chi_share(ch_context *context, const void *own, size_t size);
/* Collective: fills `all` with counts[r] items of `size` bytes of each process r, one process after
 * the other. Each process has already written its own items to their place in `all`. */
ch_status chi_share_lists(ch_context *context, void *all, const int64_t *counts, size_t size);
ch_status chi_broadcast(ch_context *context, void *items, int64_t count, size_t size, int from);
/* Collective: sets *total to the sum of the values of all processes, added in the order of the
 * processes. */
ch_status chi_sum(ch_context *context, double *total, const double *values, int64_t count);
/* Collective: on process 0, fills `all` with counts[r] items of `size` bytes of each process r, one
 * process after the other. On the other processes `all` is NULL. */
ch_status chi_collect(ch_context *context, void *all, const void *own, const int64_t *counts,
                      size_t size);

/* Collective: each of values[0 .. count) becomes its maximum over all processes. The values take at
 * most CHI_RECORD_MAX bytes. */
CHI_SHARED ch_status chi_largest(ch_context *context, double *values, int count);
/* Collective: each of numbers[0 .. count) becomes its sum over all processes. */
ch_status chi_total(ch_context *context, int64_t *numbers, int count);

/* The largest of the values of columns, how many values tie with it, and to which columns they
 * belong. A value ties if it is at least most * (1 - relative) - absolute. */
typedef struct chi_offer {
    double most;      /* a value below all others means no offer                */
    double value;     /* value of the first one that ties                       */
    int64_t count;    /* how many tie with most                                 */
    int64_t index[2]; /* the two lowest of them, as columns of the whole matrix */
} chi_offer;
/* A callback that sets count, index and value of the offer of this process, according to those of
 * its values that tie with `most`, the maximum over all processes. */
typedef void (*chi_offer_ties)(void *user, chi_offer *offer, double most);
/* Collective: finds the maximum over all processes. Before the call, offer->most is the maximum of
 * this process; after it, *offer describes all processes. This takes one exchange, and a second one
 * if the maxima of processes differ but tie. Column indices must increase with the process
 * index. */
ch_status chi_argmax(ch_context *context, chi_offer *offer, double relative, double absolute,
                     chi_offer_ties ties, void *user);
