/* conehull: near-separable non-negative matrix factorisation. This header includes the stable part
 * of the library: matrices, losses, anchors, projections, verification of results, methods for
 * comparison, and streams of columns. Other headers are included separately: conehull/io.h reads
 * and writes files; conehull/video.h, conehull/text.h and conehull/spectra.h, all experimental,
 * handle videos, documents and spectra. */
#ifndef CONEHULL_CONEHULL_H
#define CONEHULL_CONEHULL_H

#include <conehull/anchors.h>
#include <conehull/checkpoint.h>
#include <conehull/comm.h>
#include <conehull/context.h>
#include <conehull/decompose.h>
#include <conehull/matrix.h>
#include <conehull/random.h>
#include <conehull/settings.h>
#include <conehull/status.h>
#include <conehull/stream.h>
#include <conehull/synthetic.h>
#include <conehull/version.h>

#endif
