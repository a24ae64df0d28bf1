/* Every context of a test program computes with the kernel set that $CONEHULL_TEST_KERNEL names, if
 * it is set: the linker hands ch_context_create() to this function (tests/CMakeLists.txt). A set
 * that this processor lacks ends the program with 77, which counts as skipped. */
#include "support.h"
#include <stdio.h>
#include <stdlib.h>

ch_status __real_ch_context_create(ch_context **context, const ch_memory_hooks *memory);
ch_status __wrap_ch_context_create(ch_context **context, const ch_memory_hooks *memory);

ch_status __wrap_ch_context_create(ch_context **context, const ch_memory_hooks *memory) {
    const char *kernel = getenv("CONEHULL_TEST_KERNEL");
    ch_status status = __real_ch_context_create(context, memory);
    if (status != CH_OK || !kernel) return status;
    status = ch_context_set_kernel(*context, kernel);
    if (status == CH_OK) return status;
    fprintf(stderr, "%s\n", ch_context_message(*context));
    exit(status == CH_ERR_UNSUPPORTED ? 77 : 1);
}
