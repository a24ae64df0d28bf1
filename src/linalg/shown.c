/* Views that compute some of their values (shown.h). */
#include "linalg/shown.h"

#include <math.h>
#include <string.h>

void chi_shown_release(ch_context *context, void *owner) {
    chi_shown *shown = owner;
    if (shown) chi_free(context, shown->more);
    chi_free(context, shown);
}

/* ---- creation ------------------------------------------------------------------------------ */

static ch_status add_columns(ch_context *context, chi_shown *shown, const chi_shown *old,
                             const chi_showing *how) {
    int64_t rows = shown->X.rows, had = old ? old->cols : 0, count;
    shown->cols = had + how->cols;
    shown->more = NULL;
    if (shown->cols == 0) return CH_OK;
    if (__builtin_mul_overflow(rows, shown->cols, &count)) count = INT64_MAX;
    shown->more = chi_alloc_zero(context, count, sizeof *shown->more);
    if (!shown->more) return chi_no_memory(context, how->what, count, sizeof(double));
    if (had) memcpy(shown->more, old->more, (size_t)(rows * had) * sizeof *shown->more);
    return CH_OK;
}

/* The view has no pointer to values, so sanitizers detect a read that bypasses this file. */
static void describe(ch_matrix *view, const ch_matrix *X, chi_shown *shown, ch_value_type type) {
    *view = chi_matrix_owned(NULL, shown->X.rows + shown->rows, shown->X.cols + shown->cols,
                             X->layout, type);
    view->first = X->first;
    view->values = view->owner = shown;
    view->release = chi_shown_release;
}

/* Integer types must be shown as they are stored: clipping does not apply to them, and other types
 * would have to be rounded to them. */
static ch_status check_type(ch_context *context, const ch_matrix *X, const chi_shown *old,
                            const chi_showing *how) {
    ch_value_type stored = old ? old->X.type : X->type;
    int clip = how->clip || (old && old->clip), whole = how->type == CH_U8 || how->type == CH_U16;
    if (X->layout == CH_CSC)
        return chi_fail(
            context, CH_ERR_INTERNAL,
            "%s cannot be made from a sparse matrix; this is a bug in conehull, please report it",
            how->what);
    if (whole && (clip || how->type != stored))
        return chi_fail(context, CH_ERR_INTERNAL,
                        "%s cannot clip or convert a matrix of whole numbers; this is a bug in "
                        "conehull, please report it",
                        how->what);
    return CH_OK;
}

ch_status chi_show(ch_context *context, ch_matrix *view, const ch_matrix *X,
                   const chi_showing *how) {
    const chi_shown *old = chi_shown_of(X);
    TRY(check_type(context, X, old, how));
    chi_shown *shown = chi_alloc_zero(context, 1, sizeof *shown);
    if (!shown) return chi_no_memory(context, how->what, 1, sizeof *shown);
    *shown = old ? *old : (chi_shown){.X = *X};
    shown->clip |= how->clip;
    if (how->rows) {
        shown->rows = 1;
        shown->unit = how->unit;
    }
    ch_status status = add_columns(context, shown, old, how);
    if (status == CH_OK)
        describe(view, X, shown, how->type);
    else
        chi_shown_release(context, shown);
    return status;
}

double *chi_shown_more(ch_matrix *view) {
    return ((chi_shown *)view->owner)->more;
}

void chi_shown_set_unit(ch_matrix *view, double unit) {
    ((chi_shown *)view->owner)->unit = unit;
}

/* ---- reading ------------------------------------------------------------------------------- */

/* to[k * apart] = value number from + k of X, for k < count. */
#define WRITE(R, T)                             \
    R *y = to;                                  \
    const T *x = (const T *)s->X.values + from; \
    for (int64_t k = 0; k < count; k++) {       \
        R value = (R)x[k];                      \
        y[k] = value < least ? 0 : value;       \
    }
#define WRITE_F64(T) WRITE(double, T)
#define WRITE_F32(T) WRITE(float, T)
#define WRITE_SAME(T) memcpy(to, (const T *)s->X.values + from, (size_t)count * sizeof(T));

/* Writes `count` consecutive stored values from number `from` on, in the type of the view. */
static void write_stored(void *to, ch_value_type type, const chi_shown *s, int64_t from,
                         int64_t count) {
    const float least = s->clip ? 0 : -INFINITY;
    if (type == s->X.type && !s->clip) {
        CHI_BY_TYPE(type, WRITE_SAME)
    } else if (type == CH_F64) {
        CHI_BY_TYPE(s->X.type, WRITE_F64)
    } else {
        CHI_BY_TYPE(s->X.type, WRITE_F32)
    }
}

#define SET(T) ((T *)to)[at] = (T)value;

static void set(void *to, ch_value_type type, int64_t at, double value) {
    CHI_BY_TYPE(type, SET)
}

/* Returns the value in row i, column j, which is outside the stored part. */
static double added(const chi_shown *s, int64_t i, int64_t j) {
    return i == s->X.rows ? s->unit : s->more[i + (j - s->X.cols) * s->X.rows];
}

static int64_t up_to(int64_t first, int64_t count, int64_t end) {
    int64_t left = end > first ? end - first : 0;
    return left < count ? left : count;
}

/* Writes one line (a column, or a row if row-major) of the rectangle, from (i, j) on. Its first
 * `stored` values are stored, the others are added by the view. */
static void write_line(char *to, const ch_matrix *X, int64_t i, int64_t j, int64_t count,
                       int64_t stored) {
    const chi_shown *s = chi_shown_of(X);
    int by_rows = X->layout == CH_ROW_MAJOR;
    int64_t from = by_rows ? i * s->X.stride + j : i + j * s->X.stride;
    if (stored > 0) write_stored(to, X->type, s, from, stored);
    for (int64_t k = stored; k < count; k++)
        set(to, X->type, k, by_rows ? added(s, i, j + k) : added(s, i + k, j));
}

void *chi_shown_write(void *space, const ch_matrix *X, const chi_part *part) {
    const chi_shown *s = chi_shown_of(X);
    int64_t size = (int64_t)ch_value_type_size(X->type);
    int64_t rows = up_to(part->i, part->rows, s->X.rows),
            cols = up_to(part->j, part->cols, s->X.cols);
    char *to = space;
    if (X->layout == CH_ROW_MAJOR)
        for (int64_t k = 0; k < part->rows; k++)
            write_line(to + k * part->cols * size, X, part->i + k, part->j, part->cols,
                       k < rows ? cols : 0);
    else
        for (int64_t k = 0; k < part->cols; k++)
            write_line(to + k * part->rows * size, X, part->i, part->j + k, part->rows,
                       k < cols ? rows : 0);
    return space;
}

void chi_shown_column(double *x, const chi_shown *s, int64_t j) {
    int64_t rows = s->X.rows;
    if (j < s->X.cols)
        chi_column_gather(x, &s->X, j);
    else
        memcpy(x, s->more + (j - s->X.cols) * rows, (size_t)rows * sizeof *x);
    if (s->rows) x[rows] = s->unit;
    if (!s->clip || j >= s->X.cols) return;
    for (int64_t i = 0; i < rows; i++) x[i] = x[i] < 0 ? 0 : x[i];
}

double chi_shown_at(const chi_shown *s, int64_t i, int64_t j) {
    if (i >= s->X.rows || j >= s->X.cols) return added(s, i, j);
    double value = ch_matrix_at(&s->X, i, j);
    return s->clip && value < 0 ? 0 : value;
}
