/* conehull video: separates background from moving objects in a clip; writes videos and a page. */
#include "common/mask_report.h"
#include "film/film_files.h"
#include "video/video_command.h"

static int run_video(cli_session *session) {
    video_arguments *given = session->arguments;
    video_run run;
    char *input;
    TRY(video_options_take(session, given));
    TRY(cli_folder_check(given->folder));
    TRY(video_spool(session, given));
    TRY(cli_checkpoint_open(session, &given->checkpoint));
    TRY(cli_sequence_take(session, &given->truth, &input));
    given->separate.checkpoint = cli_checkpoint_table(&given->checkpoint);
    int code = video_run_all(&run, session, given);
    cli_checkpoint_close(session, &given->checkpoint, run.scores != NULL, code);
    if (run.scores && session->common.json) {
        int printed = cli_json_print(video_json_short(run.scores));
        if (printed != EXIT_DONE) code = printed;
    } else if (run.scores) {
        video_print(&run);
    }
    video_run_free(&run);
    free(input);
    return code;
}

/* The options of the short help. */
static const cli_basic basics[] = {
    {"output", "folder for the results; report.html shows them"},
    {"rank", "pictures from which the background is mixed: 1 for steady light, or auto"},
    {"method", "method, or several with commas to compare them"},
    {"from", "first frame to use, counted from 0"},
    {"frames", "number of frames to use"},
    {"step", "use only every N-th frame"},
    {"width", "reduce pictures to this width: faster"},
    {"gray", "use brightness only: faster"},
    {"ignore", "part of the picture to ignore (see --help-all)"},
    {"watch", "use only this part (see --help-all)"},
    {"threshold", "how much an object must differ, in gray levels; 0: chosen from the noise"},
    {"truth", "folder of known masks to compare with"},
    {"save", "save the background for other clips"},
    {"model", "use the background saved by --save"},
    {"write", "more files: background, side, soft, objects, boxes"},
    {"events", "report when something moved, as a table"},
    {"cut", "write each event as a clip"},
    {"memory", "maximum memory, such as 2G"},
    {0}};

const cli_command cli_cmd_video = {
    .name = "video",
    .summary = "separate background from moving objects in a clip",
    .synopsis = "INPUT.. -o DIR [-r N|auto] [--method A,B,..] [options]",
    .about = "Finds the background of a clip from a fixed camera, marks moving objects in\n"
             "every frame, and writes both as videos, with a page that shows them. INPUT is\n"
             "any video that FFmpeg reads, a folder of pictures, a pattern such as\n"
             "img%05d.png, or - for standard input; several inputs are read as one recording.\n"
             "Frames are numbered from 0. In a colour clip the background is learned from the\n"
             "brightness, then every colour is fitted; --gray uses the brightness only.\n",
    .details = "The background:\n"
               "  The clip is a matrix X of frames x pixels, and its background is W H.\n"
               "  robust-xray takes the time series of a few pixels as W, fits H >= 0 in l1,\n"
               "  then refits W and H (--refit). -r auto adds pixels as long as each improves a\n"
               "  large enough part of the picture; the output gives the reason why it stopped.\n"
               "\n"
               "Masks:\n"
               "  The score of a pixel is |log(pixel / background)|, averaged over neighbouring\n"
               "  pixels and reduced for shadows. It is scaled so that 1 is one gray level on a\n"
               "  mid-gray background. A pixel is foreground if its score is at least\n"
               "  --threshold or, without that option, at least --noises times the noise.\n"
               "  f_measure is computed from the masks as written. auc, best_f and soft.mkv use\n"
               "  the largest |pixel - background| of the colours, or with --score decision the\n"
               "  score above. See docs/masks.md.\n"
               "\n"
               "Files in DIR (all are written at the end, or none):\n"
               "  overlay.mp4      moving objects outlined: H.264, for browsers and phones\n"
               "  mask.mkv         white where something moves; lossless\n"
               "  background.png   background in the middle of the clip\n"
               "  activity.csv     per frame: moving pixels, objects, the box around them\n"
               "  scores.json      everything the page shows; --json prints it without long\n"
               "                   lists\n"
               "  report.html      player, curves, scores; one file that needs no network\n"
               "  background.mp4 side.mp4 soft.mkv objects.csv boxes.csv   with --write\n"
               "  events.csv event_001.mp4 ..                    with --events, --cut\n"
               "  background.mkv mask.mkv overlay.mkv            with --lossless\n"
               "  All videos have the time stamps of the input.\n"
               "\n"
               "Long clips:\n"
               "  The background is learned from --learn-frames frames; then every frame is\n"
               "  processed once. Memory does not grow with the length of the clip.\n",
    .basics = basics,
    .examples = "  conehull video clip.mp4 -o out\n"
                "  conehull video clip.mp4 -o out --width 320 --from 100 --frames 500 --step 2\n"
                "  conehull video clip.mp4 -o out --method robust-xray,rpca,median --truth masks\n"
                "  conehull video monday.mp4 -o mon --save hall.npz\n"
                "  conehull video tuesday.mp4 -o tue --model hall.npz\n"
                "  conehull video monday.mp4 tuesday.mp4 -o out --events --event-gap 5s\n"
                "  conehull video clip.mp4 -o out --ignore '0,0 320,0 320,40 0,40' --busy 0-50\n",
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .arguments_size = sizeof(video_arguments),
    .describe = video_options_describe,
    .run = run_video,
    .writes = cli_film_writes,
};
