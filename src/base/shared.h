/* Marks an internal function (chi_...) of one conehull library that another one calls:
 * libconehull_io, libconehull_video, libconehull_text and libconehull_spectra use internals of
 * libconehull. Shared libraries export such a name under a symbol version that names the release
 * (cmake/conehull.map.in), so that only libraries of the same release work together. Installed
 * headers declare no such name. */
#pragma once

#define CHI_SHARED __attribute__((visibility("default")))
