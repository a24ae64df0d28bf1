/* A program that uses structs which begin with their own size. grown_structs.py builds it against
 * headers in which they are longer or shorter than in the library, and compares what it prints. */
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <stdio.h>
#include <string.h>

#define CHECK(call)                                                          \
    do {                                                                     \
        if ((call) < 0) {                                                    \
            fprintf(stderr, "%s: %s\n", #call, ch_context_message(context)); \
            return 1;                                                        \
        }                                                                    \
    } while (0)

/* Around every struct lies what the library must neither read nor write. */
static int untouched(const unsigned char *guard, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (guard[i] != 0xa5) return 0;
    return 1;
}

int main(int argc, char **argv) {
    struct {
        ch_anchors_settings set;
        unsigned char guard[256];
    } in;
    struct {
        ch_anchors_result result;
        unsigned char guard[256];
    } out;
    ch_synthetic_settings data = {.size = sizeof data,
                                  .rows = 40,
                                  .cols = 80,
                                  .rank = 6,
                                  .noise = CH_NOISE_SPARSE,
                                  .level = .1,
                                  .shuffle = 1,
                                  .type = CH_F64};
    ch_context *context;
    ch_matrix X;
    int64_t planted[6];
    if (ch_context_create(&context, NULL) < 0) return 1;
    memset(&in, 0xa5, sizeof in);
    memset(&out, 0xa5, sizeof out);
    memset(&out.result, 0, sizeof out.result);
    ch_anchors_defaults(&in.set);
    in.set.rank = 6;
    out.result.size = sizeof out.result;
    CHECK(ch_synthetic_make(context, &X, planted, &data));
    if (argc > 2) ((unsigned char *)&in.set)[sizeof in.set - 1] = 1; /* a setting of the future */
    CHECK(ch_anchors(context, &out.result, &X, &in.set));
    printf("set %zu result %zu\n", sizeof in.set, sizeof out.result);
    for (int64_t k = 0; k < out.result.rank; k++) printf("%lld ", (long long)out.result.anchors[k]);
    for (int64_t e = 0; e < out.result.rank * X.cols; e++) printf("%a ", out.result.H[e]);
    printf("\n");
    CHECK(ch_matrix_write(context, argv[1], &X));
    ch_anchors_result_free(context, &out.result);
    ch_matrix_free(context, &X);
    ch_context_destroy(context);
    return !untouched(in.guard, sizeof in.guard) || !untouched(out.guard, sizeof out.guard);
}
