/* Starts threads that block all signals, so that threads of the caller receive them. */
#pragma once

#include "base/shared.h"
#include <pthread.h>

/* Starts a thread that runs body(user). Returns non-zero if the thread was started. */
CHI_SHARED int chi_thread_start(pthread_t *thread, void *(*body)(void *), void *user);
