/* One small file of every format and kind that readers take, for tests of what goes wrong. */
#pragma once

#include "support_files.h"

typedef struct support_sample {
    const char *name;
    int cut_may_pass; /* text: what is left can be a smaller, valid file */
    int fragile;      /* read by another library: its own memory is not ours to refuse */
} support_sample;

enum { SUPPORT_SAMPLES = 22, SUPPORT_LARGE = 40 * 50 * 8 };
extern const support_sample support_samples[SUPPORT_SAMPLES];

/* Writes them to the test's folder, and beside them chunks.h5 and whole.h5, whose values take
 * SUPPORT_LARGE bytes. Returns 0. Those that need NumPy, SciPy and h5py are missing without them.
 */
int support_samples_make(void);

/* The file is there. */
int support_sample_exists(const char *name);
