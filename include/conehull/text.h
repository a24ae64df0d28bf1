/* Documents: from raw text to counts, topics and exemplars (library conehull_text).
 *
 * Experimental: what these headers declare may change in any version, and conehull.h does not
 * include them. */
#ifndef CONEHULL_TEXT_H
#define CONEHULL_TEXT_H

#include <conehull/corpus.h>
#include <conehull/exemplars.h>
#include <conehull/topics.h>

#endif
