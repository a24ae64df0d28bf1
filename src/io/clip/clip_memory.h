/* Is there room for a clip? (clip_memory.c) */
#ifndef CONEHULL_CLIP_MEMORY_H
#define CONEHULL_CLIP_MEMORY_H

#include "io/clip/frames.h"

typedef struct chi_clip_memory {
    const char *path;
    const ch_clip_settings *set;
    const ch_clip *clip; /* sizes and colour, as planned                                      */
    int64_t frames;      /* to be kept                                                        */
    int open_end;        /* the number is a guess: the input may go on                        */
    int64_t held;        /* bytes that are needed beside it, while growing                    */
} chi_clip_memory;

/* CH_ERR_MEMORY when the clip is beyond the limit, with what would fit. */
ch_status chi_clip_memory_check(ch_context *context, const chi_clip_memory *room);
void chi_clip_memory_announce(ch_context *context, const chi_clip_memory *room);

#endif
