/* The file of a checkpoint: records come back as they went in, in order; a file cut anywhere, or
 * with any bit flipped, gives the records before that place and takes new ones after them; other
 * files, second users and forgotten words are refused. */
#include "support_files.h"
#include <conehull/io.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RECORDS = 5, VERSION_AT = 20 /* in the mark */ };
static const int64_t sizes[RECORDS] = {3, 40, 0, 700, 17};

/* Record r: kind 1 + r % 3, contents that depend on r. */
static void fill(unsigned char *bytes, int r) {
    for (int64_t i = 0; i < sizes[r]; i++) bytes[i] = (unsigned char)(37 * i + 11 * r + 1);
}

static void add_record(const ch_checkpoint *table, int r) {
    unsigned char bytes[1000];
    fill(bytes, r);
    int64_t half = sizes[r] / 2;
    ch_record_piece pieces[] = {{bytes, half}, {NULL, 0}, {bytes + half, sizes[r] - half}};
    assert_int_equal(table->add(table->user, pieces, 3, 1 + r % 3), CH_OK);
}

static ch_checkpoint_file *open_file(ch_context *context, const char *path, int resume) {
    ch_checkpoint_file *file;
    ch_status status = ch_checkpoint_file_open(context, &file, path, resume);
    support_check(status == CH_OK, "%s", ch_context_message(context));
    return file;
}

static void write_records(ch_context *context, const char *path) {
    ch_checkpoint_file *file = open_file(context, path, 0);
    for (int r = 0; r < RECORDS; r++) add_record(ch_checkpoint_file_interface(file), r);
    assert_int_equal(ch_checkpoint_file_close(file, 0), CH_OK);
}

/* Takes the records that are there, checks them, and says how many. */
static int take_records(const ch_checkpoint *table, int64_t count) {
    const void *bytes;
    int64_t length;
    unsigned char wanted[1000];
    int r = 0;
    for (; r < count; r++) {
        assert_true(table->has(table->user, 1 + r % 3));
        assert_int_equal(table->take(table->user, &bytes, &length, 1 + r % 3), CH_OK);
        fill(wanted, r);
        assert_int_equal(length, sizes[r]);
        assert_memory_equal(bytes, wanted, (size_t)length);
    }
    for (int kind = 1; kind <= 3; kind++) assert_false(table->has(table->user, kind));
    return r;
}

static void records_come_back(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    const char *path = support_path("back");
    write_records(context, path);
    ch_checkpoint_file *file = open_file(context, path, 1);
    assert_int_equal(ch_checkpoint_file_records(file), RECORDS);
    take_records(ch_checkpoint_file_interface(file), RECORDS);
    assert_int_equal(ch_checkpoint_file_close(file, 1), CH_OK);
    assert_int_equal(access(path, F_OK), -1);
    support_finish(context, &memory);
}

/* Taking passes over others; adding forgets what was not taken. */
static void taking_passes_over_and_adding_forgets(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    const char *path = support_path("over");
    const void *bytes;
    int64_t length;
    write_records(context, path);
    ch_checkpoint_file *file = open_file(context, path, 1);
    const ch_checkpoint *table = ch_checkpoint_file_interface(file);
    assert_int_equal(table->take(table->user, &bytes, &length, 3), CH_OK); /* record 2 */
    assert_int_equal(length, sizes[2]);
    assert_false(table->has(table->user, 3));
    add_record(table, 3); /* in place of 3 and 4 */
    assert_int_equal(ch_checkpoint_file_close(file, 0), CH_OK);
    file = open_file(context, path, 1);
    assert_int_equal(
        take_records(ch_checkpoint_file_interface(file), ch_checkpoint_file_records(file)), 4);
    ch_checkpoint_file_close(file, 1);
    support_finish(context, &memory);
}

/* A file of these bytes: some first records, then room for the others, and all are there again. */
static int64_t expect_prefix(ch_context *context, const unsigned char *bytes, size_t count) {
    const char *path = support_path("part");
    support_file_write(path, bytes, count);
    ch_checkpoint_file *file = open_file(context, path, 1);
    int64_t there = ch_checkpoint_file_records(file);
    take_records(ch_checkpoint_file_interface(file), there);
    for (int r = (int)there; r < RECORDS; r++) add_record(ch_checkpoint_file_interface(file), r);
    assert_int_equal(ch_checkpoint_file_close(file, 0), CH_OK);
    file = open_file(context, path, 1);
    assert_int_equal(ch_checkpoint_file_records(file), RECORDS);
    take_records(ch_checkpoint_file_interface(file), RECORDS);
    assert_int_equal(ch_checkpoint_file_close(file, 1), CH_OK);
    return there;
}

/* Records that end at or before a place; one alone counts as none. */
static int64_t whole_before(int64_t place) {
    int64_t end = 24, whole = 0;
    while (whole < RECORDS && (end += 24 + sizes[whole]) <= place) whole++;
    return whole == 1 ? 0 : whole;
}

static void cut_anywhere(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    const char *path = support_path("cut");
    size_t count;
    write_records(context, path);
    unsigned char *bytes = support_file_read(path, &count);
    assert_int_equal(whole_before((int64_t)count), RECORDS);
    for (size_t cut = 0; cut <= count; cut++)
        support_check(expect_prefix(context, bytes, cut) == whole_before((int64_t)cut),
                      "cut at %zu", cut);
    free(bytes);
    support_finish(context, &memory);
}

static void flipped_anywhere(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    const char *path = support_path("flip"), *marked = support_path("mark");
    ch_checkpoint_file *file;
    size_t count;
    write_records(context, path);
    unsigned char *bytes = support_file_read(path, &count);
    for (size_t bit = 0; bit < 8 * count; bit += bit < 8 * 120 ? 1 : 13) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        if (bit < 8 * 24) { /* not a checkpoint any more, and left as it is */
            support_file_write(marked, bytes, count);
            assert_int_equal(ch_checkpoint_file_open(context, &file, marked, 1), CH_ERR_FORMAT);
            support_message(context, bit / 8 == VERSION_AT && isdigit(bytes[VERSION_AT])
                                         ? "the checkpoint has format version"
                                         : "is not a checkpoint");
            assert_int_equal(access(marked, F_OK), 0);
        } else {
            int64_t at = (int64_t)(bit / 8), before = 24, whole = 0;
            while (before + 24 + sizes[whole] <= at) before += 24 + sizes[whole++];
            support_check(expect_prefix(context, bytes, count) == (whole == 1 ? 0 : whole),
                          "bit %zu", bit);
        }
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    free(bytes);
    support_finish(context, &memory);
}

static void refusals(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    const char *path = support_path("refused"), *text = support_path("text.csv");
    ch_checkpoint_file *file, *second;
    write_records(context, path);
    assert_int_equal(ch_checkpoint_file_open(context, &file, path, 0), CH_ERR_ARGUMENT);
    support_message(context, "was not finished");
    file = open_file(context, path, 1);
    assert_int_equal(ch_checkpoint_file_open(context, &second, path, 1), CH_ERR_ARGUMENT);
    support_message(context, "another run");
    assert_int_equal(ch_checkpoint_file_close(file, 1), CH_OK);
    support_file_write(text, "1,2,3\n", 6);
    assert_int_equal(ch_checkpoint_file_open(context, &file, text, 1), CH_ERR_FORMAT);
    assert_int_equal(access(text, F_OK), 0);
    assert_int_equal(ch_checkpoint_file_open(context, &file, support_path("no/where"), 1),
                     CH_ERR_IO);
    assert_int_equal(ch_checkpoint_file_open(context, &file, "", 1), CH_ERR_ARGUMENT);
    assert_int_equal(ch_checkpoint_file_open(context, &file, "/dev/null", 1), CH_ERR_ARGUMENT);
    assert_int_equal(ch_checkpoint_file_close(NULL, 1), CH_OK);
    support_finish(context, &memory);
}

/* A file of another version is refused by that name, and stays as it is. */
static void other_versions(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    const char *path = support_path("version");
    ch_checkpoint_file *file;
    size_t count, after;
    write_records(context, path);
    unsigned char *bytes = support_file_read(path, &count);
    for (char version = '1'; version <= '3'; version += 2) {
        bytes[VERSION_AT] = (unsigned char)version;
        support_file_write(path, bytes, count);
        assert_int_equal(ch_checkpoint_file_open(context, &file, path, 1), CH_ERR_FORMAT);
        support_message(context, version == '1' ? "format version 1, but this conehull reads "
                                                  "version 2"
                                                : "version 3");
        unsigned char *same = support_file_read(path, &after);
        assert_int_equal(after, count);
        assert_memory_equal(same, bytes, count);
        free(same);
    }
    free(bytes);
    support_finish(context, &memory);
}

/* A run that got nowhere leaves nothing. */
static void no_work_no_file(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    const char *path = support_path("none");
    for (int records = 0; records < 3; records++) {
        ch_checkpoint_file *file = open_file(context, path, 0);
        for (int r = 0; r < records; r++) add_record(ch_checkpoint_file_interface(file), r);
        assert_int_equal(ch_checkpoint_file_close(file, 0), CH_OK);
        assert_int_equal(access(path, F_OK), records < 2 ? -1 : 0);
    }
    unlink(path);
    support_finish(context, &memory);
}

/* More than the chunk by which records go to the file. */
static void large_records(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    const char *path = support_path("large");
    enum { BYTES = 3000001 };
    unsigned char *bytes = malloc(BYTES);
    const void *back;
    int64_t length;
    for (int i = 0; i < BYTES; i++) bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    ch_checkpoint_file *file = open_file(context, path, 0);
    const ch_checkpoint *table = ch_checkpoint_file_interface(file);
    ch_record_piece pieces[] = {{bytes, 5}, {bytes + 5, 1 << 18}, {bytes + 5 + (1 << 18), 0}};
    pieces[2].count = BYTES - 5 - (1 << 18);
    assert_int_equal(table->add(table->user, pieces, 3, 1), CH_OK);
    assert_int_equal(table->add(table->user, pieces, 3, 2), CH_OK);
    ch_checkpoint_file_close(file, 0);
    file = open_file(context, path, 1);
    table = ch_checkpoint_file_interface(file);
    for (int kind = 1; kind <= 2; kind++) {
        assert_int_equal(table->take(table->user, &back, &length, kind), CH_OK);
        assert_int_equal(length, BYTES);
        assert_memory_equal(back, bytes, BYTES);
    }
    ch_checkpoint_file_close(file, 1);
    free(bytes);
    support_finish(context, &memory);
}

/* A run that ends removes its own file: not the one that another run began under the name. */
static void only_the_own_file_is_removed(void **state) {
    support_memory memory;
    (void)state;
    ch_context *context = support_context(&memory, 1);
    const char *path = support_path("shared"), *moved = support_path("moved");
    ch_checkpoint_file *first = open_file(context, path, 0);
    for (int r = 0; r < 3; r++) add_record(ch_checkpoint_file_interface(first), r);
    assert_int_equal(rename(path, moved), 0);
    ch_checkpoint_file *second = open_file(context, path, 0);
    for (int r = 0; r < 3; r++) add_record(ch_checkpoint_file_interface(second), r);
    assert_int_equal(ch_checkpoint_file_close(first, 1), CH_OK);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(ch_checkpoint_file_close(second, 0), CH_OK);
    second = open_file(context, path, 1);
    assert_int_equal(ch_checkpoint_file_records(second), 3);
    assert_int_equal(ch_checkpoint_file_close(second, 1), CH_OK);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(unlink(moved), 0);
    support_finish(context, &memory);
}

/* Begins and finishes runs under one name, over and over. Whoever has the file finds it under that
 * name; the number of times that it was not so. */
static int take_turns(const char *path) {
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    int lost = 0;
    for (int turn = 0; turn < 4000; turn++) {
        ch_checkpoint_file *file;
        if (ch_checkpoint_file_open(context, &file, path, 1) != CH_OK) continue; /* it is in use */
        lost += access(path, F_OK) != 0;
        ch_checkpoint_file_close(file, 1);
    }
    support_finish(context, &memory);
    return lost;
}

static void whoever_has_the_lock_has_the_name(void **state) {
    const char *path = support_path("contested");
    int ended, lost = 0;
    (void)state;
    pid_t child = fork();
    if (child == 0) _exit(take_turns(path) > 0);
    lost = take_turns(path);
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(lost, 0);
    assert_int_equal(ended, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_back),
        cmocka_unit_test(taking_passes_over_and_adding_forgets),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(flipped_anywhere),
        cmocka_unit_test(refusals),
        cmocka_unit_test(other_versions),
        cmocka_unit_test(no_work_no_file),
        cmocka_unit_test(large_records),
        cmocka_unit_test(only_the_own_file_is_removed),
        cmocka_unit_test(whoever_has_the_lock_has_the_name),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
