/* Runs works in turns, computes the ratios of their times, and prints and stores the ratios. */
#include "harness/harness.h"
#include "common/exit_codes.h"
#include "common/interrupt.h"
#include "common/json.h"
#include "common/message.h"
#include "common/progress.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- turns ---- */

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bench_time bench_now(void) {
    return (bench_time){read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_PROCESS_CPUTIME_ID)};
}

bench_time bench_since(bench_time start) {
    bench_time now = bench_now();
    return (bench_time){now.wall - start.wall, now.processor - start.processor};
}

static int run_once(const bench_work *work, bench_time *time) {
    bench_time start = bench_now();
    *time = (bench_time){NAN, NAN};
    int code = work->run(work->user, time);
    if (isnan(time->wall)) *time = bench_since(start);
    return code == EXIT_DONE && cli_interrupted() ? EXIT_INTERRUPTED : code;
}

int bench_take_turns(const bench_run *run, bench_series *series, const bench_work *works,
                     int count) {
    for (int k = 0; k < count; k++) {
        snprintf(series[k].what, sizeof series[k].what, "%s", works[k].what);
        series[k].turns = run->turns;
    }
    for (int turn = 0; turn < run->turns; turn++) {
        ch_progress_event event = {sizeof event, run->entry->name, turn, run->turns, -1, 0};
        cli_progress_event(&event, NULL);
        for (int k = 0; k < count; k++) {
            bench_time time;
            int code = run_once(&works[k], &time);
            if (code != EXIT_DONE) return code;
            series[k].wall[turn] = time.wall;
            series[k].processor[turn] = time.processor;
        }
    }
    return EXIT_DONE;
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

bench_span bench_span_of(const double *values, int count) {
    double sorted[BENCH_TURNS_MOST];
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, by_size);
    return (bench_span){sorted[0], 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]),
                        sorted[count - 1]};
}

/* ---- records ---- */

static const double *times_of(const bench_run *run, const bench_series *series) {
    return run->by_processor ? series->processor : series->wall;
}

static bench_side side_of(const bench_run *run, const bench_series *series) {
    bench_side side = {.wall = bench_span_of(times_of(run, series), series->turns),
                       .processor = bench_span_of(series->processor, series->turns).min};
    snprintf(side.what, sizeof side.what, "%s", series->what);
    return side;
}

bench_record bench_ratio(const bench_run *run, const bench_series *above, const bench_series *below,
                         double units) {
    bench_record record = {.threads = run->threads,
                           .units = units,
                           .above = side_of(run, above),
                           .below = side_of(run, below)};
    const double *over = times_of(run, above), *under = times_of(run, below);
    double quotients[BENCH_TURNS_MOST];
    record.turns = above->turns < below->turns ? above->turns : below->turns;
    for (int turn = 0; turn < record.turns; turn++)
        quotients[turn] = over[turn] / (units * under[turn]);
    record.noise = bench_span_of(quotients, record.turns);
    record.ratio = record.above.wall.min / (units * record.below.wall.min);
    record.processor_ratio = record.above.processor / (units * record.below.processor);
    return record;
}

int bench_compare(const bench_run *run, bench_record *record, const bench_work *above,
                  const bench_work *below, double units) {
    const bench_work works[2] = {*above, *below};
    bench_series series[2];
    int code = bench_take_turns(run, series, works, 2);
    if (code == EXIT_DONE) *record = bench_ratio(run, &series[0], &series[1], units);
    return code;
}

bench_record bench_absent(const char *name, const char *why) {
    bench_record record = {.absent = why};
    snprintf(record.name, sizeof record.name, "%s", name);
    return record;
}

static void name_record(char *text, size_t size, const bench_run *run, const bench_record *record) {
    snprintf(text, size, "%s%s%s", run->entry->name, record->name[0] ? ": " : "", record->name);
}

/* ---- text ---- */

static void print_side(const bench_side *side) {
    printf("%s %.4g s (median %.4g)", side->what, side->wall.min, side->wall.median);
}

static void print_record(bench_run *run, const char *name, const bench_record *record) {
    if (record->absent) {
        printf("%-30s not present: %s\n", name, record->absent);
        return;
    }
    printf("%-30s %8.3g   median %.3g, %.3g to %.3g in %d turn%s", name, record->ratio,
           record->noise.median, record->noise.min, record->noise.max, record->turns,
           record->turns == 1 ? "" : "s");
    if (record->processor_ratio > 0) printf("; processor time %.3g", record->processor_ratio);
    if (record->at_most > 0) printf("; goal: at most %g", record->at_most);
    if (record->at_least > 0) printf("; goal: at least %g", record->at_least);
    printf("\n    ");
    print_side(&record->above);
    printf(" over ");
    if (record->units != 1) printf("%g x ", record->units);
    print_side(&record->below);
    if (record->bytes > 0)
        printf("; %.2f and %.2f GB/s",
               1e-9 * record->bytes * record->units / record->above.wall.min,
               1e-9 * record->bytes / record->below.wall.min);
    putchar('\n');
    if (run->entry->single || strcmp(run->printed_data, record->data) != 0)
        printf("    %s\n", record->data);
    snprintf(run->printed_data, sizeof run->printed_data, "%s", record->data);
}

static void print_machine(const lab_machine *machine) {
    printf("%s, %d cores, %d threads; kernels %s; %s; version %s, commit %s\n", machine->processor,
           machine->cores, machine->threads, machine->kernel, machine->blas, machine->version,
           machine->commit);
}

int bench_prints(bench_run *run) {
    if (run->session->common.json) return 0;
    if (!run->printed++) print_machine(&run->machine);
    return 1;
}

/* ---- files ---- */

void bench_table_head(FILE *to) {
    fputs("name,ratio,noise_min,noise_median,noise_max,turns,threads,above,above_min,above_median,"
          "below,below_min,below_median,data\n",
          to);
}

static void write_row(FILE *to, const char *name, const bench_record *record) {
    const bench_side *above = &record->above, *below = &record->below;
    fprintf(to, "\"%s\",%.6g,%.6g,%.6g,%.6g,%d,%d,\"%s\",%.6g,%.6g,\"%s\",%.6g,%.6g,\"%s\"\n", name,
            record->ratio, record->noise.min, record->noise.median, record->noise.max,
            record->turns, record->threads, above->what, above->wall.min, above->wall.median,
            below->what, below->wall.min, below->wall.median, record->data);
}

static json_t *span_json(bench_span span) {
    return json_pack("{so so so}", "min", cli_json_real(span.min), "median",
                     cli_json_real(span.median), "max", cli_json_real(span.max));
}

static json_t *side_json(const bench_side *side) {
    json_t *object = span_json(side->wall);
    json_object_set_new(object, "what", json_string(side->what));
    json_object_set_new(object, "processor", cli_json_real(side->processor));
    return object;
}

static json_t *record_json(const bench_record *record) {
    if (record->absent)
        return json_pack("{sn ss ss ss}", "ratio", "status", "not present", "why", record->absent,
                         "data", record->data);
    json_t *object = json_pack(
        "{so so so si si sf so so ss}", "ratio", cli_json_real(record->ratio), "processor_ratio",
        cli_json_real(record->processor_ratio), "noise", span_json(record->noise), "turns",
        record->turns, "threads", record->threads, "units", record->units, "above",
        side_json(&record->above), "below", side_json(&record->below), "data", record->data);
    if (record->bytes > 0) json_object_set_new(object, "bytes", json_real(record->bytes));
    if (record->at_most > 0) json_object_set_new(object, "at_most", json_real(record->at_most));
    if (record->at_least > 0) json_object_set_new(object, "at_least", json_real(record->at_least));
    if (record->details) json_object_set(object, "details", record->details);
    return object;
}

/* Stores a record in the JSON: as the object of the entry if it has a single record, else in its
 * list "records". */
static int keep_record(bench_run *run, const bench_record *record) {
    json_t *object = record_json(record);
    if (run->entry->single) {
        int failed = !object || json_object_update(run->object, object) != 0;
        json_decref(object);
        return failed ? cli_no_memory() : EXIT_DONE;
    }
    json_t *list = json_object_get(run->object, "records");
    if (!list && bench_set(run, "records", list = json_array()) != EXIT_DONE) return EXIT_MEMORY;
    if (object) json_object_set_new(object, "name", json_string(record->name));
    return json_array_append_new(list, object) == 0 ? EXIT_DONE : cli_no_memory();
}

int bench_add(bench_run *run, bench_record *record) {
    char name[2 * BENCH_TEXT];
    name_record(name, sizeof name, run, record);
    cli_progress_clear();
    if (bench_prints(run)) {
        print_record(run, name, record);
        fflush(stdout);
    }
    if (!record->absent) write_row(run->table, name, record);
    int code = keep_record(run, record);
    json_decref(record->details);
    record->details = NULL;
    return code;
}

int bench_add_pairs(bench_run *run, const bench_series *series, const bench_pair *pairs, int count,
                    const char *data) {
    int code = EXIT_DONE;
    for (const bench_pair *pair = pairs; pair < pairs + count && code == EXIT_DONE; pair++) {
        bench_record record = bench_ratio(run, &series[pair->above], &series[pair->below],
                                          pair->units > 0 ? pair->units : 1);
        snprintf(record.name, sizeof record.name, "%s", pair->name);
        snprintf(record.data, sizeof record.data, "%s", data);
        record.at_most = pair->at_most;
        record.at_least = pair->at_least;
        code = bench_add(run, &record);
    }
    return code;
}

int bench_set(bench_run *run, const char *key, json_t *value) {
    return json_object_set_new(run->object, key, value) == 0 ? EXIT_DONE : cli_no_memory();
}

FILE *bench_file_open(bench_run *run, const char *name) {
    bench_file *file = calloc(1, sizeof *file);
    FILE *stream = file ? open_memstream(&file->text, &file->length) : NULL;
    if (!stream) {
        free(file);
        return NULL;
    }
    snprintf(file->name, sizeof file->name, "%s", name);
    file->next = run->files;
    run->files = file;
    return stream;
}

int bench_file_close(FILE *stream) {
    return stream && fclose(stream) == 0 ? EXIT_DONE : cli_no_memory();
}

void bench_files_free(bench_file *files) {
    while (files) {
        bench_file *next = files->next;
        free(files->text);
        free(files);
        files = next;
    }
}

/* ---- shared functions ---- */

int bench_code(const bench_run *run, ch_status status) {
    return cli_check(run->session, status);
}
