/* A bounded queue between two threads. It holds no data, only the indices of places, 0 to capacity
 * - 1, which are used in turn. One thread fills the data of a place and marks it as filled; the
 * other thread takes the place, uses the data and marks it as free. A thread that finds no suitable
 * place waits, so neither thread runs ahead by more than the capacity. */
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

/* For the filling thread. chi_queue_place() waits for a free place and returns its number, or -1 if
 * the queue is closed. chi_queue_put() marks that place as filled. */
CHI_SHARED int chi_queue_place(chi_queue *queue);
CHI_SHARED void chi_queue_put(chi_queue *queue);

enum { CHI_QUEUE_ENDED = -1, CHI_QUEUE_EMPTY = -2 };
/* For the emptying thread. chi_queue_take() waits for a filled place and returns its number. It
 * returns CHI_QUEUE_ENDED when the queue is closed and all places were taken, and CHI_QUEUE_EMPTY
 * when nothing came within the given milliseconds (0: no limit). chi_queue_free() marks the place
 * as free again. */
CHI_SHARED int chi_queue_take(chi_queue *queue, int milliseconds);
CHI_SHARED void chi_queue_free(chi_queue *queue);

/* Closes the queue; either thread may call this. After that no more places can be filled, but
 * filled places can still be taken. */
CHI_SHARED void chi_queue_close(chi_queue *queue);
