/* Exchanges with other processes through the table of the context (conehull/comm.h), and functions
 * built on them. With one process every function returns at once. */
#include "base/processes.h"
#include "base/context_internal.h"
#include "base/sized.h"
#include <string.h>

int chi_process_index(const ch_context *context) {
    return context->comm ? context->comm->process : 0;
}

int chi_process_count(const ch_context *context) {
    return context->comm ? context->comm->processes : 1;
}

const ch_comm *ch_context_comm(const ch_context *context) {
    return context->comm;
}

ch_status ch_context_set_comm(ch_context *context, const ch_comm *comm) {
    char *records = NULL;
    double *exchange = NULL;
    ch_comm own = {0};
    if (comm) TRY(chi_sized_take(context, &own, sizeof own, comm, "ch_comm"));
    if (comm) comm = &own;
    if (comm && (comm->processes < 1 || comm->process < 0 || comm->process >= comm->processes))
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "ch_comm: process is %d and processes is %d, but process must be at least "
                        "0 and less than processes",
                        comm->process, comm->processes);
    if (comm && comm->processes == 1) comm = NULL;
    if (comm) {
        records = chi_alloc(context, comm->processes, CHI_RECORD_MAX);
        exchange = chi_alloc(context, 1, CHI_RECORD_MAX);
        if (!records || !exchange) {
            chi_free(context, exchange);
            chi_free(context, records);
            return chi_no_memory(context, "processes", comm->processes, CHI_RECORD_MAX);
        }
    }
    chi_free(context, context->exchange);
    chi_free(context, context->records);
    context->comm_table = own;
    context->comm = comm ? &context->comm_table : NULL;
    context->records = records;
    context->exchange = exchange;
    context->exchanges = 0;
    context->comm_cost = (ch_comm_cost){0};
    return CH_OK;
}

void ch_comm_part(const ch_context *context, int64_t *first, int64_t *count, int64_t cols) {
    int64_t blocks = (cols + CH_COMM_BLOCK - 1) / CH_COMM_BLOCK, size = chi_process_count(context);
    int64_t each = blocks / size, longer = blocks % size, process = chi_process_index(context);
    int64_t low = (process * each + (process < longer ? process : longer)) * CH_COMM_BLOCK;
    int64_t high = low + (each + (process < longer)) * CH_COMM_BLOCK;
    if (low > cols) low = cols;
    if (high > cols) high = cols;
    *first = low;
    *count = high - low;
}

/* ---- exchanges ----------------------------------------------------------------------------- */

enum { EXCHANGES = CHI_RECORD_MAX / sizeof(double) }; /* timings compared together */

/* Adds the timings of past exchanges to the totals. The shortest time among the processes counts as
 * the cost of an exchange; what others took longer counts as waiting. */
static int settle_cost(ch_context *context) {
    const ch_comm *comm = context->comm;
    const double *all = (const double *)(const void *)context->records;
    int count = context->exchanges;
    context->exchanges = 0;
    if (comm->share(comm->user, context->records, context->exchange,
                    (int64_t)((size_t)count * sizeof(double))))
        return 1;
    for (int k = 0; k < count; k++) {
        double least = context->exchange[k];
        for (int r = 0; r < comm->processes; r++)
            if (all[r * count + k] < least) least = all[r * count + k];
        context->comm_cost.seconds += least;
        context->comm_cost.waiting += context->exchange[k] - least;
    }
    return 0;
}

double chi_exchange_seconds(ch_context *context) {
    if (context->comm) settle_cost(context);
    return context->comm_cost.seconds;
}

ch_status ch_context_comm_cost(ch_context *context, ch_comm_cost *cost) {
    TRY(chi_sized_check(context, cost, "ch_comm_cost"));
    chi_exchange_seconds(context);
    chi_result_give(cost, &context->comm_cost, sizeof context->comm_cost);
    return CH_OK;
}

/* Counts an exchange that is about to start, and makes sure that its time can be stored. */
static double begin_exchange(ch_context *context, double bytes) {
    if (context->exchanges == EXCHANGES) settle_cost(context);
    context->comm_cost.calls++;
    context->comm_cost.bytes += bytes;
    return chi_seconds();
}

/* Stores the time of an exchange. failed is what the function of the comm table returned. */
static ch_status end_exchange(ch_context *context, double start, int failed) {
    const ch_comm *comm = context->comm;
    context->exchange[context->exchanges++] = chi_seconds() - start;
    if (!failed) return CH_OK;
    return chi_fail(context, CH_ERR_IO, "process %d: communication failed: %s", comm->process,
                    comm->why ? comm->why(comm->user) : "no reason given");
}

const void *chi_share(ch_context *context, const void *own, size_t size) {
    const ch_comm *comm = context->comm;
    if (!comm) return own;
    double start = begin_exchange(context, (double)size * comm->processes);
    int failed = comm->share(comm->user, context->records, own, (int64_t)size);
    ch_status status = end_exchange(context, start, failed);
    return status == CH_OK ? context->records : NULL;
}

/* Returns counts converted to bytes, for items of `size` bytes. The result is in
 * context->records. */
static const int64_t *to_bytes(ch_context *context, const int64_t *counts, size_t size) {
    int64_t *bytes = (int64_t *)(void *)context->records;
    for (int r = 0; r < context->comm->processes; r++) bytes[r] = counts[r] * (int64_t)size;
    return bytes;
}

ch_status chi_share_lists(ch_context *context, void *all, const int64_t *counts, size_t size) {
    const ch_comm *comm = context->comm;
    double sum = 0;
    if (!comm) return CH_OK;
    for (int r = 0; r < comm->processes; r++) sum += (double)counts[r] * (double)size;
    double start = begin_exchange(context, sum);
    int failed = comm->share_lists(comm->user, all, to_bytes(context, counts, size));
    return end_exchange(context, start, failed);
}

ch_status chi_broadcast(ch_context *context, void *items, int64_t count, size_t size, int from) {
    const ch_comm *comm = context->comm;
    if (!comm) return CH_OK;
    int64_t bytes = count * (int64_t)size;
    double start = begin_exchange(context, (double)bytes);
    int failed = comm->broadcast(comm->user, items, bytes, from);
    return end_exchange(context, start, failed);
}

ch_status chi_sum(ch_context *context, double *total, const double *values, int64_t count) {
    const ch_comm *comm = context->comm;
    if (!comm) {
        *total = 0;
        for (int64_t k = 0; k < count; k++) *total += values[k];
        return CH_OK;
    }
    double start = begin_exchange(context, 2 * sizeof *total);
    int failed = comm->sum(comm->user, total, values, count);
    return end_exchange(context, start, failed);
}

ch_status chi_collect(ch_context *context, void *all, const void *own, const int64_t *counts,
                      size_t size) {
    const ch_comm *comm = context->comm;
    double sum = 0;
    if (!comm) {
        if (counts[0] > 0) memcpy(all, own, (size_t)counts[0] * size);
        return CH_OK;
    }
    for (int r = 0; r < comm->processes; r++)
        if (comm->process == 0 || comm->process == r) sum += (double)counts[r] * (double)size;
    double start = begin_exchange(context, sum);
    int failed = comm->collect(comm->user, all, own, to_bytes(context, counts, size));
    return end_exchange(context, start, failed);
}

/* ---- functions built on exchanges ---------------------------------------------------------- */

ch_status chi_largest(ch_context *context, double *values, int count) {
    const double *all = chi_share(context, values, (size_t)count * sizeof *values);
    if (!all) return CH_ERR_IO;
    for (int r = 0; r < chi_process_count(context); r++)
        for (int k = 0; k < count; k++)
            if (all[r * count + k] > values[k]) values[k] = all[r * count + k];
    return CH_OK;
}

ch_status chi_total(ch_context *context, int64_t *numbers, int count) {
    if (!context->comm) return CH_OK;
    const int64_t *all = chi_share(context, numbers, (size_t)count * sizeof *numbers);
    if (!all) return CH_ERR_IO;
    for (int k = 0; k < count; k++) {
        numbers[k] = 0;
        for (int r = 0; r < chi_process_count(context); r++) numbers[k] += all[r * count + k];
    }
    return CH_OK;
}

ch_status ch_comm_count(ch_context *context, int64_t *count) {
    return chi_total(context, count, 1);
}

/* Merges the offers of all processes. Returns whether the maximum of some process differs from the
 * overall maximum but ties with it, in which case its count may be too large. */
static int join_offers(chi_offer *joined, const chi_offer *all, int processes, double relative,
                       double absolute) {
    int unclear = 0;
    *joined = (chi_offer){.most = all[0].most};
    for (int r = 1; r < processes; r++)
        if (all[r].most > joined->most) joined->most = all[r].most;
    for (int r = 0; r < processes; r++) {
        if (all[r].count == 0 || all[r].most < joined->most * (1 - relative) - absolute) continue;
        unclear |= all[r].most < joined->most;
        if (joined->count == 0) joined->value = all[r].value;
        for (int64_t k = 0; k < all[r].count && joined->count + k < 2; k++)
            joined->index[joined->count + k] = all[r].index[k];
        joined->count += all[r].count;
    }
    return unclear;
}

ch_status chi_argmax(ch_context *context, chi_offer *offer, double relative, double absolute,
                     chi_offer_ties ties, void *user) {
    chi_offer joined;
    double own = offer->most;
    ties(user, offer, own);
    if (!context->comm) return CH_OK;
    const chi_offer *all = chi_share(context, offer, sizeof *offer);
    if (!all) return CH_ERR_IO;
    if (join_offers(&joined, all, chi_process_count(context), relative, absolute)) {
        double most = joined.most;
        ties(user, offer, most);
        all = chi_share(context, offer, sizeof *offer);
        if (!all) return CH_ERR_IO;
        join_offers(&joined, all, chi_process_count(context), relative, absolute);
    }
    *offer = joined;
    return CH_OK;
}

/* Returns whether an error may concern this machine only (files, memory); an error in the data
 * concerns all. */
static int is_local(ch_status status) {
    return status == CH_ERR_IO || status == CH_ERR_MEMORY || status == CH_ERR_FORMAT;
}

ch_status ch_comm_agree(ch_context *context, ch_status status) {
    int32_t own = (int32_t)status;
    if (!context->comm) return status;
    const int32_t *all = chi_share(context, &own, sizeof own);
    if (!all) return CH_ERR_IO;
    int worst = 0, alike = 1;
    for (int r = 1; r < chi_process_count(context); r++) {
        alike &= all[r] == all[0];
        if (all[worst] < 0) continue;
        if (all[r] < 0 || all[r] > all[worst]) worst = r;
    }
    status = (ch_status)all[worst];
    if (status >= 0) return status;
    char message[sizeof context->message];
    memcpy(message, context->message, sizeof message);
    TRY(chi_broadcast(context, message, sizeof message, 1, worst));
    if (!alike && is_local(status)) return chi_fail(context, status, "rank %d: %s", worst, message);
    return chi_fail(context, status, "%s", message);
}
