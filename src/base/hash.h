/* A fast hash of bytes, against accidents: damaged files, other data. Not against malice. */
#pragma once

#include "base/shared.h"
#include <stddef.h>
#include <stdint.h>

/* XXH3, 64 bits, of the bytes with this seed: the same on every machine. Different inputs agree by
 * a chance of 2^-64. bytes may be NULL when count is 0. */
CHI_SHARED uint64_t chi_hash(uint64_t seed, const void *bytes, size_t count);
