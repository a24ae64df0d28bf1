/* Checkpoints: whatever a file holds behind its mark, opening it and going on from it ends with a
 * status and a message or with an answer, and gives back all memory. An odd first byte: the rest is
 * the file, which checksums keep from the run itself. Even: the records of a whole run, changed as
 * the bytes say, with checksums that fit, so that the run has to take what it is given. */
#include "base/base.h"
#include "fuzz.h"
#include <conehull/anchors.h>
#include <conehull/io.h>
#include <conehull/stream.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

fuzz_target fuzz_checkpoint;

static const char mark[24] = "conehull checkpoint 2\n";

typedef struct record {
    int64_t kind, bytes;
    uint8_t contents[2048];
} record;

typedef struct records {
    int count;
    record list[24];
} records;

/* Small runs of every kind that leaves records. */
static const char *const runs[] = {"l1", "l2", "kl", "spa", "stream"};
enum { RUNS = 5, SPA = 3, STREAM = 4 };
enum { ROWS = 3, COLS = 5 };

static void example(ch_context *context, ch_matrix *X) {
    static const double values[] = {1, 0, 2, 0, 3, 1, 1, 1, 2, 5, 0, 1, 4, 4, 1};
    fuzz_require(
        ch_matrix_borrow(context, X, &(ch_matrix){.rows = ROWS, .cols = COLS, .values = values}) ==
            CH_OK,
        "%s", ch_context_message(context));
}

static ch_status go_on(ch_context *context, ch_checkpoint_file *file, int kind) {
    ch_matrix X;
    ch_anchors_settings set;
    ch_anchors_result result = {.size = sizeof result};
    ch_anchors_defaults(&set);
    set.rank = 3;
    set.keep_duals = 1;
    set.method = kind == SPA ? CH_METHOD_SPA : CH_METHOD_XRAY;
    fuzz_require(ch_settings_set(context, ch_anchors_table(), &set, "loss",
                                 kind == SPA ? "l1" : runs[kind]) == CH_OK,
                 "%s", ch_context_message(context));
    set.checkpoint = ch_checkpoint_file_interface(file);
    example(context, &X);
    ch_status status = ch_anchors(context, &result, &X, &set);
    if (status >= 0) {
        for (int64_t k = 0; k < result.rank; k++)
            fuzz_require(result.anchors[k] >= 0 && result.anchors[k] < COLS, "anchor %lld",
                         (long long)result.anchors[k]);
        ch_anchors_result_free(context, &result);
    }
    return status;
}

/* Another chunk, the anchors, and the state again. */
static ch_status use_stream(ch_context *context, ch_stream *stream, const ch_checkpoint *kept) {
    ch_matrix X;
    ch_anchors_result result = {.size = sizeof result};
    ch_stream_info before = {.size = sizeof before}, after = {.size = sizeof after};
    double bound = 0;
    example(context, &X);
    ch_stream_get_info(stream, &before);
    ch_status status = ch_stream_push(stream, &X);
    ch_stream_get_info(stream, &after);
    int64_t taken = after.seen - before.seen;
    fuzz_require(taken >= 0 && taken <= COLS && (status < 0 || taken == COLS), "%lld columns taken",
                 (long long)taken);
    if (status >= 0) status = ch_stream_anchors(stream, &result, &bound);
    if (status >= 0) {
        fuzz_require(bound >= 0 && bound <= 1, "bound %g", bound);
        for (int64_t k = 0; k < result.rank; k++)
            fuzz_require(result.anchors[k] >= 0 && result.anchors[k] < after.seen, "anchor %lld",
                         (long long)result.anchors[k]);
        ch_anchors_result_free(context, &result);
    }
    return status < 0 ? status : ch_stream_save(stream, kept);
}

/* From the state in the file, or from the start where there is none. */
static ch_status go_on_with_stream(ch_context *context, ch_checkpoint_file *file) {
    const ch_checkpoint *kept = ch_checkpoint_file_interface(file);
    ch_anchors_settings set;
    ch_stream_settings settings;
    ch_stream *stream = NULL;
    ch_anchors_defaults(&set);
    ch_stream_defaults(&settings);
    set.rank = 2;
    settings.store = 6;
    ch_status status = ch_checkpoint_file_records(file)
                           ? ch_stream_restore(context, &stream, &set, kept)
                           : ch_stream_create(context, &stream, ROWS, &set, &settings);
    if (status >= 0) status = use_stream(context, stream, kept);
    ch_stream_destroy(stream);
    return status;
}

static ch_status resume(ch_context *context, const char *path, int kind) {
    ch_checkpoint_file *file;
    ch_status status = ch_checkpoint_file_open(context, &file, path, 1);
    if (status < 0) return status;
    status = kind == STREAM ? go_on_with_stream(context, file) : go_on(context, file, kind);
    ch_checkpoint_file_close(file, 0);
    return status;
}

/* What a whole run of that kind leaves, read back by the layout of checkpoint_file.c. */
static void collect(records *all, int kind) {
    fuzz_run run;
    const char *path = fuzz_path("-whole");
    unlink(path);
    fuzz_begin(&run, 0);
    fuzz_require(resume(run.context, path, kind) >= 0, "%s", ch_context_message(run.context));
    fuzz_end(&run, CH_OK);
    FILE *file = fopen(path, "rb");
    int64_t head[2];
    fuzz_require(file && fseek(file, sizeof mark, SEEK_SET) == 0, "%s", path);
    for (all->count = 0; fread(head, sizeof head, 1, file) == 1; all->count++) {
        record *r = &all->list[all->count];
        fuzz_require(all->count < 24 && head[1] <= 2048, "a run left too much");
        r->kind = head[0];
        r->bytes = head[1];
        fuzz_require(fread(r->contents, 1, (size_t)r->bytes, file) == (size_t)r->bytes &&
                         fseek(file, 8, SEEK_CUR) == 0,
                     "%s", path);
    }
    fclose(file);
    unlink(path);
}

/* One change: a byte, a number, a length, a kind, or a record that goes. */
static void change(records *all, fuzz_bytes *bytes) {
    static const int64_t numbers[] = {0, -1, 1, INT64_MAX, INT64_MIN, 1 << 30, 5, 3};
    unsigned what = fuzz_byte(bytes);
    record *r = &all->list[fuzz_below(bytes, all->count)];
    int64_t at = fuzz_byte(bytes);
    at = (at << 8 | fuzz_byte(bytes)) % 2048;
    unsigned value = fuzz_byte(bytes);
    if (what % 5 == 0) r->contents[at % (r->bytes + 1) % 2048] = (uint8_t)value;
    if (what % 5 == 1) memcpy(r->contents + at / 8 * 8, &numbers[value % 8], 8);
    if (what % 5 == 2) r->bytes = at;
    if (what % 5 == 3) r->kind = 1 + (int64_t)value % 12;
    if (what % 5 == 4) *r = all->list[value % (unsigned)all->count];
}

static void write_records(const char *path, const records *all) {
    FILE *file = fopen(path, "wb");
    uint64_t check = 0;
    fuzz_require(file && fwrite(mark, sizeof mark, 1, file) == 1, "%s", path);
    for (int i = 0; i < all->count; i++) {
        const record *r = &all->list[i];
        int64_t head[2] = {r->kind, r->bytes};
        check = chi_hash(chi_hash(check, head, sizeof head), r->contents, (size_t)r->bytes);
        fuzz_require(fwrite(head, sizeof head, 1, file) == 1 &&
                         fwrite(r->contents, 1, (size_t)r->bytes, file) == (size_t)r->bytes &&
                         fwrite(&check, sizeof check, 1, file) == 1,
                     "%s", path);
    }
    fuzz_require(fclose(file) == 0, "%s", path);
}

int fuzz_checkpoint(const uint8_t *input, size_t count) {
    static records whole[RUNS], changed;
    fuzz_bytes bytes = {input, count};
    if (count < 1) return 0;
    unsigned first = fuzz_byte(&bytes);
    int kind = (int)(first >> 1) % RUNS;
    if (!whole[kind].count) collect(&whole[kind], kind);
    const char *path = fuzz_path("-checkpoint");
    if (first & 1) {
        fuzz_write(path, bytes.next, bytes.left);
    } else {
        changed = whole[kind];
        while (bytes.left > 0) change(&changed, &bytes);
        write_records(path, &changed);
    }
    fuzz_run run;
    fuzz_begin(&run, count);
    fuzz_end(&run, resume(run.context, path, kind));
    unlink(path);
    return 0;
}
