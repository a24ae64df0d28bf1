/* Options of conehull video: where they stand in the help, and with which methods they mean
 * something. */
#include "common/exit_codes.h"
#include "common/message.h"
#include "options/method_list.h"
#include "options/rank_option.h"
#include "options/region_option.h"
#include "video/video_command.h"
#include <stdlib.h>
#include <string.h>

static const char input[] = "Input", what[] = "Background", masks[] = "Masks", files[] = "Files";

enum {
    XRAY = 1 << CH_SEPARATE_ROBUST_XRAY | 1 << CH_SEPARATE_XRAY_L2,
    SEARCH = 1 << CH_SEPARATE_ROBUST_NMF | 1 << CH_SEPARATE_ROBUST_LOWRANK,
    RPCA = 1 << CH_SEPARATE_RPCA,
    MEDIAN = 1 << CH_SEPARATE_MEDIAN,
    ANY = ~0
};
static const struct {
    const char *name;
    int methods;
} separate_rows[] = {{"choose", 1 << CH_SEPARATE_ROBUST_XRAY},
                     {"learn", 1 << CH_SEPARATE_ROBUST_XRAY},
                     {"refit", XRAY},
                     {"lambda", RPCA},
                     {"radius", MEDIAN},
                     {"restarts", SEARCH},
                     {"tol", XRAY},
                     {"seed", ANY}};
enum { SEPARATE_ROWS = sizeof separate_rows / sizeof *separate_rows };

static const char *const clip_rows[] = {"from", "frames", "step", "width", "gray", "partial"};
enum { CLIP_ROWS = sizeof clip_rows / sizeof *clip_rows };

static void describe_input(cli_options *options, video_arguments *given) {
    for (int i = 0; i < CLIP_ROWS; i++)
        cli_options_add_setting(options, input, clip_rows[i], &ch_clip_table, &given->clip);
    cli_options_add_text(options, input, "roi", 0, "X,Y,W,H",
                         "only this part of the picture, in pixels of the input", &given->roi);
    cli_region_describe(options, input, &given->ignore, &given->watch);
    cli_options_add_text(options, input, "busy", 0, "A-B,C,..",
                         "frames of the input known to hold moving objects: the background is not "
                         "learned from them",
                         &given->busy);
    cli_options_add_text(options, input, "memory", 0, "BYTES",
                         "most that the program may take, as in 800M or 4G (default: what is free)",
                         &given->memory);
}

void video_options_describe(cli_options *options, void *arguments) {
    video_arguments *given = arguments;
    ch_settings_defaults(&ch_clip_table, &given->clip);
    ch_settings_defaults(&ch_separate_table, &given->separate);
    ch_settings_defaults(&ch_mask_table, &given->mask);
    options->operand_names[0] = "INPUT";
    describe_input(options, given);
    cli_options_add_text(options, what, "method", 0, "A,B,..",
                         "one or several of robust-xray (default), xray-l2, rpca, robust-nmf, "
                         "robust-lowrank, median; several are compared, and files of all but the "
                         "first carry the method's name",
                         &given->method);
    cli_options_add_text(options, what, "rank", 'r', "N|auto",
                         "how many factors the background has (default auto); rpca and median "
                         "choose for themselves",
                         &given->rank);
    for (int i = 0; i < SEPARATE_ROWS; i++)
        cli_options_add_setting(options, what, separate_rows[i].name, &ch_separate_table,
                                &given->separate);
    cli_options_add_flag(options, what, "keep-ghosts", 0,
                         "leave in the background what stood still for most of the clip",
                         &given->keep_ghosts);
    cli_options_add_text(options, what, "model", 0, "FILE",
                         "use the background that --save stored; nothing is learned",
                         &given->model);
    cli_options_add_text(options, what, "save", 0, "FILE",
                         "store the background for other clips of the same camera (.npz); masks "
                         "are then made as --model will make them",
                         &given->save);
    for (int i = 0; i < ch_mask_table.count; i++)
        cli_options_add_setting(options, masks, ch_mask_table.rows[i].name, &ch_mask_table,
                                &given->mask);
    cli_options_add_text(options, masks, "truth", 0, "DIR",
                         "known masks to score against: NNN.png, NNN being the frame's number in "
                         "the input, white where something moves; such frames are kept under "
                         "--step, masks of frames that are not read are left out",
                         &given->truth);
    cli_options_add_text(options, files, "output", 'o', "DIR",
                         "folder for the files, made if missing; needed", &given->folder);
    cli_options_add_flag(options, files, "soft", 0,
                         "write soft.mkv too: the score before the threshold, 16 bits, in 1/256 of "
                         "a gray level",
                         &given->soft);
    cli_checkpoint_options(options, "Common options", &given->checkpoint);
}

const char *video_method_name(int method) {
    return ch_settings_find(&ch_separate_table, "method")->choices[method];
}

static int wrong_use(const char *mistake) {
    cli_complain("video: %s; see 'conehull video --help'", mistake);
    return EXIT_USAGE;
}

static int take_rank(const cli_session *session, video_arguments *given) {
    if (!given->rank || strcmp(given->rank, "auto") == 0) return EXIT_DONE;
    return cli_rank_take(session, &ch_separate_table, &given->separate, given->rank, 1);
}

/* "800M": bytes with K, M, G or T behind them, powers of 1024. */
static int take_memory(video_arguments *given) {
    static const char units[] = "KMGT";
    if (!given->memory) return EXIT_DONE;
    char *end;
    double bytes = strtod(given->memory, &end);
    const char *unit = *end ? strchr(units, *end) : NULL;
    for (const char *u = units; unit && u <= unit; u++) bytes *= 1024;
    if (unit) end++;
    if (given->memory[0] < '0' || given->memory[0] > '9' || *end || !(bytes >= 1) || bytes > 1e18) {
        cli_complain("video: --memory must be a number of bytes, as in 800M or 4G; got '%s'",
                     given->memory);
        return EXIT_USAGE;
    }
    given->clip.memory = (int64_t)bytes;
    return EXIT_DONE;
}

/* An option that would change nothing is a misunderstanding, not a detail. */
static int refuse_idle(const cli_options *options, const video_arguments *given) {
    int methods = 0;
    for (int i = 0; i < given->method_count; i++) methods |= 1 << given->methods[i];
    for (int i = 0; i < SEPARATE_ROWS; i++) {
        const char *name = separate_rows[i].name;
        if (!cli_options_find(options, name)->given) continue;
        if (given->model) {
            cli_complain("video: --%s means nothing with --model, whose background is fixed", name);
            return EXIT_USAGE;
        }
        if (separate_rows[i].methods & methods) continue;
        cli_complain("video: --%s means nothing with --method %s", name,
                     given->method ? given->method : video_method_name(0));
        return EXIT_USAGE;
    }
    if (given->model && given->method) return wrong_use("--model brings its own --method");
    if (given->model && given->rank) return wrong_use("--model brings its own rank");
    if (given->model && given->save) return wrong_use("--save and --model exclude each other");
    if (given->model && given->keep_ghosts)
        return wrong_use("--keep-ghosts means nothing with --model");
    if (given->model && given->busy) return wrong_use("--busy means nothing with --model");
    if (given->save && given->method_count > 1) return wrong_use("--save works with one method");
    if (given->ignore && given->watch) return wrong_use("give --ignore or --watch, not both");
    int fixed = RPCA | MEDIAN;
    if (given->rank && (methods & ~fixed) == 0) {
        cli_complain("video: -r means nothing with --method %s", given->method);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

/* What is kept are fits; other methods have none. */
static int refuse_checkpoint(const video_arguments *given) {
    int fits = 1 << CH_SEPARATE_ROBUST_XRAY | 1 << CH_SEPARATE_XRAY_L2;
    if (!given->checkpoint.path) return EXIT_DONE;
    for (int i = 0; i < given->method_count; i++)
        if (!(fits >> given->methods[i] & 1)) {
            cli_complain("video: --checkpoint is for robust-xray and xray-l2; %s cannot be resumed",
                         video_method_name(given->methods[i]));
            return EXIT_USAGE;
        }
    return EXIT_DONE;
}

static int refuse_save(const video_arguments *given) {
    int method = given->methods[0];
    int bare = RPCA | 1 << CH_SEPARATE_ROBUST_LOWRANK;
    if (!given->save) return EXIT_DONE;
    if (bare >> method & 1) {
        cli_complain("video: --save needs a background of non-negative pictures, which %s has not; "
                     "take robust-xray, xray-l2, robust-nmf or median",
                     video_method_name(method));
        return EXIT_USAGE;
    }
    if (method == CH_SEPARATE_MEDIAN && given->separate.radius > 0)
        return wrong_use("--save does not work with --radius: that background is no model");
    return EXIT_DONE;
}

int video_options_take(const cli_session *session, video_arguments *given) {
    if (!given->folder) return wrong_use("-o DIR is missing: say where the files go");
    int code = take_rank(session, given);
    if (code == EXIT_DONE)
        code = cli_method_list(given->methods, &given->method_count, given->method,
                               &ch_separate_table, "video");
    if (code == EXIT_DONE) code = take_memory(given);
    if (code == EXIT_DONE) code = refuse_idle(&session->options, given);
    if (code == EXIT_DONE) code = refuse_save(given);
    if (code == EXIT_DONE) code = refuse_checkpoint(given);
    if (code != EXIT_DONE || !given->roi) return code;
    ch_status status = ch_clip_set_roi(session->context, &given->clip, given->roi);
    if (status < 0) cli_complain("video: --%s", ch_context_message(session->context));
    return status < 0 ? cli_exit_code(status) : EXIT_DONE;
}
