/* For any processor. */
#define NAME chi_live_loops_portable
#include "video/live/live_loops_text.h"
