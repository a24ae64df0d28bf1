/* If as many groups are formed as exemplars are wanted, a group of odd columns takes the place of
 * a large group. So with few exemplars some more groups are formed, and those are chosen whose
 * means are similar to most columns: facility location of the means m, each counted with the size n
 * of its group,
 *
 *     max_{|S| = rank}  sum_l n_l max_{k in S} <m_k, m_l>^(1/2),
 *
 * by the greedy rule, ties to the lower group. O(rows count^2). */
#include "text/exemplars/choose_groups.h"
#include "base/base.h"
#include <math.h>

/* For 10 exemplars 20 groups, from FEW on as many as exemplars. docs/exemplars.md has the
 * trials. */
enum { FEW = 30, LEAST_SIZE = 4 };

int64_t chi_groups_to_form(int64_t rank, int64_t cols) {
    int64_t most = cols / LEAST_SIZE, wanted = (rank + FEW) / 2;
    if (wanted > most) wanted = most;
    return wanted < rank ? rank : wanted;
}

/* alike (count x count): the square roots of the products of the means. */
static void compare_means(double *alike, const chi_group_means *groups) {
    int64_t count = groups->count;
    for (int64_t t = 0; t < groups->rows; t++) {
        const float *row = groups->mean + t * count;
        for (int64_t l = 0; l < count; l++) {
            double m = (double)row[l];
            if (m == 0) continue;
            for (int64_t k = 0; k <= l; k++) alike[k + l * count] += m * (double)row[k];
        }
    }
    for (int64_t l = 0; l < count; l++)
        for (int64_t k = 0; k <= l; k++)
            alike[k + l * count] = alike[l + k * count] = sqrt(alike[k + l * count]);
}

static double gain_of_group(const double *alike, const double *cover,
                            const chi_group_means *groups) {
    double gain = 0;
    for (int64_t l = 0; l < groups->count; l++)
        gain += (double)groups->size[l] * fmax(alike[l] - cover[l], 0);
    return gain;
}

ch_status chi_choose_groups(ch_context *context, int64_t *chosen, int64_t rank,
                            const chi_group_means *groups) {
    chi_arena arena = {.context = context};
    int64_t count = groups->count;
    double *alike = chi_arena_alloc_zero(&arena, count * count, sizeof *alike);
    double *cover = chi_arena_alloc_zero(&arena, count, sizeof *cover);
    char *taken = chi_arena_alloc_zero(&arena, count, sizeof *taken);
    ch_status status = chi_arena_status(&arena, "groups of columns");
    if (status == CH_OK) compare_means(alike, groups);
    for (int64_t step = 0; step < rank && status == CH_OK; step++) {
        double most = -1;
        for (int64_t k = 0; k < count; k++) {
            double gain = taken[k] ? -1 : gain_of_group(alike + k * count, cover, groups);
            if (gain <= most) continue;
            most = gain;
            chosen[step] = k;
        }
        taken[chosen[step]] = 1;
        for (int64_t l = 0; l < count; l++)
            cover[l] = fmax(cover[l], alike[l + chosen[step] * count]);
    }
    chi_arena_free(&arena);
    return status;
}
