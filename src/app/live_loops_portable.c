/* For any processor. */
#define NAME chi_live_loops_portable
#include "app/live_loops_text.h"
