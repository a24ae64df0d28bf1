/* conehull stream: anchors of columns that arrive one after the other, in bounded memory. */
#include "common/interrupt.h"
#include "common/output_folder.h"
#include "common/progress.h"
#include "common/try.h"
#include "options/option_values.h"
#include "result/named_files.h"
#include "result/result_folder.h"
#include "result/result_json.h"
#include "stream/stream_lines.h"
#include <conehull/stream.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 256 }; /* columns handed over at a time; changes nothing */

/* Where the bar stands: chunks, and what is done within one, are no steps back. */
typedef struct bar {
    int64_t before, total; /* columns before the chunk; all, or 0: nobody knows */
    int64_t done;
} bar;

typedef struct arguments {
    cli_input input;
    ch_anchors_settings anchors;
    ch_stream_settings settings;
    const char *rank, *state, *folder, *every;
    int64_t report_every; /* 0: at the end alone */
    ch_stream *stream;
    int restored; /* its settings are those of --state */
    int ended_by; /* what ended standard input early: an exit code, or EXIT_DONE */
    double seconds_push;
    bar bar;
} arguments;

#define AT(field) .at = offsetof(arguments, field)
static const char what[] = "Options", how[] = "Expert options";
static const cli_option_row rows[] = {
    {what, "rank", 'r', "N|auto", AT(rank), "number of anchors; auto: as many as are useful"},
    {what, "+", AT(settings), .table = ch_stream_table},
    {what, "every", 0, "N", AT(every),
     "after every N columns, print the current anchors on one line"},
    {what, "state", 0, "FILE", AT(state),
     "continue the stream that is saved in FILE, if it exists, and save the new state in FILE at "
     "the end",
     .written = 1},
    {what, "output", 'o', "DIR", AT(folder),
     "folder for anchors.txt, W.npy (rows x anchors), certificate.npz and result.json, which "
     "'conehull project' can use"},
    {how, "method", AT(anchors), .table = ch_anchors_table,
     .help = "how anchors are selected. xray: conical hull search with the loss of --loss. spa: "
             "successive projection",
     .hidden = "hottopixx|fgnsr|smrs|snpa|pspa|smoothed-spa|random-spa",
     .why = "needs all columns, which a stream does not keep"},
    {how, "loss", AT(anchors), .table = ch_anchors_table, .hidden = "custom",
     .why = "is for the C library only"},
    {how, "stop tol reverse floor exterior first dual seed", AT(anchors),
     .table = ch_anchors_table},
    {0}};

static void describe(cli_options *options, void *given) {
    arguments *all = given;
    cli_options_add(options, cli_input_rows, &all->input);
    cli_options_add(options, cli_names_rows, &all->input.names);
}

static int take_arguments(const cli_session *session, arguments *given) {
    const char *every = given->every;
    given->anchors.select_only = 1;
    if (!given->rank)
        return cli_wrong_use(session, "-r is missing: give the number of anchors, or -r auto");
    TRY(cli_rank_take(session, ch_anchors_table(), &given->anchors, given->rank, 1));
    if (every) given->report_every = cli_number_take(&every);
    if (every && (given->report_every < 1 || *every))
        return cli_wrong_use(session, "--every must be a whole number from 1 on; got '%s'",
                             given->every);
    return cli_folder_check(given->folder);
}

/* ---- the answer ---- */

static json_t *describe_result(const cli_session *session, arguments *given,
                               const ch_anchors_result *result, const ch_stream_info *info,
                               double bound) {
    given->input.X.rows = result->rows;
    given->input.cols = result->cols;
    json_t *json = cli_result_json(session, &given->input, &given->anchors, result);
    json_object_del(json, "nnz"); /* of columns that are gone */
    json_object_del(json, "type");
    json = cli_json_merge(
        json, cli_json_pack("stream:{seen:i zeros:i kept:i most:i reduced:i thinned:i tolerance:r "
                            "kept_bound:r bound:r}",
                            info->seen, info->zeros, info->kept, info->most, info->reduced,
                            info->thinned, info->tolerance, info->bound, bound));
    if (!given->restored)
        json_object_set_new(json, "store", cli_settings_json(ch_stream_table(), &given->settings));
    cli_json_set_seconds(json, "push", given->seconds_push);
    return json;
}

static void print_columns(const arguments *given, const ch_anchors_result *result) {
    for (int64_t k = 0; k < result->rank; k++) {
        const char *name = cli_column_name(&given->input.names, result->anchors[k]);
        printf(" %lld", (long long)result->anchors[k]);
        if (name) printf(" (%s)", cli_plain(name));
    }
    putchar('\n');
}

static void print_people(const arguments *given, const ch_anchors_result *result,
                         const ch_stream_info *info, double bound) {
    printf("%lld column%s seen, %lld kept (peak %lld), %lld rows\nanchors:", (long long)info->seen,
           info->seen == 1 ? "" : "s", (long long)info->kept, (long long)info->most,
           (long long)info->rows);
    print_columns(given, result);
    printf("combinations of the anchors approximate every column received; the l1 error is at most "
           "%.3g times the sum of the column\n",
           bound);
    if (info->thinned > 0)
        printf("the store was too small, so %lld columns that should have been kept were dropped, "
               "and the tolerance rose to %.3g; raise --store or --tolerance\n",
               (long long)info->thinned, info->tolerance);
    printf("status %s\n", cli_status_name(result->status));
    if (given->folder) cli_say_written(given->folder, NULL);
}

/* Last: with the folder, for people in full, and the status as exit code. */
static int report(const cli_session *session, arguments *given, int last) {
    ch_anchors_result result = {.size = sizeof result};
    ch_stream_info info = {.size = sizeof info};
    double bound, seconds;
    ch_status status = ch_stream_anchors(given->stream, &result, &bound);
    if (status < 0) return cli_input_check(session, status, &given->input);
    ch_stream_get_info(given->stream, &info);
    int code = cli_check(session, status);
    json_t *json =
        code == EXIT_DONE ? describe_result(session, given, &result, &info, bound) : NULL;
    if (code == EXIT_DONE && last && given->folder)
        code = cli_result_write(session, given->folder,
                                &(cli_result_parts){.result = &result,
                                                    .settings = &given->anchors,
                                                    .json = json,
                                                    .input = &given->input},
                                &seconds);
    if (code == EXIT_DONE && session->common.json) {
        code = cli_json_print(json_incref(json));
    } else if (code == EXIT_DONE && last) {
        print_people(given, &result, &info, bound);
    } else if (code == EXIT_DONE) {
        printf("%lld column%s:", (long long)info.seen, info.seen == 1 ? "" : "s");
        print_columns(given, &result);
    }
    fflush(stdout); /* whoever reads the lines wants them now */
    json_decref(json);
    ch_anchors_result_free(session->context, &result);
    return code == EXIT_DONE && last ? cli_exit_code(status) : code;
}

/* ---- the columns ---- */

static int show(const ch_progress_event *event, void *user) {
    bar *b = user;
    if (strcmp(event->phase, "stream") == 0 && b->before + event->done > b->done)
        b->done = b->before + event->done;
    return cli_progress_event(
        &(ch_progress_event){sizeof *event, "stream", b->done, b->total, -1, 0}, NULL);
}

/* Columns to go until the next report, a chunk at most. */
static int64_t next_chunk(const arguments *given) {
    ch_stream_info info = {.size = sizeof info};
    if (given->report_every == 0) return CHUNK;
    if (given->stream) ch_stream_get_info(given->stream, &info);
    int64_t left = given->report_every - info.seen % given->report_every;
    return left < CHUNK ? left : CHUNK;
}

static int push(const cli_session *session, arguments *given, const ch_matrix *chunk) {
    double began = cli_seconds();
    ch_stream_info info = {.size = sizeof info};
    if (!given->stream)
        TRY(cli_check_file(session,
                           ch_stream_create(session->context, &given->stream, chunk->rows,
                                            &given->anchors, &given->settings),
                           "stream"));
    ch_context_set_progress(session->context, show, &given->bar);
    ch_status status = ch_stream_push(given->stream, chunk);
    ch_context_set_progress(session->context, cli_progress_event, NULL);
    given->bar.before += chunk->cols;
    given->seconds_push += cli_seconds() - began;
    TRY(cli_input_check(session, status, &given->input));
    ch_stream_get_info(given->stream, &info);
    int due = given->report_every > 0 && info.seen % given->report_every == 0;
    return due && info.kept > 0 ? report(session, given, 0) : EXIT_DONE;
}

static int push_columns(const cli_session *session, arguments *given, const ch_matrix *X) {
    int64_t list[CHUNK], count;
    given->bar.total = X->cols;
    for (int64_t at = 0; at < X->cols; at += count) {
        ch_matrix chunk;
        count = next_chunk(given);
        if (count > X->cols - at) count = X->cols - at;
        for (int64_t k = 0; k < count; k++) list[k] = at + k;
        TRY(cli_input_check(session, ch_matrix_copy(session->context, &chunk, X, list, count),
                            &given->input));
        int code = push(session, given, &chunk);
        ch_matrix_free(session->context, &chunk);
        TRY(code);
    }
    return EXIT_DONE;
}

static int push_file(const cli_session *session, arguments *given) {
    TRY(cli_input_read(&given->input, session, given->input.file));
    cli_input_suggest_transpose(&given->input, session);
    ch_matrix X = given->input.X; /* reports change the shape of the input's own */
    int code = push_columns(session, given, &X);
    ch_matrix_free(session->context, &given->input.X); /* the names stay, for the answer */
    return code;
}

/* A signal or a bad line ends the lines, not the run: what came before is answered, since whoever
 * writes them may not be able to say them again. */
static int push_lines(const cli_session *session, arguments *given) {
    cli_lines lines = {0};
    int code = EXIT_DONE;
    cli_interrupt_ends_input(); /* which may have no other end */
    for (int64_t count = 1; code == EXIT_DONE && given->ended_by == EXIT_DONE && count > 0;) {
        double before = cli_seconds();
        given->ended_by = cli_lines_read(&lines, &count, next_chunk(given));
        given->input.seconds += cli_seconds() - before;
        if (count == 0) break;
        ch_matrix chunk = {.rows = lines.rows,
                           .cols = count,
                           .layout = CH_COLUMN_MAJOR,
                           .type = CH_F64,
                           .values = lines.values,
                           .stride = lines.rows};
        code = push(session, given, &chunk);
    }
    if (lines.interrupted) given->ended_by = EXIT_INTERRUPTED;
    cli_lines_free(&lines);
    return code;
}

/* ---- the state ---- */

static int restore(const cli_session *session, arguments *given) {
    ch_checkpoint_file *file;
    if (!given->state || access(given->state, F_OK) != 0) return EXIT_DONE;
    if (cli_options_find(&session->options, "store")->given ||
        cli_options_find(&session->options, "tolerance")->given)
        return cli_wrong_use(session, "--store and --tolerance are part of the stored state and "
                                      "cannot change; leave them out");
    TRY(cli_check(session, ch_checkpoint_file_open(session->context, &file, given->state, 1)));
    ch_status status = ch_stream_restore(session->context, &given->stream, &given->anchors,
                                         ch_checkpoint_file_interface(file));
    ch_checkpoint_file_close(file, 0);
    TRY(cli_check(session, status));
    ch_stream_info info = {.size = sizeof info};
    ch_stream_get_info(given->stream, &info);
    given->restored = 1;
    if (!session->common.quiet)
        cli_complain("stream: the stream is resumed after column %lld", (long long)info.seen - 1);
    return EXIT_DONE;
}

/* A new file that takes the place of the old one when it is whole. */
static int save_state(const cli_session *session, const arguments *given) {
    ch_checkpoint_file *file;
    char *fresh = NULL;
    if (!given->state) return EXIT_DONE;
    if (asprintf(&fresh, "%s.new-XXXXXX", given->state) < 0) return cli_no_memory();
    int made = mkstemp(fresh); /* a name that nobody else has */
    if (made < 0) {
        int code = cli_error(EXIT_FILES, "%s: the file cannot be created: %s", given->state,
                             strerror(errno));
        free(fresh);
        return code;
    }
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(made, 0666 & ~mask) != 0) errno = 0; /* its owner's alone will do */
    close(made);
    ch_status status = ch_checkpoint_file_open(session->context, &file, fresh, 0);
    if (status == CH_OK) {
        status = ch_stream_save(given->stream, ch_checkpoint_file_interface(file));
        ch_status closed = ch_checkpoint_file_close(file, status < 0);
        if (status == CH_OK) status = closed;
    }
    int code = cli_check(session, status);
    if (code == EXIT_DONE && rename(fresh, given->state) != 0) {
        code = cli_error(EXIT_FILES, "%s: %s", given->state, strerror(errno));
        unlink(fresh);
    }
    free(fresh);
    return code;
}

/* ---- the run ---- */

/* The answer, then the state: whoever is interrupted before it is there may push the same columns
 * again. */
static int finish(const cli_session *session, arguments *given) {
    int code = report(session, given, 1);
    if (code > EXIT_EARLY) return code;
    TRY(save_state(session, given));
    if (given->ended_by == EXIT_DONE) return code;
    ch_stream_info info = {.size = sizeof info};
    ch_stream_get_info(given->stream, &info);
    return cli_error(
        given->ended_by,
        "stream: the run was %s after column %lld; the result covers the columns up to this one%s",
        given->ended_by == EXIT_INTERRUPTED ? "interrupted" : "ended", (long long)info.seen - 1,
        given->state ? ", and the state is stored" : "");
}

static int read_columns(const cli_session *session, arguments *given) {
    TRY(take_arguments(session, given));
    TRY(restore(session, given));
    TRY(strcmp(given->input.file, "-") == 0 ? push_lines(session, given)
                                            : push_file(session, given));
    if (given->stream) return EXIT_DONE;
    if (given->ended_by != EXIT_DONE) return given->ended_by;
    return cli_refuse("%s: the input contains no column", given->input.file);
}

static int run_stream(cli_session *session) {
    arguments *given = session->arguments;
    given->input.file = session->options.operands[0];
    int code = read_columns(session, given), answers = code == EXIT_DONE;
    if (answers) code = finish(session, given);
    if (code == EXIT_INTERRUPTED && !(answers && given->ended_by == EXIT_INTERRUPTED))
        cli_complain("the run was interrupted; nothing was written");
    ch_stream_destroy(given->stream);
    cli_names_free(&given->input.names, session);
    return code;
}

static const char *const writes[] = {"anchors.txt", "W.npy",         "H.npy", "certificate.npz",
                                     "result.json", CLI_NAMED_FILES, NULL};

/* Of --help. */
static const cli_basic basics[] = {
    {"rank", "number of anchors; auto: as many as are useful"},
    {"every", "print the anchors after every N data points"},
    {"state", "file to continue from and to save the stream in"},
    {"output", "folder for the anchors, for 'conehull project'"},
    {"store", "keep at most N data points in memory"},
    {"tolerance",
     "drop data points that the kept data points explain up to this relative error, as in 0.05"},
    {"transpose", "rows are the data points, not columns"},
    {"var", "matrix to read, if the file holds several"},
    {0}};

const cli_command cli_cmd_stream = {
    .name = "stream",
    .summary = "find anchors of columns that arrive one after the other",
    .synopsis = "INPUT|- -r N|auto [options]",
    .about = "Finds anchors among columns that arrive one after the other. Each column is read\n"
             "once, and memory is bounded. INPUT is a matrix as for 'conehull anchors', whose\n"
             "columns are read in order, or - for standard input, where every line of numbers\n"
             "is a column. Columns are numbered from 0, over all runs with the same --state.\n"
             "An input file other than .npy is loaded into memory; standard input is not.\n",
    .details = "Which columns are kept:\n"
               "  A column x is kept if every combination of the kept columns differs from it "
               "by\n"
               "  more than tolerance * |x|_1. When the store is full, kept columns that are\n"
               "  combinations of other kept columns are dropped. If more than half of the "
               "store\n"
               "  is still in use, columns that the remaining columns do not explain are "
               "dropped\n"
               "  too; the status is then \"inaccurate\" (exit code 1). docs/streaming.md "
               "compares\n"
               "  the anchors with those of all columns at once.\n"
               "\n"
               "Ctrl-C or SIGTERM:\n"
               "  If INPUT is -, the signal ends the stream: the result covers the columns read\n"
               "  so far, and the files and --state are written (exit code 130). If INPUT is a\n"
               "  file, nothing is written. A second Ctrl-C ends the program at once, without\n"
               "  saving the state.\n"
               "\n"
               "Wrong lines:\n"
               "  A line on standard input that is not a data point, or whose number of values\n"
               "  differs from that of the lines before it, also ends the stream (exit code 2).\n",
    .basics = basics,
    .examples = "  conehull stream X.npy -r 20 --tolerance 0.2\n"
                "  seq 12 | paste -d, - - - | conehull stream - -r auto --every 2 --json\n"
                "  conehull stream X.npy -r 20 --tolerance 0.2 --state week\n"
                "  conehull stream new.npy -r 20 --state week\n",
    .files = ch_matrix_formats,
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .arguments_size = sizeof(arguments),
    .operand = "INPUT",
    .rows = rows,
    .describe = describe,
    .run = run_stream,
    .writes = writes,
};
