/* Exact coherence of lists of words, from the documents that contain them. Each list has its own
 * small matrix of joint counts, made by merging the sorted documents of its words. O(count^2 df)
 * per list; lists run in parallel. */
#include "text/topics/topics_internal.h"
#include <math.h>

typedef struct job {
    double *umass, *npmi;
    int64_t count, documents;
    const int32_t **holds; /* per word of a list: its documents, increasing */
    int64_t *df;
} job;

static int64_t joint(const int32_t *a, int64_t count, const int32_t *b, int64_t other) {
    int64_t i = 0, j = 0, both = 0;
    while (i < count && j < other) {
        both += a[i] == b[j];
        int left = a[i] <= b[j], right = a[i] >= b[j];
        i += left;
        j += right;
    }
    return both;
}

static double pair_npmi(int64_t both, int64_t one, int64_t other, int64_t documents) {
    if (both == 0) return -1;
    if (both == documents) return 1;
    double n = (double)documents;
    return log((double)both * n / ((double)one * (double)other)) / log(n / (double)both);
}

static void measure_list(void *user, int64_t list, int thread) {
    const job *work = user;
    const int32_t *const *holds = work->holds + list * work->count;
    const int64_t *df = work->df + list * work->count;
    double umass = 0, npmi = 0;
    (void)thread;
    for (int64_t i = 1; i < work->count; i++)
        for (int64_t j = 0; j < i; j++) {
            int64_t both = joint(holds[i], df[i], holds[j], df[j]);
            umass += df[j] > 0 ? log(((double)both + 1) / (double)df[j]) : 0;
            npmi += pair_npmi(both, df[i], df[j], work->documents);
        }
    double pairs = (double)(work->count * (work->count - 1)) / 2;
    work->umass[list] = umass / pairs;
    work->npmi[list] = npmi / pairs;
}

/* Copies the documents of every listed word, once per place in the lists. */
static ch_status list_documents(chi_arena *arena, job *all, const ch_matrix *by_term,
                                const int64_t *words, int64_t places) {
    int64_t entries = 0, n = by_term->rows;
    all->holds = chi_arena_alloc(arena, places, sizeof *all->holds);
    all->df = chi_arena_alloc(arena, places, sizeof *all->df);
    double *values = chi_arena_doubles(arena, n);
    int32_t *to = chi_arena_alloc(arena, n, sizeof *to);
    TRY(chi_arena_status(arena, "lists of documents"));
    for (int64_t k = 0; k < places; k++)
        entries += all->df[k] = chi_column_support(to, values, by_term, words[k]);
    to = chi_arena_alloc(arena, entries + n, sizeof *to);
    TRY(chi_arena_status(arena, "lists of documents"));
    for (int64_t k = 0; k < places; k++) {
        all->holds[k] = to;
        to += chi_column_support(to, values, by_term, words[k]);
    }
    return CH_OK;
}

static ch_status check(ch_context *context, const ch_matrix *X, const int64_t *words, int64_t count,
                       int64_t lists) {
    if (count < 2 || lists < 0)
        return chi_fail(
            context, CH_ERR_ARGUMENT,
            "the coherence of topics needs lists of at least 2 words, got %lld lists of %lld words",
            (long long)lists, (long long)count);
    for (int64_t k = 0; k < count * lists; k++)
        if (words[k] < 0 || words[k] >= X->rows)
            return chi_fail(context, CH_ERR_ARGUMENT,
                            "word %lld does not exist; words are numbered from 0 to %lld",
                            (long long)words[k], (long long)X->rows - 1);
    return CH_OK;
}

ch_status ch_topics_coherence(ch_context *context, double *umass, double *npmi, const ch_matrix *X,
                              const int64_t *words, int64_t count, int64_t lists) {
    TRY(chi_check_view(context, X));
    if (!context) return CH_ERR_ARGUMENT;
    if (!umass || !npmi || !X || !words)
        return chi_fail(context, CH_ERR_ARGUMENT, "umass, npmi, X and words must not be NULL");
    TRY(check(context, X, words, count, lists));
    ch_matrix by_term;
    job work = {.umass = umass, .npmi = npmi, .count = count, .documents = X->cols};
    chi_arena arena = {.context = context};
    TRY(ch_matrix_transpose(context, &by_term, X));
    ch_status status = list_documents(&arena, &work, &by_term, words, count * lists);
    if (status == CH_OK) chi_parallel(context, lists, measure_list, &work);
    chi_arena_free(&arena);
    if (X->layout == CH_CSC) ch_matrix_free(context, &by_term);
    return status;
}
