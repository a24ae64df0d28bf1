/* conehull unmix: from a cube to endmembers, maps and a page. */
#include "options/option_values.h"
#include "unmix/unmix_command.h"

#define AT(field) .at = offsetof(unmix_arguments, field)
#define SETTINGS AT(settings), .table = ch_unmix_table
static const char what[] = "Options", how[] = "Expert options", from[] = "Input",
                  known[] = "What is known";
static const cli_option_row rows[] = {
    {what, "rank", 'r', "N|auto", AT(rank)}, /* help is the table's */
    {what, "output", 'o', "DIR", AT(folder),
     "folder for the results: report.html; endmembers.csv and .sli; maps of abundances, residual "
     "and gap (ENVI, .npy and .png); unmix.json; and the files that 'conehull verify' needs"},
    {what, "smooth average", SETTINGS},
    {what, "intervals", 0, NULL, AT(intervals),
     "for loss l1: compute for every abundance the interval in which the loss of its pixel rises "
     "by at most 1 %, and write the maps abundances_low and abundances_high. This takes as long as "
     "about a "
     "dozen runs"},
    {what, "stability", 0, "N", AT(stability),
     "repeat the selection on N random halves of the pixels, and report for each endmember the "
     "share of the halves in which a spectrum is chosen whose angle to the endmember is at most 5 "
     "degrees"},
    {from, "bands", 0, "LIST", AT(bands),
     "numbers of the bands to use, from 1, as in 1-50,60- (bands 1 to 50, and all from band 60 "
     "on). By default all bands are used except those that the file marks as bad"},
    {from, "wavelengths", 0, "LIST", AT(wavelengths),
     "wavelengths of the bands to use, as in 400-900nm or 0.4-1.3,1.5- (from 0.4 to 1.3, and from "
     "1.5 up). Numbers without a unit are in the unit of the file"},
    {from, "pixels", 0, "FILE", AT(pixels),
     "pixels to use: a picture of the size of the scene in which the pixels to use have a value "
     "of at least 128 (of 255), or a matrix of lines x samples that is not 0 at these pixels"},
    {from, "complete-pixels", 0, NULL, AT(complete_pixels),
     "leave out pixels that lack a value in some band. Without this option such pixels are fitted "
     "to the bands that they have, and the run needs 16 bytes of memory for every value of the "
     "scene"},
    {from, "nodata", 0, "VALUE", AT(nodata),
     "value that marks missing values, such as -9999. By default this is the value that the file "
     "states (data ignore value of ENVI, nodata of GDAL). NaN always marks missing values"},
    {from, "shape", 0, "LxS", AT(shape),
     "number of lines and samples of the picture, as in 95x95, if the file is a matrix of bands x "
     "pixels"},
    {from, "bands-first", 0, NULL, AT(bands_first),
     "read an array of three dimensions as bands x lines x samples. By default the order is the "
     "one that the file states, or lines x samples x bands if it states none"},
    {from, "transpose", 0, NULL, AT(transpose),
     "the file is a matrix with a row for each pixel (or each time of a chromatogram) and a column "
     "for each band"},
    {from, "index", 0, "COLUMN", AT(index),
     "column of a .csv or .tsv file that holds the names of the rows: its name in the first line, "
     "or its number from 1. Without this option, the first column holds the names if it contains "
     "words, and is data if it contains numbers"},
    {from, "drop", 0, "NAME[,NAME...]", AT(drop),
     "columns of a .csv or .tsv file to leave out: their names in the first line, or their numbers "
     "from 1"},
    {from, "decimal", 0, "point|comma", AT(decimal),
     "how numbers of a .csv or .tsv file are written (default: point). comma: 1139,66 or 1.139,66"},
    {from, "var", 0, "NAME", AT(var), "name of the array to read if the file holds several"},
    {known, "truth", 0, "FILE", AT(truth),
     "file with reference spectra and abundances to compare with. Spectra are in an array called "
     "M, E, GT, endmembers or spure; abundances are in an array called A, S, S_GT, abundances or "
     "cpure, as maps or as endmembers x pixels. Pixels are ordered line by line. If the cube or "
     "FILE is a .mat file, they are ordered column by column"},
    {known, "endmembers", 0, "FILE", AT(endmembers),
     "file with reference spectra only: a matrix with a spectrum in each column or row, or an ENVI "
     "spectral library"},
    {known, "library", 0, "FILE", AT(library),
     "spectra of known components, in a file as for --endmembers. They become the first "
     "endmembers and count in -r; the remaining endmembers are found in the scene"},
    {known, "library-only", 0, NULL, AT(library_only),
     "choose all endmembers from the spectra of --library and none from the pixels"},
    {how, "loss hull faint negative missing tol seed", SETTINGS},
    {how, "+", SETTINGS},
    {"Common options", "memory", 0, "LIMIT", AT(memory),
     "maximum memory, at least 512M, as in 1.5G (default: all memory of the machine). A file "
     "that does not fit is read several times instead of being held in memory"},
    {0}};

static void describe(cli_options *options, void *user) {
    (void)user;
    options->last_group = how;
    cli_options_find(options, "rank")->row.help = ch_settings_find(ch_unmix_table(), "rank")->help;
}

static int take_arguments(const cli_session *session, unmix_arguments *given) {
    if (!given->rank)
        return cli_wrong_use(session, "-r is missing: give the number of endmembers, or -r auto");
    TRY(cli_rank_take(session, ch_unmix_table(), &given->settings, given->rank, 1));
    if (given->intervals && given->settings.loss != CH_LOSS_L1)
        return cli_wrong_use(session, "--intervals can be used with --loss l1 only");
    if (given->stability) {
        const char *text = given->stability;
        given->halves = cli_number_take(&text);
        if (given->halves < 1 || given->halves > 10000 || *text)
            return cli_refuse("unmix: --stability must be a whole number from 1 to 10000; got '%s'",
                              given->stability);
        if (given->library)
            return cli_wrong_use(session, "--stability cannot be used with --library");
    }
    if (given->library && given->settings.rank == 0)
        return cli_wrong_use(session,
                             "-r auto cannot be used with --library; give a number of endmembers");
    if (cli_options_find(&session->options, "average")->given && given->settings.smooth == 0)
        return cli_wrong_use(session, "--average cannot be used without --smooth");
    return cli_folder_check(given->folder);
}

static int report(const cli_session *session, const unmix_arguments *given,
                  const unmix_scene *scene, const unmix_found *found) {
    double write;
    json_t *json = unmix_json(session, given, scene, found);
    int code = json ? unmix_write(session, given, scene, found, json, &write) : cli_no_memory();
    if (code == EXIT_DONE && session->common.json)
        code = cli_json_print(json_incref(json));
    else if (code == EXIT_DONE)
        unmix_print(given, scene, found, write);
    json_decref(json);
    return code == EXIT_DONE ? cli_exit_code(found->result.status) : code;
}

static int unmix(const cli_session *session, const unmix_arguments *given, unmix_scene *scene,
                 unmix_found *found) {
    unmix_truth truth = {0};
    unmix_library library = {0};
    TRY(unmix_read(scene, session, given));
    int code = unmix_truth_read(&truth, session, given, scene);
    if (code == EXIT_DONE) code = unmix_library_read(&library, session, given, scene);
    if (code == EXIT_DONE) code = unmix_find(found, session, given, scene, &library);
    if (code == EXIT_DONE) code = unmix_score(found, session, scene, &truth);
    if (code == EXIT_DONE) code = report(session, given, scene, found);
    unmix_truth_free(&truth);
    unmix_library_free(&library);
    return code;
}

static int run_unmix(cli_session *session) {
    unmix_arguments *given = session->arguments;
    unmix_scene scene = {0};
    unmix_found found = {0};
    TRY(take_arguments(session, given));
    int code = unmix(session, given, &scene, &found);
    if (code == EXIT_INTERRUPTED) cli_complain("the run was interrupted; nothing was written");
    unmix_found_free(&found, session);
    unmix_scene_free(&scene, session);
    return code;
}

/* Of --help. */
static const cli_basic basics[] = {
    {"rank", "number of endmembers; auto: estimated from the data"},
    {"output", "folder for spectra, maps and report.html"},
    {"truth", "known spectra or abundances to compare with"},
    {"endmembers", "known spectra to compare with, without abundances"},
    {"library", "known spectra that become the first endmembers"},
    {"bands", "bands to use, without bad bands, numbered from 1, such as 1-50,60-"},
    {"wavelengths", "wavelengths to use, such as 400-900nm"},
    {"pixels", "picture that marks the pixels to use (128 or more of 255)"},
    {"nodata", "value that marks missing values, such as -9999"},
    {"smooth", "also average each endmember over the P nearest pixels"},
    {"stability", "measure stability on N random halves of the pixels"},
    {"intervals", "interval of each abundance in which the loss rises by at most 1 %"},
    {"shape", "lines x samples, for a file that holds a matrix"},
    {"bands-first", "the array is bands x lines x samples"},
    {"transpose", "the file is a matrix with a row for each pixel"},
    {"var", "name of the array to read if the file holds several"},
    {0}};

const cli_command cli_cmd_unmix = {
    .name = "unmix",
    .summary = "find the pure spectra of a scene and their share in every pixel",
    .synopsis = "CUBE -r N|auto [--truth FILE] [-o DIR] [options]",
    .about = "Finds endmembers, which are pixels whose spectra can be mixed to give all other\n"
             "spectra, and the abundance (share) of each endmember in every pixel. CUBE is an\n"
             "ENVI file (the .hdr or its data), a .npy of lines x samples x bands, or another\n"
             "format that 'conehull info' lists. The result does not depend on a random start\n"
             "or on the number of threads. The defaults suit spectra; the output lists each\n"
             "default with its reason.\n",
    .details = "Output:\n"
               "  endmember      number of the endmember, from 1\n"
               "  line, sample   the pixel where it was found, from 0\n"
               "  mean           mean abundance of the endmember over all pixels\n"
               "  residual       |x - W h| / |x| of a pixel, in the norm of the loss\n"
               "  gap            bound on how much the loss of a pixel could still fall, "
               "divided\n"
               "                 by the size of its spectrum; 0: the abundances are optimal\n"
               "\n"
               "With --truth or --endmembers, endmembers are matched one to one with the\n"
               "reference spectra so that the sum of the angles is smallest:\n"
               "  degrees    angle between the spectra; 0: the same up to brightness\n"
               "  rmse       root mean square error of the abundances. It depends on the\n"
               "             brightness of the endmembers, so a second value is given for\n"
               "             endmembers that are scaled to the brightness of their references\n"
               "\n"
               "-r auto:\n"
               "  The smaller of two estimates is used. HySime counts the directions with more\n"
               "  signal than noise, where the noise is the part of a band that the other bands\n"
               "  do not predict. The other estimate uses the residuals, as 'conehull anchors\n"
               "  -r auto' does. Both estimates count everything that varies by more than the\n"
               "  noise, also variants of one material, so real scenes get more endmembers than\n"
               "  they have materials.\n"
               "\n"
               "Values that are not known:\n"
               "  Unknown values are NaN and values that the file or --nodata marks. Pixels\n"
               "  without any known value are not used, and maps hold NaN at these pixels. "
               "Bands\n"
               "  without any known value, or with zeros only, are not used unless --bands "
               "names\n"
               "  them. For pixels that lack only some values, see --missing or, if the scene "
               "is\n"
               "  larger than memory, --complete-pixels.\n",
    .basics = basics,
    .examples = "  conehull unmix scene.hdr -r 5 -o out\n"
                "  conehull unmix scene.hdr -r auto --wavelengths 400-900nm --smooth 20 -o out\n"
                "  conehull unmix samson.mat -r 3 --truth samson.mat --json\n",
    .files = ch_cube_formats,
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .arguments_size = sizeof(unmix_arguments),
    .operand = "CUBE",
    .rows = rows,
    .describe = describe,
    .run = run_unmix,
    .writes = unmix_writes,
};
