/* Separates background from moving objects in videos (library conehull_video). This header includes
 * all headers of that library.
 *
 * Experimental: what these headers declare may change in any version, and conehull.h does not
 * include them. The library conehull_io reads videos (conehull/clip.h) and cameras
 * (conehull/feed.h). */
#ifndef CONEHULL_VIDEO_H
#define CONEHULL_VIDEO_H

#include <conehull/live.h>
#include <conehull/mask.h>
#include <conehull/metrics.h>
#include <conehull/scene.h>
#include <conehull/separate.h>

#endif
