/* Marks a chi_ name that another library of ours uses: libconehull_io, libconehull_video,
 * libconehull_text and libconehull_spectra rest on the inside of libconehull. Shared libraries
 * export such a name under a symbol version that names the release (cmake/conehull.map.in), so that
 * only libraries of one release work together. No header that is installed declares one. */
#pragma once

#define CHI_SHARED __attribute__((visibility("default")))
