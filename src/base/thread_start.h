/* A thread beside the caller's, which leaves signals to the caller's threads. */
#pragma once

#include "base/shared.h"
#include <pthread.h>

/* Non-zero: it runs. */
CHI_SHARED int chi_thread_start(pthread_t *thread, void *(*body)(void *), void *user);
