/* The settings of a stream, as one table. */
#include "base/settings_rows.h"
#include <conehull/stream.h>

#define AT(field) offsetof(ch_stream_settings, field)

static const ch_setting rows[] = {
    {"store", CH_SETTING_INT, AT(store), 0, 0, 1e5, NULL, "N",
     "maximum number of columns kept, anchors included; at least twice the rank. 0: all columns "
     "are kept while they fit into 1 GiB; after that, at most 256 are"},
    {"tolerance", CH_SETTING_REAL, AT(tolerance), 1e-9, 1e-11, 0.9, NULL, "T",
     "drop a column if combinations of those kept are within T * |x|_1 of it; for noisy data, "
     "about the share of noise in a column"},
};

CHI_SETTINGS_TABLE(ch_stream_table, "stream", rows, ch_stream_settings)
