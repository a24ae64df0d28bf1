/* The page of conehull topics, made of its JSON alone. */
#pragma once

#include <jansson.h>
#include <stdio.h>

void report_topics(FILE *to, const json_t *result);
