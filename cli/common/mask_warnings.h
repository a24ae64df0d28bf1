/* What a masker has to say about its threshold (bits of ch_mask_info.warnings), as messages and as
 * JSON. */
#pragma once

#include "common/json.h"

/* A list of sentences. */
json_t *cli_mask_warnings_json(int warnings);
/* Each of them on standard error. */
void cli_mask_warnings_print(int warnings);
