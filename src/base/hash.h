/* A fast hash of bytes, against accidents: damaged files, other data. Not against malice. */
#ifndef CONEHULL_HASH_H
#define CONEHULL_HASH_H

#include <stddef.h>
#include <stdint.h>

/* 64 bits of the seed and the bytes. Two inputs of one length that differ in a single word of 8
 * bytes never agree; others do so by a chance of 2^-64. The same on every machine of one byte
 * order. */
uint64_t chi_hash(uint64_t seed, const void *bytes, size_t count);

#endif
