/* One step after the other. A file that includes this header does not include the library's own
 * base/base.h, whose TRY is about statuses. */
#pragma once

#include "common/exit_codes.h"

/* Returns the exit code of a step that failed; EXIT_DONE goes on. Steps complain themselves. */
#define TRY(step)                                     \
    do {                                              \
        int try_code_ = (step);                       \
        if (try_code_ != EXIT_DONE) return try_code_; \
    } while (0)
