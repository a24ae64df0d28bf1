/* Threads as ranks. An exchange: all say where their data are, wait for one another, take what they
 * want, and wait again. */
#include "support_ranks.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64 };

typedef struct room {
    int size;
    pthread_barrier_t barrier;
    const void *data[MOST];
    double running;
    support_wire *wire;
} room;

typedef struct seat {
    ch_comm table;
    room *in;
    pthread_t thread;
    support_memory *memory;
    support_rank_body body;
    void *user;
} seat;

/* An exchange that takes so many messages one after the other, for rank 0 to count. */
static void pass_time(const seat *s, int steps) {
    support_wire *wire = s->in->wire;
    if (!wire) return;
    if (s->table.process == 0) {
        wire->calls++;
        wire->steps += steps;
    }
    double seconds = steps * wire->latency;
    struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    if (seconds > 0) nanosleep(&pause, NULL);
}

/* Of a tree over the ranks. */
static int depth(const seat *s) {
    int steps = 0;
    while (1 << steps < s->in->size) steps++;
    return steps;
}

static void show(const seat *s, const void *data) {
    s->in->data[s->table.process] = data;
    pthread_barrier_wait(&s->in->barrier);
}

static void leave(const seat *s) {
    pthread_barrier_wait(&s->in->barrier);
}

static int broadcast(void *user, void *bytes, int64_t count, int from) {
    const seat *s = user;
    show(s, bytes);
    if (s->table.process != from) memcpy(bytes, s->in->data[from], (size_t)count);
    pass_time(s, depth(s));
    leave(s);
    return 0;
}

static int share(void *user, void *all, const void *own, int64_t count) {
    const seat *s = user;
    show(s, own);
    for (int r = 0; r < s->in->size; r++)
        memcpy((char *)all + r * count, s->in->data[r], (size_t)count);
    pass_time(s, depth(s));
    leave(s);
    return 0;
}

static int share_lists(void *user, void *all, const int64_t *bytes) {
    const seat *s = user;
    int64_t place = 0;
    show(s, all);
    for (int r = 0; r < s->in->size; place += bytes[r++])
        if (r != s->table.process)
            memcpy((char *)all + place, (const char *)s->in->data[r] + place, (size_t)bytes[r]);
    pass_time(s, depth(s));
    leave(s);
    return 0;
}

static int sum(void *user, double *total, const double *values, int64_t count) {
    const seat *s = user;
    if (s->table.process == 0) s->in->running = 0;
    for (int r = 0; r < s->in->size; r++) {
        for (int64_t k = 0; r == s->table.process && k < count; k++) s->in->running += values[k];
        pthread_barrier_wait(&s->in->barrier);
    }
    *total = s->in->running;
    pass_time(s, s->in->size - 1 + depth(s));
    leave(s);
    return 0;
}

static int collect(void *user, void *all, const void *own, const int64_t *bytes) {
    const seat *s = user;
    char *to = all;
    show(s, own);
    for (int r = 0; s->table.process == 0 && r < s->in->size; to += bytes[r++])
        memmove(to, s->in->data[r], (size_t)bytes[r]);
    pass_time(s, s->in->size - 1);
    leave(s);
    return 0;
}

static void *sit(void *argument) {
    seat *s = argument;
    ch_context *context = support_context(s->memory, 1);
    support_check(ch_context_set_comm(context, &s->table) == CH_OK, "a table is refused");
    s->body(s->user, context, s->table.process);
    support_finish(context, s->memory);
    return NULL;
}

void support_run_ranks(int ranks, support_wire *wire, support_memory *memory,
                       support_rank_body body, void *user) {
    room in = {.size = ranks, .wire = wire};
    seat *seats = calloc((size_t)ranks, sizeof *seats);
    support_check(ranks <= MOST && seats, "too many ranks");
    pthread_barrier_init(&in.barrier, NULL, (unsigned)ranks);
    for (int r = 0; r < ranks; r++) {
        seats[r] = (seat){.in = &in, .body = body, .user = user};
        seats[r].memory = memory ? &memory[r] : NULL;
        seats[r].table = (ch_comm){sizeof(ch_comm), r,           ranks, &seats[r], broadcast,
                                   share,           share_lists, sum,   collect,   NULL};
        support_check(pthread_create(&seats[r].thread, NULL, sit, &seats[r]) == 0, "no thread");
    }
    for (int r = 0; r < ranks; r++) pthread_join(seats[r].thread, NULL);
    pthread_barrier_destroy(&in.barrier);
    free(seats);
}
