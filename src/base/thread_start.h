/* A thread beside the caller's, which leaves signals to the caller's threads. */
#ifndef CONEHULL_THREAD_START_H
#define CONEHULL_THREAD_START_H

#include "base/shared.h"
#include <pthread.h>

/* Non-zero: it runs. */
CHI_SHARED int chi_thread_start(pthread_t *thread, void *(*body)(void *), void *user);

#endif
