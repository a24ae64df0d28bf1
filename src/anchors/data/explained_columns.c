/* Which columns with missing entries may be selected. Anchors are selected from data whose missing
 * entries are estimates (completion.c), and an estimate that is too large or too small makes an
 * ordinary column extreme. So it is compared with the cone of the complete columns:
 *
 *     A      anchors of the complete columns alone, found with the settings of the run, but with an
 *            automatic rank: the number of anchors that the run requests must not change the data
 *            from which it selects them
 *     h_j    = argmin over h >= 0 of the loss of x_j - A h over the known entries of column j
 *     k_j    = |x_j - A h_j| over the known entries, e_j the same over the estimated ones
 *     s_j    = k_j / |x_j| over the known entries
 *
 * Column j is barred if both e_j > k_j, so that it is outside the cone more by its estimates than
 * by what was measured, and s_j <= max of s over the complete columns, so that what was measured is
 * no stranger than in them. The first condition alone would bar a pure column with many missing
 * entries. The second alone would bar some pure columns when several of them are incomplete,
 * because complete columns are then far from A too.
 *
 * The maximum is taken over as many complete columns as there are incomplete ones (at least LEAST),
 * evenly spaced. Without two complete columns there is no cone to compare with, and no column is
 * barred. Cost: one more selection, and the projection of those columns. */
#include "anchors/data/explained_columns.h"
#include "anchors/anchors_internal.h"

#include <math.h>
#include <string.h>

enum { LEAST = 1024 };

typedef struct comparison {
    const chi_usable *u;
    const ch_anchors_settings *set;
    int64_t *column;             /* complete columns, then those with missing entries */
    int64_t complete, gappy;     /* their numbers                                     */
    int64_t step;                /* every step-th complete column is projected        */
    int64_t shown;               /* number of projected columns                       */
    double *values, *H;          /* copies of columns; weights on the anchors         */
    unsigned char *mark;         /* known entries of the projected columns            */
    ch_anchors_result reference; /* anchors of the complete columns                   */
} comparison;

static int is_zero(const chi_usable *u, int64_t j) {
    const double *x = (const double *)u->data->values + j * u->data->rows;
    for (int64_t i = 0; i < u->data->rows; i++)
        if (x[i] != 0) return 0;
    return 1;
}

/* Lists the columns to compare. Columns that can never be anchors are in neither part. */
static void list_columns(comparison *c) {
    const chi_usable *u = c->u;
    const double *weight = c->set->column_weights;
    for (int complete = 1; complete >= 0; complete--)
        for (int64_t j = 0; j < u->data->cols; j++) {
            if (u->own_trust.whole[j] != complete || u->barred[j] || is_zero(u, j)) continue;
            if (weight && weight[j] == 0) continue;
            c->column[c->complete + c->gappy] = j;
            *(complete ? &c->complete : &c->gappy) += 1;
        }
}

static void copy_column(const comparison *c, int64_t to, int64_t k) {
    int64_t rows = c->u->data->rows, from = c->column[k] * rows;
    memcpy(c->values + to * rows, (const double *)c->u->data->values + from,
           (size_t)rows * sizeof *c->values);
    if (c->mark) memcpy(c->mark + to * rows, c->u->mark + from, (size_t)rows);
}

/* The settings of the run, for some complete columns and nothing else. */
static ch_anchors_settings inner_settings(const ch_anchors_settings *set) {
    ch_anchors_settings inner = *set;
    inner.missing = CH_MISSING_NONE;
    inner.observed = inner.weights = NULL;
    inner.column_weights = NULL;
    inner.column_weight_count = 0;
    inner.keep = NULL;
    inner.keep_count = 0;
    inner.keep_duals = inner.path = 0;
    inner.refine = 0;
    inner.select_only = 1;
    inner.checkpoint = NULL;
    inner.rank = 0; /* automatic */
    inner.selected = NULL;
    inner.take_weights = NULL;
    return inner;
}

/* Selects c->reference from the complete columns. Its rank is 0 if none of them can be an
 * anchor. */
static ch_status find_reference(ch_context *context, comparison *c) {
    ch_anchors_settings inner = inner_settings(c->set);
    ch_matrix X;
    for (int64_t k = 0; k < c->complete; k++) copy_column(c, k, k);
    TRY(ch_matrix_borrow(
        context, &X,
        &(ch_matrix){.rows = c->u->data->rows, .cols = c->complete, .values = c->values}));
    ch_status status = ch_anchors(context, &c->reference, &X, &inner);
    if (status == CH_ERR_DATA) return CH_OK;
    return status == CH_STOP_CANCELLED ? (ch_status)CHI_CANCELLED : status;
}

/* Projects every step-th complete column, then those with missing entries, on the reference. */
static ch_status project_shown(ch_context *context, comparison *c) {
    ch_anchors_settings inner = inner_settings(c->set);
    int64_t rows = c->u->data->rows;
    ch_matrix X, known;
    c->shown = 0;
    for (int64_t k = 0; k < c->complete; k += c->step) copy_column(c, c->shown++, k);
    for (int64_t k = 0; k < c->gappy; k++) copy_column(c, c->shown++, c->complete + k);
    ch_matrix view = {.rows = rows, .cols = c->shown, .values = c->values};
    TRY(ch_matrix_borrow(context, &X, &view));
    view.values = c->mark;
    view.type = CH_U8;
    TRY(ch_matrix_borrow(context, &known, &view));
    inner.observed = &known;
    ch_status status =
        ch_project(context, c->H, NULL, &X, c->reference.W, c->reference.rank, &inner);
    return status == CH_STOP_CANCELLED ? (ch_status)CHI_CANCELLED : status;
}

/* The distance of a column from the reference: of squares under l2, else of absolute values. */
typedef struct distance {
    double known, estimated; /* over the entries of each kind              */
    double share;            /* `known`, relative to the size of the column */
} distance;

static distance measure(const comparison *c, int64_t k) {
    int64_t rows = c->u->data->rows, rank = c->reference.rank;
    const double *x = c->values + k * rows, *h = c->H + k * rank, *weight = c->set->row_weights;
    int squares = chi_loss_of(c->set) == CH_LOSS_L2;
    distance d = {0};
    double size = 0;
    for (int64_t i = 0; i < rows; i++) {
        double r = x[i], w = weight ? weight[i] : 1;
        int known = c->mark[i + k * rows];
        for (int64_t a = 0; a < rank; a++) r -= c->reference.W[i + a * rows] * h[a];
        *(known ? &d.known : &d.estimated) += w * (squares ? r * r : fabs(r));
        if (known) size += w * (squares ? x[i] * x[i] : x[i]);
    }
    if (size > 0) d.share = d.known / size;
    return d;
}

static void bar(const comparison *c, chi_usable *u) {
    double most = 0;
    int64_t first = c->shown - c->gappy;
    for (int64_t k = 0; k < first; k++) most = fmax(most, measure(c, k).share);
    for (int64_t k = first; k < c->shown; k++) {
        distance d = measure(c, k);
        if (d.estimated <= d.known || d.share > most) continue;
        chi_usable_bar(u, c->column[c->complete + k - first], d.known + d.estimated);
    }
}

static ch_status reserve(chi_arena *arena, comparison *c) {
    int64_t rows = c->u->data->rows, wanted = c->gappy > LEAST ? c->gappy : LEAST;
    c->step = (c->complete + wanted - 1) / wanted;
    c->shown = (c->complete + c->step - 1) / c->step + c->gappy;
    int64_t count = c->shown > c->complete ? c->shown : c->complete;
    c->values = chi_arena_doubles(arena, rows * count);
    c->mark = chi_arena_alloc(arena, rows * count, 1);
    return chi_arena_status(arena, "complete columns");
}

static ch_status compare(ch_context *context, chi_arena *arena, comparison *c, chi_usable *u) {
    TRY(reserve(arena, c));
    TRY(find_reference(context, c));
    if (c->reference.rank == 0) return CH_OK;
    c->H = chi_arena_doubles(arena, c->reference.rank * c->shown);
    TRY(chi_arena_status(arena, "complete columns"));
    TRY(project_shown(context, c));
    bar(c, u);
    return CH_OK;
}

ch_status chi_bar_explained(ch_context *context, chi_usable *u, const ch_anchors_settings *set) {
    comparison c = {.u = u, .set = set, .reference.size = sizeof c.reference};
    chi_arena arena = {.context = context};
    c.column = chi_arena_alloc(&arena, u->data->cols, sizeof *c.column);
    ch_status status = chi_arena_status(&arena, "complete columns");
    if (status == CH_OK) list_columns(&c);
    int refused = set->method != CH_METHOD_XRAY; /* later, by its own reason */
    if (status == CH_OK && !refused && c.gappy > 0 && c.complete > 1) {
        chi_within(context, "compare");
        status = compare(context, &arena, &c, u);
        chi_within(context, NULL);
        chi_begin_phase(context, "check", 0);
    }
    ch_anchors_result_free(context, &c.reference);
    chi_arena_free(&arena);
    return status < 0 ? status : CH_OK;
}
