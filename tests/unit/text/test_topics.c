/* Topics: a planted model comes back, coherence against counting by hand, the same bits for any
 * number of threads and any layout, faults in words. */
#include "support.h"
#include "text/topics/topics_internal.h"
#include <conehull/anchors.h>
#include <conehull/loss.h>
#include <conehull/topics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOPICS = 5, WORDS = 120, DOCUMENTS = 600, LENGTH = 150 };

/* Counts drawn from a model with one anchor word per topic: word z < TOPICS is in topic z alone. */
typedef struct planted {
    double model[TOPICS * WORDS]; /* p(w | z), TOPICS x WORDS  */
    double *counts;               /* WORDS x DOCUMENTS         */
    double mixture[TOPICS * DOCUMENTS];
} planted;

static int draw(ch_random *random, const double *p, int stride, int count) {
    double u = ch_random_uniform(random);
    int i = 0;
    while (i < count - 1 && (u -= p[i * stride]) >= 0) i++;
    return i;
}

static planted *plant(uint64_t seed) {
    planted *made = calloc(1, sizeof *made);
    ch_random random;
    double mix[TOPICS];
    support_seed(&random, "topics", seed);
    made->counts = calloc(WORDS * DOCUMENTS, sizeof *made->counts);
    for (int z = 0; z < TOPICS; z++) { /* other words are at home in every topic, more or less */
        double sum = 0;
        mix[z] = 0.3;
        for (int w = TOPICS; w < WORDS; w++)
            sum += made->model[z + w * TOPICS] = 0.2 + ch_random_exponential(&random, 1);
        for (int w = TOPICS; w < WORDS; w++) made->model[z + w * TOPICS] *= 0.95 / sum;
        made->model[z + z * TOPICS] = 0.05;
    }
    for (int d = 0; d < DOCUMENTS; d++) {
        double *theta = made->mixture + d * TOPICS;
        ch_random_dirichlet(&random, theta, mix, TOPICS);
        for (int t = 0; t < LENGTH; t++) {
            int z = draw(&random, theta, 1, TOPICS);
            int w = draw(&random, made->model + z, TOPICS, WORDS);
            made->counts[w + d * WORDS]++;
        }
    }
    return made;
}

static void plant_free(planted *made) {
    free(made->counts);
    free(made);
}

static ch_matrix view_of(ch_context *context, const planted *made) {
    ch_matrix X = support_dense(context, made->counts, WORDS, DOCUMENTS);
    return X;
}

static ch_topics_settings settings_of(int64_t rank) {
    ch_topics_settings set;
    ch_topics_defaults(&set);
    set.rank = rank;
    set.max_df = 1;
    set.start = CH_TOPICS_WORDS; /* on counts that follow the model */
    set.objective = CH_TOPICS_KL;
    set.weight = CH_VALUE_RAW;
    set.refit = 20;
    return set;
}

/* What noise alone does: the mean l1 error of p(w | z) when the true p(z | d) are known, and the
 * other way round. */
static void noise_alone(double *words, double *documents, ch_context *context,
                        const planted *made) {
    ch_matrix X = view_of(context, made), by_word;
    double *model = malloc(sizeof made->model), *mixture = malloc(sizeof made->mixture);
    double *H = malloc(sizeof made->mixture), sums[TOPICS] = {0};
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.loss = CH_LOSS_KL;
    for (int z = 0; z < TOPICS; z++) {
        for (int w = 0; w < WORDS; w++) model[w + z * WORDS] = made->model[z + w * TOPICS];
        for (int d = 0; d < DOCUMENTS; d++)
            mixture[d + z * DOCUMENTS] = made->mixture[z + d * TOPICS];
    }
    *words = *documents = 0;
    assert_int_equal(ch_project(context, H, NULL, &X, model, TOPICS, &set), CH_OK);
    for (int k = 0; k < TOPICS * DOCUMENTS; k++)
        *documents += fabs(H[k] / LENGTH - made->mixture[k]) / DOCUMENTS;
    assert_int_equal(ch_matrix_transpose(context, &by_word, &X), CH_OK);
    assert_int_equal(ch_project(context, H, NULL, &by_word, mixture, TOPICS, &set), CH_OK);
    for (int k = 0; k < TOPICS * WORDS; k++) sums[k % TOPICS] += H[k];
    for (int k = 0; k < TOPICS * WORDS; k++)
        *words += fabs(H[k] / sums[k % TOPICS] - made->model[k]) / TOPICS;
    free(model);
    free(mixture);
    free(H);
}

static void a_planted_model_comes_back(void **state) {
    (void)state;
    static const struct {
        const char *set;
        double words, documents; /* errors in units of those that noise alone makes */
    } cases[] = {{"refit=0", 1.3, 1.15},
                 {"refit=3", 1.3, 1.15},
                 {"refit=0 loss=kl", 1.3, 1.15},
                 {"refit=3 loss=l1", 1.3, 1.15},
                 {"refit=3 method=spa", 1.3, 1.15}};
    double word_noise, document_noise;
    planted *made = plant(1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 2);
        ch_matrix X = view_of(context, made);
        noise_alone(&word_noise, &document_noise, context, made);
        ch_topics_settings set = settings_of(TOPICS);
        assert_int_equal(ch_settings_set_words(context, ch_topics_table(), &set, cases[c].set),
                         CH_OK);
        ch_topics topics = {.size = sizeof topics};
        support_check(ch_topics_find(context, &topics, &X, &set) == CH_OK, "%s: %s", cases[c].set,
                      ch_context_message(context));
        int seen[TOPICS] = {0};
        double words = 0, documents = 0, share = 0;
        for (int64_t z = 0; z < TOPICS; z++) {
            int64_t anchor = topics.anchors[z];
            support_check(anchor < TOPICS && !seen[anchor]++, "%s: anchor %lld of topic %lld",
                          cases[c].set, (long long)anchor, (long long)z);
            double sum = 0;
            for (int64_t w = 0; w < WORDS; w++) {
                sum += topics.topic_word[z + w * TOPICS];
                words += fabs(topics.topic_word[z + w * TOPICS] - made->model[anchor + w * TOPICS]);
            }
            support_close(sum, 1, 1e-12);
            for (int64_t d = 0; d < DOCUMENTS; d++)
                documents += fabs(topics.document_topic[d + z * DOCUMENTS] -
                                  made->mixture[anchor + d * TOPICS]);
            share += topics.share[z];
            if (z) assert_true(topics.share[z - 1] >= topics.share[z]);
            for (int64_t k = 1; k < topics.top; k++)
                assert_true(
                    topics.topic_word[z + topics.top_word[k - 1 + z * topics.top] * TOPICS] >=
                    topics.topic_word[z + topics.top_word[k + z * topics.top] * TOPICS]);
        }
        support_close(share, 1, 1e-12);
        words /= TOPICS * word_noise;
        documents /= DOCUMENTS * document_noise;
        support_check(words < cases[c].words && documents < cases[c].documents,
                      "%s: errors are %.2f and %.2f times those of the noise", cases[c].set, words,
                      documents);
        ch_topics_free(context, &topics);
        support_finish(context, &memory);
    }
    plant_free(made);
}

/* Expected counts instead of drawn ones. Under noise the documents' profiles are too sparse for
 * this: that is why the words' are the default. */
static void without_noise_both_profiles_find_the_anchors(void **state) {
    (void)state;
    planted *made = plant(8);
    for (int d = 0; d < DOCUMENTS; d++)
        for (int w = 0; w < WORDS; w++) {
            double sum = 0;
            for (int z = 0; z < TOPICS; z++)
                sum += made->model[z + w * TOPICS] * made->mixture[z + d * TOPICS];
            made->counts[w + d * WORDS] = LENGTH * sum;
        }
    ch_context *context = support_context(NULL, 1);
    ch_matrix X = view_of(context, made);
    for (int profile = 0; profile < 2; profile++)
        for (int loss = CH_LOSS_L1; loss <= CH_LOSS_KL; loss++) {
            ch_topics_settings set = settings_of(TOPICS);
            ch_topics topics = {.size = sizeof topics};
            int seen[TOPICS] = {0};
            set.profile = profile;
            set.loss = loss;
            set.refit = 0;
            assert_true(ch_topics_find(context, &topics, &X, &set) >= 0);
            for (int64_t z = 0; z < topics.rank; z++)
                support_check(topics.anchors[z] < TOPICS && !seen[topics.anchors[z]]++,
                              "profile %d, loss %d: anchor %lld", profile, loss,
                              (long long)topics.anchors[z]);
            ch_topics_free(context, &topics);
        }
    ch_context_destroy(context);
    plant_free(made);
}

static void refits_lower_the_divergence(void **state) {
    (void)state;
    planted *made = plant(2);
    ch_context *context = support_context(NULL, 1);
    ch_matrix X = view_of(context, made);
    double before = INFINITY;
    for (int64_t refit = 0; refit < 5; refit++) {
        ch_topics_settings set = settings_of(TOPICS);
        ch_topics topics = {.size = sizeof topics};
        set.refit = refit;
        set.settled = 0;
        assert_int_equal(ch_topics_find(context, &topics, &X, &set), CH_OK);
        support_check(topics.divergence <= before * (1 + 1e-9), "round %lld: %g after %g",
                      (long long)refit, topics.divergence, before);
        before = topics.divergence;
        ch_topics_free(context, &topics);
    }
    ch_context_destroy(context);
    plant_free(made);
}

/* ---- coherence ---- */

static void naive_coherence(double *umass, double *npmi, const double *counts, const int64_t *list,
                            int count) {
    *umass = *npmi = 0;
    for (int i = 1; i < count; i++)
        for (int j = 0; j < i; j++) {
            double one = 0, other = 0, both = 0;
            for (int d = 0; d < DOCUMENTS; d++) {
                int a = counts[list[i] + d * WORDS] > 0, b = counts[list[j] + d * WORDS] > 0;
                one += a;
                other += b;
                both += a && b;
            }
            *umass += log((both + 1) / other);
            double p = both / DOCUMENTS;
            *npmi += both == 0 ? -1
                     : p == 1  ? 1
                               : log(p / (one / DOCUMENTS * (other / DOCUMENTS))) / -log(p);
        }
    *umass /= count * (count - 1) / 2;
    *npmi /= count * (count - 1) / 2;
}

static void coherence_is_what_counting_gives(void **state) {
    (void)state;
    enum { LISTS = 30, COUNT = 10 };
    planted *made = plant(3);
    ch_context *context = support_context(NULL, 2);
    ch_random random;
    support_seed(&random, "lists", 4);
    for (int d = 0; d < DOCUMENTS; d++) made->counts[WORDS - 1 + d * WORDS] = 1; /* everywhere */
    for (int d = 0; d < DOCUMENTS; d++) made->counts[WORDS - 2 + d * WORDS] = 2;
    ch_matrix X = view_of(context, made);
    ch_matrix sparse = support_reshape(context, &X, CH_CSC, CH_U8);
    int64_t words[LISTS * COUNT];
    double umass[LISTS], npmi[LISTS], other_umass[LISTS], other_npmi[LISTS];
    for (int l = 0; l < LISTS; l++) {
        int64_t order[WORDS];
        ch_random_shuffle(&random, order, WORDS);
        memcpy(words + l * COUNT, order, COUNT * sizeof *order);
    }
    words[0] = WORDS - 1;
    words[1] = WORDS - 2;
    assert_int_equal(ch_topics_coherence(context, umass, npmi, &X, words, COUNT, LISTS), CH_OK);
    assert_int_equal(
        ch_topics_coherence(context, other_umass, other_npmi, &sparse, words, COUNT, LISTS), CH_OK);
    assert_memory_equal(umass, other_umass, sizeof umass);
    assert_memory_equal(npmi, other_npmi, sizeof npmi);
    for (int l = 0; l < LISTS; l++) {
        double expected_umass, expected_npmi;
        naive_coherence(&expected_umass, &expected_npmi, made->counts, words + l * COUNT, COUNT);
        support_close(umass[l], expected_umass, 1e-12);
        support_close(npmi[l], expected_npmi, 1e-12);
    }
    words[3] = WORDS;
    assert_int_equal(ch_topics_coherence(context, umass, npmi, &X, words, COUNT, LISTS),
                     CH_ERR_ARGUMENT);
    support_message(context, "word 120 does not exist; words are numbered from 0 to 119");
    assert_int_equal(ch_topics_coherence(context, umass, npmi, &X, words, 1, 1), CH_ERR_ARGUMENT);
    ch_matrix_free(context, &sparse);
    ch_context_destroy(context);
    plant_free(made);
}

/* ---- one answer ---- */

static void check_same(const ch_topics *a, const ch_topics *b) {
    size_t rank = (size_t)a->rank;
    assert_int_equal(a->rank, b->rank);
    assert_memory_equal(a->anchors, b->anchors, rank * sizeof *a->anchors);
    assert_memory_equal(a->topic_word, b->topic_word,
                        rank * (size_t)a->terms * sizeof *a->topic_word);
    assert_memory_equal(a->document_topic, b->document_topic,
                        rank * (size_t)a->documents * sizeof *a->document_topic);
    assert_memory_equal(a->top_word, b->top_word, rank * (size_t)a->top * sizeof *a->top_word);
    assert_memory_equal(a->npmi, b->npmi, rank * sizeof *a->npmi);
    assert_true(a->divergence == b->divergence);
}

static void threads_and_layouts_change_nothing(void **state) {
    (void)state;
    planted *made = plant(5);
    ch_topics first = {.size = sizeof first};
    ch_context *context = support_context(NULL, 1);
    ch_matrix X = view_of(context, made);
    ch_topics_settings set = settings_of(7);
    assert_int_equal(ch_topics_find(context, &first, &X, &set), CH_OK);
    for (int threads = 1; threads <= 4; threads += 3)
        for (int layout = CH_COLUMN_MAJOR; layout <= CH_CSC; layout++) {
            ch_context *other = support_context(NULL, threads);
            ch_matrix turned = support_reshape(other, &X, (ch_matrix_layout)layout, CH_U8);
            ch_topics again = {.size = sizeof again};
            assert_int_equal(ch_topics_find(other, &again, &turned, &set), CH_OK);
            check_same(&first, &again);
            ch_topics_free(other, &again);
            ch_matrix_free(other, &turned);
            ch_context_destroy(other);
        }
    ch_topics_free(context, &first);
    ch_context_destroy(context);
    plant_free(made);
}

/* Documents without words, wherever they are, change nothing, to the bit; they have no topic. */
static void empty_documents_change_nothing(void **state) {
    (void)state;
    enum { ALL = DOCUMENTS + 2 };
    planted *made = plant(12);
    ch_context *context = support_context(NULL, 2);
    ch_matrix X = view_of(context, made), wider;
    double *counts = calloc(WORDS * ALL, sizeof *counts); /* document 0 and the last are empty */
    memcpy(counts + WORDS, made->counts, (size_t)(WORDS * DOCUMENTS) * sizeof *counts);
    assert_int_equal(ch_matrix_borrow(context, &wider,
                                      &(ch_matrix){.rows = WORDS, .cols = ALL, .values = counts}),
                     CH_OK);
    for (int trial = 0; trial < 2; trial++) {
        ch_topics_settings set = settings_of(6);
        ch_topics first = {.size = sizeof first}, again = {.size = sizeof again};
        if (trial) {
            ch_topics_defaults(&set);
            set.rank = 6;
            set.max_df = 1;
        }
        assert_int_equal(ch_topics_find(context, &first, &X, &set), CH_OK);
        assert_int_equal(ch_topics_find(context, &again, &wider, &set), CH_OK);
        assert_int_equal(again.documents, ALL);
        assert_int_equal(again.empty, first.empty + 2);
        assert_int_equal(first.rank, again.rank);
        size_t rank = (size_t)first.rank;
        assert_memory_equal(first.topic_word, again.topic_word, rank * WORDS * sizeof(double));
        assert_memory_equal(first.npmi, again.npmi, rank * sizeof(double));
        assert_memory_equal(first.idf, again.idf, WORDS * sizeof(double));
        for (int64_t z = 0; z < first.rank; z++) {
            assert_true(again.document_topic[z * ALL] == 0);
            assert_true(again.document_topic[ALL - 1 + z * ALL] == 0);
            for (int64_t d = 0; d < DOCUMENTS; d++)
                assert_true(again.document_topic[d + 1 + z * ALL] ==
                            first.document_topic[d + z * DOCUMENTS]);
        }
        ch_topics_free(context, &first);
        ch_topics_free(context, &again);
    }
    ch_context_destroy(context);
    free(counts);
    plant_free(made);
}

/* The order of the documents must not matter, to the bit, whatever topics begin with. */
static void documents_in_any_order_have_the_same_topics(void **state) {
    (void)state;
    planted *made = plant(11);
    ch_context *context = support_context(NULL, 2);
    ch_random random;
    int64_t order[DOCUMENTS];
    ch_matrix X = view_of(context, made), sparse = support_reshape(context, &X, CH_CSC, CH_U16);
    for (int trial = 0; trial < 4; trial++) {
        ch_topics_settings set = settings_of(6);
        ch_topics first = {.size = sizeof first}, again = {.size = sizeof again};
        ch_matrix shuffled;
        if (trial % 2) {
            ch_topics_defaults(&set);
            set.rank = 6;
            set.max_df = 1;
        }
        support_seed(&random, "order", (uint64_t)trial);
        ch_random_shuffle(&random, order, DOCUMENTS);
        assert_int_equal(ch_matrix_copy(context, &shuffled, &sparse, order, DOCUMENTS), CH_OK);
        assert_int_equal(ch_topics_find(context, &first, &sparse, &set), CH_OK);
        assert_int_equal(ch_topics_find(context, &again, &shuffled, &set), CH_OK);
        assert_int_equal(first.rank, again.rank);
        for (int64_t z = 0; z < first.rank; z++)
            for (int64_t d = 0; d < DOCUMENTS; d++)
                assert_true(again.document_topic[d + z * DOCUMENTS] ==
                            first.document_topic[order[d] + z * DOCUMENTS]);
        memcpy(again.document_topic, first.document_topic,
               (size_t)(first.rank * DOCUMENTS) * sizeof(double));
        check_same(&first, &again);
        assert_memory_equal(first.name, again.name, (size_t)first.rank * sizeof *first.name);
        ch_topics_free(context, &first);
        ch_topics_free(context, &again);
        ch_matrix_free(context, &shuffled);
    }
    ch_matrix_free(context, &sparse);
    ch_context_destroy(context);
    plant_free(made);
}

/* Each topic has a name among its top words; documents of one planted topic alone have one main
 * topic. */
static void by_default_planted_topics_are_told_apart(void **state) {
    (void)state;
    enum { GROUPS = 4, PER = 40, OWN = 12, SHARED = 20, ROWS_ALL = GROUPS * OWN + SHARED };
    static double counts[ROWS_ALL * GROUPS * PER];
    ch_context *context = support_context(NULL, 1);
    ch_random random;
    ch_topics topics = {.size = sizeof topics};
    ch_topics_settings set;
    support_seed(&random, "groups", 3);
    memset(counts, 0, sizeof counts);
    for (int d = 0; d < GROUPS * PER; d++)
        for (int k = 0; k < 30; k++) {
            int64_t row = k < 15 ? d / PER * OWN + ch_random_below(&random, OWN)
                                 : GROUPS * OWN + ch_random_below(&random, SHARED);
            counts[row + d * ROWS_ALL]++;
        }
    ch_matrix X = support_dense(context, counts, ROWS_ALL, GROUPS * PER);
    ch_topics_defaults(&set);
    set.rank = GROUPS;
    assert_int_equal(ch_topics_find(context, &topics, &X, &set), CH_OK);
    for (int d = 0; d < GROUPS * PER; d++) {
        int64_t main_topic = 0, first = 0;
        for (int64_t z = 1; z < GROUPS; z++) {
            const double *share = topics.document_topic + z * topics.documents;
            if (share[d] > topics.document_topic[d + main_topic * topics.documents]) main_topic = z;
            if (share[d / PER * PER] >
                topics.document_topic[d / PER * PER + first * topics.documents])
                first = z;
        }
        assert_int_equal(main_topic, first);
        assert_int_equal(topics.name[main_topic] / OWN, d / PER);
    }
    for (int64_t z = 0; z < GROUPS; z++) {
        int among = 0;
        for (int k = 0; k < 10; k++) among |= topics.top_word[k + z * topics.top] == topics.name[z];
        assert_true(among);
    }
    ch_topics_free(context, &topics);
    ch_context_destroy(context);
}

static void other_documents_are_fitted_as_the_first_ones(void **state) {
    (void)state;
    planted *made = plant(13);
    ch_context *context = support_context(NULL, 1);
    ch_matrix X = view_of(context, made);
    for (int fit = 0; fit < 2; fit++) {
        ch_topics_settings set = settings_of(5);
        ch_topics topics = {.size = sizeof topics};
        double *again = malloc(5 * DOCUMENTS * sizeof *again);
        set.objective = fit;
        if (fit == CH_TOPICS_SQUARES) {
            set.start = CH_TOPICS_DOCUMENTS;
            set.weight = CH_VALUE_LOGTFIDF;
        }
        assert_int_equal(ch_topics_find(context, &topics, &X, &set), CH_OK);
        assert_int_equal(ch_topics_project(context, again, &X, &topics), CH_OK);
        support_check(support_difference(again, topics.document_topic, 5 * DOCUMENTS) < 1e-3,
                      "fit %d: off by %g", fit,
                      support_difference(again, topics.document_topic, 5 * DOCUMENTS));
        if (fit == CH_TOPICS_SQUARES) /* the same steps on the same numbers */
            assert_true(support_difference(again, topics.document_topic, 5 * DOCUMENTS) < 1e-6);
        ch_matrix fewer = X;
        fewer.rows--;
        assert_int_equal(ch_topics_project(context, again, &fewer, &topics), CH_ERR_ARGUMENT);
        support_message(context, "terms");
        free(again);
        ch_topics_free(context, &topics);
    }
    ch_context_destroy(context);
    plant_free(made);
}

/* min |x - F' h|, h >= 0: the gradient is 0 where h is not, and never points downwards. */
static void squares_are_least(void **state) {
    (void)state;
    enum { RANK = 7, R = 40, C = 90 };
    static double F[RANK * R], H[RANK * C], values[R * C];
    ch_context *context = support_context(NULL, 2);
    ch_random random;
    double error, sum = 0;
    support_seed(&random, "squares", 23);
    for (int k = 0; k < RANK * R; k++) F[k] = fmax(0, ch_random_normal(&random));
    for (int k = 0; k < R * C; k++) values[k] = fmax(0, ch_random_normal(&random) - 0.5);
    ch_matrix dense = support_dense(context, values, R, C);
    ch_matrix X = support_reshape(context, &dense, CH_CSC, CH_F64);
    assert_int_equal(chi_topics_fit_squares(context, H, &error, &X, F, RANK), CH_OK);
    for (int j = 0; j < C; j++) {
        double residual[R];
        for (int i = 0; i < R; i++) {
            residual[i] = values[i + j * R];
            for (int z = 0; z < RANK; z++) residual[i] -= F[z + i * RANK] * H[z + j * RANK];
            sum += residual[i] * residual[i];
        }
        for (int z = 0; z < RANK; z++) {
            double gradient = 0;
            for (int i = 0; i < R; i++) gradient += F[z + i * RANK] * residual[i];
            support_check(H[z + j * RANK] > 0 ? fabs(gradient) < 1e-6 : gradient < 1e-6,
                          "column %d: h %g, gradient %g", j, H[z + j * RANK], gradient);
        }
    }
    support_close(error, sum, 1e-9 * sum);
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

/* ---- edges ---- */

static void empty_documents_and_rare_words(void **state) {
    (void)state;
    planted *made = plant(6);
    ch_context *context = support_context(NULL, 1);
    memset(made->counts + 10 * WORDS, 0, WORDS * sizeof *made->counts);
    for (int d = 0; d < DOCUMENTS; d++) /* one word in one document, one in none, one in all */
        made->counts[50 + d * WORDS] = d == 7, made->counts[51 + d * WORDS] = 0,
                              made->counts[52 + d * WORDS] = d != 10;
    ch_matrix X = view_of(context, made);
    ch_topics_settings set = settings_of(TOPICS);
    set.max_df = 0.9;
    ch_topics topics = {.size = sizeof topics};
    assert_int_equal(ch_topics_find(context, &topics, &X, &set), CH_OK);
    assert_int_equal(topics.empty, 1);
    assert_int_equal(topics.words, WORDS - 3);
    for (int64_t z = 0; z < TOPICS; z++) {
        assert_true(topics.document_topic[10 + z * DOCUMENTS] == 0);
        for (int w = 50; w <= 52; w++) assert_true(topics.topic_word[z + w * TOPICS] == 0);
    }
    ch_topics_free(context, &topics);
    ch_context_destroy(context);
    plant_free(made);
}

static int stop_in(const ch_progress_event *event, void *phase) {
    return strcmp(event->phase, phase) == 0;
}

/* Three words to a topic, none in common, and ten asked for: each topic lists its own three, and
 * its coherence is of those. */
static void words_that_a_topic_does_not_use_are_not_its_own(void **state) {
    (void)state;
    enum { GROUPS = 3, EACH = 3, ROWS = GROUPS * EACH, COLS = 30 };
    static double counts[ROWS * COLS];
    ch_context *context = support_context(NULL, 1);
    ch_random random;
    ch_matrix X;
    ch_topics topics = {.size = sizeof topics};
    support_seed(&random, "groups", 12);
    memset(counts, 0, sizeof counts);
    for (int d = 0; d < COLS; d++)
        for (int w = 0; w < EACH; w++)
            counts[(d % GROUPS) * EACH + w + d * ROWS] = 1 + (double)ch_random_below(&random, 9);
    ch_matrix_borrow(context, &X, &(ch_matrix){.rows = ROWS, .cols = COLS, .values = counts});
    ch_topics_settings set = settings_of(GROUPS);
    set.min_df = 1;
    set.top = ROWS;
    assert_int_equal(ch_topics_find(context, &topics, &X, &set), CH_OK);
    for (int64_t z = 0; z < GROUPS; z++) {
        const int64_t *list = topics.top_word + z * topics.top;
        support_check(ch_topics_listed(&topics, z) == EACH, "topic %d lists %d words", (int)z,
                      (int)ch_topics_listed(&topics, z));
        for (int k = 1; k < EACH; k++) assert_int_equal(list[k] / EACH, list[0] / EACH);
        support_close(topics.umass[z], log((10 + 1) / 10.0), 1e-12); /* always together, in 10 */
        support_close(topics.npmi[z], 1, 1e-12);
    }
    ch_topics_free(context, &topics);
    support_finish(context, NULL);
}

static void faults_are_told(void **state) {
    (void)state;
    planted *made = plant(7);
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = view_of(context, made);
    ch_topics_settings set = settings_of(WORDS + 1);
    ch_topics topics = {.size = sizeof topics};
    memset(&topics, 0x5a, sizeof topics);
    topics.size = sizeof topics;
    ch_topics before = topics;
    assert_int_equal(ch_topics_find(context, &topics, &X, &set), CH_ERR_DATA);
    support_message(context, "121 topics need at least as many anchor words");
    set = settings_of(3);
    set.min_df = 100000;
    assert_int_equal(ch_topics_find(context, &topics, &X, &set), CH_ERR_DATA);
    support_message(context, "no word in the");
    support_message(context, "in fewer than 100000 (min-df)");
    set = settings_of(0);
    assert_int_equal(ch_topics_find(context, &topics, &X, &set), CH_ERR_SETTING);
    set = settings_of(3);
    made->counts[5] = -1;
    assert_int_equal(ch_topics_find(context, &topics, &X, &set), CH_ERR_DATA);
    made->counts[5] = 1;
    assert_memory_equal(&topics, &before, sizeof topics);
    static char *const phases[] = {"select", "words", "project", "fit"};
    for (int i = 0; i < 4; i++) {
        ch_context_set_progress(context, stop_in, phases[i]);
        ch_status status = ch_topics_find(context, &topics, &X, &set);
        support_check(status == CH_STOP_CANCELLED, "cancelled in %s: %d", phases[i], status);
        assert_null(topics.topic_word);
        ch_topics_free(context, &topics);
    }
    support_finish(context, &memory);
    plant_free(made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_planted_model_comes_back),
        cmocka_unit_test(without_noise_both_profiles_find_the_anchors),
        cmocka_unit_test(refits_lower_the_divergence),
        cmocka_unit_test(coherence_is_what_counting_gives),
        cmocka_unit_test(threads_and_layouts_change_nothing),
        cmocka_unit_test(documents_in_any_order_have_the_same_topics),
        cmocka_unit_test(empty_documents_change_nothing),
        cmocka_unit_test(by_default_planted_topics_are_told_apart),
        cmocka_unit_test(other_documents_are_fitted_as_the_first_ones),
        cmocka_unit_test(squares_are_least),
        cmocka_unit_test(empty_documents_and_rare_words),
        cmocka_unit_test(words_that_a_topic_does_not_use_are_not_its_own),
        cmocka_unit_test(faults_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
