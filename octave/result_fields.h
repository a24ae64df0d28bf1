/* The fields of a ch_anchors_result that bindings copy, out and back in: name, kind, rows, columns.
 *
 *     #define FIELD(name, kind, rows, cols) ...
 *     RESULT_FIELDS(FIELD)
 *
 * Kinds: FIELD_INT (int64_t), FIELD_REAL and FIELD_CODE (int) are numbers; FIELD_INTS (int64_t),
 * FIELD_SHORTS (int32_t), FIELD_BYTES and FIELD_REALS (double) are arrays of rows x cols,
 * column-major, NULL where a run has none. Numbers stand first: lengths follow from them. */
#pragma once

#include <conehull/anchors.h>

typedef enum field_kind {
    FIELD_INT,
    FIELD_REAL,
    FIELD_CODE,
    FIELD_INTS, /* arrays from here on */
    FIELD_SHORTS,
    FIELD_BYTES,
    FIELD_REALS
} field_kind;
typedef enum field_length {
    ONE,
    OF_ROWS,
    OF_COLS,
    OF_RANK,
    OF_STEPS,
    OF_DUAL_ROWS,
    OF_STARTS, /* columns + 1                   */
    OF_DUALS,  /* dual_start[columns]           */
    OF_HALVES  /* two for each round of refine  */
} field_length;

#define RESULT_FIELDS(F)                                            \
    F(rows, FIELD_INT, ONE, ONE)                                    \
    F(cols, FIELD_INT, ONE, ONE)                                    \
    F(rank, FIELD_INT, ONE, ONE)                                    \
    F(steps, FIELD_INT, ONE, ONE)                                   \
    F(dual_rows, FIELD_INT, ONE, ONE)                               \
    F(refined_rounds, FIELD_INT, ONE, ONE)                          \
    F(iterations, FIELD_INT, ONE, ONE)                              \
    F(projections, FIELD_INT, ONE, ONE)                             \
    F(pivots, FIELD_INT, ONE, ONE)                                  \
    F(unproven, FIELD_INT, ONE, ONE)                                \
    F(duals_checked, FIELD_INT, ONE, ONE)                           \
    F(duals_valid, FIELD_INT, ONE, ONE)                             \
    F(p_seed, FIELD_INT, ONE, ONE)                                  \
    F(nonzeros, FIELD_INT, ONE, ONE)                                \
    F(faint, FIELD_INT, ONE, ONE)                                   \
    F(clipped, FIELD_INT, ONE, ONE)                                 \
    F(refined_unproven, FIELD_INT, ONE, ONE)                        \
    F(library, FIELD_INT, ONE, ONE)                                 \
    F(unknown, FIELD_INT, ONE, ONE)                                 \
    F(incomplete, FIELD_INT, ONE, ONE)                              \
    F(completed, FIELD_INT, ONE, ONE)                               \
    F(zero_weights, FIELD_INT, ONE, ONE)                            \
    F(empty_anchors, FIELD_INT, ONE, ONE)                           \
    F(lonely_anchors, FIELD_INT, ONE, ONE)                          \
    F(lonely_column, FIELD_INT, ONE, ONE)                           \
    F(mean_shared, FIELD_REAL, ONE, ONE)                            \
    F(measured, FIELD_CODE, ONE, ONE)                               \
    F(warnings, FIELD_CODE, ONE, ONE)                               \
    F(unexplained, FIELD_REAL, ONE, ONE)                            \
    F(select_objective, FIELD_REAL, ONE, ONE)                       \
    F(select_gap, FIELD_REAL, ONE, ONE)                             \
    F(objective, FIELD_REAL, ONE, ONE)                              \
    F(floor, FIELD_REAL, ONE, ONE)                                  \
    F(clipped_mass, FIELD_REAL, ONE, ONE)                           \
    F(refined_objective, FIELD_REAL, ONE, ONE)                      \
    F(seconds_select, FIELD_REAL, ONE, ONE)                         \
    F(seconds_project, FIELD_REAL, ONE, ONE)                        \
    F(certificate.gap, FIELD_REAL, ONE, ONE)                        \
    F(certificate.dual_infeasibility, FIELD_REAL, ONE, ONE)         \
    F(certificate.stationarity, FIELD_REAL, ONE, ONE)               \
    F(refined_certificate.gap, FIELD_REAL, ONE, ONE)                \
    F(refined_certificate.dual_infeasibility, FIELD_REAL, ONE, ONE) \
    F(refined_certificate.stationarity, FIELD_REAL, ONE, ONE)       \
    F(anchors, FIELD_INTS, OF_RANK, ONE)                            \
    F(max_residual, FIELD_REALS, OF_RANK, ONE)                      \
    F(objective_path, FIELD_REALS, OF_RANK, ONE)                    \
    F(weights, FIELD_REALS, OF_RANK, ONE)                           \
    F(W, FIELD_REALS, OF_ROWS, OF_RANK)                             \
    F(H, FIELD_REALS, OF_RANK, OF_COLS)                             \
    F(step_exterior, FIELD_INTS, OF_STEPS, ONE)                     \
    F(step_anchor, FIELD_INTS, OF_STEPS, ONE)                       \
    F(step_dual, FIELD_REALS, OF_DUAL_ROWS, OF_STEPS)               \
    F(dual_start, FIELD_INTS, OF_STARTS, ONE)                       \
    F(dual_row, FIELD_SHORTS, OF_DUALS, ONE)                        \
    F(dual_value, FIELD_REALS, OF_DUALS, ONE)                       \
    F(completed_entries, FIELD_BYTES, OF_ROWS, OF_RANK)             \
    F(refined_W, FIELD_REALS, OF_ROWS, OF_RANK)                     \
    F(refined_H, FIELD_REALS, OF_RANK, OF_COLS)                     \
    F(refined_path, FIELD_REALS, OF_HALVES, ONE)                    \
    F(refined_angle, FIELD_REALS, OF_RANK, ONE)

typedef struct result_field {
    const char *name; /* a point in it becomes _ for the caller */
    field_kind kind;
    field_length rows, cols;
    size_t at;
} result_field;

#define RESULT_FIELD_ROW(name, kind, rows, cols) \
    {#name, kind, rows, cols, offsetof(ch_anchors_result, name)},

static inline int64_t field_length_of(const ch_anchors_result *result, field_length length) {
    switch (length) {
    case ONE:
        return 1;
    case OF_ROWS:
        return result->rows;
    case OF_COLS:
        return result->cols;
    case OF_RANK:
        return result->rank;
    case OF_STEPS:
        return result->steps;
    case OF_DUAL_ROWS:
        return result->dual_rows;
    case OF_STARTS:
        return result->cols + 1;
    case OF_DUALS:
        return result->dual_start ? result->dual_start[result->cols] : 0;
    case OF_HALVES:
        return 2 * result->refined_rounds;
    }
    return 0;
}

/* Bytes of one of its values. */
static inline size_t field_size(field_kind kind) {
    return kind == FIELD_CODE || kind == FIELD_SHORTS ? 4 : kind == FIELD_BYTES ? 1 : 8;
}

/* The name as a caller's struct or list has it. */
static inline void field_name(char to[static 64], const result_field *field) {
    size_t i = 0;
    for (; field->name[i] && i < 63; i++) to[i] = field->name[i] == '.' ? '_' : field->name[i];
    to[i] = '\0';
}
