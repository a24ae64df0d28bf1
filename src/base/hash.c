/* Words w of 8 bytes go round four lanes, each by
 *
 *     lane <- (rotate(lane, 29) ^ w) * odd
 *
 * which is one-to-one in w and in the lane; so is the mixing at the end, lane by lane. About a word
 * per cycle. */
#include "base/hash.h"

#include <string.h>

enum { LANES = 4 };
static const uint64_t ODD = 0xD6E8FEB86659FD93u, STEP = 0x9E3779B97F4A7C15u;

static uint64_t rotate(uint64_t x, int by) {
    return x << by | x >> (64 - by);
}

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 32) * ODD;
    x = (x ^ x >> 29) * ODD;
    return x ^ x >> 32;
}

uint64_t chi_hash(uint64_t seed, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    uint64_t lane[LANES], word[LANES], hash = mix(seed + count);
    size_t left = count;
    for (int l = 0; l < LANES; l++) lane[l] = hash + STEP * (uint64_t)(l + 1);
    for (; left >= sizeof word; left -= sizeof word, at += sizeof word) {
        memcpy(word, at, sizeof word);
        for (int l = 0; l < LANES; l++) lane[l] = (rotate(lane[l], 29) ^ word[l]) * ODD;
    }
    memset(word, 0, sizeof word); /* the rest, zeros behind it; the count is in the seed */
    if (left) memcpy(word, at, left);
    for (int l = 0; l < LANES; l++) lane[l] = (rotate(lane[l], 29) ^ word[l]) * ODD;
    for (int l = 0; l < LANES; l++) hash = mix(rotate(hash, 23) ^ mix(lane[l]));
    return hash;
}
