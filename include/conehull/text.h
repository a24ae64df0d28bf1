/* Counts words in raw text, finds topics of documents, and chooses exemplars (library
 * conehull_text). This header includes all headers of that library.
 *
 * Experimental: what these headers declare may change in any version, and conehull.h does not
 * include them. */
#ifndef CONEHULL_TEXT_H
#define CONEHULL_TEXT_H

#include <conehull/corpus.h>
#include <conehull/exemplars.h>
#include <conehull/topics.h>

#endif
