/* The part of a cube that took part in a run of unmix, for its recheck. */
#include "anchors/cube_part.h"
#include "common/input_guard.h"
#include "common/output_folder.h"
#include "common/try.h"
#include <conehull/cube.h>
#include <errno.h>
#include <unistd.h>

typedef struct part {
    json_t *json; /* unmix.json */
    ch_cube cube;
    int64_t *bands, band_count;
    int64_t *pixels, pixel_count; /* NULL: all */
} part;

int cli_folder_is_of_cube(const char *folder) {
    char *file = cli_path_join(folder, "unmix.json");
    int found = file && access(file, R_OK) == 0;
    free(file);
    return found;
}

static int load_json(part *of, const char *folder) {
    json_error_t error;
    char *file = cli_path_join(folder, "unmix.json");
    int code = file ? cli_refuse_special(file) : cli_no_memory();
    if (code == EXIT_DONE) of->json = json_load_file(file, 0, &error);
    if (code == EXIT_DONE && !of->json)
        code = cli_refuse("%s: line %d, column %d: %s", file, error.line, error.column, error.text);
    free(file);
    return code;
}

static int take_bands(part *of, const char *folder) {
    const json_t *list = json_object_get(json_object_get(of->json, "cube"), "used_bands");
    of->band_count = (int64_t)json_array_size(list);
    of->bands = malloc(((size_t)of->band_count + 1) * sizeof *of->bands);
    if (!of->bands) return cli_no_memory();
    for (int64_t k = 0; k < of->band_count; k++) {
        of->bands[k] = json_integer_value(json_array_get(list, (size_t)k));
        if (of->bands[k] < 0 || of->bands[k] >= of->cube.bands ||
            (k > 0 && of->bands[k] <= of->bands[k - 1]))
            return cli_refuse(
                "%s/unmix.json: the list used_bands does not fit the bands of this cube", folder);
    }
    return of->band_count > 0 ? EXIT_DONE
                              : cli_refuse("%s/unmix.json: the list used_bands is missing", folder);
}

/* Numbers of pixels, rising. */
static int take_lines(part *of, FILE *stream, const char *file) {
    int64_t all = of->cube.lines * of->cube.samples, last = -1;
    char line[64];
    of->pixels = malloc((size_t)all * sizeof *of->pixels);
    if (!of->pixels) return cli_no_memory();
    while (fgets(line, sizeof line, stream)) {
        char *end;
        errno = 0;
        long long pixel = strtoll(line, &end, 10);
        if (end == line || *end != '\n' || errno || pixel <= last || pixel >= all)
            return cli_refuse("%s: line %lld is not the number of a pixel of this cube", file,
                              (long long)of->pixel_count + 1);
        of->pixels[of->pixel_count++] = last = pixel;
    }
    return ferror(stream)
               ? cli_error(EXIT_FILES, "%s: the file cannot be read: %s", file, strerror(errno))
               : EXIT_DONE;
}

static int take_pixels(part *of, const char *folder) {
    char *file = cli_path_join(folder, "pixels.txt");
    int code = file ? cli_refuse_special(file) : cli_no_memory();
    FILE *stream = code == EXIT_DONE ? fopen(file, "r") : NULL;
    if (stream) {
        code = take_lines(of, stream, file);
        fclose(stream);
    } else if (code == EXIT_DONE && errno != ENOENT) {
        code = cli_error(EXIT_FILES, "%s: %s", file, strerror(errno));
    }
    free(file);
    return code;
}

static int read_part(part *of, cli_input *input, const cli_session *session, const char *folder) {
    ch_cube_open_settings settings = {.size = sizeof settings, .var = input->var};
    TRY(load_json(of, folder));
    const json_t *stored = json_object_get(of->json, "cube");
    if (json_is_true(json_object_get(stored, "table")))
        return cli_input_read(input, session, input->file);
    if (json_is_true(json_object_get(stored, "shaped"))) {
        settings.lines = json_integer_value(json_object_get(stored, "lines"));
        settings.samples = json_integer_value(json_object_get(stored, "samples"));
    }
    settings.bands_first = json_is_true(json_object_get(stored, "bands_first"));
    const json_t *mark = json_object_get(stored, "no_data"); /* of the file, or --nodata */
    settings.has_no_data = json_is_number(mark);
    settings.no_data = json_number_value(mark);
    TRY(cli_check(session, ch_cube_open(session->context, &of->cube, input->file, &settings)));
    TRY(take_bands(of, folder));
    TRY(take_pixels(of, folder));
    int all = of->band_count == of->cube.bands;
    int64_t unknown = json_integer_value(json_object_get(stored, "unknown_values"));
    const ch_cube_part choice = {.size = sizeof choice,
                                 .bands = all ? NULL : of->bands,
                                 .band_count = all ? 0 : of->band_count,
                                 .pixels = of->pixels,
                                 .pixel_count = of->pixel_count,
                                 .no_data_as_nan = unknown > 0};
    return cli_check(session, ch_cube_matrix(session->context, &input->X, &of->cube, &choice));
}

int cli_cube_part_read(cli_input *input, const cli_session *session, const char *file,
                       const char *folder) {
    part of = {.cube.size = sizeof of.cube};
    double start = cli_seconds();
    input->file = file;
    TRY(cli_refuse_stdin(file));
    int code = read_part(&of, input, session, folder);
    ch_cube_close(session->context, &of.cube);
    json_decref(of.json);
    free(of.bands);
    free(of.pixels);
    input->cols = input->X.cols;
    input->seconds = cli_seconds() - start;
    return code;
}
