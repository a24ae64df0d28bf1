/* JSON results: what jansson lacks, and printing with errors noticed. */
#pragma once

#include <conehull/settings.h>
#include <jansson.h>

/* Numbers that are not finite become null: JSON cannot say them. */
json_t *cli_json_real(double value);
json_t *cli_json_reals(const double *values, int64_t count);
json_t *cli_json_integers(const int64_t *values, int64_t count);

/* The list with one value more, or the object with the members of another; both take the second
 * over. NULL, and nothing is left of either, when one of them is NULL or without memory. */
json_t *cli_json_append(json_t *list, json_t *value);
json_t *cli_json_merge(json_t *object, json_t *more);

/* An object: "rank:i gap:r seconds:{read:r}" with the values behind it, in that order. NULL without
 * memory, or when an `o` is NULL.
 *
 *     s  const char *, NULL: null        i  int64_t        d  int         b  int as true or false
 *     r  double, not finite: null        o  json_t *, taken over          n  null, without a value
 *     I  const int64_t * and R  const double *: a list, its int64_t length is the next value
 *     T  const ch_settings_table * and the settings: cli_settings_json() */
json_t *cli_json_pack(const char *format, ...);

/* Sets seconds.NAME of the object. */
void cli_json_set_seconds(json_t *object, const char *name, double seconds);

/* Every row of the table, by name: {"rank": 20, "loss": "l1", "eager": false, ...}. */
json_t *cli_settings_json(const ch_settings_table *table, const void *settings);
/* The way back; keys that the table does not know are ignored. */
ch_status cli_settings_from_json(ch_context *context, const ch_settings_table *table,
                                 void *settings, const json_t *object);

/* The text of the object, to be freed; reals have the fewest digits that give them back. NULL
 * without memory. */
char *cli_json_text(const json_t *object, size_t flags);

/* One line on stdout; the object is released. EXIT_DONE, or EXIT_MEMORY when it is NULL or
 * incomplete. */
int cli_json_print(json_t *object);
