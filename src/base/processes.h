/* Exchanges between processes, for the methods. With one process nothing is exchanged and nothing
 * fails. Every function is collective, and all processes get the same result. */
#pragma once

#include "base/base.h"
#include <conehull/comm.h>

int chi_process_index(const ch_context *context);
CHI_SHARED int chi_process_count(const ch_context *context);

/* Seconds spent in exchanges so far, as in ch_comm_cost. */
double chi_exchange_seconds(ch_context *context);

/* Returns one record per process, in their order, valid until the next call; NULL on failure. */
enum { CHI_RECORD_MAX = 2048 };
const void *chi_share(ch_context *context, const void *own, size_t size);
/* all = counts[r] items of each process r. The caller has put its own items in their place. */
ch_status chi_share_lists(ch_context *context, void *all, const int64_t *counts, size_t size);
ch_status chi_broadcast(ch_context *context, void *items, int64_t count, size_t size, int from);
/* total = 0 + the values of all processes, added in their order. */
ch_status chi_sum(ch_context *context, double *total, const double *values, int64_t count);
/* On process 0, all = counts[r] items of each process r, one after the other; NULL on the
 * others. */
ch_status chi_collect(ch_context *context, void *all, const void *own, const int64_t *counts,
                      size_t size);

/* Each of count values (at most CHI_RECORD_MAX bytes) becomes the largest among the processes. */
CHI_SHARED ch_status chi_largest(ch_context *context, double *values, int count);
/* Each of count numbers becomes the sum over the processes. */
ch_status chi_total(ch_context *context, int64_t *numbers, int count);

/* The largest value, how many values tie with it, and where they are. A value ties if it reaches
 * most * (1 - relative) - absolute. */
typedef struct chi_offer {
    double most;      /* a value below all others means no offer                */
    double value;     /* value of the first one that ties                       */
    int64_t count;    /* how many tie with most                                 */
    int64_t index[2]; /* the two lowest of them, as columns of the whole matrix */
} chi_offer;
/* Sets count, index and value of this process's offer to those of its values that tie with `most`,
 * the maximum over all processes. */
typedef void (*chi_offer_ties)(void *user, chi_offer *offer, double most);
/* offer->most is the maximum of this process; the result is the offer of all processes. This takes
 * one exchange, and a second one when the maxima of processes differ but tie. Column numbers must
 * increase with the process number. */
ch_status chi_argmax(ch_context *context, chi_offer *offer, double relative, double absolute,
                     chi_offer_ties ties, void *user);
