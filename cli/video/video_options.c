/* Options of conehull video: where they stand in the help, and with which methods they mean
 * something. */
#include "options/option_values.h"
#include "video/video_command.h"

/* The cases in which an option means something: bits by method; a background that is learned. */
enum {
    ROBUST = 1 << CH_SEPARATE_ROBUST_XRAY,
    XRAY = ROBUST | 1 << CH_SEPARATE_XRAY_L2,
    LOWRANK = 1 << CH_SEPARATE_ROBUST_LOWRANK,
    SEARCH = 1 << CH_SEPARATE_ROBUST_NMF | LOWRANK,
    RPCA = 1 << CH_SEPARATE_RPCA,
    MEDIAN = 1 << CH_SEPARATE_MEDIAN,
    ANY_METHOD = XRAY | SEARCH | RPCA | MEDIAN,
    LEARNED = 1 << 16
};
#define AT(field) .at = offsetof(video_arguments, field)
#define SEPARATE AT(separate), .table = ch_separate_table
static const char input[] = "Input", what[] = "Background", masks[] = "Masks", files[] = "Files";

static const cli_option_row rows[] = {
    {input, "from frames step width gray partial", AT(clip), .table = ch_clip_table},
    {input, "every", 0, "N", AT(every),
     "the same as --step. Frames in between are not decoded if the file allows it; frame numbers "
     "and times are those of the recording"},
    {input, "roi", 0, "X,Y,W,H", AT(roi),
     "use only this rectangle of the picture: left edge, top edge, width and height in pixels of "
     "the input"},
    {input, "ignore", 0, "REGION", AT(region.ignore), CLI_IGNORE_HELP},
    {input, "watch", 0, "REGION", AT(region.watch), CLI_WATCH_HELP},
    {input, "busy", 0, "A-B,C,..", AT(busy),
     "frames that are known to show moving objects, as in 10-40,80; the background is not learned "
     "from them"},
    {input, "pipe", 0, "spool|memory", AT(pipe),
     "what to do with an input that can be read only once (standard input or a FIFO). spool "
     "(default): copy it to a scratch file first. memory: keep all frames in memory. Another "
     "command for such an input is 'conehull live - --freeze', which learns the background from "
     "the first frames and needs neither"},
    {input, "spool-dir", 0, "DIR", AT(spool_folder),
     "folder for the scratch file of --pipe spool (default: $TMPDIR, or /var/tmp)"},
    {input, "spool-limit", 0, "BYTES", AT(spool_limit),
     "maximum size of the scratch file of --pipe spool, as in 800M or 40G (default: nine tenths of "
     "the free space)"},
    {input, "memory", 0, "BYTES", AT(memory),
     "maximum memory of the program, as in 800M or 4G (default: the free memory)"},
    {what, "method", 0, "A,B,..", AT(method),
     "how the background is found: robust-xray (default), xray-l2, rpca, robust-nmf, "
     "robust-lowrank or median. Give several with commas to compare them; file names of all but "
     "the first then contain the method's name",
     .words = "robust-xray|xray-l2|rpca|robust-nmf|robust-lowrank|median"},
    {what, "rank", 'r', "N|auto", AT(rank),
     "number of pictures from which the background of every frame is mixed (factors): 1 for "
     "steady light, more for light that changes; auto (default): the number is chosen from the "
     "data. The methods rpca and median do not use this option"},
    {what, "learn-frames", 0, "N|all", AT(learn_frames),
     "robust-xray and xray-l2, if no other method is given: number of frames from which the "
     "background is learned. These are pairs of neighbouring frames, spread evenly over the clip. "
     "all: every frame; all frames must then fit in memory. By default the background is learned "
     "from every frame of a clip of up to 100 MB, otherwise from 200 frames, or from fewer if 200 "
     "frames have more than 100 million pixels. Other methods, and runs of several methods, always "
     "use every frame"},
    {what, "choose learn", SEPARATE, .cases = LEARNED | ROBUST},
    {what, "refit", SEPARATE, .cases = LEARNED | XRAY},
    {what, "lambda", SEPARATE, .cases = LEARNED | RPCA},
    {what, "radius", SEPARATE, .cases = LEARNED | MEDIAN},
    {what, "restarts", SEPARATE, .cases = LEARNED | SEARCH},
    {what, "tol", SEPARATE, .cases = LEARNED | XRAY},
    {what, "seed", SEPARATE, .cases = LEARNED | ANY_METHOD},
    {what, "keep-ghosts", 0, NULL, AT(keep_ghosts),
     "leave objects in the background if they stood still for most of the clip. By default such "
     "objects are removed from the background"},
    {what, "model", 0, "FILE", AT(model),
     "use the background that --save stored in FILE instead of learning one"},
    {what, "save", 0, "FILE", AT(save),
     "store the background in FILE (.npz), so that --model can use it for other clips of the same "
     "camera. A run on the same clip with --model FILE gives the same masks",
     .written = 1},
    {masks, "+", AT(mask), .table = ch_mask_table},
    {masks, "truth", 0, "DIR", AT(truth),
     "folder of known masks to compare with: a sequence of the CDnet benchmark, or files NNN.png, "
     "where NNN is the number of the frame in the input and white marks moving objects. Frames "
     "with a mask are used even if --step would skip them; masks of frames that are not read are "
     "ignored"},
    {files, "output", 'o', "DIR", AT(folder),
     "folder for the files (required); it is created if it does not exist"},
    {files, "write", 0, "A,B,..", AT(write), CLI_WRITE_HELP, .words = CLI_WRITE_WORDS},
    {files, "lossless", 0, NULL, AT(lossless), CLI_LOSSLESS_HELP},
    {files, "keep-partial", 0, NULL, AT(keep_partial),
     "if Ctrl-C is pressed once the background has been learned, keep the files written so far. "
     "They can be played, and the status in scores.json is \"partial\". After a second Ctrl-C "
     "nothing is kept"},
    {files, "soft", 0, NULL, AT(soft), "the same as --write soft"},
    {0}};

void video_options_describe(cli_options *options, void *arguments) {
    video_arguments *given = arguments;
    options->operand_names[0] = "INPUT";
    options->many = 1;
    cli_options_add(options, rows, given);
    cli_options_add(options, cli_event_rows, &given->event);
    cli_options_add(options, cli_checkpoint_rows, &given->checkpoint);
}

const char *video_method_name(int method) {
    return cli_choice_name(ch_separate_table(), "method", method);
}

static int take_every(const cli_session *session, video_arguments *given) {
    const char *text = given->every;
    if (!text) return EXIT_DONE;
    if (cli_options_find(&session->options, "step")->given)
        return cli_wrong_use(session, "--every and --step are the same; give one of them");
    given->clip.step = cli_number_take(&text);
    if (given->clip.step >= 1 && given->clip.step <= 1000000000 && !*text) return EXIT_DONE;
    return cli_refuse("video: --every must be a number from 1 to 1000000000; got '%s'",
                      given->every);
}

static int refuse_partial(const cli_session *session, const video_arguments *given) {
    if (!given->keep_partial || given->method_count < 2) return EXIT_DONE;
    return cli_wrong_use(session, "--keep-partial works with one method only");
}

static int take_memory(video_arguments *given) {
    if (!given->memory) return EXIT_DONE;
    given->clip.memory = cli_bytes_take(given->memory);
    if (given->clip.memory > 0) return EXIT_DONE;
    return cli_refuse("video: --memory must be a number of bytes, as in 800M or 4G; got '%s'",
                      given->memory);
}

static int take_learn_frames(video_arguments *given) {
    const char *text = given->learn_frames;
    if (!text) return EXIT_DONE;
    int all = strcmp(text, "all") == 0;
    given->sample = all ? -1 : cli_number_take(&text);
    if (all || (given->sample >= 4 && given->sample <= 1000000 && !*text)) return EXIT_DONE;
    return cli_refuse("video: --learn-frames must be a number from 4 to 1000000, or all; got '%s'",
                      given->learn_frames);
}

/* What cannot go together with --model, which brings all that is learned. */
static int refuse_beside_model(const cli_session *session, const video_arguments *given) {
    if (!given->model) return EXIT_DONE;
    TRY(cli_options_refuse_idle(&session->options, LEARNED, 0,
                                "with --model, whose background is fixed"));
    if (given->method)
        return cli_wrong_use(session,
                             "--method cannot be used with --model, which contains the method");
    if (given->rank)
        return cli_wrong_use(session, "-r cannot be used with --model, which contains the rank");
    if (given->save) return cli_wrong_use(session, "--save and --model cannot be used together");
    if (given->keep_ghosts)
        return cli_wrong_use(session, "--keep-ghosts cannot be used with --model");
    if (given->busy) return cli_wrong_use(session, "--busy cannot be used with --model");
    return EXIT_DONE;
}

static int refuse_save(const cli_session *session, const video_arguments *given) {
    int method = given->methods[0];
    if (!given->save) return EXIT_DONE;
    if (given->method_count > 1) return cli_wrong_use(session, "--save works with one method only");
    if ((RPCA | LOWRANK) >> method & 1)
        return cli_refuse("video: --save needs a background of non-negative pictures, which %s "
                          "does not have; use robust-xray, xray-l2, robust-nmf or median",
                          video_method_name(method));
    if (method == CH_SEPARATE_MEDIAN && given->separate.radius > 0)
        return cli_wrong_use(
            session,
            "--save cannot be used with --radius, because every frame has its own background then");
    return EXIT_DONE;
}

/* Its records are of fits; other methods have none. */
static int refuse_checkpoint(const video_arguments *given) {
    for (int i = 0; i < given->method_count && given->checkpoint.path; i++)
        if (!(XRAY >> given->methods[i] & 1))
            return cli_refuse("video: --checkpoint can be used with the methods robust-xray and "
                              "xray-l2 only; %s cannot be resumed",
                              video_method_name(given->methods[i]));
    return EXIT_DONE;
}

int video_options_take(const cli_session *session, video_arguments *given) {
    if (!given->folder)
        return cli_wrong_use(session, "-o is missing: give a folder for the results");
    TRY(cli_rank_take(session, ch_separate_table(), &given->separate, given->rank, 1));
    TRY(cli_methods_take(session, given->methods, &given->method_count, given->method,
                         ch_separate_table()));
    TRY(take_memory(given));
    TRY(take_every(session, given));
    TRY(video_spool_take(session, given));
    TRY(take_learn_frames(given));
    TRY(cli_film_choose(&given->choice, "video", given->write, given->lossless));
    if (given->soft) given->choice.views[CLI_VIEW_SOFT] = 1;
    TRY(cli_event_take(session, &given->event));
    TRY(refuse_beside_model(session, given));
    int64_t methods = cli_methods_bits(given->methods, given->method_count);
    TRY(cli_options_refuse_idle(&session->options, ANY_METHOD, methods, "with --method %s",
                                given->method ? given->method : video_method_name(0)));
    TRY(cli_region_check(session, &given->region));
    if (given->rank && !(methods & ~(RPCA | MEDIAN)))
        return cli_refuse("video: -r cannot be used with --method %s; leave it out", given->method);
    TRY(refuse_save(session, given));
    TRY(refuse_checkpoint(given));
    TRY(refuse_partial(session, given));
    if (!given->roi) return EXIT_DONE;
    ch_status status = ch_clip_set_roi(session->context, &given->clip, given->roi);
    if (status >= 0) return EXIT_DONE;
    return cli_error(cli_exit_code(status), "video: --%s", ch_context_message(session->context));
}
