/* Views in every layout and type against one naive table of numbers. */
#include "kernels/kernels.h"
#include "linalg/linalg.h"
#include "linalg/survey.h"
#include "support_fixture.h"
#include <conehull/comm.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t draw(uint64_t *seed) {
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The same integers 0..255, about half of them 0, as a plain table and as a view. */
typedef struct sample {
    double *table; /* rows x cols, column-major */
    void *values;
    int64_t *start;
    int32_t *index;
    ch_matrix X;
} sample;

static sample make(int64_t rows, int64_t cols, ch_matrix_layout layout, ch_value_type type,
                   uint64_t seed) {
    sample s = {.table = calloc((size_t)(rows * cols + 1), sizeof(double))};
    int64_t stride = (layout == CH_ROW_MAJOR ? cols : rows) + 3, stored = 0;
    int64_t runs = layout == CH_ROW_MAJOR ? rows : cols;
    s.values = calloc((size_t)(stride * runs + 1), ch_value_type_size(type));
    s.start = calloc((size_t)cols + 1, sizeof *s.start);
    s.index = calloc((size_t)(rows * cols + 1), sizeof *s.index);
    for (int64_t j = 0; j < cols; j++) {
        for (int64_t i = 0; i < rows; i++) {
            uint64_t bits = draw(&seed);
            double value = bits & 256 ? (double)(bits % 256) : 0;
            s.table[i + j * rows] = value;
            if (layout == CH_COLUMN_MAJOR) support_store(s.values, i + j * stride, type, value);
            if (layout == CH_ROW_MAJOR) support_store(s.values, i * stride + j, type, value);
            if (layout != CH_CSC || (value == 0 && bits & 512)) continue; /* some stored zeros */
            support_store(s.values, stored, type, value);
            s.index[stored++] = (int32_t)i;
        }
        s.start[j + 1] = stored;
    }
    if (layout == CH_CSC)
        assert_int_equal(ch_matrix_borrow(context, &s.X,
                                          &(ch_matrix){.rows = rows,
                                                       .cols = cols,
                                                       .layout = CH_CSC,
                                                       .type = type,
                                                       .values = s.values,
                                                       .column_start = s.start,
                                                       .row_index = s.index}),
                         CH_OK);
    else
        assert_int_equal(ch_matrix_borrow(context, &s.X,
                                          &(ch_matrix){.rows = rows,
                                                       .cols = cols,
                                                       .layout = layout,
                                                       .type = type,
                                                       .values = s.values,
                                                       .stride = stride}),
                         CH_OK);
    return s;
}

static void discard(sample *s) {
    ch_matrix_free(context, &s->X);
    free(s->table);
    free(s->values);
    free(s->start);
    free(s->index);
}

static void same_numbers(const ch_matrix *X, const double *table, int64_t rows, int64_t cols) {
    assert_int_equal(X->rows, rows);
    assert_int_equal(X->cols, cols);
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++)
            assert_true(ch_matrix_at(X, i, j) == table[i + j * rows]);
}

/* Calls body for every layout, type and a few shapes. */
static void for_samples(void (*body)(const sample *s)) {
    static const int64_t shapes[][2] = {{1, 1}, {5, 3}, {7, 70}, {600, 9}, {33, 2100}};
    for (int layout = CH_COLUMN_MAJOR; layout <= CH_CSC; layout++)
        for (int type = CH_F64; type <= CH_U16; type++)
            for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
                sample s = make(shapes[k][0], shapes[k][1], layout, type, 17 + k);
                body(&s);
                discard(&s);
            }
}

static void look_at(const sample *s) {
    same_numbers(&s->X, s->table, s->X.rows, s->X.cols);
    int64_t found = 0;
    for (int64_t e = 0; e < s->X.rows * s->X.cols; e++) found += s->table[e] != 0;
    assert_int_equal(ch_matrix_nonzeros(context, &s->X), found);
    assert_int_equal(ch_matrix_check(context, &s->X), CH_OK);
}

static void copy_of(const sample *s) {
    int64_t rows = s->X.rows, cols = s->X.cols, list[] = {cols - 1, 0, cols / 2, 0};
    ch_matrix all, some;
    assert_int_equal(ch_matrix_copy(context, &all, &s->X, NULL, 0), CH_OK);
    same_numbers(&all, s->table, rows, cols);
    assert_int_equal(ch_matrix_copy(context, &some, &s->X, list, 4), CH_OK);
    assert_int_equal(some.cols, 4);
    assert_int_equal(some.type, s->X.type);
    for (int64_t k = 0; k < 4; k++)
        for (int64_t i = 0; i < rows; i++)
            assert_true(ch_matrix_at(&some, i, k) == s->table[i + list[k] * rows]);
    list[2] = cols;
    assert_int_equal(ch_matrix_copy(context, &some, &s->X, list, 4), CH_ERR_ARGUMENT);
    ch_matrix_free(context, &some);
    ch_matrix_free(context, &all);
    assert_null(all.values);
    ch_matrix_free(context, &all);
}

static void transpose_of(const sample *s) {
    ch_matrix turned, back;
    assert_int_equal(ch_matrix_transpose(context, &turned, &s->X), CH_OK);
    assert_int_equal(turned.rows, s->X.cols);
    assert_int_equal(ch_matrix_check(context, &turned), CH_OK);
    for (int64_t j = 0; j < s->X.cols; j++)
        for (int64_t i = 0; i < s->X.rows; i++)
            assert_true(ch_matrix_at(&turned, j, i) == s->table[i + j * s->X.rows]);
    assert_int_equal(ch_matrix_transpose(context, &back, &turned), CH_OK);
    same_numbers(&back, s->table, s->X.rows, s->X.cols);
    ch_matrix_free(context, &back);
    ch_matrix_free(context, &turned);
}

static void columns_of(const sample *s) {
    int64_t rows = s->X.rows;
    double *x = calloc((size_t)rows, sizeof *x), *value = calloc((size_t)rows, sizeof *value);
    int32_t *index = calloc((size_t)rows, sizeof *index);
    for (int64_t j = 0; j < s->X.cols; j++) {
        const double *truth = s->table + j * rows;
        int64_t count = chi_column_support(index, value, &s->X, j), e = 0;
        chi_column_gather(x, &s->X, j);
        assert_memory_equal(x, truth, (size_t)rows * sizeof *x);
        for (int64_t i = 0; i < rows; i++) {
            if (truth[i] == 0) continue;
            assert_int_equal(index[e], i);
            assert_true(value[e++] == truth[i]);
        }
        assert_int_equal(e, count);
    }
    free(x);
    free(value);
    free(index);
}

static void norms_of(const sample *s) {
    int64_t rows = s->X.rows, cols = s->X.cols;
    double *sums = calloc((size_t)cols, sizeof *sums),
           *squares = calloc((size_t)cols, sizeof *sums);
    double *alone = calloc((size_t)cols, sizeof *alone);
    assert_int_equal(chi_column_norms(context, sums, squares, &s->X), CH_OK);
    for (int64_t j = 0; j < cols; j++) {
        double sum = 0, square = 0;
        for (int64_t i = 0; i < rows; i++) {
            sum += s->table[i + j * rows];
            square += s->table[i + j * rows] * s->table[i + j * rows];
        }
        assert_true(sums[j] == sum); /* integers: exact in any order */
        assert_true(squares[j] == square);
    }
    chi_column_norms(context, alone, NULL, &s->X);
    assert_memory_equal(alone, sums, (size_t)cols * sizeof *sums);
    chi_column_norms(context, NULL, alone, &s->X);
    assert_memory_equal(alone, squares, (size_t)cols * sizeof *sums);
    free(sums);
    free(squares);
    free(alone);
}

/* |computed - exact| <= eps (rows + 2) sum |d_i| |x_i|, and for bytes what fixed point adds (see
 * chi_score); vectors one by one give the same bits. */
static void scores_of(const sample *s) {
    int64_t rows = s->X.rows, cols = s->X.cols;
    uint64_t seed = 5;
    double *D = calloc((size_t)(rows * CHI_SCORE_MAX), sizeof *D);
    double *scores = calloc((size_t)(cols * CHI_SCORE_MAX), sizeof *scores);
    double *alone = calloc((size_t)cols, sizeof *alone);
    for (int64_t i = 0; i < rows * CHI_SCORE_MAX; i++)
        D[i] = ldexp((double)(int64_t)draw(&seed), -63) * (i % 3 ? 1 : 1e-6);
    assert_int_equal(chi_score(context, scores, &s->X, D, CHI_SCORE_MAX), CH_OK);
    for (int c = 0; c < CHI_SCORE_MAX; c++) {
        for (int64_t j = 0; j < cols; j++) {
            long double exact = 0, size = 0, largest = 0, sum = 0;
            for (int64_t i = 0; i < rows; i++) {
                long double d = D[i + c * rows], x = s->table[i + j * rows];
                exact += d * x;
                size += fabsl(d * x);
                sum += x;
                largest = fabsl(d) > largest ? fabsl(d) : largest;
            }
            long double bound = 0x1p-53L * (long double)(rows + 2) * size;
            if (s->X.type == CH_U8) bound += 0x1p-59L * largest * sum;
            assert_true(fabsl(scores[c * cols + j] - exact) <= bound);
        }
        assert_int_equal(chi_score(context, alone, &s->X, D + c * rows, 1), CH_OK);
        assert_memory_equal(alone, scores + c * cols, (size_t)cols * sizeof *alone);
    }
    assert_int_equal(chi_score(context, scores, &s->X, D, 0), CH_ERR_ARGUMENT);
    assert_int_equal(chi_score(context, scores, &s->X, D, CHI_SCORE_MAX + 1), CH_ERR_ARGUMENT);
    free(D);
    free(scores);
    free(alone);
}

static void views_hold_their_numbers(void **state) {
    (void)state;
    for_samples(look_at);
}

static void copies_are_equal(void **state) {
    (void)state;
    for_samples(copy_of);
}

static void transposes_are_transposed(void **state) {
    (void)state;
    for_samples(transpose_of);
}

static void columns_are_gathered(void **state) {
    (void)state;
    for_samples(columns_of);
}

static void norms_are_exact_for_integers(void **state) {
    (void)state;
    for_samples(norms_of);
}

static void scores_match_naive_sums(void **state) {
    (void)state;
    for_samples(scores_of);
}

static void sizes_are_checked(void **state) {
    (void)state;
    double one = 1;
    int64_t start[] = {0, 1}, odd[] = {1, 1};
    int32_t row = 0;
    ch_matrix X = {.rows = -7};
    static const struct {
        int64_t rows, cols, stride;
        int layout, type;
    } wrong[] = {
        {-1, 1, 1, CH_COLUMN_MAJOR, CH_F64},
        {1, -1, 1, CH_COLUMN_MAJOR, CH_F64},
        {2, 1, 1, CH_COLUMN_MAJOR, CH_F64},
        {1, 2, 1, CH_ROW_MAJOR, CH_F64},
        {1, 1, 1, 3, CH_F64},
        {1, 1, 1, CH_COLUMN_MAJOR, 4},
        {1, 1, 1, CH_COLUMN_MAJOR, -1},
        {(int64_t)INT32_MAX + 1, 1, (int64_t)INT32_MAX + 1, CH_COLUMN_MAJOR, CH_U8},
        {4, INT64_MAX / 4, 4, CH_COLUMN_MAJOR, CH_F64},
        {1, 2, INT64_MAX / 2 + 1, CH_COLUMN_MAJOR, CH_U8},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(ch_matrix_borrow(context, &X,
                                          &(ch_matrix){.rows = wrong[k].rows,
                                                       .cols = wrong[k].cols,
                                                       .layout = wrong[k].layout,
                                                       .type = wrong[k].type,
                                                       .values = &one,
                                                       .stride = wrong[k].stride}),
                         CH_ERR_ARGUMENT);
        assert_int_equal(X.rows, -7); /* outputs untouched */
    }
    assert_int_equal(
        ch_matrix_borrow(
            context, &X,
            &(ch_matrix){.rows = 1, .cols = 1, .layout = CH_ROW_MAJOR, .values = NULL}),
        CH_ERR_ARGUMENT);
    assert_int_equal(ch_matrix_borrow(context, &X,
                                      &(ch_matrix){.rows = 1,
                                                   .cols = 1,
                                                   .layout = CH_CSC,
                                                   .values = &one,
                                                   .column_start = odd,
                                                   .row_index = &row}),
                     CH_ERR_ARGUMENT);
    assert_int_equal(ch_matrix_borrow(context, &X,
                                      &(ch_matrix){.rows = 1,
                                                   .cols = 1,
                                                   .layout = CH_CSC,
                                                   .values = NULL,
                                                   .column_start = start,
                                                   .row_index = &row}),
                     CH_ERR_ARGUMENT);
    assert_int_equal(ch_matrix_borrow(context, &X,
                                      &(ch_matrix){.rows = 1,
                                                   .cols = 1,
                                                   .layout = CH_CSC,
                                                   .values = &one,
                                                   .column_start = start,
                                                   .row_index = NULL}),
                     CH_ERR_ARGUMENT);
    assert_int_equal(X.rows, -7);
}

static void refused(const ch_matrix *X, const char *words) {
    static const int threads[] = {1, 2, 4};
    for (int t = 0; t < 3; t++) {
        ch_context_set_threads(context, threads[t]);
        assert_int_equal(ch_matrix_check(context, X), CH_ERR_DATA);
        if (!strstr(ch_context_message(context), words))
            fail_msg("\"%s\" does not say \"%s\"", ch_context_message(context), words);
    }
}

static void first_offender_is_named(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *words;
    } offenders[] = {
        {-0.5,
         "row 3, column 1017 (counted from 0) is negative, -0.5, but conehull needs values >= 0"},
        {NAN, "row 3, column 1017 (counted from 0) is NaN"},
        {INFINITY, "row 3, column 1017 (counted from 0) is infinite"},
        {-INFINITY, "row 3, column 1017 (counted from 0) is negative, -inf"},
    };
    for (int layout = CH_COLUMN_MAJOR; layout <= CH_CSC; layout++)
        for (int type = CH_F64; type <= CH_F32; type++)
            for (int k = 0; k < 4; k++) {
                sample s = make(40, 4000, layout, type, 3);
                static const int64_t places[][2] = {{3, 1017}, {4, 1017}, {0, 1018}, {3, 3999}};
                for (int e = 0; e < 4; e++) {
                    int64_t i = places[e][0], j = places[e][1], place = i * s.X.stride + j;
                    if (layout == CH_COLUMN_MAJOR) place = i + j * s.X.stride;
                    if (layout == CH_CSC) {
                        place = s.start[j] + (e == 0 ? 3 : e == 1 ? 4 : 0);
                        if (e == 0)
                            s.index[place - 1] = 2, s.index[place] = 3, s.index[place + 1] = 4;
                        if (e == 0) s.index[place - 2] = 1, s.index[place - 3] = 0;
                    }
                    support_store(s.values, place, type, offenders[k].value);
                }
                refused(&s.X, offenders[k].words);
                discard(&s);
            }
}

static void bad_structure_is_refused(void **state) {
    (void)state;
    double values[] = {1, 1, 1, 1};
    int64_t start[] = {0, 2, 4}, falling[] = {0, 5, 4};
    int32_t outside[] = {0, 1, 0, 3}, negative[] = {0, 1, -1, 2}, twice[] = {0, 1, 2, 2};
    ch_matrix X;
    ch_matrix_borrow(context, &X,
                     &(ch_matrix){.rows = 3,
                                  .cols = 2,
                                  .layout = CH_CSC,
                                  .values = values,
                                  .column_start = falling,
                                  .row_index = outside});
    refused(&X, "column_start of the sparse matrix must not decrease, but it falls from 5 to 4 at "
                "column 1");
    ch_matrix_borrow(context, &X,
                     &(ch_matrix){.rows = 3,
                                  .cols = 2,
                                  .layout = CH_CSC,
                                  .values = values,
                                  .column_start = start,
                                  .row_index = outside});
    refused(
        &X,
        "column 1 of the sparse matrix has the row index 3, but row indices must be from 0 to 2");
    ch_matrix_borrow(context, &X,
                     &(ch_matrix){.rows = 3,
                                  .cols = 2,
                                  .layout = CH_CSC,
                                  .values = values,
                                  .column_start = start,
                                  .row_index = negative});
    refused(
        &X,
        "column 1 of the sparse matrix has the row index -1, but row indices must be from 0 to 2");
    ch_matrix_borrow(context, &X,
                     &(ch_matrix){.rows = 3,
                                  .cols = 2,
                                  .layout = CH_CSC,
                                  .values = values,
                                  .column_start = start,
                                  .row_index = twice});
    refused(&X, "the row indices of column 1 of the sparse matrix must increase, but 2 follows 2");
    ch_matrix_borrow(context, &X,
                     &(ch_matrix){.rows = 0, .cols = 2, .values = values, .stride = 2});
    refused(&X, "0 rows and 2 columns");
    ch_matrix_borrow(context, &X,
                     &(ch_matrix){.rows = 2, .cols = 0, .type = CH_U8, .values = values});
    refused(&X, "2 rows and 0 columns");
}

/* The columns of this rank: a view. */
static ch_matrix part_of(const ch_matrix *X) {
    ch_matrix part = *X;
    int64_t size = (int64_t)ch_value_type_size(X->type);
    ch_comm_part(context, &part.first, &part.cols, X->cols);
    if (X->layout == CH_CSC)
        part.column_start += part.first;
    else
        part.values = (const char *)X->values +
                      size * part.first * (X->layout == CH_COLUMN_MAJOR ? X->stride : 1);
    return part;
}

static uint64_t hash_of(const ch_matrix *X) {
    chi_survey survey;
    assert_int_equal(chi_survey_make(context, &survey, X, CHI_SURVEY_HASH), CH_OK);
    return survey.hash;
}

/* Of all ranks together; the table is there to say who is who. */
static uint64_t hash_on(const ch_matrix *X, int ranks) {
    uint64_t sum = 0;
    for (int r = 0; r < ranks; r++) {
        ch_comm table = {.size = sizeof table, .process = r, .processes = ranks};
        assert_int_equal(ch_context_set_comm(context, &table), CH_OK);
        ch_matrix part = part_of(X);
        sum += hash_of(&part);
        assert_int_equal(ch_context_set_comm(context, NULL), CH_OK);
    }
    return sum;
}

/* More columns than are looked at together (1,024), no whole blocks; more ranks than blocks. */
static void hash_does_not_depend_on_ranks(void **state) {
    (void)state;
    static const int64_t columns[] = {1, 64, 200, 4500};
    static const int ranks[] = {1, 2, 3, 4, 7, 80};
    for (size_t n = 0; n < sizeof columns / sizeof *columns; n++)
        for (int layout = CH_COLUMN_MAJOR; layout <= CH_CSC; layout++)
            for (int type = CH_F64; type <= CH_U16; type++) {
                sample s = make(3, columns[n], (ch_matrix_layout)layout, (ch_value_type)type, 5);
                uint64_t whole = hash_of(&s.X);
                for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
                    support_check(hash_on(&s.X, ranks[r]) == whole,
                                  "%d columns, layout %d, type %d: another hash on %d ranks",
                                  (int)columns[n], layout, type, ranks[r]);
                ((unsigned char *)s.values)[0] ^= 1;
                support_check(!ch_matrix_stored(&s.X) || hash_of(&s.X) != whole,
                              "%d columns, layout %d, type %d: the hash of other data",
                              (int)columns[n], layout, type);
                discard(&s);
            }
}

/* Sums of integers are exact, so every way of adding them up gives these bits. */
static void compare_with_table(const sample *s, const chi_survey *all, const char *what) {
    int64_t rows = s->X.rows, cols = s->X.cols, nonzeros = 0, above = cols;
    for (int64_t j = 0; j < cols; j++) {
        double sum = 0, square = 0;
        for (int64_t i = 0; i < rows; i++) {
            double x = s->table[i + j * rows];
            nonzeros += x != 0;
            sum += x;
            square += x * x;
            if (x > 1 && above == cols) above = j;
        }
        support_check(all->sums[j] == sum && all->totals[j] == sum && all->squares[j] == square,
                      "%s: norms of column %d", what, (int)j);
    }
    support_check(all->nonzeros == nonzeros, "%s: %d non-zeros", what, (int)all->nonzeros);
    support_check(all->above == above, "%s: column %d is above 1", what, (int)all->above);
}

/* Whatever is wanted comes in one pass, but for totals of row-major data, with any number of
 * threads; a refusal comes before all else. */
static void one_pass_tells_all(void **state) {
    (void)state;
    int everything = CHI_SURVEY_CHECK | CHI_SURVEY_COUNT | CHI_SURVEY_SUMS | CHI_SURVEY_SQUARES |
                     CHI_SURVEY_TOTALS | CHI_SURVEY_SHARES | CHI_SURVEY_HASH;
    for (int layout = CH_COLUMN_MAJOR; layout <= CH_CSC; layout++)
        for (int type = CH_F64; type <= CH_U16; type++)
            for (int threads = 1; threads <= 2; threads++) {
                char what[80];
                chi_survey all;
                sample s = make(37, 2100, (ch_matrix_layout)layout, (ch_value_type)type, 9);
                snprintf(what, sizeof what, "layout %d, type %d, %d threads", layout, type,
                         threads);
                ch_context_set_threads(context, threads);
                double read = ch_context_data_read(context);
                assert_int_equal(chi_survey_make(context, &all, &s.X, everything), CH_OK);
                read = ch_context_data_read(context) - read;
                double bytes = (double)(ch_matrix_stored(&s.X) *
                                        (int64_t)(ch_value_type_size(s.X.type) +
                                                  (layout == CH_CSC ? sizeof(int32_t) : 0)));
                double passes = layout == CH_ROW_MAJOR ? 2 : 1;
                support_check(fabs(read - passes * bytes) < 0.01 * bytes, "%s: %g of %g bytes",
                              what, read, bytes);
                compare_with_table(&s, &all, what);
                support_check(all.hash == hash_of(&s.X), "%s: hash", what);
                chi_survey_free(&all);
                discard(&s);
            }
    ch_context_set_threads(context, 1);
}

/* Nothing is in it, however many columns a file without rows promises. */
static void test_no_rows(void **state) {
    (void)state;
    ch_matrix X = {.rows = 0, .cols = INT64_C(1) << 58, .layout = CH_COLUMN_MAJOR, .type = CH_F64};
    assert_int_equal(ch_matrix_nonzeros(context, &X), 0);
    assert_int_equal(ch_matrix_check(context, &X), CH_ERR_DATA);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(views_hold_their_numbers),
        cmocka_unit_test(copies_are_equal),
        cmocka_unit_test(transposes_are_transposed),
        cmocka_unit_test(columns_are_gathered),
        cmocka_unit_test(norms_are_exact_for_integers),
        cmocka_unit_test(scores_match_naive_sums),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(first_offender_is_named),
        cmocka_unit_test(bad_structure_is_refused),
        cmocka_unit_test(hash_does_not_depend_on_ranks),
        cmocka_unit_test(one_pass_tells_all),
    };
    return cmocka_run_group_tests(tests, support_set_up, support_tear_down);
}
