/* Options of conehull live. */
#include "common/exit_codes.h"
#include "common/message.h"
#include "live/live_command.h"
#include "options/rank_option.h"
#include "options/region_option.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "Source", what[] = "Background", masks[] = "Masks",
                  files[] = "Files and pipes";

static const char *const live_rows[] = {"warm_up", "sample", "every",       "follow",
                                        "adapt",   "seed",   "keep_ghosts", NULL};
static const char *const feed_rows[] = {"frames",  "width",  "gray", "pace",
                                        "silence", "graphs", NULL};
const char *const live_kind_names[LIVE_KINDS + 1] = {"background", "mask", "overlay", "side", NULL};

void live_options_describe(cli_options *options, void *arguments) {
    live_arguments *given = arguments;
    ch_settings_defaults(&ch_feed_table, &given->feed);
    ch_live_defaults(&given->live);
    options->operand_names[0] = "SOURCE";
    for (int i = 0; feed_rows[i]; i++)
        cli_options_add_setting(options, source, feed_rows[i], &ch_feed_table, &given->feed);
    cli_options_add_text(options, source, "roi", 0, "X,Y,W,H",
                         "only this part of the picture, in pixels of the source", &given->roi);
    cli_region_describe(options, source, &given->ignore, &given->watch);
    cli_options_add_text(options, what, "rank", 'r', "N|auto",
                         "how many factors the background has (default auto: up to 4)",
                         &given->rank);
    for (int i = 0; live_rows[i]; i++)
        cli_options_add_setting(options, what, live_rows[i], &ch_live_table, &given->live);
    cli_options_add_text(options, what, "absorb", 0, "N|Ss",
                         "how long what stands still is foreground before it becomes background: "
                         "frames, or seconds as in 60s; 0: for ever (default 1000)",
                         &given->absorb);
    cli_options_add_flag(options, what, "freeze", 0,
                         "learn from the warm-up alone: the background stays as it is then",
                         &given->freeze);
    for (int i = 0; i < ch_mask_table.count; i++)
        cli_options_add_setting(options, masks, ch_mask_table.rows[i].name, &ch_mask_table,
                                &given->live.mask);
    cli_options_add_text(options, masks, "truth", 0, "DIR",
                         "known masks to score against: NNN.png, NNN being the frame's number, "
                         "white where something moves",
                         &given->truth);
    cli_options_add_text(options, files, "output", 'o', "DIR|-",
                         "folder for the files, made if missing, or - for standard output; without "
                         "it nothing is written",
                         &given->output);
    cli_options_add_text(options, files, "write", 0, "A,B,..",
                         "videos in the folder: background, mask, overlay (default: these three), "
                         "side; none for scores.json and background.png alone",
                         &given->write);
    cli_options_add_text(options, files, "show", 0, "A",
                         "what goes to standard output, as YUV4MPEG2: overlay (default), mask, "
                         "background, side",
                         &given->show);
    cli_options_add_text(options, files, "page", 0, "PORT",
                         "show original, background and mask at http://127.0.0.1:PORT/, for this "
                         "computer alone; 0: a port that is free, which stderr names",
                         &given->page);
}

static int wrong_use(const char *mistake) {
    cli_complain("live: %s; see 'conehull live --help'", mistake);
    return EXIT_USAGE;
}

static int take_rank(const cli_session *session, live_arguments *given) {
    if (!given->rank || strcmp(given->rank, "auto") == 0) return EXIT_DONE;
    return cli_rank_take(session, &ch_live_table, &given->live, given->rank, 1);
}

static int find_kind(const char *name, size_t length) {
    for (int k = 0; k < LIVE_KINDS; k++)
        if (strlen(live_kind_names[k]) == length && strncmp(name, live_kind_names[k], length) == 0)
            return k;
    return -1;
}

static int take_kinds(live_arguments *given) {
    const char *list = given->write ? given->write : "background,mask,overlay";
    if (strcmp(list, "none") == 0) return EXIT_DONE;
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        int kind = find_kind(at, length);
        if (kind < 0) {
            cli_complain("live: --write takes background, mask, overlay, side or none; got '%.*s'",
                         (int)length, at);
            return EXIT_USAGE;
        }
        given->writes[kind] = 1;
        at += length;
        if (!*at) return EXIT_DONE;
    }
}

static int take_page(live_arguments *given) {
    char *end = NULL;
    given->port = -1;
    if (!given->page) return EXIT_DONE;
    long port = *given->page >= '0' && *given->page <= '9' ? strtol(given->page, &end, 10) : -1;
    if (port < 0 || port > 65535 || *end) {
        cli_complain("live: --page must be a port from 0 to 65535; got '%s'", given->page);
        return EXIT_USAGE;
    }
    given->port = (int)port;
    return EXIT_DONE;
}

static int take_output(const cli_session *session, live_arguments *given) {
    if (take_page(given) != EXIT_DONE) return EXIT_USAGE;
    given->pipe = given->output && strcmp(given->output, "-") == 0;
    if (given->write && (!given->output || given->pipe))
        return wrong_use("--write says which files; it needs -o DIR");
    if (given->show && !given->pipe)
        return wrong_use("--show says what goes to standard output; it needs -o -");
    if (given->pipe && session->common.json)
        return wrong_use("--json and -o - both want standard output");
    int kind = given->show ? find_kind(given->show, strlen(given->show)) : LIVE_OVERLAY;
    if (kind < 0) {
        cli_complain("live: --show takes overlay, mask, background or side; got '%s'", given->show);
        return EXIT_USAGE;
    }
    given->shown = (live_kind)kind;
    if (given->pipe || !given->output) return EXIT_DONE;
    int code = cli_folder_check(given->output);
    return code == EXIT_DONE ? take_kinds(given) : code;
}

int live_options_absorb(live_arguments *given, double rate) {
    if (!given->absorb) return EXIT_DONE;
    char *end;
    double value = strtod(given->absorb, &end);
    int seconds = strcmp(end, "s") == 0;
    if (seconds) value = ceil(value * rate);
    if (end == given->absorb || (*end && !seconds) || !(value >= 0) || value > 60000 ||
        value != floor(value)) {
        cli_complain("live: --absorb must be frames from 0 to 60000, or seconds as in 60s that "
                     "come to no more; got '%s'",
                     given->absorb);
        return EXIT_USAGE;
    }
    given->live.absorb = (int64_t)value;
    return EXIT_DONE;
}

int live_options_take(const cli_session *session, live_arguments *given) {
    if (given->ignore && given->watch) return wrong_use("give --ignore or --watch, not both");
    int code = take_rank(session, given);
    if (code == EXIT_DONE && given->roi &&
        ch_feed_set_roi(session->context, &given->feed, given->roi) < 0) {
        cli_complain("live: --%s", ch_context_message(session->context));
        return EXIT_USAGE;
    }
    if (code == EXIT_DONE) code = live_options_absorb(given, 25); /* the words; the rate later */
    return code == EXIT_DONE ? take_output(session, given) : code;
}
