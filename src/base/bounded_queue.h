/* A bounded queue between two threads. It holds no data: places 0 .. capacity - 1 go around, one
 * thread fills what belongs to a place and puts it, the other takes it and gives it back. Who finds
 * no place waits, so neither runs ahead by more than the capacity. */
#pragma once

#include "base/shared.h"
#include <pthread.h>
#include <stdint.h>

typedef struct chi_queue {
    pthread_mutex_t lock;
    pthread_cond_t change;
    int64_t filled, emptied; /* places so far                                  */
    int capacity, closed;
} chi_queue;

CHI_SHARED void chi_queue_create(chi_queue *queue, int capacity);
CHI_SHARED void chi_queue_destroy(chi_queue *queue);

/* The filling thread: the place to fill next, after a wait if there is none; -1: the queue is
 * closed. Then the word that it is filled. */
CHI_SHARED int chi_queue_place(chi_queue *queue);
CHI_SHARED void chi_queue_put(chi_queue *queue);

enum { CHI_QUEUE_ENDED = -1, CHI_QUEUE_EMPTY = -2 };
/* The emptying thread: the next filled place. CHI_QUEUE_ENDED: closed, and all places were taken;
 * CHI_QUEUE_EMPTY: nothing came for so many milliseconds (0: waits for ever). Then the word that it
 * is free again. */
CHI_SHARED int chi_queue_take(chi_queue *queue, int milliseconds);
CHI_SHARED void chi_queue_free(chi_queue *queue);

/* By either thread: no more places are filled; those that are can still be taken. */
CHI_SHARED void chi_queue_close(chi_queue *queue);
