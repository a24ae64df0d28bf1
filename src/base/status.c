/* Names and descriptions of the statuses, and the version of the library. */
#include <conehull/status.h>
#include <conehull/version.h>
#include <stddef.h>

static const struct {
    ch_status status;
    const char *name, *sentence;
} table[] = {
    {CH_OK, "CH_OK", "The run finished."},
    {CH_STOP_COMPLETE, "CH_STOP_COMPLETE",
     "Every column was in the cone before the requested number of anchors was found."},
    {CH_STOP_ITER, "CH_STOP_ITER", "An iteration limit was reached."},
    {CH_STOP_TIME, "CH_STOP_TIME", "A time limit was reached."},
    {CH_STOP_CANCELLED, "CH_STOP_CANCELLED",
     "The run was stopped on request; the result so far is usable."},
    {CH_STOP_INACCURATE, "CH_STOP_INACCURATE",
     "The run finished, but some results are not proven optimal to the requested tolerance."},
    {CH_ERR_ARGUMENT, "CH_ERR_ARGUMENT", "An argument is missing or out of range."},
    {CH_ERR_SETTING, "CH_ERR_SETTING", "A setting is out of its range."},
    {CH_ERR_DATA, "CH_ERR_DATA", "The matrix contains values that the method cannot use."},
    {CH_ERR_MEMORY, "CH_ERR_MEMORY", "There is not enough memory."},
    {CH_ERR_IO, "CH_ERR_IO", "A file could not be opened, read or written."},
    {CH_ERR_FORMAT, "CH_ERR_FORMAT", "A file does not match its format."},
    {CH_ERR_UNSUPPORTED, "CH_ERR_UNSUPPORTED",
     "The request is valid, but this build or this combination of settings does not support it."},
    {CH_ERR_INTERNAL, "CH_ERR_INTERNAL", "This is a bug in conehull; please report it."},
};

static size_t row_of(ch_status status) {
    size_t row = 0;
    while (row < sizeof table / sizeof *table && table[row].status != status) row++;
    return row;
}

const char *ch_status_name(ch_status status) {
    size_t row = row_of(status);
    return row < sizeof table / sizeof *table ? table[row].name : "CH_UNKNOWN";
}

const char *ch_status_sentence(ch_status status) {
    size_t row = row_of(status);
    return row < sizeof table / sizeof *table ? table[row].sentence
                                              : "This number is not a status of conehull.";
}

const char *ch_version(void) {
    return CH_VERSION;
}
