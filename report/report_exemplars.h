/* The page of `conehull exemplars`, and its chart as a file. */
#pragma once

#include "report_page.h"
#include "report_read.h"

/* result: the object of result.json (docs/exemplars.md). pictures: of the exemplars of the first
 * method, in order, as many as have one; count 0: none. */
void report_exemplars_write(FILE *to, const json_t *result, const report_blob *pictures,
                            size_t count);

/* Accuracy against the number of exemplars, one line per method. */
void report_exemplars_chart(FILE *to, const json_t *result);
