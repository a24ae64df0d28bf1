/* A small page that shows a run of `conehull live` in progress: original | background | mask.
 *
 * Only this computer can open the page. The server listens on 127.0.0.1 only, and answers only
 * requests whose Host is this address, so that pages of other sites cannot read the pictures. It
 * serves three addresses (/, /frame.jpg, /state.json), reads no files and starts no programs. One
 * thread serves many clients at once. Each client has a few seconds to send its request and to
 * receive the answer; the run never waits for clients, not even at its end. */
#pragma once

#include <conehull/picture.h>

typedef struct live_page live_page;

/* Starts the server. port 0: any free port. shape: size and channels of the pictures. Prints errors
 * and returns the exit code. */
int live_page_open(live_page **page, int port, const ch_picture *shape, int quiet);
/* Returns whether a client has requested a picture since the last live_page_show(). */
int live_page_wants(const live_page *page);
/* Sets the current picture, the number of its frame, the state of the run as text, and its warnings
 * (bits of ch_mask_info.warnings). The pixels are copied. */
void live_page_show(live_page *page, const uint8_t *pixels, int64_t frame, const char *state,
                    int warnings);
/* Stops the server and frees the page. NULL is allowed. */
void live_page_close(live_page *page);
