/* "Did you mean": the known word nearest to a mistyped one. */
#pragma once

/* The nearest of known[0..count), or NULL when none is near enough to be worth a guess. */
const char *cli_closest(const char *typed, const char *const *known, int count);
