/* Values that several commands accept: numbers, sizes, ranks, lists of methods. All commands refuse
 * wrong values with the same messages. */
#pragma once

#include "common/command.h"

/* Returns the whole number at *text and moves it after the digits; -1 if there is none or it is too
 * large. */
int64_t cli_number_take(const char **text);

/* Sorts the list, removes duplicates, and returns the new length. */
int64_t cli_sort_unique(int64_t *list, int64_t count);

/* Returns the number of bytes that a text such as 800M, 1.5G or 100000000 means, in powers of 1024;
 * 0 if the text is not a size. */
int64_t cli_bytes_take(const char *text);

/* Returns the number of seconds that a text such as 0.5s, 200ms, 2m or 1h means; without a unit,
 * the text is in seconds. Returns -1 if it is not a time. */
double cli_time_take(const char *text);

/* Reads -r N, or -r auto if or_auto says that the command can choose: sets `rank` of the settings,
 * and leaves it for "auto" and NULL. For other texts, prints an error with the bounds of the table
 * and returns the exit code. */
int cli_rank_take(const cli_session *session, const ch_settings_table *table, void *settings,
                  const char *text, int or_auto);

/* Reads --method robust-xray,rpca,median: methods[0..*count) = the indices of the names in `text`
 * among the choices of the table's row "method", in their order; for NULL the default alone.
 * methods has space for every choice. Prints an error and returns the exit code. */
int cli_methods_take(const cli_session *session, int *methods, int *count, const char *text,
                     const ch_settings_table *table);

/* Returns the union of the bits 1 << methods[i]. */
int64_t cli_methods_bits(const int *methods, int count);

/* Returns the name of a choice: cli_choice_name(ch_anchors_table(), "loss", CH_LOSS_L1) is "l1". */
const char *cli_choice_name(const ch_settings_table *table, const char *setting, int choice);
