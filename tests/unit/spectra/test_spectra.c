/* Spectra: angles, exact matching, comparisons, noise and rank of planted scenes, averages. */
#include "support.h"
#include <conehull/spectra.h>
#include <math.h>
#include <string.h>

enum { BANDS = 40, PIXELS = 3000, RANK = 4 };

static void angles_are_accurate_at_both_ends(void **state) {
    (void)state;
    const double a[] = {1, 2, 3}, scaled[] = {2e150, 4e150, 6e150}, zero[] = {0, 0, 0};
    const double x[] = {1, 0, 0}, y[] = {0, 1e-300, 0}, back[] = {-5, 0, 0};
    const double bad[] = {1, NAN, 0}, near[] = {1, 1e-9, 0};
    support_close(ch_spectral_angle(a, scaled, 3), 0, 1e-15);
    support_close(ch_spectral_angle(x, y, 3), M_PI / 2, 1e-15);
    support_close(ch_spectral_angle(x, back, 3), M_PI, 1e-15);
    support_close(ch_spectral_angle(x, near, 3), 1e-9, 1e-24); /* acos() would say 0 */
    assert_true(isnan(ch_spectral_angle(a, zero, 3)));
    assert_true(isnan(ch_spectral_angle(a, bad, 3)));
}

/* The least sum over all one-to-one choices for rows from `row` on. */
static double least_of_all(const double *cost, int rows, int cols, int row, unsigned used,
                           int idle) {
    if (row == rows) return 0;
    double best = INFINITY;
    for (int c = 0; c < cols; c++)
        if (!(used >> c & 1))
            best = fmin(best, cost[row + c * rows] +
                                  least_of_all(cost, rows, cols, row + 1, used | 1u << c, idle));
    if (idle > 0) best = fmin(best, least_of_all(cost, rows, cols, row + 1, used, idle - 1));
    return best;
}

static void matching_is_the_best_of_all(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    ch_random random;
    support_seed(&random, "matching", 5);
    for (int trial = 0; trial < 400; trial++) {
        int rows = 1 + (int)ch_random_below(&random, 6),
            cols = 1 + (int)ch_random_below(&random, 6);
        double cost[36], total, sum = 0;
        int64_t match[6];
        unsigned used = 0;
        int pairs = 0, ties = trial % 2;
        for (int k = 0; k < rows * cols; k++)
            cost[k] = ties ? (double)ch_random_below(&random, 4) : ch_random_uniform(&random) - 0.5;
        assert_int_equal(ch_spectra_match(context, match, &total, cost, rows, cols), CH_OK);
        for (int i = 0; i < rows; i++) {
            if (match[i] < 0) continue;
            assert_false(used >> match[i] & 1);
            used |= 1u << match[i];
            sum += cost[i + match[i] * rows];
            pairs++;
        }
        assert_int_equal(pairs, rows < cols ? rows : cols);
        support_close(total, sum, 1e-13);
        support_close(total, least_of_all(cost, rows, cols, 0, 0, rows > cols ? rows - cols : 0),
                      1e-12);
    }
    double bad[] = {1, INFINITY};
    int64_t match[2];
    assert_int_equal(ch_spectra_match(context, match, NULL, bad, 1, 2), CH_ERR_DATA);
    support_message(context, "column 1");
    assert_int_equal(ch_spectra_match(context, match, NULL, bad, 0, 2), CH_ERR_ARGUMENT);
    support_finish(context, NULL);
}

/* Smooth spectra, mixtures, Gaussian noise of this deviation in band i times (1 + i / BANDS). */
static void make_scene(double *X, double *E, double *A, double level, ch_random *random) {
    for (int k = 0; k < RANK; k++)
        for (int i = 0; i < BANDS; i++)
            E[i + k * BANDS] =
                0.2 + exp(-pow((i - (k + 0.5) * BANDS / RANK) / (3.0 + k), 2)) + 0.1 * k;
    for (int64_t j = 0; j < PIXELS; j++) {
        double sum = 0, *a = A + j * RANK;
        for (int k = 0; k < RANK; k++) sum += a[k] = -log(ch_random_uniform(random) + 1e-12);
        for (int k = 0; k < RANK; k++) a[k] = j < RANK ? (j == k) : a[k] / sum;
        for (int i = 0; i < BANDS; i++) {
            double x = 0, noise = 0;
            for (int k = 0; k < RANK; k++) x += E[i + k * BANDS] * a[k];
            for (int d = 0; d < 12; d++) noise += ch_random_uniform(random) - 0.5;
            X[i + j * BANDS] = x + level * (1 + (double)i / BANDS) * noise;
        }
    }
}

static double X[BANDS * PIXELS], E[BANDS * RANK], A[RANK * PIXELS];

static void comparison_finds_the_permutation(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    ch_random random;
    static double other[BANDS * RANK], shares[RANK * PIXELS];
    const int order[RANK] = {2, 0, 3, 1};
    support_seed(&random, "comparison", 6);
    make_scene(X, E, A, 0, &random);
    for (int k = 0; k < RANK; k++) {
        for (int i = 0; i < BANDS; i++) other[i + k * BANDS] = 3 * E[i + order[k] * BANDS];
        for (int j = 0; j < PIXELS; j++) shares[k + j * RANK] = A[order[k] + j * RANK] + 0.25;
    }
    shares[5] = NAN; /* one pixel has no share */
    ch_spectra_set found = {BANDS, PIXELS, RANK, other, shares},
                   truth = {BANDS, PIXELS, RANK, E, A};
    ch_spectra_score score = {.size = sizeof score};
    for (int spectra = 1; spectra >= 0; spectra--) {
        if (!spectra) found.endmembers = NULL; /* pairs by the abundances then */
        assert_int_equal(ch_spectra_compare(context, &score, &found, &truth), CH_OK);
        for (int k = 0; k < RANK; k++) {
            assert_int_equal(order[score.match[k]], k);
            support_close(score.rmse[k], 0.25, 1e-12);
            if (spectra) support_close(score.angle[k], 0, 1e-7);
        }
        support_close(score.mean_rmse, 0.25, 1e-12);
        assert_true(spectra ? score.mean_angle < 1e-7 : score.angle == NULL);
        ch_spectra_score_free(context, &score);
    }
    found.endmembers = other;
    found.count = 2; /* fewer than the reference has */
    found.abundances = NULL;
    assert_int_equal(ch_spectra_compare(context, &score, &found, &truth), CH_OK);
    assert_int_equal(score.match[2], 0);
    assert_int_equal(score.match[0], 1);
    assert_int_equal(score.match[1], -1);
    assert_true(isnan(score.angle[3]) && score.mean_angle < 1e-7 && !score.rmse);
    ch_spectra_score_free(context, &score);
    found.bands--;
    assert_int_equal(ch_spectra_compare(context, &score, &found, &truth), CH_ERR_DATA);
    support_message(context, "39");
    support_finish(context, NULL);
}

/* Regression of a band on all others by plain normal equations, Gauss-Jordan. */
static double residual_of_band(int band) {
    static double G[BANDS][BANDS + 1];
    int others[BANDS], n = 0;
    for (int i = 0; i < BANDS; i++)
        if (i != band) others[n++] = i;
    others[n] = band;
    for (int a = 0; a < n; a++)
        for (int b = 0; b <= n; b++) {
            G[a][b] = 0;
            for (int64_t j = 0; j < PIXELS; j++)
                G[a][b] += X[others[a] + j * BANDS] * X[others[b] + j * BANDS];
        }
    for (int a = 0; a < n; a++)
        for (int r = 0; r < n; r++) {
            double factor = r == a ? 0 : G[r][a] / G[a][a];
            for (int b = a; b <= n; b++) G[r][b] -= factor * G[a][b];
        }
    double squares = 0;
    for (int64_t j = 0; j < PIXELS; j++) {
        double left = X[band + j * BANDS];
        for (int a = 0; a < n; a++) left -= G[a][n] / G[a][a] * X[others[a] + j * BANDS];
        squares += left * left;
    }
    return sqrt(squares / (PIXELS - n));
}

static void noise_and_rank_are_those_planted(void **state) {
    (void)state;
    ch_random random;
    static const double levels[] = {1e-4, 1e-3, 1e-2};
    support_seed(&random, "noise", 7);
    for (int l = 0; l < 3; l++) {
        double snr = 0;
        make_scene(X, E, A, levels[l], &random);
        for (int threads = 1; threads <= 3; threads += 2) {
            ch_context *context = support_context(NULL, threads);
            ch_spectra_noise noise = {.size = sizeof noise};
            ch_matrix view = support_dense(context, X, BANDS, PIXELS);
            ch_matrix rows = support_reshape(context, &view, CH_ROW_MAJOR, CH_F64);
            assert_int_equal(
                ch_spectra_estimate_noise(context, &noise, threads == 1 ? &view : &rows), CH_OK);
            support_check(noise.rank == RANK, "rank %lld at noise %g", (long long)noise.rank,
                          levels[l]);
            for (int i = 0; i < BANDS; i++) {
                double planted = levels[l] * (1 + (double)i / BANDS);
                support_close(noise.deviation[i] / planted, 1, 0.2);
            }
            for (int i = 0; i < BANDS; i += 13)
                support_close(noise.deviation[i] / residual_of_band(i), 1, 1e-4);
            if (threads > 1) support_close(noise.snr, snr, 1e-6);
            snr = noise.snr;
            ch_spectra_noise_free(context, &noise);
            ch_matrix_free(context, &rows);
            support_finish(context, NULL);
        }
    }
}

/* Noise that neighbouring bands share, as in resampled data: regressions on all other bands count
 * it as signal in nearly every direction. */
static void shared_noise_is_no_signal(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 2);
    ch_random random;
    static double noisy[BANDS * PIXELS];
    support_seed(&random, "shared noise", 17);
    make_scene(noisy, E, A, 3e-3, &random);
    for (int64_t j = 0; j < PIXELS; j++)
        for (int i = 0; i < BANDS; i++) {
            double sum = 0, x = 0;
            for (int d = -1; d <= 1; d++) {
                int64_t at = (i + d + BANDS) % BANDS + j * BANDS;
                double own = 0;
                for (int k = 0; k < RANK; k++) own += E[at % BANDS + k * BANDS] * A[k + j * RANK];
                sum += noisy[at] - own;
                if (d == 0) x = own;
            }
            X[i + j * BANDS] = x + sum / sqrt(3);
        }
    ch_spectra_noise noise = {.size = sizeof noise};
    ch_matrix view = support_dense(context, X, BANDS, PIXELS);
    assert_int_equal(ch_spectra_estimate_noise(context, &noise, &view), CH_OK);
    support_check(noise.rank == RANK || noise.rank == RANK + 1, "rank %lld", (long long)noise.rank);
    ch_spectra_noise_free(context, &noise);
    support_finish(context, NULL);
}

static void noise_says_what_it_needs(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    ch_spectra_noise noise = {.size = sizeof noise};
    ch_random random;
    support_seed(&random, "needs", 8);
    make_scene(X, E, A, 1e-3, &random);
    ch_matrix few = support_dense(context, X, BANDS, BANDS);
    assert_int_equal(ch_spectra_estimate_noise(context, &noise, &few), CH_ERR_DATA);
    support_message(context, "more pixels than bands");
    X[5 + 70 * BANDS] = NAN;
    ch_matrix broken = support_dense(context, X, BANDS, PIXELS);
    assert_int_equal(ch_spectra_estimate_noise(context, &noise, &broken), CH_ERR_DATA);
    support_message(context, "pixel 70 ");
    support_finish(context, NULL);
}

static void averages_forget_spikes(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 2);
    enum { NEAR = 9 };
    const double cone[] = {1, 2, 3, 4}, other[] = {4, 1, 1, 1};
    double Y[4 * 40], made[8],
        spectra[8] = {1, 2, 3, 4 + 5, 4, 1, 1, 1}; /* the first has a spike */
    int64_t members[2 * NEAR];
    for (int j = 0; j < 40; j++)
        for (int i = 0; i < 4; i++)
            Y[i + j * 4] = j % 2 ? (1 + j) * cone[i] * (1 + 0.001 * ((i + j) % 3))
                                 : ldexp(other[i], j % 9); /* the same ray, to the bit */
    Y[2 + 3 * 4] += 3;
    ch_matrix view = support_dense(context, Y, 4, 40);
    const ch_spectra_smoothing median = {NEAR, CH_AVERAGE_MEDIAN}, mean = {20, CH_AVERAGE_MEAN};
    assert_int_equal(ch_spectra_smooth(context, made, members, &view, spectra, 2, &median), CH_OK);
    support_check(ch_spectral_angle(made, cone, 4) < 2e-3, "%g", ch_spectral_angle(made, cone, 4));
    for (int i = 0; i < 4; i++) support_close(made[4 + i], other[i], 1e-12);
    for (int k = 0; k < NEAR; k++) {
        assert_int_equal(members[k] % 2, 1);
        assert_int_equal(members[NEAR + k], 2 * k); /* equal distances: the lowest columns */
    }
    /* The mean of all even columns is the ray, whatever their brightness. */
    assert_int_equal(ch_spectra_smooth(context, made, NULL, &view, other, 1, &mean), CH_OK);
    for (int i = 0; i < 4; i++) support_close(made[i], other[i], 1e-12);
    const double away[] = {0, 0, 0, 0};
    assert_int_equal(ch_spectra_smooth(context, made, NULL, &view, away, 1, &mean), CH_ERR_DATA);
    support_message(context, "fewer than 20 pixels");
    double sizes[40];
    assert_int_equal(ch_spectra_sizes(context, sizes, &view, CH_LOSS_L1), CH_OK);
    support_close(sizes[2], 4 * 7, 1e-12);
    assert_int_equal(ch_spectra_sizes(context, sizes, &view, CH_LOSS_L2), CH_OK);
    support_close(sizes[2], 4 * sqrt(19), 1e-12);
    const double dark[] = {3, -5, 4, NAN, -1, 0, -2, NAN}; /* negative values count as 0 */
    for (int turned = 0; turned < 2; turned++) {
        const double by_row[] = {3, -1, -5, 0, 4, -2, NAN, NAN};
        const ch_matrix shape = {.rows = 4,
                                 .cols = 2,
                                 .layout = turned ? CH_ROW_MAJOR : CH_COLUMN_MAJOR,
                                 .values = turned ? by_row : dark};
        ch_matrix few;
        assert_int_equal(ch_matrix_borrow(context, &few, &shape), CH_OK);
        assert_int_equal(ch_spectra_sizes(context, sizes, &few, CH_LOSS_L1), CH_OK);
        assert_true(sizes[0] == 7 && sizes[1] == 0);
        assert_int_equal(ch_spectra_sizes(context, sizes, &few, CH_LOSS_L2), CH_OK);
        assert_true(sizes[0] == 5 && sizes[1] == 0);
    }
    const ch_spectra_smoothing many = {41, CH_AVERAGE_MEAN};
    assert_int_equal(ch_spectra_smooth(context, made, NULL, &view, spectra, 1, &many),
                     CH_ERR_SETTING);
    support_finish(context, NULL);
}

static void rank_is_the_smaller_of_two_rules(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 2);
    ch_unmix_rank chosen = {.size = sizeof chosen};
    ch_unmix_settings set;
    ch_anchors_settings anchors;
    ch_random random;
    support_seed(&random, "rank", 9);
    make_scene(X, E, A, 1e-3, &random);
    ch_unmix_defaults(&set);
    ch_matrix view = support_dense(context, X, BANDS, PIXELS);
    assert_int_equal(ch_unmix_choose_rank(context, &chosen, &view, &set), CH_OK);
    assert_int_equal(chosen.by_noise, RANK);
    assert_true(chosen.by_residual >= RANK && chosen.rank == RANK && chosen.snr > 20);
    ch_matrix few = support_dense(context, X, BANDS, BANDS); /* the residuals alone decide */
    assert_int_equal(ch_unmix_choose_rank(context, &chosen, &few, &set), CH_OK);
    assert_true(chosen.by_noise == -1 && chosen.rank == chosen.by_residual && isnan(chosen.snr));
    set.rank = 3;
    assert_int_equal(ch_unmix_prepare(context, &anchors, &set), CH_OK);
    assert_true(anchors.rank == 3 && anchors.hull == CH_HULL_CONVEX0 && anchors.keep_duals &&
                anchors.negative == CH_NEGATIVE_CLIP && anchors.faint == 0.05);
    set.faint = 2;
    assert_int_equal(ch_unmix_prepare(context, &anchors, &set), CH_ERR_SETTING);
    support_finish(context, NULL);
}

/* A planted scene is what its factors say, up to noise and spikes, and is found again. */
static void planted_scenes_are_found(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 2);
    ch_spectra_scene scene = {.size = sizeof scene,
                              .lines = 40,
                              .samples = 50,
                              .bands = 100,
                              .noise = 0.002,
                              .spikes = 0.001,
                              .seed = 6};
    ch_spectra_scene again = scene;
    assert_int_equal(ch_spectra_scene_make(context, &scene), CH_OK);
    assert_int_equal(ch_spectra_scene_make(context, &again), CH_OK);
    int64_t pixels = 40 * 50, far = 0, count = scene.count;
    assert_memory_equal(scene.values, again.values, (size_t)(pixels * 100) * sizeof(float));
    for (int64_t j = 0; j < pixels; j++) {
        double sum = 0;
        for (int64_t k = 0; k < count; k++) sum += scene.abundances[k + j * count];
        assert_true(sum > 0 && sum <= 1 + 1e-12);
        for (int64_t i = 0; i < 100; i++) {
            double x = 0;
            for (int64_t k = 0; k < count; k++)
                x += scene.endmembers[i + k * 100] * scene.abundances[k + j * count];
            far += fabs(scene.values[i + j * 100] - x) > 0.02;
        }
    }
    support_check(far > 100 && far < 300, "%lld spikes", (long long)far);
    ch_matrix view;
    assert_int_equal(
        ch_matrix_borrow(
            context, &view,
            &(ch_matrix){.rows = 100, .cols = pixels, .type = CH_F32, .values = scene.values}),
        CH_OK);
    ch_unmix_settings set;
    ch_anchors_settings anchors;
    ch_anchors_result result = {.size = sizeof result};
    ch_spectra_score score = {.size = sizeof score};
    ch_unmix_defaults(&set);
    set.rank = count;
    assert_int_equal(ch_unmix_prepare(context, &anchors, &set), CH_OK);
    assert_int_equal(ch_anchors(context, &result, &view, &anchors), CH_OK);
    const ch_spectra_set found = {100, pixels, count, result.W, result.H};
    const ch_spectra_set truth = {100, pixels, count, scene.endmembers, scene.abundances};
    /* Pixels that were chosen have spikes themselves; averages of their neighbours have none. */
    static double smooth[100 * 5];
    const ch_spectra_smoothing how = {15, CH_AVERAGE_MEDIAN};
    assert_int_equal(ch_spectra_compare(context, &score, &found, &truth), CH_OK);
    double spiky = score.mean_angle;
    ch_spectra_score_free(context, &score);
    assert_int_equal(ch_spectra_smooth(context, smooth, NULL, &view, result.W, count, &how), CH_OK);
    const ch_spectra_set averaged = {100, pixels, count, smooth, result.H};
    assert_int_equal(ch_spectra_compare(context, &score, &averaged, &truth), CH_OK);
    support_check(score.mean_angle < 0.05 && spiky > 2 * score.mean_angle,
                  "angle %g, without averages %g", score.mean_angle, spiky);
    ch_spectra_score_free(context, &score);
    ch_anchors_result_free(context, &result);
    ch_spectra_scene_free(context, &scene);
    ch_spectra_scene_free(context, &again);
    again.lines = 3;
    assert_int_equal(ch_spectra_scene_make(context, &again), CH_ERR_SETTING);
    support_message(context, "3 lines");
    support_finish(context, NULL);
}

/* NaN, marks, pixels and bands without values, in both orders. */
static void gaps_are_counted(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 2);
    enum { ROWS = 5, COLS = 300 };
    static float values[ROWS * COLS];
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        int64_t holes[COLS], unknown[ROWS];
        uint8_t nonzero[ROWS];
        const double mark = 0.1; /* as a float it is another number */
        for (int j = 0; j < COLS; j++)
            for (int i = 0; i < ROWS; i++) {
                float value = i == 2 ? 0 : (float)(1 + i + j);
                if (j == 7) value = i % 2 ? NAN : 0.1f; /* no pixel */
                if (i == 3 && j % 10 == 4) value = NAN;
                if (i == 4 && j != 290) value = 0.1f;
                values[by_rows ? i * COLS + j : i + j * ROWS] = value;
            }
        ch_matrix view;
        assert_int_equal(
            ch_matrix_borrow(context, &view,
                             &(ch_matrix){.rows = ROWS,
                                          .cols = COLS,
                                          .layout = by_rows ? CH_ROW_MAJOR : CH_COLUMN_MAJOR,
                                          .type = CH_F32,
                                          .values = values}),
            CH_OK);
        assert_int_equal(ch_spectra_gaps(context, holes, unknown, nonzero, &view, &mark), CH_OK);
        for (int j = 0; j < COLS; j++)
            assert_int_equal(holes[j], j == 7 ? ROWS : (j % 10 == 4) + (j != 290));
        const int64_t expected[] = {0, 0, 0, 30, COLS - 2};
        for (int i = 0; i < ROWS; i++) {
            assert_int_equal(unknown[i], expected[i]);
            assert_int_equal(nonzero[i], i != 2);
        }
        assert_int_equal(ch_spectra_gaps(context, holes, unknown, nonzero, &view, NULL), CH_OK);
        assert_int_equal(holes[7], 2);
        assert_int_equal(unknown[4], 0);
        values[by_rows ? 3 * COLS + 9 : 3 + 9 * ROWS] = -INFINITY;
        assert_int_equal(ch_spectra_gaps(context, holes, unknown, nonzero, &view, NULL), CH_OK);
        assert_int_equal(holes[9], -4);
    }
    support_finish(context, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_are_accurate_at_both_ends),
        cmocka_unit_test(matching_is_the_best_of_all),
        cmocka_unit_test(comparison_finds_the_permutation),
        cmocka_unit_test(noise_and_rank_are_those_planted),
        cmocka_unit_test(shared_noise_is_no_signal),
        cmocka_unit_test(noise_says_what_it_needs),
        cmocka_unit_test(averages_forget_spikes),
        cmocka_unit_test(gaps_are_counted),
        cmocka_unit_test(planted_scenes_are_found),
        cmocka_unit_test(rank_is_the_smaller_of_two_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
