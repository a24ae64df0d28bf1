/* The JSON of conehull unmix. */
#include "result/result_json.h"
#include "unmix/unmix_command.h"
#include <math.h>

static json_t *places_json(const unmix_scene *scene, const int64_t *columns, int64_t count) {
    json_t *list = json_array();
    for (int64_t k = 0; k < count; k++) {
        int64_t place[2];
        unmix_place(scene, columns[k], &place[0], &place[1]);
        list = cli_json_append(list, place[0] < 0 ? json_null() : cli_json_integers(place, 2));
    }
    return list;
}

static json_t *names_json(char *const *names) {
    json_t *list = json_array();
    for (; *names; names++) {
        char *plain = strdup(*names);
        if (plain) ch_text_make_printable(plain); /* of a file, which may hold anything */
        list = cli_json_append(list, plain ? json_string(plain) : NULL);
        free(plain);
    }
    return list;
}

/* Mean abundance of every endmember over the pixels. */
static json_t *shares_json(const ch_anchors_result *result) {
    json_t *list = json_array();
    for (int64_t k = 0; k < result->rank; k++) {
        double sum = 0;
        for (int64_t j = 0; j < result->cols; j++) sum += result->H[k + j * result->rank];
        list = cli_json_append(list, cli_json_real(sum / (double)result->cols));
    }
    return list;
}

/* Mean length of the intervals, per endmember. */
static json_t *widths_json(const unmix_found *found) {
    const ch_anchors_result *result = &found->result;
    json_t *list = json_array();
    for (int64_t k = 0; k < result->rank; k++) {
        double sum = 0;
        for (int64_t j = 0; j < result->cols; j++)
            sum += found->high[k + j * result->rank] - found->low[k + j * result->rank];
        list = cli_json_append(list, cli_json_real(sum / (double)result->cols));
    }
    return list;
}

static json_t *degrees_json(const double *radians, int64_t count) {
    json_t *list = json_array();
    for (int64_t k = 0; k < count; k++)
        list = cli_json_append(list, cli_json_real(radians[k] * 180 / M_PI));
    return list;
}

static json_t *angle_json(const ch_spectra_score *score) {
    if (!score->match || !score->angle) return json_null();
    return cli_json_pack("mean:r each:o mean_radians:r each_radians:R match:I",
                         score->mean_angle * 180 / M_PI, degrees_json(score->angle, score->count),
                         score->mean_angle, score->angle, score->count, score->match, score->count);
}

/* What the residuals and gaps of the pixels are like. */
static json_t *proofs_json(const unmix_found *found) {
    double mean = 0, most = 0, gap = 0;
    int64_t pixels = found->result.cols;
    for (int64_t j = 0; j < pixels; j++) {
        double share = unmix_residual(found, j);
        mean += share / (double)pixels;
        most = fmax(most, share);
        gap = fmax(gap, found->gap[j]);
    }
    return cli_json_pack("mean:r max:r max_gap:r", mean, most, gap);
}

static json_t *scene_json(const unmix_scene *scene) {
    const ch_cube *cube = &scene->cube;
    return cli_json_pack(
        "lines:i samples:i shaped:b table:b bands_first:b bands:i used_bands:I "
        "used_pixels:i "
        "masked_pixels:i empty_pixels:i dropped_pixels:i "
        "bad_bands:i dead_bands:i unknown_values:i incomplete_pixels:i "
        "wavelengths:o unit:s stored:s no_data:o reflectance_scale:o",
        cube->lines, cube->samples, scene->shaped, scene->table, scene->bands_first, cube->bands,
        scene->bands, scene->band_count, scene->X.cols, scene->masked, scene->empty, scene->dropped,
        scene->bad, scene->dead, scene->unknown, scene->incomplete,
        scene->wavelengths ? cli_json_reals(scene->wavelengths, scene->band_count) : json_null(),
        cube->unit, cube->stored, cube->has_no_data ? cli_json_real(cube->no_data) : json_null(),
        cube->reflectance_scale > 0 ? cli_json_real(cube->reflectance_scale) : json_null());
}

static json_t *rank_json(const unmix_found *found) {
    if (found->rank.rank == 0) return json_null();
    const ch_unmix_rank *rank = &found->rank;
    int noise = rank->by_noise > 0 && rank->by_noise < rank->by_residual;
    return cli_json_pack("chosen:i taken:s by_noise:o by_residual:i snr:r", rank->rank,
                         noise ? "noise" : "residual",
                         rank->by_noise < 0 ? json_null() : json_integer(rank->by_noise),
                         rank->by_residual, rank->snr);
}

json_t *unmix_json(const cli_session *session, const unmix_arguments *given,
                   const unmix_scene *scene, const unmix_found *found) {
    const ch_anchors_result *result = &found->result;
    const cli_input input = unmix_as_input(scene, given);
    json_t *object = cli_result_json(session, &input, &found->settings, result);
    char *command = cli_command_line(session);
    object = cli_json_merge(
        object,
        cli_json_pack(
            "cube:o pixels:o names:o mean_abundance:o residual:o rank_auto:o smooth:i command:s "
            "unmix_settings:T",
            scene_json(scene), places_json(scene, result->anchors, result->rank),
            names_json(found->names), shares_json(result), proofs_json(found), rank_json(found),
            given->settings.smooth, command, ch_unmix_table(), &given->settings));
    free(command);
    if (object) cli_json_set_seconds(object, "rank", found->seconds_rank);
    if (object) cli_json_set_seconds(object, "prove", found->seconds_prove);
    if (found->score.match)
        object = cli_json_merge(
            object,
            cli_json_pack("angle:o abundance_rmse:r without_shade:b abundance_rmse_each:o",
                          angle_json(&found->score), found->score.mean_rmse,
                          found->scored_without_shade,
                          found->score.rmse ? cli_json_reals(found->score.rmse, found->score.count)
                                            : json_null()));
    if (found->bright_score.rmse)
        object = cli_json_merge(object,
                                cli_json_pack("abundance_rmse_at_brightness:{mean:r each:R}",
                                              found->bright_score.mean_rmse,
                                              found->bright_score.rmse, found->bright_score.count));
    if (found->stability)
        object = cli_json_merge(object,
                                cli_json_pack("stability:{halves:i degrees:r each:R}",
                                              given->halves, 5.0, found->stability, result->rank));
    if (found->low)
        object = cli_json_merge(
            object, cli_json_pack("intervals:{rise:r mean_width:o}", 0.01, widths_json(found)));
    if (found->smooth_score.match)
        object = cli_json_merge(object,
                                cli_json_pack("smooth_angle:o", angle_json(&found->smooth_score)));
    return object;
}
