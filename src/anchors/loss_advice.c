/* Advice on loss and rule from the residuals of a run:
 *
 *   - which sign the large residuals have: the median of an l1 fit is zero whatever the noise, so
 * the tails tell, not the counts. Of noise that only adds nearly all large ones are above zero;
 *   - whether large residuals grow with the model y: by the slope of the log of their 90th
 * percentile over log y, in eight groups of entries of rising y. A slope of 0 is noise of one size,
 * 1/2 is that of counts, 1 a factor. (The median would be that of entries which the fit meets.)
 * Large outliers among the anchors make the model large exactly where it is wrong, so the slope
 * tells nothing if the tails within the groups are those of outliers;
 *   - how often a value is below half of the model, but not 0: errors by a factor go far down, and
 *     stay above zero, while noise that only adds leaves nothing there;
 *   - how often a value is 0 where the model is not: errors that take away more than there is;
 *   - how heavy the tails are, and how many entries are met exactly, as by sparse noise. An l1 fit
 * meets as many entries of a column as the column has weights, whatever the noise: only those
 * beyond this number tell about the noise;
 *   - how many columns are dark: of those the relative distance is mostly noise.
 *
 * Limits lie between the generated cases that they separate and were set with these in view;
 * docs/howto/choose-loss.md shows what they say of them. */
#include "base/base.h"
#include "base/sized.h"
#include <conehull/anchors.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 8, ENTRIES_MOST = 400000 };
static const double EXACT = 1e-6; /* residuals below this share are zero     */
static const double ONE_SIDED = 0.9, SKEWED = 0.75;
static const double HEAVY = 6; /* tails; 3.8 is normal, 6.6 is Laplace    */
/* Tails within a group: 4 of normal noise, 9 of exponential factors, 10 to 16 of sparse noise, and
 * 37 to 68 if up to a tenth of the values are wrong by ten times the others. */
static const double OUTLIERS = 20;
static const double AS_COUNTS = 0.25, AS_FACTOR = 0.75;
static const double DARK = 0.1, MANY_DARK = 0.01, MANY_CUT = 0.02, MANY_DEEP = 0.15;

typedef struct entry {
    double model, residual;
} entry;

/* What is measured besides the members of ch_loss_advice. */
typedef struct noise_signs {
    double beyond; /* share of entries that are met, less one entry for each weight           */
    double tail;   /* 99th percentile of |r| over its median, among entries of similar models */
    double bare;   /* share of columns without weights, whose residuals are the data          */
} noise_signs;

static int by_model(const void *a, const void *b) {
    double x = ((const entry *)a)->model, y = ((const entry *)b)->model;
    return (x > y) - (x < y);
}

static int by_size(const void *a, const void *b) {
    double x = fabs(((const entry *)a)->residual), y = fabs(((const entry *)b)->residual);
    return (x > y) - (x < y);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int is_anchor(const ch_anchors_result *result, int64_t j) {
    for (int64_t k = 0; k < result->rank; k++)
        if (result->anchors[k] == j) return 1;
    return 0;
}

static double sum_of(const ch_matrix *X, int64_t j) {
    double sum = 0;
    for (int64_t i = 0; i < X->rows; i++) sum += fmax(ch_matrix_at(X, i, j), 0);
    return sum;
}

/* The residuals that are not zero, of columns that are not dark; returns how many. */
static int64_t gather(ch_loss_advice *advice, noise_signs *signs, entry *list, const ch_matrix *X,
                      const ch_anchors_result *result, int64_t step, double limit) {
    int64_t count = 0, met = 0, cut = 0, deep = 0, weights = 0, bare = 0;
    for (int64_t j = 0; j < X->cols; j += step) {
        if (is_anchor(result, j) || sum_of(X, j) < limit) continue;
        advice->columns++;
        int64_t before = weights;
        for (int64_t k = 0; k < result->rank; k++) weights += result->H[k + j * result->rank] > 0;
        bare += weights == before;
        for (int64_t i = 0; i < X->rows; i++) {
            double x = fmax(ch_matrix_at(X, i, j), 0), y = 0;
            for (int64_t k = 0; k < result->rank; k++)
                y += result->W[i + k * result->rows] * result->H[k + j * result->rank];
            if (!isfinite(x) || !(x + y > 0)) continue;
            advice->entries++;
            advice->whole &= x == floor(x);
            cut += x == 0;
            deep += x > 0 && 2 * x < y;
            if (fabs(x - y) <= EXACT * (x + y))
                met++;
            else
                list[count++] = (entry){y, x - y};
        }
    }
    if (advice->entries == 0) return 0;
    advice->zeros = (double)met / (double)advice->entries;
    signs->bare = (double)bare / (double)advice->columns;
    signs->beyond = (double)(met - weights) / (double)advice->entries;
    advice->cut = (double)cut / (double)advice->entries;
    advice->deep = (double)deep / (double)advice->entries;
    return count;
}

/* The slope of the log of large |r| over log y; the list is put in order of y and of |r| in groups.
 * *tail becomes the median over the groups of the 99th percentile of |r| over its median. */
static double growth_of(double *tail, entry *list, int64_t count) {
    double x[GROUPS], y[GROUPS], tails[GROUPS], mean_x = 0, mean_y = 0, top = 0, bottom = 0;
    *tail = NAN;
    if (count < 20 * GROUPS) return NAN;
    qsort(list, (size_t)count, sizeof *list, by_model);
    for (int g = 0; g < GROUPS; g++) {
        int64_t low = count * g / GROUPS, high = count * (g + 1) / GROUPS;
        double model = list[(low + high) / 2].model;
        if (!(model > 0)) return NAN;
        qsort(list + low, (size_t)(high - low), sizeof *list, by_size);
        x[g] = log(model);
        y[g] = log(fabs(list[low + (high - low) * 9 / 10].residual));
        tails[g] = fabs(list[low + (high - low) * 99 / 100].residual) /
                   fabs(list[(low + high) / 2].residual);
        mean_x += x[g] / GROUPS;
        mean_y += y[g] / GROUPS;
    }
    qsort(tails, GROUPS, sizeof *tails, by_value);
    *tail = (tails[GROUPS / 2 - 1] + tails[GROUPS / 2]) / 2;
    if (x[GROUPS - 1] - x[0] < log(1.5)) return NAN;
    for (int g = 0; g < GROUPS; g++) {
        top += (x[g] - mean_x) * (y[g] - mean_y);
        bottom += (x[g] - mean_x) * (x[g] - mean_x);
    }
    return top / bottom;
}

static void measure_tails(ch_loss_advice *advice, entry *list, int64_t count) {
    int64_t from = count - count / 10, above = 0;
    advice->above = advice->tail = NAN;
    if (count < 100) return;
    qsort(list, (size_t)count, sizeof *list, by_size);
    for (int64_t e = from; e < count; e++) above += list[e].residual > 0;
    advice->above = (double)above / (double)(count - from);
    advice->tail = fabs(list[count * 99 / 100].residual) / fabs(list[count / 2].residual);
}

/* Returns the sum below which a column is dark, and computes the share of dark columns. sums has
 * space for the sums of all columns of the sample. */
static double measure_columns(ch_loss_advice *advice, double *sums, const ch_matrix *X,
                              int64_t step) {
    int64_t count = 0, dark = 0;
    for (int64_t j = 0; j < X->cols; j += step) sums[count++] = sum_of(X, j);
    qsort(sums, (size_t)count, sizeof *sums, by_value);
    double limit = DARK * sums[(count - 1) * 99 / 100];
    for (int64_t j = 0; j < count; j++) dark += sums[j] < limit;
    advice->dark = (double)dark / (double)count;
    return limit;
}

/* ---- what follows ---------------------------------------------------------------------------- */

/* Appends a sentence as a line of its own. */
__attribute__((format(printf, 2, 3))) static void reason(ch_loss_advice *advice, const char *format,
                                                         ...) {
    va_list values;
    size_t used = strlen(advice->because), size = sizeof advice->because;
    if (used > 0 && used + 1 < size) advice->because[used++] = '\n';
    va_start(values, format);
    vsnprintf(advice->because + used, size - used, format, values);
    va_end(values);
}

/* The loss for noise of one size; returns whether it bears outliers. */
static int advise_additive(ch_loss_advice *advice, const noise_signs *signs, char *loss,
                           size_t size) {
    double above = advice->above, side = fmax(above, 1 - above);
    int cut = above > 0.5 && advice->cut > MANY_CUT;
    if (side >= SKEWED && !cut) {
        double q = side >= ONE_SIDED ? 0.2 : 0.3;
        snprintf(loss, size, "quantile:%g", above > 0.5 ? q : 1 - q);
        reason(advice, "%.0f %% of the large residuals are %s zero, so errors mostly %s the values",
               100 * side, above > 0.5 ? "above" : "below", above > 0.5 ? "raise" : "lower");
        return 1;
    }
    int heavy = advice->tail >= HEAVY || signs->beyond >= 0.1;
    snprintf(loss, size, heavy ? "l1" : "l2");
    if (cut)
        reason(advice,
               "%.0f %% of the values are 0 although the model is positive: errors also lower "
               "values, so a "
               "one-sided loss would miss anchors",
               100 * advice->cut);
    else
        reason(advice,
               "large residuals have both signs (%.0f %% above zero), so a one-sided loss would "
               "miss anchors",
               100 * above);
    if (heavy)
        reason(advice,
               "there are outliers: the 99th percentile of the residuals is %.1f times the median, "
               "and %.0f %% of the entries are fitted exactly",
               advice->tail, 100 * advice->zeros);
    else
        reason(
            advice,
            "there are no outliers: the 99th percentile of the residuals is %.1f times the median",
            advice->tail);
    return heavy;
}

static void advise(ch_loss_advice *advice, const noise_signs *signs) {
    char loss[40];
    int bears = 0;
    if (signs->bare > 0.5) { /* as the warning of CH_WARN_ZERO_WEIGHTS */
        int counts = advice->whole;
        reason(
            advice,
            "%.0f %% of the data points have no weights, so their residuals are the data and say "
            "nothing about noise; %s, under which data points with few values have weights too",
            100 * signs->bare, counts ? "all values are whole numbers, so try kl" : "try l2");
        snprintf(advice->settings, sizeof advice->settings, "loss=%s", counts ? "kl" : "l2");
        return;
    }
    if (isnan(advice->above)) {
        reason(advice, "nearly all entries are fitted exactly, so there is no noise from which to "
                       "choose a loss");
        return;
    }
    int cut = advice->cut > MANY_CUT; /* values that were cut at 0 say little about growth */
    int factor = !cut && advice->deep > MANY_DEEP, outliers = signs->tail >= OUTLIERS;
    int grows = !cut && !outliers;
    if (factor || (grows && advice->growth >= AS_FACTOR)) {
        snprintf(loss, sizeof loss, "is");
        if (factor)
            reason(advice,
                   "%.0f %% of the values are below half of the model and none is zero: the noise "
                   "is multiplicative",
                   100 * advice->deep);
        else
            reason(advice,
                   "large residuals grow in proportion to the values (slope %.2f): the noise is "
                   "multiplicative",
                   advice->growth);
    } else if (advice->whole && cut) {
        snprintf(loss, sizeof loss, "kl");
        reason(advice,
               "all values are whole numbers, and %.0f %% of them are 0 although the model is "
               "positive: the data are small counts",
               100 * advice->cut);
    } else if (grows && advice->growth >= AS_COUNTS) {
        snprintf(loss, sizeof loss, "kl");
        reason(
            advice,
            "large residuals grow like the square root of the values (slope %.2f), as for counts%s",
            advice->growth, advice->whole ? ", and all values are whole numbers" : "");
    } else {
        if (outliers)
            reason(advice,
                   "among values of similar size, the 99th percentile of the residuals is %.0f "
                   "times the median: there are large outliers, so the growth of the residuals "
                   "with the values says nothing",
                   signs->tail);
        else if (isnan(advice->growth))
            reason(advice, "values vary too little to decide whether residuals grow with them");
        else if (!cut)
            reason(advice, "residuals hardly grow with the values (slope %.2f)", advice->growth);
        bears = advise_additive(advice, signs, loss, sizeof loss);
    }
    int dark = advice->dark > MANY_DARK;
    if (dark)
        reason(advice,
               "%.1f %% of the data points are dark (their sum is below a tenth of that of bright "
               "ones), so their directions are mostly noise",
               100 * advice->dark);
    if (bears && !dark)
        reason(advice,
               "no data point is dark, so residuals relative to the size of a data point can be "
               "compared");
    snprintf(advice->settings, sizeof advice->settings, "loss=%s%s%s", loss,
             bears && !dark ? " exterior=share" : "", dark ? " faint=0.1" : "");
}

static ch_status check(ch_context *context, const ch_matrix *X, const ch_anchors_result *result) {
    if (!result->W || !result->H)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "advice needs residuals, which a run with select_only does not compute");
    if (result->rows != X->rows || result->cols != X->cols || X->cols == 0)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the matrix is %lld x %lld, but the result is of a matrix of %lld x %lld",
                        (long long)X->rows, (long long)X->cols, (long long)result->rows,
                        (long long)result->cols);
    return CH_OK;
}

ch_status ch_advise_loss(ch_context *context, ch_loss_advice *advice, const ch_matrix *X,
                         const ch_anchors_result *given) {
    ch_loss_advice own = {.size = sizeof own, .whole = 1};
    ch_anchors_result found = {.size = sizeof found}, *result = &found;
    TRY(chi_sized_check(context, advice, "ch_loss_advice"));
    TRY(chi_sized_take(context, result, sizeof *result, given, "ch_anchors_result"));
    TRY(check(context, X, result));
    int64_t most = ENTRIES_MOST / (X->rows > 0 ? X->rows : 1) + 1;
    int64_t step = (X->cols + most - 1) / most, columns = X->cols / step + 1;
    entry *list = chi_alloc(context, columns * X->rows, sizeof *list);
    double *sums = chi_alloc(context, columns, sizeof *sums);
    ch_status status = CH_OK;
    if (list && sums) {
        noise_signs signs = {0, NAN, 0};
        double limit = measure_columns(&own, sums, X, step);
        int64_t count = gather(&own, &signs, list, X, result, step, limit);
        own.growth = growth_of(&signs.tail, list, count);
        measure_tails(&own, list, count);
        advise(&own, &signs);
        chi_result_give(advice, &own, sizeof own);
    } else {
        status = chi_no_memory(context, "residuals", columns * X->rows, sizeof *list);
    }
    chi_free(context, list);
    chi_free(context, sums);
    return status;
}
