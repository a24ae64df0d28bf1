/* Distinct words, numbered in the order of appearance: bytes in one array, and a hash table with
 * open addressing, at most half full. O(length) per word. */
#include "text/corpus/corpus_internal.h"
#include <string.h>

enum { FIRST_WORDS = 1 << 10, FIRST_BYTES = 1 << 13 };

ch_status chi_vocabulary_create(ch_context *context, chi_vocabulary *words, const char *path) {
    *words = (chi_vocabulary){.context = context, .path = path};
    words->start = chi_take(context, path, "terms", FIRST_WORDS, sizeof *words->start);
    words->bytes = chi_take(context, path, "terms", FIRST_BYTES, 1);
    words->slots = chi_alloc_zero(context, 2 * FIRST_WORDS, sizeof *words->slots);
    if (!words->start || !words->bytes || !words->slots) {
        chi_vocabulary_free(words);
        return chi_no_memory(context, "a table of terms", FIRST_WORDS, sizeof *words->start);
    }
    words->start_capacity = FIRST_WORDS;
    words->bytes_capacity = FIRST_BYTES;
    words->slot_count = 2 * FIRST_WORDS;
    words->start[0] = 0;
    return CH_OK;
}

void chi_vocabulary_free(chi_vocabulary *words) {
    if (!words->context) return;
    chi_free(words->context, words->start);
    chi_free(words->context, words->bytes);
    chi_free(words->context, words->slots);
    *words = (chi_vocabulary){0};
}

static uint64_t hash(const char *word, int64_t length) { /* FNV-1a, with its upper half folded in */
    uint64_t h = 0xcbf29ce484222325u;
    for (int64_t i = 0; i < length; i++) h = (h ^ (uint8_t)word[i]) * 0x100000001b3u;
    return h ^ h >> 32;
}

/* Returns the slot of the word, or the free slot for it. */
static int64_t find_slot(const chi_vocabulary *words, const char *word, int64_t length) {
    int64_t mask = words->slot_count - 1, slot = (int64_t)(hash(word, length) & (uint64_t)mask);
    for (; words->slots[slot]; slot = (slot + 1) & mask) {
        const int64_t *start = words->start + words->slots[slot] - 1;
        if (start[1] - start[0] - 1 == length &&
            !memcmp(words->bytes + start[0], word, (size_t)length))
            break;
    }
    return slot;
}

int32_t chi_vocabulary_find(const chi_vocabulary *words, const char *word, int length) {
    return words->slots[find_slot(words, word, length)] - 1;
}

int chi_vocabulary_has(const chi_vocabulary *words, const char *word, int length) {
    return chi_vocabulary_find(words, word, length) >= 0;
}

static ch_status grow_slots(chi_vocabulary *words) {
    int64_t larger = 2 * words->slot_count;
    int32_t *slots = chi_alloc_zero(words->context, larger, sizeof *slots);
    if (!slots) return chi_no_memory(words->context, "a table of terms", larger, sizeof *slots);
    chi_free(words->context, words->slots);
    words->slots = slots;
    words->slot_count = larger;
    for (int64_t i = 0; i < words->count; i++) {
        const int64_t *start = words->start + i;
        slots[find_slot(words, words->bytes + start[0], start[1] - start[0] - 1)] = (int32_t)i + 1;
    }
    return CH_OK;
}

static ch_status reserve(chi_vocabulary *words, int length) {
    if (words->count == INT32_MAX - 1)
        return chi_fail(
            words->context, CH_ERR_UNSUPPORTED,
            "%s: the input has more than 2^31 - 2 distinct words, which is not supported",
            words->path);
    if (words->count + 2 > words->start_capacity)
        TRY(chi_array_double(words->context, &words->start, &words->start_capacity,
                             words->count + 1, sizeof *words->start, words->path, "terms"));
    while (words->start[words->count] + length + 1 > words->bytes_capacity)
        TRY(chi_array_double(words->context, &words->bytes, &words->bytes_capacity,
                             words->start[words->count], 1, words->path, "terms"));
    return 2 * (words->count + 1) > words->slot_count ? grow_slots(words) : CH_OK;
}

ch_status chi_vocabulary_add(chi_vocabulary *words, int32_t *number, const char *word, int length) {
    int64_t slot = find_slot(words, word, length);
    if (!words->slots[slot]) {
        TRY(reserve(words, length));
        slot = find_slot(words, word, length);
        char *to = words->bytes + words->start[words->count];
        memcpy(to, word, (size_t)length);
        to[length] = '\0';
        words->start[words->count + 1] = words->start[words->count] + length + 1;
        words->slots[slot] = (int32_t)++words->count;
    }
    if (number) *number = words->slots[slot] - 1;
    return CH_OK;
}
