/* JSON results: functions that jansson lacks, and printing with error checks. */
#pragma once

#include <conehull/settings.h>
#include <jansson.h>

/* Numbers that are not finite become null, because JSON has no form for them. */
json_t *cli_json_real(double value);
json_t *cli_json_reals(const double *values, int64_t count);
json_t *cli_json_integers(const int64_t *values, int64_t count);

/* Appends a value to a list, or merges the members of another object. Both take ownership of the
 * second argument. Return NULL, with both released, if one of them is NULL or memory is short. */
json_t *cli_json_append(json_t *list, json_t *value);
json_t *cli_json_merge(json_t *object, json_t *more);

/* Makes an object: "rank:i gap:r seconds:{read:r}", followed by the values in that order. Returns
 * NULL if memory is short, or if an `o` is NULL.
 *
 *     s  const char *, NULL: null        i  int64_t        d  int         b  int as true or false
 *     r  double, not finite: null        o  json_t *, taken over          n  null, without a value
 *     I  const int64_t * and R  const double *: a list, its int64_t length is the next value
 *     T  const ch_settings_table * and the settings: cli_settings_json() */
json_t *cli_json_pack(const char *format, ...);

/* Sets seconds.NAME of the object. */
void cli_json_set_seconds(json_t *object, const char *name, double seconds);

/* Returns every row of the table by name: {"rank": 20, "loss": "l1", "eager": false, ...}. */
json_t *cli_settings_json(const ch_settings_table *table, const void *settings);
/* Reads settings back from JSON; unknown keys are ignored. */
ch_status cli_settings_from_json(ch_context *context, const ch_settings_table *table,
                                 void *settings, const json_t *object);

/* Returns the text of the object, which the caller frees. Reals have the fewest digits that read
 * back exactly. Returns NULL if memory is short. */
char *cli_json_text(const json_t *object, size_t flags);

/* Prints the object as one line on stdout and releases it. Returns EXIT_DONE, or EXIT_MEMORY if it
 * is NULL or incomplete. */
int cli_json_print(json_t *object);
