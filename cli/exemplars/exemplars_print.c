/* Prints the result of conehull exemplars. */
#include "exemplars/exemplars_command.h"
#include <math.h>

enum { SHOWN = 30 };               /* exemplars of a method on the screen; the files hold all */
static const double TYPICAL = 0.2; /* BBC and Reuters with 5 to 100 exemplars: 0.028 to 0.189 */

static void print_exemplar(const exemplars_data *data, const exemplars_result *result, int64_t k) {
    const ch_text_list *names = &data->names, *terms = &data->terms;
    int64_t column = result->found.columns[k];
    printf("%5lld %9lld %10lld", (long long)k + 1, (long long)exemplars_number(data, column),
           (long long)result->found.stands_for[k]);
    if (isnan(result->mean[k]))
        printf(" %10s", "-");
    else
        printf(" %10.3f", result->mean[k]);
    if (data->labels.count) printf("  %s", cli_plain(data->labels.text[column]));
    if (names->count && *names->text[column]) printf("  %s", cli_plain(names->text[column]));
    if (result->terms) printf("  |");
    for (int t = 0; result->terms && t < EXEMPLARS_TERMS; t++) {
        int64_t row = result->terms[k * EXEMPLARS_TERMS + t];
        if (row >= 0) printf(" %s", cli_plain(terms->text[row]));
    }
    putchar('\n');
}

static void print_exemplars(const exemplars_run *run, const exemplars_result *result) {
    const exemplars_data *data = &run->data;
    char weight[16];
    const ch_exemplars *found = &result->found;
    int is_text = data->kind == EXEMPLARS_TEXT || data->terms.count > 0;
    long long count = found->rank;
    printf("\n%s: %lld exemplar%s, weight %s, %.3f s\n",
           ch_exemplars_method_at(result->method)->name, count, count == 1 ? "" : "s",
           exemplars_weight(weight, run, result->method), found->seconds_select);
    printf("they reproduce %.1f %% of the weighted values (sum of squares)%s\n",
           100 * found->explained,
           is_text && found->explained < TYPICAL
               ? "; 3 to 20 % is common for text, because a few documents do "
                 "not have the words of all others"
               : "");
    if (!isnan(found->value))
        printf(
            "mean similarity to the nearest exemplar %.4f, at least %.1f %% of the best possible\n",
            found->value / (double)data->X.cols, 100 * found->value / found->optimum);
    if (found->sample && found->sample < data->X.cols)
        printf("facility location used a random sample of %lld of the %lld columns (--sample)\n",
               (long long)found->sample, (long long)data->X.cols);
    printf("%5s %9s %10s %10s%s\n", "", exemplars_noun(data), "stands for", "similarity",
           data->labels.count ? "  label" : "");
    for (int64_t k = 0; k < count && k < SHOWN; k++) print_exemplar(data, result, k);
    if (count > SHOWN) printf("      ... and %lld more (all with -o or --json)\n", count - SHOWN);
}

static void print_accuracy(const exemplars_run *run) {
    const exemplars_arguments *given = run->given;
    int64_t splits = given->settings.splits;
    printf("\naccuracy in %% of a classifier that is trained on the exemplars of one half of the "
           "data,\nin the last line on this whole half, and tested on the other half; mean and "
           "standard deviation\nover %lld split%s\n%12s",
           (long long)splits, splits == 1 ? "" : "s", "r");
    for (int i = 0; i < given->method_count; i++)
        printf(" %13s", ch_exemplars_method_at(given->methods[i])->name);
    putchar('\n');
    for (int k = 0; k < given->rank_count; k++) {
        printf("%12lld", (long long)given->ranks[k]);
        for (int i = 0; i < given->method_count; i++) {
            const ch_exemplars_scores *accuracy = &run->results[i].accuracy;
            printf("   %5.1f", 100 * accuracy->mean[k]);
            if (isnan(accuracy->sd[k]))
                printf("      ");
            else
                printf(" %5.1f", 100 * accuracy->sd[k]);
        }
        putchar('\n');
    }
    printf("%12s   %5.1f", "whole half", 100 * run->full.mean[0]);
    if (!isnan(run->full.sd[0])) printf(" %5.1f", 100 * run->full.sd[0]);
    putchar('\n');
}

void exemplars_print(const exemplars_run *run) {
    const exemplars_data *data = &run->data;
    printf("%s: %lld x %lld\n", cli_plain(run->session->options.operands[0]),
           (long long)data->X.rows, (long long)data->X.cols);
    for (int i = 0; i < run->given->method_count; i++) print_exemplars(run, &run->results[i]);
    if (run->full.count) print_accuracy(run);
}
