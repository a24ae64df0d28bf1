/* The page of conehull topics, made of its JSON alone. */
#ifndef CONEHULL_REPORT_TOPICS_H
#define CONEHULL_REPORT_TOPICS_H

#include <jansson.h>
#include <stdio.h>

void report_topics(FILE *to, const json_t *result);

#endif
