/* .npz archives that are whole from the outside: the first byte says how many members there are
 * and what is asked for, each is a byte for its name and a stretch for its contents. They are read
 * as a matrix (one array, or the parts of a sparse one) and as a list of arrays. The raw bytes of
 * archives: fuzz_zip. */
#include "fuzz.h"
#include "zip_store.h"
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

fuzz_target fuzz_npz;

static const char *const names[] = {"data.npy",   "indices.npy", "indptr.npy", "shape.npy",
                                    "format.npy", "row.npy",     "col.npy",    "X.npy"};
/* A short head stands for a valid one: "<f8" and the like, so that values are reached. */
static const char *const types[] = {"<f8", "<i4", "<i8", "|u1", "<f4", "|S3", ">u2", "<u8"};

typedef struct body {
    uint8_t bytes[4096];
    size_t count;
} body;

/* kind < 128: an array of that type, its length from its bytes; else the bytes are the file. */
static void fill(body *b, unsigned kind, const uint8_t *bytes, size_t count) {
    char head[129];
    if (count > sizeof b->bytes - 128) count = sizeof b->bytes - 128;
    b->count = 0;
    if (kind < 128) {
        const char *type = types[kind % 8];
        int size = type[2] - '0';
        int length = (int)count / size, by_two = kind / 8 % 4 == 1 && length % 2 == 0;
        memset(head, ' ', 128);
        memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10);
        int text = by_two
                       ? snprintf(head + 10, 118,
                                  "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, 2), }", type,
                                  kind / 32 % 2 ? "True" : "False", length / 2)
                       : snprintf(head + 10, 118,
                                  kind / 8 % 4 == 2 && length == 1
                                      ? "{'descr': '%s', 'fortran_order': False, 'shape': (), }"
                                      : "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }",
                                  type, length);
        head[10 + text] = ' ';
        head[127] = '\n';
        memcpy(b->bytes, head, 128);
        b->count = 128;
        count = (size_t)length * (size_t)size;
    }
    if (count) memcpy(b->bytes + b->count, bytes, count);
    b->count += count;
}

static ch_status read_both(ch_context *context, const char *path,
                           const ch_matrix_read_settings *settings) {
    ch_npz_array *arrays;
    int count;
    ch_matrix X;
    ch_status status = ch_npz_read(context, &arrays, &count, path);
    if (status == CH_OK) {
        for (int a = 0; a < count; a++)
            fuzz_require(arrays[a].dims <= 2, "%d dims", arrays[a].dims);
        ch_npz_free(context, arrays, count);
    }
    status = ch_matrix_read(context, &X, path, settings);
    if (status == CH_OK) {
        ch_status checked = ch_matrix_check(context, &X);
        fuzz_require(checked == CH_OK || checked == CH_ERR_DATA, "a broken matrix: %s",
                     ch_context_message(context));
        ch_matrix_free(context, &X);
    }
    return status;
}

int fuzz_npz(const uint8_t *input, size_t count) {
    static const char *const variables[] = {NULL, "X", "data", "col"};
    static body bodies[6];
    fuzz_bytes bytes = {input, count};
    zip_member members[6];
    unsigned first = fuzz_byte(&bytes), ways = first / 7;
    int number = (int)(first % 7);
    ch_matrix_read_settings settings = {
        .size = sizeof settings, .var = variables[ways % 4], .transpose = ways / 4 % 2};
    for (int m = 0; m < number; m++) {
        size_t length;
        unsigned name = fuzz_byte(&bytes), kind = fuzz_byte(&bytes);
        const uint8_t *stretch = fuzz_stretch(&bytes, &length);
        fill(&bodies[m], kind, stretch, length);
        members[m] = (zip_member){names[name % 8], bodies[m].bytes, bodies[m].count};
    }
    fuzz_run run;
    const char *path = fuzz_path("-members.npz");
    zip_store(path, members, number);
    fuzz_begin(&run, count);
    fuzz_end(&run, read_both(run.context, path, &settings));
    unlink(path);
    return 0;
}
