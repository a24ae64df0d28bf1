/* Runs one step after another. A file that includes this header must not include the library's own
 * base/base.h, whose TRY is about statuses. */
#pragma once

#include "common/exit_codes.h"

/* Returns the exit code of a failed step; continues after EXIT_DONE. Steps print their own
 * errors. */
#define TRY(step)                                     \
    do {                                              \
        int try_code_ = (step);                       \
        if (try_code_ != EXIT_DONE) return try_code_; \
    } while (0)
