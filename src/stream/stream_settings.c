/* The settings of a stream, as one table. */
#include "base/settings_rows.h"
#include <conehull/stream.h>

#define AT(field) offsetof(ch_stream_settings, field)

static const ch_setting rows[] = {
    {"store", CH_SETTING_INT, AT(store), 0, 0, 1e5, NULL, "N",
     "maximum number of columns kept in memory, anchors included; at least twice the rank. 0: "
     "all columns while they fit into 1 GiB, and after that at most 256 columns, with which the "
     "rank can be at most 128"},
    {"tolerance", CH_SETTING_REAL, AT(tolerance), 1e-9, 1e-11, 0.9, NULL, "T",
     "a new column x is dropped if a combination of the kept columns is within T * |x|_1 of it. "
     "For noisy data, give about the fraction of |x|_1 that is noise, such as 0.05"},
};

CHI_SETTINGS_TABLE(ch_stream_table, "stream", rows, ch_stream_settings)
