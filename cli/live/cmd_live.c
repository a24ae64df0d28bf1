/* conehull live: separates background from moving objects in a stream, frame by frame. */
#include "common/mask_report.h"
#include "film/film_files.h"
#include "live/live_command.h"

static int run_live(cli_session *session) {
    live_arguments *given = session->arguments;
    live_run run;
    char *input;
    TRY(live_options_take(session, given));
    TRY(cli_sequence_take(session, &given->truth, &input));
    int code = live_run_all(&run, session, given);
    if (run.scores && session->common.json) {
        int printed = cli_json_print(json_incref(run.scores));
        if (printed != EXIT_DONE) code = printed;
    } else if (run.scores && !(given->pipe && session->common.quiet)) {
        live_print(&run);
    }
    live_run_free(&run);
    free(input);
    return code;
}

/* The options of the short help. */
static const cli_basic basics[] = {
    {"output", "folder for the results, or - for standard output"},
    {"page", "show the video in a browser at this local port"},
    {"warm-up", "number of frames from which the first background is learned"},
    {"rank", "pictures from which the background is mixed: 1 for steady light, or auto"},
    {"frames", "stop after N frames"},
    {"width", "reduce pictures to this width: faster"},
    {"gray", "use brightness only: faster"},
    {"ignore", "part of the picture to ignore (see --help-all)"},
    {"watch", "use only this part (see --help-all)"},
    {"absorb", "time until an object that stands still becomes background: frames, or as in 60s"},
    {"threshold", "how much an object must differ, in gray levels; 0: chosen from the noise"},
    {"write", "more files: background, side, soft, objects, boxes"},
    {"events", "report when something moved, as a table"},
    {"cut", "write each event as a clip"},
    {0}};

const cli_command cli_cmd_live = {
    .name = "live",
    .summary = "separate moving objects in a stream, in bounded memory",
    .synopsis = "SOURCE.. [-o DIR|-] [options]",
    .about = "Separates moving objects from the background frame by frame. SOURCE is any input\n"
             "of 'conehull video', - for a pipe of frames, an address (rtsp:// http:// srt://\n"
             "udp:// ...), or a camera: /dev/video0, or the name of another device of\n"
             "libavdevice (a part of FFmpeg) after its prefix, such as v4l2: or x11grab:.\n",
    .details = "How it works:\n"
               "  The first background is learned from the first --warm-up frames, as in\n"
               "  'conehull video'; the results of these frames are written at the end of the\n"
               "  warm-up. After that each frame gets its weights (the exact l1 fit on a sample\n"
               "  of pixels), its background and its mask before the next frame is read. The\n"
               "  background follows slow changes, and objects that have stood still for the\n"
               "  time of --absorb become part of it. When a light is switched on or off, the\n"
               "  background is learned again within 18 + --adapt frames.\n"
               "\n"
               "Repeatability:\n"
               "  Frames from files and pipes give the same results for any number of threads.\n"
               "  With network addresses and cameras, results may differ from run to run: these\n"
               "  sources do not wait (see --pace), so frames that come too fast are dropped and\n"
               "  counted, and a new background is used as soon as it is ready.\n"
               "\n"
               "When it ends:\n"
               "  A run ends at the end of the source, after --frames, by Ctrl-C (exit code\n"
               "  130), or at a frame of another size (exit code 1). In these cases the files\n"
               "  are complete. If the program that reads standard output pauses, the run waits;\n"
               "  if that program ends, the run ends too (exit code 3).\n"
               "\n"
               "Bad frames:\n"
               "  Every frame gets a mask. The background is not learned from damaged frames,\n"
               "  nor from frames in which too much of the picture suddenly differs from the\n"
               "  background.\n"
               "\n"
               "Cameras and players:\n"
               "  conehull live rtsp://camera/stream -o - --show side | ffplay -\n"
               "  conehull live /dev/video0 --page 8080\n"
               "\n"
               "Files in DIR: overlay.mp4 (H.264, for browsers and phones), mask.mkv\n"
               "  (lossless), background.png of the last frame, activity.csv, scores.json,\n"
               "  report.html; more with --write.\n",
    .basics = basics,
    .exit_one = "a frame of another size ended the run, or the input ended during\n"
                "       the warm-up",
    .examples = "  conehull live clip.mp4 -o out --warm-up 60\n"
                "  conehull live clip.mp4 --warm-up 60 --truth masks --json\n"
                "  conehull live clip.mp4 --warm-up 60 -o - --show side > side.y4m\n"
                "  conehull live clip.mp4 --warm-up 60 -o out --events --event-margin 2s\n"
                "  ffmpeg -v error -i clip.mp4 -f nut - | conehull live - --warm-up 60\n",
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .arguments_size = sizeof(live_arguments),
    .operand = "SOURCE",
    .describe = live_options_describe,
    .run = run_live,
    .writes = cli_film_writes,
};
