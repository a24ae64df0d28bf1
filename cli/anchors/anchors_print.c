/* The answer of `conehull anchors` for people. */
#include "anchors/anchors_command.h"
#include "options/option_values.h"
#include "result/feature_scale.h"
#include "result/result_json.h"
#include <math.h>

enum { SHOWN = 3 }; /* rows next to an anchor */

static const char *choice(const char *name, int value) {
    return cli_choice_name(ch_anchors_table(), name, value);
}

/* A column of the data by its number, one of the library as "library 3". */
static void print_column(const ch_anchors_result *result, int64_t j) {
    char text[40];
    if (j < result->cols || !result->library)
        snprintf(text, sizeof text, "%lld", (long long)j);
    else
        snprintf(text, sizeof text, "library %lld", (long long)(j - result->cols));
    printf("%*s ", result->library ? 14 : 10, text);
}

/* Behind a line of the table: the name of the anchor, and of its largest rows. */
static void print_names(const anchors_arguments *given, const ch_anchors_result *result,
                        int64_t k) {
    const cli_names *names = &given->input.names;
    const char *known = cli_library_name(&given->library, result->anchors[k] - result->cols);
    const char *name = known ? known : cli_column_name(names, result->anchors[k]);
    int64_t rows[SHOWN];
    if (name) printf("  %s", cli_plain(name));
    if (!names->of.rows.count) return;
    int count =
        cli_anchor_rows(rows, SHOWN, result, cli_scaled(&given->input, &given->settings), k);
    printf("%s", name ? ":" : " ");
    for (int t = 0; t < count; t++) {
        const char *row = cli_row_name(names, rows[t]);
        printf(" %s%s", row ? cli_plain(row) : "-", t + 1 < count ? ";" : "");
    }
}

static void print_anchors(const anchors_arguments *given, const ch_anchors_result *result) {
    const double *values = result->weights ? result->weights : result->max_residual;
    printf("%6s %*s %14s%s\n", "anchor", result->library ? 14 : 10, cli_input_point(&given->input),
           result->weights ? "weight" : "max residual",
           result->objective_path ? "      objective" : "");
    for (int64_t k = 0; k < result->rank; k++) {
        printf("%6lld ", (long long)k + 1);
        print_column(result, result->anchors[k]);
        if (isnan(values[k]))
            printf("%14s", "-"); /* not measured */
        else
            printf("%14.6g", values[k]);
        if (result->objective_path) printf(" %14.6g", result->objective_path[k]);
        print_names(given, result, k);
        putchar('\n');
    }
}

/* What spa and its relatives measure distances from. */
static const char *hull_name(int method) {
    switch (method) {
    case CH_METHOD_SNPA:
        return "hull of the anchors and 0";
    case CH_METHOD_PSPA:
        return "span, preconditioned";
    case CH_METHOD_SMOOTHED_SPA:
        return "span of the medians";
    default:
        return "span";
    }
}

/* What the third column of the table is. */
static void print_legend(const ch_anchors_settings *settings, const char *point, int scaled) {
    int divergence = DIVERGENCE >> (LOSSES + settings->loss) & 1;
    if (SPA_LIKE >> settings->method & 1)
        printf("max residual: l2 distance of the worst %s%s from the %s\n", point,
               settings->plain ? "" : " (scaled to sum 1)", hull_name(settings->method));
    else if (BY_DIAGONAL >> settings->method & 1)
        printf("weight: how much a %s is used to represent itself (diagonal of C in X ~ X C); 1: "
               "by itself alone\n",
               point);
    else if (settings->method == CH_METHOD_SMRS)
        printf("weight: how much a %s is used to represent all %ss (norm of its row of C in X ~ X "
               "C)\n",
               point, point);
    else
        printf("max residual: %s of %s %s%s, with the anchors so far\n",
               divergence                           ? "divergence"
               : settings->loss == CH_LOSS_L1       ? "|x - W h|_1"
               : settings->loss == CH_LOSS_QUANTILE ? "loss"
                                                    : "|x - W h|_2",
               settings->exterior == CH_EXTERIOR_RAND ? "the drawn"
               : settings->exterior == CH_EXTERIOR_SHARE ||
                       settings->exterior == CH_EXTERIOR_BALANCED
                   ? "the relatively worst"
                   : "the worst",
               point, scaled ? ", after --scale" : "");
}

static void print_head(const anchors_arguments *given, const ch_anchors_result *result) {
    const cli_input *input = &given->input;
    char buffer[CLI_LOSS_NAME];
    const char *loss = cli_loss_name(buffer, &given->settings);
    printf("%s%s: %lld x %lld, %s, %lld non-zeros\n", cli_plain(input->file),
           cli_input_turned(input), (long long)input->X.rows, (long long)input->cols,
           ch_value_type_name(input->X.type), (long long)result->nonzeros);
    printf("%lld anchor%s%s by %s", (long long)result->rank, result->rank == 1 ? "" : "s",
           !input->transpose   ? ""
           : result->rank == 1 ? " (a row of the file)"
                               : " (rows of the file)",
           choice("method", given->settings.method));
    if (given->settings.method == CH_METHOD_XRAY)
        printf(", loss %s", loss);
    else if (!given->settings.select_only) /* the method has no loss of its own to choose */
        printf(", loss of H: %s", loss);
    printf("\n\n");
}

static void print_refined(const ch_anchors_result *result, const char *point) {
    double largest = 0, sum = 0;
    if (!result->refined_W) return;
    for (int64_t k = 0; k < result->rank; k++) {
        largest = fmax(largest, result->refined_angle[k]);
        sum += result->refined_angle[k];
    }
    printf("refined in %lld round%s: ", (long long)result->refined_rounds,
           result->refined_rounds == 1 ? "" : "s");
    cli_certificate_print(result->refined_objective, &result->refined_certificate,
                          result->refined_unproven, point);
    printf(
        "refined components differ from their anchors by %.1f degrees on average, %.1f at most\n",
        sum / (double)result->rank, largest);
}

static void print_status(const anchors_arguments *given, const ch_anchors_result *result) {
    long long rank = result->rank, wanted = given->settings.rank;
    const char *them = SPA_LIKE >> given->settings.method & 1 ? "span" : "explain";
    if (result->status == CH_OK) return;
    printf("status: %s: ", cli_status_name(result->status));
    if (result->status != CH_STOP_COMPLETE)
        printf("%s\n", ch_status_sentence(result->status));
    else if (given->settings.library_only)
        printf("no other column of the library would lower a residual\n");
    else if (wanted == 0)
        printf("%lld anchor%s %s%s every %s\n", rank, rank == 1 ? "" : "s", them,
               rank == 1 ? "s" : "", cli_input_point(&given->input));
    else
        printf("%lld of the %lld requested anchors %s enough: %s %s%s every %s\n", rank, wanted,
               rank == 1 ? "is" : "are", rank == 1 ? "it" : "they", them, rank == 1 ? "s" : "",
               cli_input_point(&given->input));
}

/* Names the columns that come nearest to being anchors, and says what helps. */
static void print_barred(const ch_anchors_result *result, const cli_input *input) {
    const char *point = cli_input_point(input);
    int64_t shown = result->incomplete < CH_BARRED_MAX ? result->incomplete : CH_BARRED_MAX;
    printf("%lld %s%s could not be anchors: too many entries are missing, or only estimates "
           "would make %s extreme\n",
           (long long)result->incomplete, point, result->incomplete == 1 ? "" : "s",
           result->incomplete == 1 ? "it" : "them");
    printf("%s: ", shown < result->incomplete ? "nearest to being anchors" : "they are");
    for (int64_t k = 0; k < shown; k++) {
        const char *name = cli_column_name(&input->names, result->barred[k]);
        printf("%s%lld%s%s", k ? ", " : "", (long long)result->barred[k], name ? " " : "",
               name ? cli_plain(name) : "");
    }
    printf("; if one of them may be pure, fill in its missing entries, or compare with "
           "--max-missing 0.5 (0.7 if more than half of its entries are missing)\n");
}

static void print_missing(const ch_anchors_result *result, const cli_input *input) {
    if (result->unknown == 0) return;
    printf("%lld entries are missing (%.3g %%), %lld of them in the anchors; W has estimates in "
           "their place (W_completed.npy)\n",
           (long long)result->unknown,
           100 * (double)result->unknown / ((double)result->rows * (double)result->cols),
           (long long)result->completed);
    if (result->incomplete > 0) print_barred(result, input);
}

/* Which number of anchors the path suggests, if not clearly that of the last one. */
static void print_unclear_rank(const ch_anchors_result *result) {
    const double *residual = result->max_residual;
    static const double bend = 0.5; /* as ch_anchors_rank_clear() asks of a few anchors */
    double most = 0;
    int64_t at = 0;
    for (int64_t k = 1; k < result->rank; k++) {
        double fall = residual[k - 1] > 0 ? 1 - residual[k] / residual[k - 1] : 0;
        if (fall > most) {
            most = fall;
            at = k;
        }
    }
    if (most >= bend && at + 1 < result->rank)
        printf("no clear rank: anchor %lld lowers the largest residual most (from %.4g to %.4g), "
               "but anchor %lld still lowers it by 20 %% or more; -r %lld and -r %lld are both "
               "sensible (docs/howto/choose-rank.md)\n",
               (long long)at + 1, residual[at - 1], residual[at], (long long)result->rank,
               (long long)at + 1, (long long)result->rank);
    else if (result->rank == 1)
        printf("no clear rank: no anchor after the first lowers the largest residual by 20 %% or "
               "more; choose a larger rank with -r N (docs/howto/choose-rank.md)\n");
    else
        printf("no clear rank: the largest residual falls gradually, by at most %.0f %% per "
               "anchor; choose a rank from the table above, or a larger rank with -r N "
               "(docs/howto/choose-rank.md)\n",
               100 * most);
}

/* What the path of the largest residual does not say by itself. */
static void print_path_notes(const anchors_arguments *given, const ch_anchors_result *result) {
    if (given->settings.method != CH_METHOD_XRAY) return;
    int64_t rise = cli_residual_rise(result);
    if (rise > 0 && given->settings.exterior != CH_EXTERIOR_MAX)
        printf("the residual rises with anchor %lld, because with --exterior %s it belongs to the "
               "column from which the next step starts; other columns may have larger residuals\n",
               (long long)rise,
               cli_choice_name(ch_anchors_table(), "exterior", (int)given->settings.exterior));
    else if (rise > 0)
        printf("the largest residual rises with anchor %lld, because the values before it still "
               "include the original first anchor, which was replaced at the end\n",
               (long long)rise);
    if (given->settings.rank == 0 && cli_result_has_fit(result) && result->status == CH_OK &&
        !ch_anchors_rank_clear(result))
        print_unclear_rank(result);
}

void anchors_print_table(const anchors_arguments *given, const ch_anchors_result *result) {
    print_head(given, result);
    print_anchors(given, result);
    print_legend(&given->settings, cli_input_point(&given->input),
                 cli_scaled(&given->input, &given->settings) != NULL);
    if (given->input.names.of.rows.count)
        printf("after the name of each anchor: the %s in which it is largest%s\n",
               given->input.transpose ? "columns" : "rows",
               cli_scaled(&given->input, &given->settings) ? ", after --scale" : "");
}

/* What the table did not say when it was printed: the residual that H leaves. */
static void print_last(const ch_anchors_result *result) {
    double last = result->rank > 0 ? result->max_residual[result->rank - 1] : NAN;
    if (!isnan(last))
        printf("\nmax residual with all %lld anchors: %.6g\n", (long long)result->rank, last);
}

/* The part of the data that the anchors explain, as the loss measures it. */
static void print_explained(const anchors_arguments *given, const ch_anchors_result *result) {
    const ch_anchors_settings *set = &given->settings;
    if (!result->measured || isnan(result->unexplained)) return;
    printf("explained: %.4g %% of %s%s\n", 100 * (1 - result->unexplained),
           set->loss == CH_LOSS_L1   ? "the sum of the values"
           : set->loss == CH_LOSS_L2 ? "the sum of squares"
                                     : "the loss without anchors",
           cli_scaled(&given->input, set) ? ", after --scale" : "");
}

void anchors_print(const cli_session *session, const anchors_arguments *given,
                   const ch_anchors_result *result, const ch_comm_cost *cost, double write) {
    if (!given->early.said || session->common.json)
        anchors_print_table(given, result);
    else
        print_last(result);
    if (result->weights)
        printf("\nselected by an optimisation: objective %.10g, at most %.2g above the optimum, "
               "%lld iterations\n",
               result->select_objective, result->select_gap, (long long)result->iterations);
    printf("\n");
    if (result->clipped > 0)
        printf("%lld negative values count as 0; they sum to -%.6g\n", (long long)result->clipped,
               result->clipped_mass);
    print_missing(result, &given->input);
    if (result->faint > 0)
        printf("%lld faint %ss could not be anchors (--faint)\n", (long long)result->faint,
               cli_input_point(&given->input));
    if (cli_result_has_fit(result))
        cli_certificate_print(result->objective, &result->certificate, result->unproven,
                              cli_input_point(&given->input));
    print_explained(given, result);
    cli_weights_print(&given->weights, result);
    print_refined(result, cli_input_point(&given->input));
    if (given->settings.method == CH_METHOD_XRAY)
        printf("%lld projections during the selection\n", (long long)result->projections);
    printf("seconds: read %.3f select %.3f project %.3f", given->input.seconds,
           result->seconds_select, result->seconds_project);
    if (ch_context_comm(session->context))
        printf(" waiting %.3f write %.3f (communication %.3f)\n", cost->waiting, write,
               cost->seconds);
    else
        printf(" write %.3f\n", write);
    print_path_notes(given, result);
    cli_warnings_print(result, given->input.transpose);
    print_status(given, result);
    if (given->advise) cli_advice_print(&given->advice);
    if (given->folder) cli_say_written(given->folder, given->page ? "anchors.html" : NULL);
}
