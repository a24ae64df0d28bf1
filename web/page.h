/* What the script of the page calls in the program, beside main(). Texts live until the next call.
 */
#pragma once

#include <emscripten.h>
#include <stdint.h>

/* ---- page_clip.c ---- */

void page_clip_close(void);
const char *page_clip_message(void);
int page_clip_open(int width, int height, int frames);
uint8_t *page_clip_pixels(void);
int page_clip_next(void);
int page_clip_replay(int i);
int page_clip_learned(void);
const uint8_t *page_clip_mask(void);
const uint8_t *page_clip_background(void);
int page_clip_rank(void);
const char *page_clip_reason(void);
int page_clip_sample(int width, int height, int frames, int frame);

/* ---- page_data.c ---- */

const char *page_message(void);
const double *page_cube_shape(const char *path);
int page_cube_wavelengths(const char *path, const char *to);
int page_sample_matrix(const char *to);
int page_sample_scene(const char *to);

/* ---- page_zip.c ---- */

int page_zip(const char *folder, const char *to);
