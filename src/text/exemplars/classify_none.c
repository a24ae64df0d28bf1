/* Builds without LIBLINEAR. */
#include "text/exemplars/exemplars_internal.h"

const char *ch_classifier_name(void) {
    return NULL;
}

ch_status chi_classify(ch_context *context, double *accuracy, const chi_labelled *training,
                       const chi_labelled *other, const ch_exemplars_settings *settings) {
    (void)accuracy, (void)training, (void)other, (void)settings;
    return chi_fail(context, CH_ERR_UNSUPPORTED,
                    "this build of conehull has no classifier, so labels cannot be used; install "
                    "LIBLINEAR (Debian: liblinear-dev) and build again");
}
