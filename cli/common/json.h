/* JSON results: what jansson lacks, and printing with errors noticed. */
#ifndef CONEHULL_JSON_H
#define CONEHULL_JSON_H

#include <jansson.h>
#include <stdint.h>

/* Numbers that are not finite become null: JSON has no word for them. */
json_t *cli_json_real(double value);
json_t *cli_json_reals(const double *values, int64_t count);
json_t *cli_json_integers(const int64_t *values, int64_t count);

/* The text of the object, to be freed; reals have the fewest digits that give them back. NULL
 * without memory. */
char *cli_json_text(const json_t *object, size_t flags);

/* One line on stdout; the object is released. EXIT_DONE, or EXIT_MEMORY when it is NULL or
 * incomplete. */
int cli_json_print(json_t *object);

#endif
