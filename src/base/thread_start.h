/* Starts a thread that blocks all signals, so that the caller's threads receive them. */
#pragma once

#include "base/shared.h"
#include <pthread.h>

/* Returns non-zero if the thread runs. */
CHI_SHARED int chi_thread_start(pthread_t *thread, void *(*body)(void *), void *user);
