/* Is there room for a clip? (clip_memory.c) */
#ifndef CONEHULL_CLIP_ROOM_H
#define CONEHULL_CLIP_ROOM_H

#include "io/clip/frames.h"

typedef struct chi_room {
    const char *path;
    const ch_clip_settings *set;
    const ch_clip *clip; /* sizes and colour, as planned                                      */
    int64_t frames;      /* to be kept                                                        */
    int open_end;        /* the number is a guess: the input may go on                        */
    int64_t held;        /* bytes that are needed beside it, while growing                    */
} chi_room;

/* CH_ERR_MEMORY when the clip is beyond the limit, with what would fit. */
ch_status chi_room_check(ch_context *context, const chi_room *room);
void chi_room_announce(ch_context *context, const chi_room *room);

#endif
