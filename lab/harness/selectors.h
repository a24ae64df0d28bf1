/* Every method that chooses columns, with the settings that comparisons use. */
#pragma once

#include "common/recovery_experiment.h"

enum { LAB_SELECTORS = 26 };

/* The methods; the list ends with a row without name. Hottopixx is solved to a gap of 1e-3. */
extern const cli_recovery_method lab_selectors[LAB_SELECTORS + 1];
