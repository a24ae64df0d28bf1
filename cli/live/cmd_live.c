/* conehull live: background and moving objects of a stream, frame by frame. */
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

/* Of --help. */
static const cli_basic basics[] = {
    {"output", "folder for the results, or - for standard output"},
    {"page", "show it in a browser at this local port"},
    {"warm-up", "number of frames from which the first background is learned"},
    {"rank", "number of background factors: 1 for steady light; auto decides"},
    {"frames", "stop after N frames"},
    {"width", "make pictures smaller: faster"},
    {"gray", "use brightness only: faster"},
    {"ignore", "a part of the picture to ignore"},
    {"watch", "the only part of the picture to use"},
    {"absorb", "time until a still object becomes background"},
    {"threshold", "how different a pixel must be to be an object"},
    {"write", "write more files: background, soft, objects"},
    {"events", "report when something moved: a table and a chart"},
    {"cut", "write each event as a clip"},
    {0}};

const cli_command cli_cmd_live = {
    .name = "live",
    .summary = "separate moving objects in a stream, in bounded memory",
    .synopsis = "SOURCE.. [-o DIR|-] [options]",
    .about = "Separates background and moving objects frame by frame. SOURCE is any input of\n"
             "'conehull video', - for a pipe of frames, an address (rtsp:// http:// srt://\n"
             "udp:// ...), or a camera (/dev/video0; v4l2: or x11grab: and a name, for other\n"
             "devices of libavdevice, a part of FFmpeg).\n",
    .details = "How it works:\n"
               "  A background is learned from the first --warm-up frames as 'conehull video'\n"
               "  does; their results are then written at once. After that each frame gets its\n"
               "  weights (exact in l1 on a sample of pixels, proven by a gap), its background\n"
               "  and its mask before the next frame is read. The background follows slow\n"
               "  changes, absorbs what has stood still for --absorb, and is learned again when\n"
               "  a light is switched, within 8 + --adapt + 10 frames.\n"
               "\n"
               "Repeatability:\n"
               "  Frames from files and pipes give the same results for any number of threads.\n"
               "  Addresses and cameras do not wait (--pace): frames that come too fast are\n"
               "  dropped and counted, and learning takes effect when it is ready.\n"
               "\n"
               "When it ends:\n"
               "  At the end of the source, after --frames, or by Ctrl-C (exit 130). The files\n"
               "  are complete in all three cases, and also when a frame of another size ends\n"
               "  the run (exit 1). A damaged frame gets a mask, but nothing is learned from it,\n"
               "  nor from a frame that does not resemble its neighbours. If the reader of\n"
               "  standard output pauses, the run waits; if it closes, the run ends (exit 3).\n"
               "\n"
               "Cameras and players:\n"
               "  conehull live rtsp://camera/stream -o - --show side | ffplay -\n"
               "  conehull live /dev/video0 --page 8080\n"
               "\n"
               "Files in DIR: overlay.mp4 (H.264, for browsers and phones), mask.mkv\n"
               "  (lossless), background.png of the last frame, activity.csv, scores.json,\n"
               "  report.html; more with --write.\n",
    .basics = basics,
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
