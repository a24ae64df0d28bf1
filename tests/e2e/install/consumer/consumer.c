/* What a user of the installed package writes first: data, anchors, a file. C and C++. */
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed(ch_context *context, const char *what) {
    fprintf(stderr, "%s: %s\n", what, ch_context_message(context));
    return 1;
}

static int planted_anchors_are_found(ch_context *context) {
    enum { RANK = 5 };
    ch_synthetic_settings data;
    memset(&data, 0, sizeof data);
    data.size = sizeof data;
    data.rows = 30;
    data.cols = 60;
    data.rank = RANK;
    data.shuffle = 1;
    data.type = CH_F64;
    data.seed = 7;

    ch_matrix X;
    int64_t planted[RANK];
    if (ch_synthetic_make(context, &X, planted, &data) < 0)
        return failed(context, "ch_synthetic_make");

    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.rank = RANK;
    set.method = CH_METHOD_SPA;
    ch_anchors_result result;
    memset(&result, 0, sizeof result);
    result.size = sizeof result;
    if (ch_anchors(context, &result, &X, &set) < 0) return failed(context, "ch_anchors");

    int found = 0;
    for (int i = 0; i < RANK; i++)
        for (int64_t k = 0; k < result.rank; k++) found += result.anchors[k] == planted[i];
    ch_anchors_result_free(context, &result);
    ch_matrix_free(context, &X);
    return found != RANK;
}

int main(void) {
    if (strcmp(ch_version(), CH_VERSION) != 0) return 1;
    if (!ch_matrix_formats()[0]) return 1;
    ch_context *context = NULL;
    if (ch_context_create(&context, NULL) < 0) return 1;
    int status = planted_anchors_are_found(context);
    ch_context_destroy(context);
    return status;
}
