/* A context for every test of a file, or for all of them: the fixture of one test or of a group. */
#pragma once

#include "support.h"

/* On malloc; NULL outside the fixture. */
extern ch_context *context;

int support_set_up(void **state);
int support_tear_down(void **state);
