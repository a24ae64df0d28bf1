#include "support_fixture.h"

ch_context *context;

int support_set_up(void **state) {
    (void)state;
    return ch_context_create(&context, NULL);
}

int support_tear_down(void **state) {
    (void)state;
    ch_context_destroy(context);
    context = NULL;
    return 0;
}
