/* conehull: near-separable non-negative matrix factorisation. Everything but file access. */
#ifndef CONEHULL_CONEHULL_H
#define CONEHULL_CONEHULL_H

#include <conehull/anchors.h>
#include <conehull/checkpoint.h>
#include <conehull/comm.h>
#include <conehull/context.h>
#include <conehull/decompose.h>
#include <conehull/exemplars.h>
#include <conehull/frame.h>
#include <conehull/ghosts.h>
#include <conehull/live.h>
#include <conehull/mask.h>
#include <conehull/matrix.h>
#include <conehull/metrics.h>
#include <conehull/random.h>
#include <conehull/separate.h>
#include <conehull/settings.h>
#include <conehull/status.h>
#include <conehull/stream.h>
#include <conehull/synthetic.h>
#include <conehull/topics.h>
#include <conehull/version.h>

#endif
