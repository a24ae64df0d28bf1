/* A bounded queue between two threads. It counts the places filled and emptied, under one lock. */
#include "base/bounded_queue.h"
#include <errno.h>
#include <time.h>

void chi_queue_create(chi_queue *queue, int capacity) {
    pthread_condattr_t clock;
    *queue = (chi_queue){.capacity = capacity};
    pthread_mutex_init(&queue->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->change, &clock);
    pthread_condattr_destroy(&clock);
}

void chi_queue_destroy(chi_queue *queue) {
    pthread_cond_destroy(&queue->change);
    pthread_mutex_destroy(&queue->lock);
}

static struct timespec after(int milliseconds) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    at.tv_sec += milliseconds / 1000 + at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

int chi_queue_place(chi_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    while (!queue->closed && queue->filled - queue->emptied == queue->capacity)
        pthread_cond_wait(&queue->change, &queue->lock);
    int place = queue->closed ? CHI_QUEUE_ENDED : (int)(queue->filled % queue->capacity);
    pthread_mutex_unlock(&queue->lock);
    return place;
}

int chi_queue_take(chi_queue *queue, int milliseconds) {
    struct timespec limit = after(milliseconds);
    int late = 0;
    pthread_mutex_lock(&queue->lock);
    while (!queue->closed && !late && queue->filled == queue->emptied)
        late = milliseconds > 0
                   ? pthread_cond_timedwait(&queue->change, &queue->lock, &limit) == ETIMEDOUT
                   : pthread_cond_wait(&queue->change, &queue->lock) != 0;
    int place = queue->filled > queue->emptied ? (int)(queue->emptied % queue->capacity)
                : queue->closed                ? CHI_QUEUE_ENDED
                                               : CHI_QUEUE_EMPTY;
    pthread_mutex_unlock(&queue->lock);
    return place;
}

static void count(chi_queue *queue, int64_t *places) {
    pthread_mutex_lock(&queue->lock);
    ++*places;
    pthread_cond_broadcast(&queue->change);
    pthread_mutex_unlock(&queue->lock);
}

void chi_queue_put(chi_queue *queue) {
    count(queue, &queue->filled);
}

void chi_queue_free(chi_queue *queue) {
    count(queue, &queue->emptied);
}

void chi_queue_close(chi_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    queue->closed = 1;
    pthread_cond_broadcast(&queue->change);
    pthread_mutex_unlock(&queue->lock);
}
