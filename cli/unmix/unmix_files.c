/* The folder of conehull unmix: what verify needs, endmembers, maps, pictures, scores, page. */
#include "result/column_residuals.h"
#include "result/result_folder.h"
#include "result/result_json.h"
#include "unmix/unmix_command.h"
#include <conehull/io.h>
#include <math.h>

const char *const unmix_writes[] = {"anchors.txt",
                                    "W.npy",
                                    "H.npy",
                                    "certificate.npz",
                                    "result.json",
                                    "endmembers.*",
                                    "endmembers_smooth.*",
                                    "abundances.*",
                                    "abundances_*",
                                    "residual.*",
                                    "gap.*",
                                    "abundance_*.png",
                                    "false_colour.png",
                                    "scores.csv",
                                    "pixels.txt",
                                    "unmix.json",
                                    "report.html",
                                    "library.npy",
                                    NULL};

enum { PREVIEW = 2048 }; /* pixels of a side of a picture, at most */

typedef struct job {
    const cli_session *session;
    const unmix_arguments *given;
    const unmix_scene *scene;
    const unmix_found *found;
    cli_folder *folder;
} job;

/* ---- spectra ---- */

/* Two files of one name: the second is written next to the first. */
static int begin_pair(cli_folder *folder, char **path, const char *first, const char *second) {
    char *beside;
    TRY(cli_folder_begin(folder, &beside, second));
    free(beside);
    return cli_folder_begin(folder, path, first);
}

static int write_spectra(const job *of, const double *values, const char *name) {
    char *path, csv[64], sli[64], hdr[64];
    const unmix_scene *scene = of->scene;
    int64_t rank = of->found->result.rank;
    ch_context *context = of->session->context;
    ch_matrix view;
    snprintf(csv, sizeof csv, "%s.csv", name);
    snprintf(sli, sizeof sli, "%s.sli", name);
    snprintf(hdr, sizeof hdr, "%s.hdr", name);
    ch_spectra spectra = {.size = sizeof spectra,
                          .values = &view,
                          .names = (const char *const *)of->found->names,
                          .wavelengths = scene->wavelengths,
                          .unit = scene->cube.unit,
                          .reflectance_scale = scene->cube.reflectance_scale};
    ch_status status = ch_matrix_borrow(
        context, &view, &(ch_matrix){.rows = scene->X.rows, .cols = rank, .values = values});
    TRY(cli_check(of->session, status));
    TRY(cli_folder_begin(of->folder, &path, csv));
    TRY(cli_folder_end(of->folder, path, ch_spectra_write_csv(context, path, &spectra)));
    TRY(begin_pair(of->folder, &path, sli, hdr));
    return cli_folder_end(of->folder, path, ch_spectra_write_envi(context, path, &spectra));
}

/* The library at the bands of the run, oriented as the input: 'verify --library' reads it. */
static int write_library(const job *of) {
    const ch_matrix *library = of->found->settings.library;
    ch_context *context = of->session->context;
    ch_matrix turned = {0};
    char *path;
    if (!library) return EXIT_DONE;
    TRY(cli_check(of->session, ch_matrix_transpose(context, &turned, library)));
    int code = cli_folder_begin(of->folder, &path, "library.npy");
    if (code == EXIT_DONE)
        code =
            cli_folder_end(of->folder, path,
                           ch_matrix_write(context, path, of->scene->turned ? &turned : library));
    ch_matrix_free(context, &turned);
    return code;
}

/* Which library the run had, as in result.json of 'anchors'. */
static json_t *add_library(json_t *json, const job *of) {
    const ch_matrix *library = of->found->settings.library;
    if (!json || !library) return json;
    return cli_json_merge(
        json, cli_json_pack("library:{file:s columns:i}", of->given->library, library->cols));
}

/* ---- maps ---- */

/* A .npy of lines x samples, or lines x samples x depth for depth > 1: values has `depth` rows and
 * a column per pixel of X; places without one are NaN. */
typedef struct array {
    const unmix_scene *scene;
    const double *values;
    int64_t depth;
} array;

static ch_status write_array(ch_output_file *output, const array *of, const int64_t *columns,
                             double *line) {
    const ch_cube *cube = &of->scene->cube;
    ch_status status = CH_OK;
    for (int64_t l = 0; status == CH_OK && l < cube->lines; l++) {
        for (int64_t s = 0; s < cube->samples; s++) {
            int64_t j = columns[l * cube->samples + s];
            for (int64_t k = 0; k < of->depth; k++)
                line[s * of->depth + k] = j < 0 ? NAN : of->values[k + j * of->depth];
        }
        status =
            ch_output_file_write(output, line, (size_t)(cube->samples * of->depth) * sizeof *line);
    }
    return status;
}

/* The header of NumPy's format 1.0: 64 bytes or a multiple of that, the text padded by blanks. */
static int npy_header(char header[128], const array *of) {
    char shape[96];
    const ch_cube *cube = &of->scene->cube;
    int length = of->depth > 1
                     ? snprintf(shape, sizeof shape, "(%lld, %lld, %lld)", (long long)cube->lines,
                                (long long)cube->samples, (long long)of->depth)
                     : snprintf(shape, sizeof shape, "(%lld, %lld)", (long long)cube->lines,
                                (long long)cube->samples);
    if (length > 60) return 0;
    memset(header, ' ', 128);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    length = snprintf(header + 10, 118, "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }",
                      shape);
    header[10 + length] = ' ';
    header[127] = '\n';
    return 128;
}

static int write_npy(const job *of, const char *name, const double *values, int64_t depth) {
    const array what = {of->scene, values, depth};
    ch_output_file *output = NULL;
    char *path, header[128];
    int64_t *columns = unmix_columns(of->scene);
    double *line = malloc((size_t)(of->scene->cube.samples * depth) * sizeof *line);
    int bytes = npy_header(header, &what);
    int code = columns && line && bytes ? EXIT_DONE : cli_no_memory();
    if (code == EXIT_DONE) code = cli_folder_begin(of->folder, &path, name);
    if (code == EXIT_DONE) {
        ch_status status = ch_output_file_open(of->session->context, &output, path);
        if (status >= 0) status = ch_output_file_write(output, header, (size_t)bytes);
        if (status >= 0) status = write_array(output, &what, columns, line);
        if (status < 0)
            ch_output_file_discard(output);
        else
            status = ch_output_file_commit(output);
        code = cli_folder_end(of->folder, path, status);
    }
    free(columns);
    free(line);
    return code;
}

static int write_envi(const job *of, const char *name, const double *values, int64_t depth,
                      const char *const *names) {
    char *path, img[64], hdr[64];
    ch_context *context = of->session->context;
    ch_matrix view;
    const ch_cube_part part = {.size = sizeof part,
                               .pixels = of->scene->pixels,
                               .pixel_count = of->scene->pixels ? of->scene->X.cols : 0};
    snprintf(img, sizeof img, "%s.img", name);
    snprintf(hdr, sizeof hdr, "%s.hdr", name);
    TRY(begin_pair(of->folder, &path, img, hdr));
    ch_status status = ch_matrix_borrow(
        context, &view, &(ch_matrix){.rows = depth, .cols = of->scene->X.cols, .values = values});
    if (status >= 0)
        status = ch_cube_write_maps(context, path, &of->scene->cube, &view, names, &part);
    return cli_folder_end(of->folder, path, status);
}

/* One map as ENVI, .npy and picture. */
static int write_map(const job *of, const char *name, const double *values,
                     const ch_picture *picture) {
    char file[64];
    const char *const names[] = {name, NULL};
    const int64_t square[2] = {1, 1};
    TRY(write_envi(of, name, values, 1, names));
    snprintf(file, sizeof file, "%s.npy", name);
    TRY(write_npy(of, file, values, 1));
    snprintf(file, sizeof file, "%s.png", name);
    return cli_folder_picture(of->folder, file, picture, square);
}

static int write_residual(const job *of, const unmix_pictures *pictures) {
    int64_t pixels = of->scene->X.cols;
    double *share = malloc((size_t)pixels * sizeof *share);
    if (!share) return cli_no_memory();
    for (int64_t j = 0; j < pixels; j++) share[j] = unmix_residual(of->found, j);
    int code = write_map(of, "residual", share, &pictures->residual);
    free(share);
    return code;
}

static int write_abundances(const job *of, const unmix_pictures *pictures) {
    const ch_anchors_result *result = &of->found->result;
    const int64_t square[2] = {1, 1};
    char file[64];
    TRY(write_envi(of, "abundances", result->H, result->rank,
                   (const char *const *)of->found->names));
    TRY(write_npy(of, "abundances.npy", result->H, result->rank));
    for (int64_t k = 0; k < result->rank; k++) {
        snprintf(file, sizeof file, "abundance_%lld.png", (long long)k + 1);
        TRY(cli_folder_picture(of->folder, file, &pictures->abundances[k], square));
    }
    return cli_folder_picture(of->folder, "false_colour.png", &pictures->colour, square);
}

/* ---- scores ---- */

static void write_scores(FILE *to, const void *user) {
    const unmix_found *found = user;
    const ch_spectra_score *score = &found->score;
    fputs("reference,endmember,degrees,radians,rmse\n", to);
    for (int64_t c = 0; c <= score->count; c++) {
        int mean = c == score->count;
        double angle = !score->angle ? NAN : mean ? score->mean_angle : score->angle[c];
        double rmse = !score->rmse ? NAN : mean ? score->mean_rmse : score->rmse[c];
        if (mean)
            fputs("mean,,", to);
        else if (score->match[c] < 0)
            fprintf(to, "%lld,,", (long long)c + 1);
        else
            fprintf(to, "%lld,%lld,", (long long)c + 1, (long long)score->match[c] + 1);
        if (!isnan(angle)) fprintf(to, "%.6f,%.8f", angle * 180 / M_PI, angle);
        if (isnan(angle)) fputs(",", to);
        if (!isnan(rmse)) fprintf(to, ",%.8f", rmse);
        fputs(isnan(rmse) ? ",\n" : "\n", to);
    }
}

/* ---- all of it ---- */

static int write_bounds(const job *of, const char *name, const double *values) {
    char file[64];
    int64_t rank = of->found->result.rank;
    snprintf(file, sizeof file, "%s.npy", name);
    TRY(write_envi(of, name, values, rank, (const char *const *)of->found->names));
    return write_npy(of, file, values, rank);
}

static int write_maps(const job *of) {
    unmix_pictures pictures;
    int code = unmix_pictures_make(&pictures, of->session, of->scene, of->found, PREVIEW);
    if (code == EXIT_DONE) code = write_abundances(of, &pictures);
    if (code == EXIT_DONE) code = write_residual(of, &pictures);
    if (code == EXIT_DONE) code = write_map(of, "gap", of->found->gap, &pictures.gap);
    if (code == EXIT_DONE && of->found->low)
        code = write_bounds(of, "abundances_low", of->found->low);
    if (code == EXIT_DONE && of->found->high)
        code = write_bounds(of, "abundances_high", of->found->high);
    unmix_pictures_free(&pictures);
    return code;
}

/* Which pixels of the cube take part, where not all do: verify reads them. */
static void write_pixels(FILE *to, const void *user) {
    const unmix_scene *scene = user;
    for (int64_t j = 0; j < scene->X.cols; j++) fprintf(to, "%lld\n", (long long)scene->pixels[j]);
}

static int write_files(const job *of, json_t *json, double *seconds) {
    const unmix_found *found = of->found;
    const cli_input input = unmix_as_input(of->scene, of->given);
    json_t *plain =
        add_library(cli_result_json(of->session, &input, &found->settings, &found->result), of);
    json_t *residuals = NULL;
    int code =
        cli_residuals_sample(&residuals, of->session, &input, &found->settings, &found->result);
    if (residuals) plain = cli_json_merge(plain, cli_json_pack("residuals:o", residuals));
    const cli_result_parts parts = {
        &found->result, &found->settings, plain, NULL, NULL, NULL, NULL};
    double written;
    if (code == EXIT_DONE)
        code = plain ? cli_result_files(of->folder, &parts, &written) : cli_no_memory();
    json_decref(plain);
    TRY(code);
    if (of->scene->pixels) TRY(cli_folder_write(of->folder, "pixels.txt", write_pixels, of->scene));
    TRY(write_library(of));
    TRY(write_spectra(of, found->result.W, "endmembers"));
    if (found->smooth) TRY(write_spectra(of, found->smooth, "endmembers_smooth"));
    TRY(write_maps(of));
    if (found->score.match) TRY(cli_folder_write(of->folder, "scores.csv", write_scores, found));
    *seconds = cli_seconds() - of->folder->opened;
    cli_json_set_seconds(json, "write", *seconds);
    TRY(unmix_write_page(of->folder, of->scene, found, json));
    return cli_folder_json(of->folder, "unmix.json", json);
}

int unmix_write(const cli_session *session, const unmix_arguments *given, const unmix_scene *scene,
                const unmix_found *found, json_t *json, double *seconds) {
    cli_folder folder;
    *seconds = 0;
    if (!given->folder) {
        cli_json_set_seconds(json, "write", 0);
        return EXIT_DONE;
    }
    int code = cli_folder_open(&folder, session, given->folder);
    const job of = {session, given, scene, found, &folder};
    if (code == EXIT_DONE) code = write_files(&of, json, seconds);
    return cli_folder_close(&folder, code, unmix_writes);
}
