/* A small page that shows a run of `conehull live` while it goes: original | background | mask.
 *
 * Only this computer can open it: the server listens on 127.0.0.1 alone, and answers only requests
 * that name it so, which keeps pages of other sites from reading along. It knows three addresses
 * (/, /frame.jpg, /state.json), reads no file and runs nothing. One thread serves many clients at
 * once and waits for none: each has seconds to ask and to take its answer, and a run that ends does
 * not wait for them. */
#pragma once

#include <conehull/picture.h>

typedef struct live_page live_page;

/* port 0: one that is free. shape: size and channels of the pictures. Complains itself and returns
 * the exit code. */
int live_page_open(live_page **page, int port, const ch_picture *shape, int quiet);
/* Whether somebody has asked for a picture since the last one was shown. */
int live_page_wants(const live_page *page);
/* The picture of now, its frame, what the run does and what is to be said of it (bits of
 * ch_mask_warning()); copied. */
void live_page_show(live_page *page, const uint8_t *pixels, int64_t frame, const char *state,
                    int warnings);
/* NULL is fine. */
void live_page_close(live_page *page);
