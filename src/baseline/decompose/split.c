/* Sweeps over the panels of a split, and the steps of T on the lines of a panel. */
#include "baseline/decompose/split.h"
#include "base/sized.h"
#include <math.h>
#include <string.h>

typedef struct sweep_job {
    chi_split *split;
    chi_split_body body;
    void *user;
} sweep_job;

static void run_group(void *user, int64_t group, int thread) {
    const sweep_job *job = user;
    const chi_panels *p = &job->split->panels;
    for (int64_t panel = chi_group_start(p, group); panel < chi_group_start(p, group + 1); panel++)
        job->body(job->user, &job->split->works[thread], group, panel);
}

void chi_split_sweep(chi_split *split, chi_split_body body, void *user) {
    sweep_job job = {split, body, user};
    memset(split->group_sums, 0, sizeof split->group_sums);
    chi_parallel(split->context, split->panels.groups, run_group, &job);
}

chi_shrink_sums chi_split_sums(const chi_split *split) {
    chi_shrink_sums sums = {0, 0, 0};
    for (int64_t g = 0; g < split->panels.groups; g++) {
        sums.square += split->group_sums[g].square;
        sums.abs += split->group_sums[g].abs;
        sums.move += split->group_sums[g].move;
    }
    return sums;
}

/* Adds the squares of X to square; abs becomes the largest |X_ij|. */
static void measure_panel(void *user, chi_split_work *w, int64_t group, int64_t panel) {
    chi_split *split = user;
    chi_shrink_sums *sums = &split->group_sums[group];
    double square = sums->square, largest = sums->abs;
    chi_panel_load(&split->panels, w->x, panel);
    for (int64_t i = 0; i < split->m * chi_panel_width(&split->panels, panel); i++) {
        double size = fabs(w->x[i]);
        square += size * size;
        largest = size > largest ? size : largest;
    }
    *sums = (chi_shrink_sums){.square = square, .abs = largest};
}

static void measure(chi_split *split) {
    chi_split_sweep(split, measure_panel, split);
    split->norm = sqrt(chi_split_sums(split).square);
    split->largest = 0;
    for (int64_t g = 0; g < split->panels.groups; g++)
        split->largest = fmax(split->largest, split->group_sums[g].abs);
}

ch_status chi_split_create(ch_context *context, chi_split *split, const ch_matrix *X, int64_t k) {
    int64_t threads = ch_context_threads(context);
    *split = (chi_split){.context = context, .arena.context = context};
    split->kernels = chi_kernels_of(context);
    TRY(chi_panels_create(context, &split->panels, X));
    int64_t m = split->m = split->panels.X.rows, n = split->n = split->panels.X.cols;
    int64_t width = split->panels.width;
    split->works = chi_arena_alloc(&split->arena, threads, sizeof *split->works);
    for (int64_t t = 0; t < threads && split->works; t++)
        split->works[t] = (chi_split_work){.x = chi_arena_doubles(&split->arena, m * width),
                                           .m = chi_arena_doubles(&split->arena, m * width),
                                           .l = chi_arena_doubles(&split->arena, m * width),
                                           .v = chi_arena_doubles(&split->arena, k * width)};
    TRY(chi_arena_status(&split->arena, "a decomposition"));
    split->T = chi_alloc(context, m, (size_t)n * sizeof(double));
    if (!split->T) return chi_no_memory(context, "a decomposition", m * n, sizeof(double));
    measure(split);
    if (split->largest > 0 && (split->largest < 1e-100 || split->largest > 1e100)) {
        /* The unit keeps squares from overflow and underflow. */
        split->panels.unit = ldexp(1.0, -ilogb(split->largest));
        measure(split);
    }
    return CH_OK;
}

void chi_split_destroy(chi_split *split) {
    chi_free(split->context, split->T);
    chi_arena_free(&split->arena);
    chi_panels_destroy(split->context, &split->panels);
}

void chi_split_aim(const chi_split *split, chi_split_work *w, int64_t panel) {
    const chi_panels *p = &split->panels;
    int64_t length = chi_panel_length(p, panel);
    chi_panel_load(p, w->x, panel);
    for (int64_t line = 0, at = 0; line < chi_panel_lines(p); line++, at += length)
        split->kernels->shrink->aim(w->m + at, w->x + at, chi_panel_line(p, split->T, panel, line),
                                    split->limit, 1 + split->keep, length);
}

void chi_split_step(chi_split *split, chi_split_work *w, int64_t group, int64_t panel) {
    const chi_panels *p = &split->panels;
    int64_t length = chi_panel_length(p, panel);
    for (int64_t line = 0, at = 0; line < chi_panel_lines(p); line++, at += length)
        split->kernels->shrink->step(w->m + at, chi_panel_line(p, split->T, panel, line),
                                     &split->group_sums[group], w->x + at, w->l + at, split->limit,
                                     split->keep, split->next_limit, 1 + split->next_keep, length);
}

void chi_split_advance(chi_split *split) {
    split->limit = split->next_limit;
    split->keep = split->next_keep;
}

ch_status chi_split_finish(ch_decomposition *parts, ch_decomposition *found, ch_status status,
                           double begin) {
    if (status < 0) return status;
    found->status = status;
    found->seconds = chi_seconds() - begin;
    chi_result_give(parts, found, sizeof *found);
    return status;
}
