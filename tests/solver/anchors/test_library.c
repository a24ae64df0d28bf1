/* Known components (settings.library): columns that need not be in the data. They are kept, and the
 * rest is found in the data; or they alone are the candidates. Planted answers under every loss and
 * hull; what a library that is exhausted reaches, by ch_project() on all of it; the same bits as by
 * `keep` where the library is part of the data, lazy and eager, in every layout, with any number of
 * threads; ch_verify(), which refuses another library. */
#include "support_anchors.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const losses[] = {"loss=l1",
                                     "loss=l2",
                                     "loss=kl floor=1e-7",
                                     "loss=kl floor=1e-7 reverse=1",
                                     "loss=beta beta=1.5 floor=1e-7",
                                     "loss=is floor=1e-7 reverse=1"};
enum { LOSSES = sizeof losses / sizeof *losses, HULLS = 3 };
enum { ROWS = 20, COLS = 60, TRUE = 6, KNOWN = 3, DECOYS = 9 };

/* Components, mixtures of them in the data, the first `pure` of which are components themselves. */
typedef struct problem {
    double component[ROWS * TRUE], data[ROWS * COLS], library[ROWS * (TRUE + DECOYS)];
    ch_matrix X, L;
} problem;

static double exponential(ch_random *random) {
    return -log(1e-9 + ch_random_uniform(random));
}

/* Decoys are columns brighter than any mixture in every row, so that none is of use in a cone. */
static void make(ch_context *context, problem *p, int pure, int decoys, double noise,
                 uint64_t seed) {
    ch_random random;
    double h[TRUE];
    support_seed(&random, "library", seed);
    for (int64_t i = 0; i < ROWS * TRUE; i++) {
        double u = ch_random_uniform(&random);
        p->component[i] = u < 0.3 ? 0.01 : u;
    }
    for (int64_t j = 0; j < COLS; j++) {
        double sum = 0;
        for (int k = 0; k < TRUE; k++) sum += h[k] = 0.02 + exponential(&random);
        for (int k = 0; k < TRUE; k++) h[k] = j < pure ? k == j : h[k] / sum;
        for (int64_t i = 0; i < ROWS; i++) {
            double x = noise * ch_random_uniform(&random);
            for (int k = 0; k < TRUE; k++) x += p->component[i + k * ROWS] * h[k];
            p->data[i + j * ROWS] = x;
        }
    }
    for (int64_t c = 0; c < decoys; c++) { /* inside the cone of the components, and the hull */
        double sum = 0;
        for (int k = 0; k < TRUE; k++) sum += h[k] = 0.2 + exponential(&random);
        for (int64_t i = 0; i < ROWS; i++) {
            double x = 0;
            for (int k = 0; k < TRUE; k++) x += p->component[i + k * ROWS] * h[k] / sum;
            p->library[i + c * ROWS] = 0.9 * x;
        }
    }
    p->X = support_dense(context, p->data, ROWS, COLS);
    p->L = support_dense(context, p->library, ROWS, decoys);
}

/* The components from..TRUE become columns of the library, after what is there. */
static void add_components(problem *p, int from, int count) {
    memcpy(p->library + p->L.cols * ROWS, p->component + from * ROWS,
           (size_t)(count * ROWS) * sizeof *p->library);
    p->L.cols += count;
}

static ch_anchors_settings settings_of(ch_context *context, const problem *p, const char *words,
                                       int hull, int64_t rank, int only) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    assert_int_equal(ch_settings_set_words(context, ch_anchors_table(), &set, words), CH_OK);
    set.hull = hull;
    if (rank >= 0) set.rank = rank;
    set.keep_duals = 1;
    set.library = &p->L;
    set.library_only = only;
    return set;
}

static void check_proof(ch_context *context, const problem *p, const ch_anchors_result *r,
                        const ch_anchors_settings *set, const char *what) {
    ch_verification v = {.size = sizeof v};
    assert_int_equal(ch_verify(context, &v, &p->X, r, set), CH_OK);
    support_check(v.ok, "%s, hull %d: %s", what, (int)set->hull, v.why);
}

/* Every anchor is a column of the one or the other, W holds it, and each stands once. */
static void check_columns(const problem *p, const ch_anchors_result *r, int only) {
    for (int64_t k = 0; k < r->rank; k++) {
        int64_t j = r->anchors[k];
        int known = j >= COLS;
        assert_true(j >= 0 && j < COLS + p->L.cols && (known || !only));
        const double *from = known ? p->library + (j - COLS) * ROWS : p->data + j * ROWS;
        assert_memory_equal(from, r->W + k * ROWS, ROWS * sizeof(double));
        for (int64_t other = 0; other < k; other++) assert_int_not_equal(r->anchors[other], j);
    }
}

/* ---- planted answers ---- */

/* Of the anchors, `known` are kept columns of the library, in order, and the others are planted
 * ones: columns below `planted` of the data, or, with `only`, from there on of the library. */
static void check_planted(const ch_anchors_result *r, int64_t known, int64_t planted, int only,
                          const char *what) {
    support_check(r->rank == TRUE, "%s: rank %d", what, (int)r->rank);
    for (int64_t k = 0; k < known; k++) assert_int_equal(r->anchors[k], COLS + k);
    for (int64_t k = known; k < TRUE; k++)
        support_check(only ? r->anchors[k] >= COLS + planted : r->anchors[k] < planted,
                      "%s: anchor %d is %d", what, (int)k, (int)r->anchors[k]);
}

/* The rest is found in the data; with `only`, the best of a library are found. */
static void find_planted(int only, uint64_t seed) {
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    int known = only ? 0 : KNOWN, pure = only ? 0 : TRUE - KNOWN, decoys = only ? DECOYS : 0;
    for (int c = 0; c < LOSSES * HULLS * 3; c++) {
        const char *words = losses[c % LOSSES];
        int hull = c / LOSSES % HULLS;
        char what[100];
        static problem p;
        snprintf(what, sizeof what, "%s, hull %d", words, hull);
        make(context, &p, pure, decoys, 0, seed + (uint64_t)c);
        add_components(&p, pure, TRUE - pure);
        ch_anchors_settings set = settings_of(context, &p, words, hull, TRUE, only);
        ch_anchors_result r = support_find(context, &p.X, &set, what);
        assert_int_equal(r.library, p.L.cols);
        check_planted(&r, known, only ? DECOYS : pure, only, what);
        check_columns(&p, &r, only);
        check_proof(context, &p, &r, &set, what);
        ch_anchors_result_free(context, &r);
    }
    support_finish(context, &memory);
}

static void the_rest_is_found(void **state) {
    (void)state;
    find_planted(0, 0);
}

static void the_best_of_a_library_are_found(void **state) {
    (void)state;
    find_planted(1, 100);
}

/* More anchors are asked for than help: the run ends, with what all of the library would reach. */
static void an_exhausted_library_has_been_used(void **state) {
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    int early = 0;
    (void)state;
    for (int c = 0; c < LOSSES * HULLS * 2; c++) {
        const char *words = losses[c % LOSSES];
        static problem p;
        make(context, &p, 0, DECOYS, 0.02, 200 + (uint64_t)c);
        add_components(&p, 1, TRUE - 1); /* one is missing, so nothing is exact */
        for (int64_t i = 0; i < ROWS; i++) {
            p.library[i] = 0;
            for (int64_t k = 1; k < p.L.cols; k++)
                p.library[i] += p.library[i + k * ROWS] / (double)(p.L.cols - 1);
        }
        int64_t all = p.L.cols;
        ch_anchors_settings set = settings_of(context, &p, words, c / LOSSES % HULLS, all, 1);
        ch_anchors_result r = support_find(context, &p.X, &set, words);
        double *H = malloc((size_t)(all * COLS) * sizeof *H);
        ch_project_info info = {.size = sizeof info};
        set.floor = r.floor > 0 ? r.floor : set.floor;
        assert_true(ch_project(context, H, &info, &p.X, p.library, all, &set) >= 0);
        early += r.rank < all;
        for (int64_t k = 0; k < r.rank; k++) /* mixtures of what is there are of no use */
            support_check(r.anchors[k] >= COLS + 1, "%s: the mixture is chosen", words);
        support_check(r.objective <= info.objective * (1 + 1e-6) + 1e-9,
                      "%s, hull %d: %.12g with %d of the library, %.12g with all", words,
                      (int)set.hull, r.objective, (int)r.rank, info.objective);
        free(H);
        ch_anchors_result_free(context, &r);
    }
    assert_true(early > LOSSES);
    support_finish(context, &memory);
}

/* ---- one answer ---- */

/* A library of columns of the data: what `keep` gives. */
static void as_if_kept(void **state) {
    static const char *const more[] = {"", " exterior=rand", " faint=0.3", " rank=0", " path=1"};
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    static const int64_t keep[] = {7, 30, 12};
    (void)state;
    for (int c = 0; c < LOSSES * HULLS * 5; c++) {
        char words[100];
        static problem p;
        snprintf(words, sizeof words, "%s rank=6%s", losses[c % LOSSES], more[c / LOSSES / HULLS]);
        make(context, &p, 0, 0, 0.1, 300 + (uint64_t)c);
        for (int k = 0; k < KNOWN; k++)
            memcpy(p.library + k * ROWS, p.data + keep[k] * ROWS, ROWS * sizeof(double));
        p.L.cols = KNOWN;
        ch_anchors_settings set = settings_of(context, &p, words, c / LOSSES % HULLS, -1, 0);
        ch_anchors_result by_library = support_find(context, &p.X, &set, words);
        support_check(by_library.unproven == 0, "%s, hull %d: %d columns are not proven", words,
                      (int)set.hull, (int)by_library.unproven);
        check_proof(context, &p, &by_library, &set, words);
        set.library = NULL;
        set.keep = keep;
        set.keep_count = KNOWN;
        ch_anchors_result by_number = support_find(context, &p.X, &set, words);
        for (int64_t k = 0; k < KNOWN; k++) by_library.anchors[k] = keep[k];
        if (!strstr(words, "rand") && !strstr(words, "rank=0")) /* nothing is drawn */
            support_same_answer(&by_library, &by_number, words);
        ch_anchors_result_free(context, &by_library);
        ch_anchors_result_free(context, &by_number);
    }
    support_finish(context, &memory);
}

/* Weights of rows are those of the library too: the answer is that of data and library whose rows
 * were multiplied by hand, but W holds the columns as they are. */
static void weighted_rows(void **state) {
    static const struct {
        const char *words;
        double degree;
    } cases[] = {{"loss=l1 rank=6", 1}, {"loss=l2 rank=6", 2}, {"loss=kl rank=6", 1}};
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    for (int c = 0; c < 3 * HULLS * 2; c++) {
        const char *words = cases[c % 3].words;
        static problem p, scaled;
        double weights[ROWS];
        int only = c / 3 / HULLS;
        make(context, &p, 2, only ? DECOYS : 0, 0.1, 600 + (uint64_t)c);
        add_components(&p, 2, KNOWN);
        memcpy(&scaled, &p, sizeof p);
        scaled.X = support_dense(context, scaled.data, ROWS, COLS);
        scaled.L = support_dense(context, scaled.library, ROWS, p.L.cols);
        for (int64_t i = 0; i < ROWS; i++) {
            weights[i] = i % 7 == 4 ? 0 : 0.5 + (double)(i % 5);
            double factor = cases[c % 3].degree == 2 ? sqrt(weights[i]) : weights[i];
            for (int64_t j = 0; j < COLS; j++) scaled.data[i + j * ROWS] *= factor;
            for (int64_t k = 0; k < p.L.cols; k++) scaled.library[i + k * ROWS] *= factor;
        }
        ch_anchors_settings set =
            settings_of(context, &scaled, words, c / 3 % HULLS, only ? 3 : -1, only);
        ch_anchors_result by_hand = support_find(context, &scaled.X, &set, words);
        set.library = &p.L;
        set.row_weights = weights;
        set.row_weight_count = ROWS;
        ch_anchors_result r = support_find(context, &p.X, &set, words);
        check_columns(&p, &r, only);
        check_proof(context, &p, &r, &set, words);
        memcpy(r.W, by_hand.W, (size_t)(ROWS * r.rank) * sizeof *r.W);
        support_same_result(&by_hand, &r, words);
        ch_anchors_result_free(context, &r);
        ch_anchors_result_free(context, &by_hand);
    }
    support_finish(context, &memory);
}

static void same_by_every_path(void **state) {
    static const char *const more[] = {"",        " exterior=rand", " first=paper",
                                       " path=1", " faint=0.3",     " rank=0"};
    static const struct {
        ch_matrix_layout layout;
        ch_value_type type;
    } views[] = {
        {CH_COLUMN_MAJOR, CH_U8}, {CH_ROW_MAJOR, CH_F32}, {CH_CSC, CH_F64}, {CH_CSC, CH_U16}};
    support_memory memory;
    ch_context *context = support_context(&memory, 3);
    (void)state;
    for (int c = 0; c < LOSSES * HULLS * 6 * 2; c++) {
        char words[100];
        static problem p;
        int only = c & 1, l = c / 2 % LOSSES, hull = c / 2 / LOSSES % HULLS;
        if ((l + hull + c / 2 / LOSSES / HULLS) % HULLS != 0) continue; /* each pair once */
        snprintf(words, sizeof words, "%s rank=5%s", losses[l], more[c / 2 / LOSSES / HULLS]);
        make(context, &p, 2, only ? DECOYS : 0, 0.1, 400 + (uint64_t)c);
        add_components(&p, 2, KNOWN);
        for (int64_t i = 0; i < ROWS * COLS; i++) p.data[i] = floor(200 * p.data[i]);
        for (int64_t i = 0; i < ROWS * p.L.cols; i++) /* every other one does not fit bytes */
            p.library[i] = c / 2 % 2 ? 200 * p.library[i] : floor(200 * p.library[i]);
        ch_anchors_settings set = settings_of(context, &p, words, hull, -1, only);
        ch_anchors_result first = support_find(context, &p.X, &set, words);
        for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
            ch_matrix view = support_reshape(context, &p.X, views[v].layout, views[v].type);
            ch_matrix known = support_reshape(context, &p.L, v % 2 ? CH_CSC : CH_ROW_MAJOR, CH_F64);
            set.library = &known;
            ch_context_set_threads(context, 1 + (int)v);
            ch_anchors_result other = support_find(context, &view, &set, words);
            support_same_result(&first, &other, words);
            ch_anchors_result_free(context, &other);
            ch_matrix_free(context, &known);
            ch_matrix_free(context, &view);
        }
        set.library = &p.L;
        set.eager = 1;
        ch_anchors_result eager = support_find(context, &p.X, &set, words);
        support_same_answer(&first, &eager, words);
        ch_anchors_result_free(context, &eager);
        set.floor = first.floor > 0 ? first.floor : set.floor;
        double *H = malloc((size_t)(first.rank * COLS) * sizeof *H);
        assert_true(ch_project(context, H, NULL, &p.X, first.W, first.rank, &set) >= 0);
        support_check(!memcmp(H, first.H, (size_t)(first.rank * COLS) * sizeof *H),
                      "%s: project differs", words);
        free(H);
        ch_anchors_result_free(context, &first);
    }
    support_finish(context, &memory);
}

/* dist and greedy, by least squares alone. */
static void rules_of_all_pairs(void **state) {
    static const char *const rules[] = {"loss=l2 exterior=dist", "loss=l2 exterior=greedy"};
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    for (int c = 0; c < 3; c++) { /* greedy with the library alone is refused */
        static problem p;
        make(context, &p, TRUE - KNOWN, 0, 0, 500 + (uint64_t)c);
        add_components(&p, c / 2 ? 0 : TRUE - KNOWN, c / 2 ? TRUE : KNOWN);
        ch_anchors_settings set = settings_of(context, &p, rules[c % 2], 0, TRUE, c / 2);
        ch_anchors_result r = support_find(context, &p.X, &set, rules[c % 2]);
        assert_int_equal(r.rank, TRUE);
        assert_true(r.objective < 1e-9);
        check_columns(&p, &r, c / 2);
        check_proof(context, &p, &r, &set, rules[c % 2]);
        ch_anchors_result_free(context, &r);
    }
    support_finish(context, &memory);
}

/* ---- what is refused ---- */

static void verify_knows_the_library(void **state) {
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    ch_verification v = {.size = sizeof v};
    (void)state;
    for (int only = 0; only < 2; only++)
        for (int l = 0; l < 2; l++) {
            static problem p;
            make(context, &p, TRUE - KNOWN, 0, 0.1, 600 + (uint64_t)l);
            add_components(&p, 0, only ? TRUE : KNOWN);
            ch_anchors_settings set =
                settings_of(context, &p, losses[l], 0, only ? KNOWN : TRUE, only);
            ch_anchors_result r = support_find(context, &p.X, &set, losses[l]);
            int64_t column = only ? r.anchors[0] - COLS : 0;
            double value = p.library[column * ROWS];
            p.library[column * ROWS] += 0.25;
            assert_int_equal(ch_verify(context, &v, &p.X, &r, &set), CH_OK);
            support_check(!v.ok && strstr(v.why, "W"), "another library is accepted: %s", v.why);
            p.library[column * ROWS] = value;
            check_proof(context, &p, &r, &set, losses[l]);
            set.library_only = !only;
            ch_status status = ch_verify(context, &v, &p.X, &r, &set);
            support_check(status < 0 || !v.ok, "the other use of the library is accepted");
            set.library_only = 0;
            set.library = NULL;
            assert_int_equal(ch_verify(context, &v, &p.X, &r, &set), CH_OK);
            support_check(!v.ok, "the result is accepted without the library");
            ch_anchors_result_free(context, &r);
        }
    support_finish(context, &memory);
}

static void refusals(void **state) {
    static const struct {
        const char *words, *message;
        int rows, only, keep;
    } cases[] = {
        {"rank=2", "3 anchors are already given", 0, 0, 0},
        {"rank=4 method=spa", "library", 0, 0, 0},
        {"rank=4", "has 19 rows, but the data have 20", 1, 0, 0},
        {"rank=4", "only 3 columns that can be an anchor", 0, 1, 0},
        {"rank=2", "keep", 0, 1, 1},
        {"rank=2 loss=l2 exterior=greedy", "greedy", 0, 1, 0},
        {"rank=5", "column 60 does not exist; columns are numbered from 0 to 59", 0, 0, COLS}};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    static problem p;
    ch_anchors_result r = {.size = sizeof r};
    (void)state;
    make(context, &p, 2, 0, 0.1, 1);
    add_components(&p, 0, KNOWN);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int64_t keep = cases[c].keep;
        ch_anchors_settings set = settings_of(context, &p, cases[c].words, 0, -1, cases[c].only);
        set.keep = &keep;
        set.keep_count = keep > 0;
        p.L.rows = ROWS - cases[c].rows;
        assert_true(ch_anchors(context, &r, &p.X, &set) < 0);
        support_message(context, cases[c].message);
    }
    p.L.rows = ROWS;
    ch_anchors_settings set = settings_of(context, &p, "rank=4", 0, -1, 0);
    p.library[5] = -1;
    assert_int_equal(ch_anchors(context, &r, &p.X, &set), CH_ERR_DATA);
    support_message(context, "library: ");
    memset(p.library, 0, ROWS * sizeof *p.library);
    assert_int_equal(ch_anchors(context, &r, &p.X, &set), CH_ERR_DATA);
    support_message(context, "library: column 0 is zero, so it cannot be an anchor");
    set.library = NULL;
    set.library_only = 1;
    assert_int_equal(ch_anchors(context, &r, &p.X, &set), CH_ERR_SETTING);
    support_message(context, "needs a library");
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_is_found),
        cmocka_unit_test(the_best_of_a_library_are_found),
        cmocka_unit_test(an_exhausted_library_has_been_used),
        cmocka_unit_test(as_if_kept),
        cmocka_unit_test(weighted_rows),
        cmocka_unit_test(same_by_every_path),
        cmocka_unit_test(rules_of_all_pairs),
        cmocka_unit_test(verify_knows_the_library),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
