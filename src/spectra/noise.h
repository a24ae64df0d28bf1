/* The noise estimate, for callers inside src/spectra. */
#pragma once

#include <conehull/spectra.h>

/* Does the work of ch_spectra_estimate_noise(), without checking the arguments. If complete_only,
 * pixels with NaN do not count. Returns CH_OK with noise->rank = -1 and nothing else if there are
 * fewer than two bands, or no more counted pixels than bands. */
ch_status chi_spectra_noise(ch_context *context, ch_spectra_noise *noise, const ch_matrix *X,
                            int complete_only);
