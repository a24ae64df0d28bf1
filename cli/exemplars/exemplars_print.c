/* The answer of conehull exemplars for people, from its JSON. */
#include "common/message.h"
#include "exemplars/exemplars_command.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 30 }; /* exemplars of a method on the screen; all of them are in the files */

static const json_t *result_at(const json_t *result, size_t i) {
    const json_t *results = json_object_get(result, "results");
    if (!results) return i == 0 ? result : NULL;
    return json_array_get(results, i);
}

static const char *text_at(const json_t *object, const char *key, size_t k) {
    const char *text = json_string_value(json_array_get(json_object_get(object, key), k));
    return text ? cli_plain(text) : "";
}

static double number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void print_terms(const json_t *words) {
    for (size_t t = 0; t < json_array_size(words); t++)
        printf(" %s", cli_plain(json_string_value(json_array_get(words, t))));
}

static void print_exemplars(const json_t *result, const char *word) {
    const json_t *columns = json_object_get(result, "exemplars");
    const json_t *terms = json_object_get(result, "terms");
    int labelled = json_object_get(result, "labels") != NULL;
    const json_t *frames = json_object_get(result, "frames");
    size_t count = json_array_size(columns);
    printf("\n%s: %zu exemplar%s, %.1f %% of the squares explained, %.3f s\n",
           json_string_value(json_object_get(result, "method")), count, count == 1 ? "" : "s",
           100 * number(result, "explained"), number(json_object_get(result, "seconds"), "select"));
    printf("%5s %9s %10s%s\n", "", word, "stands for", labelled ? "  label" : "");
    for (size_t k = 0; k < count && k < SHOWN; k++) {
        printf("%5zu %9lld %10lld", k + 1,
               (long long)json_integer_value(json_array_get(frames ? frames : columns, k)),
               (long long)json_integer_value(
                   json_array_get(json_object_get(result, "stands_for"), k)));
        if (labelled) printf("  %s", text_at(result, "labels", k));
        if (*text_at(result, "names", k)) printf("  %s", text_at(result, "names", k));
        if (terms) printf("  |");
        print_terms(json_array_get(terms, k));
        putchar('\n');
    }
    if (count > SHOWN) printf("      ... and %zu more (all with -o or --json)\n", count - SHOWN);
}

static void print_accuracy(const json_t *result) {
    const json_t *ranks = json_object_get(result, "ranks"), *one;
    printf("\naccuracy in %%, mean and standard deviation over %lld split%s\n%12s",
           (long long)json_integer_value(json_object_get(result, "splits")),
           json_integer_value(json_object_get(result, "splits")) == 1 ? "" : "s", "r");
    for (size_t i = 0; (one = result_at(result, i)); i++)
        printf(" %13s", json_string_value(json_object_get(one, "method")));
    putchar('\n');
    for (size_t k = 0; k < json_array_size(ranks); k++) {
        char rank[24];
        snprintf(rank, sizeof rank, "%lld",
                 (long long)json_integer_value(json_array_get(ranks, k)));
        printf("%12s", rank);
        for (size_t i = 0; (one = result_at(result, i)); i++) {
            const json_t *figure = json_object_get(json_object_get(one, "accuracy"), rank);
            double sd = number(figure, "sd");
            printf("   %5.1f", 100 * number(figure, "mean"));
            if (isnan(sd))
                printf("      ");
            else
                printf(" %5.1f", 100 * sd);
        }
        putchar('\n');
    }
    const json_t *full = json_object_get(result, "full");
    printf("%12s   %5.1f", "whole half", 100 * number(full, "mean"));
    if (!isnan(number(full, "sd"))) printf(" %5.1f", 100 * number(full, "sd"));
    putchar('\n');
}

void exemplars_print(const json_t *result) {
    const json_t *shape = json_object_get(result, "shape"), *one;
    const char *kind = json_string_value(json_object_get(result, "kind"));
    const char *word = strcmp(kind, "text") == 0     ? "document"
                       : strcmp(kind, "frames") == 0 ? "frame"
                                                     : "column";
    printf("%s: %lld x %lld, weight %s\n",
           cli_plain(json_string_value(json_object_get(result, "file"))),
           (long long)json_integer_value(json_array_get(shape, 0)),
           (long long)json_integer_value(json_array_get(shape, 1)),
           json_string_value(json_object_get(result, "weight")));
    for (size_t i = 0; (one = result_at(result, i)); i++) print_exemplars(one, word);
    if (json_object_get(result, "full")) print_accuracy(result);
}
