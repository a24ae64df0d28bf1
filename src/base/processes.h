/* What the methods ask of other processes; with one process alone nothing is exchanged and nothing
 * fails. Every function is collective, and all processes get the same answer. */
#pragma once

#include "base/base.h"
#include <conehull/comm.h>

int chi_process_index(const ch_context *context);
CHI_SHARED int chi_process_count(const ch_context *context);

/* What the exchanges took so far, as in ch_comm_cost. */
double chi_exchange_seconds(ch_context *context);

/* A record of every process, in their order; they stay until the next call. NULL: failed. */
enum { CHI_RECORD_MAX = 2048 };
const void *chi_share(ch_context *context, const void *own, size_t size);
/* counts[r] items of process r, the own ones in place. */
ch_status chi_share_lists(ch_context *context, void *all, const int64_t *counts, size_t size);
ch_status chi_broadcast(ch_context *context, void *items, int64_t count, size_t size, int from);
/* 0 + all values in the order of the processes. */
ch_status chi_sum(ch_context *context, double *total, const double *values, int64_t count);
/* counts[r] items of process r one after the other on process 0; all is NULL elsewhere. */
ch_status chi_collect(ch_context *context, void *all, const void *own, const int64_t *counts,
                      size_t size);

/* Each of count values (at most CHI_RECORD_MAX bytes) becomes the largest that a process has. */
CHI_SHARED ch_status chi_largest(ch_context *context, double *values, int count);
/* Each of count numbers becomes the sum over the processes. */
ch_status chi_total(ch_context *context, int64_t *numbers, int count);

/* The largest value, ties and who holds them. Values tie that reach most * (1 - relative) -
 * absolute. */
typedef struct chi_offer {
    double most;      /* -1, or any number below all: nothing to offer        */
    double value;     /* of the first                                         */
    int64_t count;    /* that tie with most                                   */
    int64_t index[2]; /* the two lowest of them, as columns of the whole      */
} chi_offer;
/* Fills count, index and value of the offer by what ties with `most`, the largest anywhere. */
typedef void (*chi_offer_ties)(void *user, chi_offer *offer, double most);
/* In: offer->most of this process. Out: the offer of all of them. One exchange, a second one when
 * processes differ by less than a tie. Columns must rise with the processes. */
ch_status chi_argmax(ch_context *context, chi_offer *offer, double relative, double absolute,
                     chi_offer_ties ties, void *user);
