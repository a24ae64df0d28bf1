/* The ROC curve of scores against a known mask, with every threshold, and the area under it:
 *
 *     AUC = sum_v P_v (N_<v + N_v / 2) / (P N)          P_v, N_v: positives, negatives of score v
 *
 * This is the Mann-Whitney statistic, in which ties count one half. Integer scores are counted in a
 * table of their values. f32 scores are stored, sorted by their bits and merged. O(pixels);
 * integers need no memory per pixel. */
#include "base/sized.h"
#include <conehull/metrics.h>
#include <math.h>
#include <string.h>

/* f32 scores of one class as integers in the same order (to_order()), sorted on demand. */
typedef struct list {
    uint32_t *keys;
    int64_t count, capacity;
} list;

typedef enum scorer_kind { KIND_NONE, KIND_U8, KIND_U16, KIND_F32 } scorer_kind;

struct ch_scorer {
    ch_context *context;
    scorer_kind kind;
    int64_t *counted; /* integers: the number of negatives of each value, then of positives */
    list kept[2];     /* f32: negatives, positives                                          */
};

enum { FIRST_CAPACITY = 4096 };

ch_status ch_scorer_create(ch_context *context, ch_scorer **scorer) {
    ch_scorer *made = chi_alloc_zero(context, 1, sizeof *made);
    if (!made) return chi_no_memory(context, "a scorer", 1, sizeof *made);
    made->context = context;
    *scorer = made;
    return CH_OK;
}

void ch_scorer_destroy(ch_scorer *scorer) {
    if (!scorer) return;
    chi_free(scorer->context, scorer->counted);
    for (int c = 0; c < 2; c++) chi_free(scorer->context, scorer->kept[c].keys);
    chi_free(scorer->context, scorer);
}

static int64_t values_of(scorer_kind kind) {
    return kind == KIND_U8 ? 256 : kind == KIND_U16 ? 65536 : 0;
}

/* Sets the kind of the scores, which the first pixels determine. */
static ch_status become(ch_scorer *scorer, scorer_kind kind) {
    static const char *const names[] = {"", "u8", "u16", "f32"};
    ch_context *context = scorer->context;
    if (scorer->kind == kind) return CH_OK;
    if (scorer->kind != KIND_NONE)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "a scorer cannot take scores of type %s after scores of type %s",
                        names[kind], names[scorer->kind]);
    if (kind != KIND_F32) {
        scorer->counted = chi_alloc_zero(context, 2 * values_of(kind), sizeof *scorer->counted);
        if (!scorer->counted)
            return chi_no_memory(context, "counts of scores", 2 * values_of(kind),
                                 sizeof *scorer->counted);
    }
    scorer->kind = kind;
    return CH_OK;
}

ch_status ch_scorer_add_u8(ch_scorer *scorer, const uint8_t *scores, const uint8_t *truth,
                           const uint8_t *region, int64_t pixels) {
    TRY(become(scorer, KIND_U8));
    int64_t *const of[2] = {scorer->counted, scorer->counted + values_of(KIND_U8)};
    for (int64_t i = 0; i < pixels; i++)
        if (!region || region[i]) of[truth[i] != 0][scores[i]]++;
    return CH_OK;
}

ch_status ch_scorer_add_u16(ch_scorer *scorer, const uint16_t *scores, const uint8_t *truth,
                            const uint8_t *region, int64_t pixels) {
    TRY(become(scorer, KIND_U16));
    int64_t *const of[2] = {scorer->counted, scorer->counted + values_of(KIND_U16)};
    for (int64_t i = 0; i < pixels; i++)
        if (!region || region[i]) of[truth[i] != 0][scores[i]]++;
    return CH_OK;
}

/* Maps floats to unsigned integers in the same order: inverts all bits of negative numbers, and the
 * sign bit of others. */
static uint32_t to_order(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits ^ (bits >> 31 ? UINT32_MAX : UINT32_C(1) << 31);
}

static float from_order(uint32_t bits) {
    float value;
    bits ^= bits >> 31 ? UINT32_C(1) << 31 : UINT32_MAX;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static ch_status reserve(ch_context *context, list *kept, int64_t more) {
    int64_t capacity = kept->capacity ? kept->capacity : FIRST_CAPACITY;
    if (kept->count + more <= kept->capacity) return CH_OK;
    while (capacity < kept->count + more) capacity *= 2;
    uint32_t *keys = chi_alloc(context, capacity, sizeof *keys);
    if (!keys) return chi_no_memory(context, "scores", capacity, sizeof *keys);
    if (kept->count) memcpy(keys, kept->keys, (size_t)kept->count * sizeof *keys);
    chi_free(context, kept->keys);
    kept->keys = keys;
    kept->capacity = capacity;
    return CH_OK;
}

ch_status ch_scorer_add_f32(ch_scorer *scorer, const float *scores, const uint8_t *truth,
                            const uint8_t *region, int64_t pixels) {
    int64_t more[2] = {0, 0};
    for (int64_t i = 0; i < pixels; i++) {
        if (region && !region[i]) continue;
        if (isnan(scores[i]))
            return chi_fail(scorer->context, CH_ERR_DATA, "the score of pixel %lld is not a number",
                            (long long)i);
        more[truth[i] != 0]++;
    }
    TRY(become(scorer, KIND_F32));
    for (int c = 0; c < 2; c++) TRY(reserve(scorer->context, &scorer->kept[c], more[c]));
    for (int64_t i = 0; i < pixels; i++) {
        list *kept = &scorer->kept[truth[i] != 0];
        if (!region || region[i])
            kept->keys[kept->count++] = to_order(scores[i] + 0.0f); /* no -0 */
    }
    return CH_OK;
}

/* Sorts keys in decreasing order, byte by byte from the lowest. spare has the same size. */
static void sort_falling(uint32_t *keys, uint32_t *spare, int64_t count) {
    for (int shift = 0; shift < 32; shift += 8) { /* an even number of passes ends in keys */
        int64_t start[256] = {0}, sum = 0;
        for (int64_t i = 0; i < count; i++) start[keys[i] >> shift & 255]++;
        for (int b = 255; b >= 0; b--) {
            int64_t here = start[b];
            start[b] = sum;
            sum += here;
        }
        for (int64_t i = 0; i < count; i++) spare[start[keys[i] >> shift & 255]++] = keys[i];
        uint32_t *swap = keys;
        keys = spare;
        spare = swap;
    }
}

/* A curve under construction, from the highest score down. */
typedef struct growing {
    ch_roc *roc;
    ch_roc_point at;
    long double doubled; /* 2 P N AUC, an integer; exact below 2^64 if long double has 64 bits */
} growing;

static void add_point(growing *grow, double threshold, int64_t positives, int64_t negatives) {
    ch_roc *roc = grow->roc;
    int64_t below = roc->negatives - grow->at.false_positives - negatives;
    grow->doubled += (long double)positives * (long double)(2 * below + negatives);
    grow->at.threshold = threshold;
    grow->at.true_positives += positives;
    grow->at.false_positives += negatives;
    roc->points[roc->count++] = grow->at;
    ch_pixel_counts counts = {.true_positives = grow->at.true_positives,
                              .false_positives = grow->at.false_positives,
                              .false_negatives = roc->positives - grow->at.true_positives};
    double f = ch_pixel_counts_f_measure(&counts);
    if (!(f > roc->best_f)) return;
    roc->best_f = f;
    roc->best_threshold = threshold;
}

/* Merges both classes and returns the number of distinct scores. If grow is NULL, only counts
 * them. */
static int64_t walk_kept(growing *grow, const list kept[2]) {
    int64_t at[2] = {0, 0}, distinct = 0;
    for (; at[0] < kept[0].count || at[1] < kept[1].count; distinct++) {
        uint32_t key = 0;
        int64_t same[2];
        for (int c = 0; c < 2; c++)
            if (at[c] < kept[c].count && kept[c].keys[at[c]] > key) key = kept[c].keys[at[c]];
        for (int c = 0; c < 2; c++) {
            int64_t from = at[c];
            while (at[c] < kept[c].count && kept[c].keys[at[c]] == key) at[c]++;
            same[c] = at[c] - from;
        }
        if (grow) add_point(grow, (double)from_order(key), same[1], same[0]);
    }
    return distinct;
}

static int64_t walk_counted(growing *grow, const int64_t *negatives, int64_t values) {
    const int64_t *positives = negatives + values;
    int64_t distinct = 0;
    for (int64_t v = values - 1; v >= 0; v--) {
        if (negatives[v] + positives[v] == 0) continue;
        if (grow) add_point(grow, (double)v, positives[v], negatives[v]);
        distinct++;
    }
    return distinct;
}

static int64_t walk(growing *grow, const ch_scorer *scorer) {
    if (scorer->kind == KIND_F32) return walk_kept(grow, scorer->kept);
    return walk_counted(grow, scorer->counted, values_of(scorer->kind));
}

static ch_status sort_kept(ch_scorer *scorer) {
    list *kept = scorer->kept;
    int64_t longer = kept[0].count > kept[1].count ? kept[0].count : kept[1].count;
    uint32_t *spare = chi_alloc(scorer->context, longer, sizeof *spare);
    if (!spare) return chi_no_memory(scorer->context, "a ROC curve", longer, sizeof *spare);
    for (int c = 0; c < 2; c++) sort_falling(kept[c].keys, spare, kept[c].count);
    chi_free(scorer->context, spare);
    return CH_OK;
}

ch_status ch_scorer_finish(ch_scorer *scorer, ch_roc *roc) {
    ch_context *context = scorer->context;
    ch_roc made = {.size = sizeof made, .best_f = -1};
    growing grow = {.roc = &made, .at = {.threshold = INFINITY}};
    TRY(chi_sized_check(context, roc, "ch_roc"));
    if (scorer->kind == KIND_F32) TRY(sort_kept(scorer));
    made.negatives = scorer->kept[0].count;
    made.positives = scorer->kept[1].count;
    for (int64_t v = 0, values = values_of(scorer->kind); v < values; v++) {
        made.negatives += scorer->counted[v];
        made.positives += scorer->counted[values + v];
    }
    int64_t most = walk(NULL, scorer) + 1;
    made.points = chi_alloc(context, most, sizeof *made.points);
    if (!made.points) return chi_no_memory(context, "a ROC curve", most, sizeof *made.points);
    made.points[made.count++] = grow.at;
    walk(&grow, scorer);
    long double pairs = 2 * (long double)made.positives * (long double)made.negatives;
    made.auc = pairs > 0 ? (double)(grow.doubled / pairs) : NAN;
    if (made.positives == 0) made.best_f = made.best_threshold = NAN;
    chi_result_give(roc, &made, sizeof made);
    return CH_OK;
}
