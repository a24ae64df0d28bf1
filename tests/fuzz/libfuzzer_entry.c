/* One target as a libFuzzer program: FUZZ_TARGET is its function. */
#include "fuzz.h"

fuzz_target FUZZ_TARGET;
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    return FUZZ_TARGET(bytes, count);
}
