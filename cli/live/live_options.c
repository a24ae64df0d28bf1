/* Options of conehull live. */
#include "live/live_command.h"
#include "options/option_values.h"
#include <math.h>

#define AT(field) .at = offsetof(live_arguments, field)
static const char source[] = "Source", what[] = "Background", masks[] = "Masks",
                  files[] = "Files and pipes";
static const cli_option_row rows[] = {
    {source, "from frames step width gray pace silence graphs", AT(feed), .table = ch_feed_table},
    {source, "roi", 0, "X,Y,W,H", AT(roi),
     "use only this rectangle of the picture: left edge, top edge, width and height in pixels of "
     "the source"},
    {source, "ignore", 0, "REGION", AT(region.ignore), CLI_IGNORE_HELP},
    {source, "watch", 0, "REGION", AT(region.watch), CLI_WATCH_HELP},
    {what, "rank", 'r', "N|auto", AT(rank),
     "number of pictures from which the background is mixed (factors): 1 for steady light; auto "
     "(default): the number is chosen from the data, at most 4"},
    {what, "warm_up sample every follow adapt seed keep_ghosts", AT(live), .table = ch_live_table},
    {what, "absorb", 0, "N|Ss", AT(absorb),
     "time after which an object that stands still becomes part of the background, as a number of "
     "frames, or in seconds as in 60s; 0: never (default 1000 frames)"},
    {what, "freeze", 0, NULL, AT(freeze),
     "learn the background from the warm-up only and do not change it afterwards"},
    {masks, "+", AT(mask), .table = ch_mask_table},
    {masks, "truth", 0, "DIR", AT(truth),
     "folder of known masks to compare with: a sequence of the CDnet benchmark, or files NNN.png, "
     "where NNN is the number of the frame and white marks moving objects"},
    {files, "output", 'o', "DIR|-", AT(output),
     "folder for the files, which is created if it does not exist, or - for a video on standard "
     "output. Without this option no file is written"},
    {files, "write", 0, "A,B,..", AT(write), CLI_WRITE_HELP, .words = CLI_WRITE_WORDS},
    {files, "lossless", 0, NULL, AT(lossless), CLI_LOSSLESS_HELP},
    {files, "show", 0, "A", AT(show),
     "with -o -: which video goes to standard output, in the format YUV4MPEG2: overlay (default), "
     "mask, background or side",
     .words = "overlay|mask|background|side"},
    {files, "page", 0, "PORT", AT(page),
     "show original, background and mask on a page at http://127.0.0.1:PORT/, which only this "
     "computer can open. 0: use any free port and print its number on stderr"},
    {0}};

void live_options_describe(cli_options *options, void *arguments) {
    live_arguments *given = arguments;
    options->many = 1;
    cli_options_add(options, rows, given);
    cli_options_add(options, cli_event_rows, &given->event);
}

static int take_page(live_arguments *given) {
    const char *text = given->page;
    int64_t port = text ? cli_number_take(&text) : 0;
    given->port = text ? (int)port : -1;
    if (!text || (port >= 0 && port <= 65535 && !*text)) return EXIT_DONE;
    return cli_refuse("live: --page must be a port from 0 to 65535; got '%s'", given->page);
}

static int take_output(const cli_session *session, live_arguments *given) {
    TRY(take_page(given));
    given->pipe = given->output && strcmp(given->output, "-") == 0;
    if (given->write && (!given->output || given->pipe))
        return cli_wrong_use(
            session, "--write selects the files to write, so it needs a folder for them: -o DIR");
    if (given->lossless && (!given->output || given->pipe))
        return cli_wrong_use(session, "--lossless selects the format of the files to write, so it "
                                      "needs a folder for them: -o DIR");
    if (given->event.cut && (!given->output || given->pipe))
        return cli_wrong_use(session, "--cut writes clips, so it needs a folder for them: -o DIR");
    if (given->show && !given->pipe)
        return cli_wrong_use(
            session,
            "--show selects the video that is written to standard output, so it needs -o -");
    if (given->pipe && session->common.json)
        return cli_wrong_use(session, "--json and -o - both use standard output; give only one");
    int view = given->show ? cli_view_find(given->show, strlen(given->show)) : CLI_VIEW_OVERLAY;
    if (view < 0 || view == CLI_VIEW_SOFT)
        return cli_refuse("live: --show takes overlay, mask, background or side; got '%s'",
                          given->show);
    given->shown = (cli_view)view;
    if (given->pipe || !given->output) return EXIT_DONE;
    TRY(cli_folder_check(given->output));
    return cli_film_choose(&given->choice, "live", given->write, given->lossless);
}

int live_options_absorb(live_arguments *given, double rate) {
    if (!given->absorb) return EXIT_DONE;
    char *end;
    double value = strtod(given->absorb, &end);
    int seconds = strcmp(end, "s") == 0;
    if (seconds) value = ceil(value * rate);
    if (end == given->absorb || (*end && !seconds) || !(value >= 0) || value > 60000 ||
        value != floor(value))
        return cli_refuse("live: --absorb must be a number of frames from 0 to 60000, or the same "
                          "time in seconds, as in 60s; got '%s'",
                          given->absorb);
    given->live.absorb = (int64_t)value;
    return EXIT_DONE;
}

int live_options_take(const cli_session *session, live_arguments *given) {
    given->live.mask = &given->mask;
    TRY(cli_region_check(session, &given->region));
    TRY(cli_rank_take(session, ch_live_table(), &given->live, given->rank, 1));
    if (given->roi && ch_feed_set_roi(session->context, &given->feed, given->roi) < 0)
        return cli_refuse("live: --%s", ch_context_message(session->context));
    TRY(cli_event_take(session, &given->event));
    TRY(live_options_absorb(given, 25)); /* whether it is understood; the rate is known later */
    return take_output(session, given);
}
