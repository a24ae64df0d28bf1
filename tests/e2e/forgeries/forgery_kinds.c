/* The ways to forge a folder. Those that end with folder_restate() are by somebody who knows the
 * format: every number that appears twice is changed twice. */
#include "forgeries.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers and arrays -------------------------------------------------------------------- */

static double other_real(bench *b, double value) {
    double share = pow(10, -(double)below(b, 13));
    switch (below(b, 9)) {
    case 0:
        return 0;
    case 1:
        return -value;
    case 2:
        return value / 2;
    case 3:
        return NAN;
    case 4:
        return INFINITY;
    case 5:
        return value + share;
    case 6:
        return value * (1 - share);
    case 7:
        return 1e300;
    default:
        return value * (1 + share);
    }
}

static int64_t other_integer(bench *b, int64_t value) {
    switch (below(b, 5)) {
    case 0:
        return value + 1;
    case 1:
        return value - 1;
    case 2:
        return -1;
    case 3:
        return below(b, 20);
    default:
        return 1000000000;
    }
}

static int change_real(bench *b, folder *f) {
    ch_anchors_result *r = &f->result;
    int64_t duals = r->dual_start ? r->dual_start[r->cols] : 0;
    struct {
        double *values;
        int64_t count;
    } lists[] = {{r->W, r->rows * r->rank},
                 {r->H, r->rank * r->cols},
                 {r->step_dual, r->dual_rows * r->steps},
                 {r->dual_value, duals},
                 {r->max_residual, r->rank},
                 {r->objective_path, r->objective_path ? r->rank : 0},
                 {r->weights, r->weights ? r->rank : 0}};
    int list = (int)below(b, 7);
    int64_t count = lists[list].values ? lists[list].count : 0;
    if (count == 0) return 0;
    int64_t at = below(b, count), other = below(b, count);
    double *values = lists[list].values;
    if (below(b, 4) == 0) {
        double value = values[at];
        values[at] = values[other];
        values[other] = value;
    } else {
        values[at] = other_real(b, values[at]);
    }
    folder_restate(f, b);
    return 1;
}

static int change_integer(bench *b, folder *f) {
    ch_anchors_result *r = &f->result;
    int64_t *lists[] = {r->anchors, r->step_exterior, r->step_anchor, r->dual_start};
    int64_t counts[] = {r->rank, r->steps, r->steps, r->dual_start ? r->cols + 1 : 0};
    int list = (int)below(b, 4);
    if (!lists[list] || counts[list] == 0) return 0;
    int64_t at = below(b, counts[list]), other = below(b, counts[list]), value = lists[list][at];
    lists[list][at] = below(b, 2) ? other_integer(b, value) : lists[list][other];
    if (below(b, 2)) lists[list][other] = value;
    folder_restate(f, b);
    return 1;
}

/* Made up as if it were measured, or the other way round; counted so, or not. */
static int change_mark(bench *b, folder *f) {
    ch_anchors_result *r = &f->result;
    int64_t count = r->rows * r->rank;
    if (!r->completed_entries || count == 0) return 0;
    unsigned char *mark = &r->completed_entries[below(b, count)];
    *mark = !*mark;
    if (below(b, 2)) r->completed += *mark ? 1 : -1;
    folder_restate(f, b);
    return 1;
}

static int change_number(bench *b, folder *f) {
    ch_anchors_result *r = &f->result;
    double *reals[] = {&r->objective,
                       &r->floor,
                       &r->certificate.gap,
                       &r->certificate.dual_infeasibility,
                       &r->certificate.stationarity,
                       &r->select_objective,
                       &r->select_gap};
    int64_t *integers[] = {&r->unproven,    &r->nonzeros,   &r->duals_checked,
                           &r->duals_valid, &r->iterations, &r->faint,
                           &r->unknown,     &r->incomplete, &r->completed};
    int at = (int)below(b, 18);
    if (at < 7)
        *reals[at] = other_real(b, *reals[at]);
    else if (at < 16)
        *integers[at - 7] = other_integer(b, *integers[at - 7]);
    else if (at < 17)
        r->p_seed += 1 + (uint64_t)below(b, 3);
    else
        r->status = (ch_status)below(b, 6);
    folder_restate(f, b);
    return 1;
}

/* The smart forger keeps the objective true to H. */
static int change_weights(bench *b, folder *f) {
    ch_anchors_result *r = &f->result;
    int64_t j = below(b, r->cols);
    double *h = r->H + j * r->rank, share = pow(10, -(double)below(b, 6));
    for (int64_t k = 0; k < r->rank; k++)
        h[k] = below(b, 2) ? h[k] * (1 + share) : h[k] + share * ch_random_uniform(&b->random);
    folder_take_objective(f, b);
    folder_restate(f, b);
    return 1;
}

/* Any H on an empty column. */
static int fill_empty(bench *b, folder *f) {
    ch_anchors_result *r = &f->result;
    int64_t found = -1;
    for (int64_t j = 0; j < r->cols; j++) {
        double sum = 0;
        for (int64_t i = 0; i < r->rows; i++) sum += ch_matrix_at(&b->input.X, i, j);
        if (sum == 0) found = j;
    }
    if (found < 0) return 0;
    for (int64_t k = 0; k < r->rank; k++) r->H[found * r->rank + k] = ch_random_uniform(&b->random);
    folder_take_objective(f, b);
    folder_restate(f, b);
    return 1;
}

/* Weights that a descent through the anchors in another order ends with: another stationary point,
 * perhaps, where the loss is not convex, and another optimum under l1. */
static int other_descent(bench *b, folder *f) {
    ch_anchors_result *r = &f->result;
    int64_t rank = r->rank, turn = 1 + below(b, rank);
    double *W = malloc((size_t)(r->rows * rank) * sizeof *W);
    double *H = malloc((size_t)(rank * r->cols) * sizeof *H);
    ch_anchors_settings set = f->settings;
    if (r->floor > 0) set.floor = r->floor;
    for (int64_t k = 0; k < rank; k++)
        memcpy(W + k * r->rows, r->W + (k + turn) % rank * r->rows, (size_t)r->rows * sizeof *W);
    int done = ch_project(b->context, H, NULL, &b->input.X, W, rank, &set) == CH_OK;
    for (int64_t j = 0; done && j < r->cols; j++)
        for (int64_t k = 0; k < rank; k++) r->H[(k + turn) % rank + j * rank] = H[k + j * rank];
    free(W);
    free(H);
    folder_take_objective(f, b);
    folder_restate(f, b);
    return done;
}

/* ---- result.json --------------------------------------------------------------------------- */

static json_t *other_value(bench *b, const json_t *value) {
    switch (below(b, 8)) {
    case 0:
        return json_null();
    case 1:
        return json_integer(below(b, 5));
    case 2:
        return json_string("max");
    case 3:
        return json_true();
    case 4:
        return json_real(0.5);
    case 5:
        return json_array();
    case 6:
        return json_integer(-1);
    default:
        break;
    }
    if (json_is_integer(value)) return json_integer(other_integer(b, json_integer_value(value)));
    double changed = other_real(b, json_number_value(value));
    return isfinite(changed) ? json_real(changed) : json_null();
}

/* Goes down to a random leaf and changes it, takes it away or adds another. */
static void change_leaf(bench *b, json_t *at) {
    const char *key, *chosen = NULL;
    json_t *value;
    int64_t left = (int64_t)json_object_size(at);
    if (json_is_array(at) && json_array_size(at) > 0) {
        size_t place = (size_t)below(b, (int64_t)json_array_size(at));
        json_array_set_new(at, place, other_value(b, json_array_get(at, place)));
        return;
    }
    if (left == 0) return;
    int64_t place = below(b, left);
    json_object_foreach(at, key, value) if (place-- == 0) chosen = key;
    value = json_object_get(at, chosen);
    if (json_is_object(value) || (json_is_array(value) && below(b, 4)))
        change_leaf(b, value);
    else if (below(b, 8) == 0)
        json_object_del(at, chosen);
    else
        json_object_set_new(at, chosen, other_value(b, value));
}

static int change_json(bench *b, folder *f) {
    if (below(b, 30) == 0)
        json_object_set_new(f->json, "objective_path", json_array());
    else
        change_leaf(b, f->json);
    return 1;
}

/* What result.json says of an H in parts: file, format, type, counts, rounding, gap. */
static int change_compact(bench *b, folder *f) {
    json_t *h = json_object_get(f->json, "h");
    if (!h) return 0;
    change_leaf(b, h);
    return 1;
}

/* Names of the anchors and of their largest rows: two exchanged, one replaced by a plausible one,
 * or any value. */
static int change_names(bench *b, folder *f) {
    static const char *const lists[] = {"anchor_names", "largest_rows", "largest_row_names"};
    json_t *list = json_object_get(f->json, lists[below(b, 3)]);
    while (json_is_array(json_array_get(list, 0)))
        list = json_array_get(list, (size_t)below(b, (int64_t)json_array_size(list)));
    int64_t size = (int64_t)json_array_size(list);
    if (size == 0) return 0;
    size_t one = (size_t)below(b, size), two = (size_t)below(b, size);
    json_t *first = json_incref(json_array_get(list, one));
    json_t *second = json_incref(json_array_get(list, two));
    char name[2] = {(char)('a' + below(b, b->input.X.cols)), 0};
    switch (below(b, 4)) {
    case 0:
        json_array_set(list, one, second);
        json_array_set(list, two, first);
        break;
    case 1:
        json_array_set_new(list, one,
                           json_is_string(first) ? json_string(name)
                                                 : json_integer(below(b, b->input.X.rows)));
        break;
    case 2:
        json_array_remove(list, one);
        break;
    default:
        json_array_set_new(list, one, other_value(b, first));
    }
    json_decref(first);
    json_decref(second);
    return 1;
}

/* ---- order --------------------------------------------------------------------------------- */

static void swap_doubles(double *a, double *b, int64_t count, int64_t stride) {
    for (int64_t i = 0; i < count; i++) {
        double value = a[i * stride];
        a[i * stride] = b[i * stride];
        b[i * stride] = value;
    }
}

static int swap_anchors(bench *b, folder *f) {
    ch_anchors_result *r = &f->result;
    int64_t k = below(b, r->rank), l = below(b, r->rank), a = r->anchors[k], c = r->anchors[l];
    if (k == l) return 0;
    r->anchors[k] = c;
    r->anchors[l] = a;
    swap_doubles(r->W + k * r->rows, r->W + l * r->rows, r->rows, 1);
    swap_doubles(r->H + k, r->H + l, r->cols, r->rank);
    int follow = below(b, 2) != 0;
    for (int64_t s = 0; follow && s < r->steps; s++)
        r->step_anchor[s] = r->step_anchor[s] == a   ? c
                            : r->step_anchor[s] == c ? a
                                                     : r->step_anchor[s];
    folder_restate(f, b);
    return 1;
}

static int swap_steps(bench *b, folder *f) {
    ch_anchors_result *r = &f->result;
    if (r->steps < 2) return 0;
    int64_t s = below(b, r->steps), t = below(b, r->steps), value = r->step_exterior[s];
    r->step_exterior[s] = r->step_exterior[t];
    r->step_exterior[t] = value;
    if (below(b, 2)) {
        value = r->step_anchor[s];
        r->step_anchor[s] = r->step_anchor[t];
        r->step_anchor[t] = value;
    }
    swap_doubles(r->step_dual + s * r->dual_rows, r->step_dual + t * r->dual_rows, r->dual_rows, 1);
    folder_restate(f, b);
    return 1;
}

static int drop_step(bench *b, folder *f) {
    if (f->result.steps < 1) return 0;
    f->result.steps--;
    folder_restate(f, b);
    return 1;
}

static int drop_anchor(bench *b, folder *f) {
    if (f->result.rank < 2) return 0;
    f->result.rank--;
    if (f->result.steps > 0) f->result.steps--;
    if (below(b, 2)) f->settings.rank = f->result.rank;
    folder_refit(f, b);
    return 1;
}

/* ---- settings ------------------------------------------------------------------------------ */

static void other_settings(bench *b, ch_anchors_settings *set) {
    static const char *const words[] = {"loss=l1",
                                        "loss=l2",
                                        "loss=kl",
                                        "loss=is",
                                        "loss=beta beta=0.5",
                                        "loss=logistic",
                                        "reverse=1",
                                        "reverse=0",
                                        "exterior=max",
                                        "exterior=rand",
                                        "exterior=share",
                                        "exterior=balanced",
                                        "exterior=dist",
                                        "first=paper",
                                        "first=reselect",
                                        "dual=paper",
                                        "dual=exact",
                                        "seed=1",
                                        "seed=2",
                                        "floor=0.001",
                                        "floor=0.1",
                                        "floor=-1",
                                        "method=spa",
                                        "method=xray",
                                        "tol=1e-3",
                                        "tol=1e-12",
                                        "stop=0.3",
                                        "exterior=greedy",
                                        "rank=0",
                                        "path=1",
                                        "path=0",
                                        "plain=1",
                                        "method=smrs",
                                        "method=fgnsr",
                                        "method=snpa",
                                        "method=random-spa",
                                        "tries=4",
                                        "neighbours=1",
                                        "projection=cd",
                                        "eager=1",
                                        "faint=0.5",
                                        "faint=0",
                                        "faint=0.29",
                                        "faint=0.9",
                                        "faint=1e-9",
                                        "negative=clip",
                                        "hull=cone",
                                        "hull=convex",
                                        "hull=convex0",
                                        "library-only=1",
                                        "library-only=0",
                                        "beta=1.5",
                                        "method=hottopixx"};
    int64_t count = sizeof words / sizeof *words;
    if (below(b, 8) == 0)
        set->rank = 1 + below(b, 5);
    else
        ch_settings_set_words(b->context, ch_anchors_table(), set, words[below(b, count)]);
}

static int change_setting(bench *b, folder *f) {
    other_settings(b, &f->settings);
    folder_restate(f, b);
    return 1;
}

static int change_kept(bench *b, folder *f) {
    ch_anchors_settings *set = &f->settings;
    if (set->keep_count == 0 || below(b, 2)) {
        set->keep_count = set->keep_count ? set->keep_count - 1 : 1;
        f->keep[0] = below(b, 2) ? f->result.anchors[0] : below(b, f->result.cols);
    } else {
        f->keep[below(b, set->keep_count)] = below(b, f->result.cols);
    }
    for (int64_t s = 0; below(b, 2) && s < set->keep_count && s < f->result.steps; s++)
        f->result.step_exterior[s] = -1;
    folder_restate(f, b);
    return 1;
}

/* The honest folder of other settings, declared to be of these. */
static int declare(bench *b, folder *f) {
    folder other;
    ch_anchors_settings set = f->settings;
    set.keep = f->keep;
    for (int64_t n = 1 + below(b, 2); n > 0; n--) other_settings(b, &set);
    int duals = f->result.dual_start != NULL;
    if (!folder_find(&other, b, &set) || (other.result.dual_start != NULL) != duals || duals) {
        folder_free(&other);
        return 0;
    }
    ch_anchors_settings stated = f->settings;
    if (below(b, 2)) other.result.floor = f->result.floor;
    if (below(b, 2)) stated.rank = other.result.rank;
    folder_free(f);
    *f = other;
    f->settings = stated;
    memcpy(f->keep, b->honest.keep, sizeof f->keep);
    folder_restate(f, b);
    return 1;
}

/* ---- anchors that were never legal choices ------------------------------------------------- */

static void random_anchors(bench *b, folder *f, int64_t first) {
    ch_anchors_result *r = &f->result;
    for (int64_t k = first; k < r->rank; k++) {
        int64_t e = 0;
        r->anchors[k] = below(b, r->cols + r->library);
        while (e < k && r->anchors[e] != r->anchors[k]) e++;
        if (e < k) k--;
    }
}

/* The steps of the anchors, in order, one more by re-selection if there was one. */
static void steps_of_anchors(folder *f) {
    ch_anchors_result *r = &f->result;
    int64_t given = f->settings.keep_count;
    for (int64_t s = 0; s < r->steps; s++)
        r->step_anchor[s] = r->anchors[s < r->rank ? s : given < r->rank ? given : 0];
}

static void flat_dual(const bench *b, folder *f, int64_t s, int64_t exterior) {
    ch_anchors_result *r = &f->result;
    ch_random p;
    (void)b;
    ch_random_seed(&p, r->p_seed);
    int hull = r->dual_rows > r->rows; /* p is the lifted row */
    for (int64_t i = 0; i < r->dual_rows; i++)
        r->step_dual[s * r->dual_rows + i] =
            hull ? i == r->rows : (1 + 1e-5 * ch_random_uniform(&p)) / (1 + 1e-5);
    r->step_exterior[s] = exterior;
}

/* D = p / max p for all steps: every column maximises. */
static int flat_duals(bench *b, folder *f) {
    ch_anchors_result *r = &f->result;
    int64_t exterior = below(b, r->cols), first = below(b, r->rank);
    if (r->steps == 0) return 0;
    random_anchors(b, f, first);
    steps_of_anchors(f);
    for (int64_t s = below(b, 2) ? 0 : first; s < r->steps; s++) flat_dual(b, f, s, exterior);
    folder_refit(f, b);
    return 1;
}

/* One dual for several steps, that of the first or the exterior column itself. */
static int shared_duals(bench *b, folder *f) {
    ch_anchors_result *r = &f->result;
    if (r->steps < 2) return 0;
    int64_t from = below(b, r->steps), first = below(b, r->rank);
    if (below(b, 2)) random_anchors(b, f, first);
    steps_of_anchors(f);
    int64_t exterior = r->step_exterior[from] < 0 ? below(b, r->cols) : r->step_exterior[from];
    for (int64_t s = 0; s < r->steps; s++) {
        if (s != from)
            memcpy(r->step_dual + s * r->dual_rows, r->step_dual + from * r->dual_rows,
                   (size_t)r->dual_rows * sizeof(double));
        r->step_exterior[s] = exterior;
    }
    for (int64_t i = 0; below(b, 2) && i < r->rows; i++)
        for (int64_t s = 0; s < r->steps; s++)
            r->step_dual[s * r->dual_rows + i] = ch_matrix_at(&b->input.X, i, exterior);
    folder_refit(f, b);
    return 1;
}

/* Another set of anchors with an honest fit, and the steps as they were or adapted. */
static int other_anchors(bench *b, folder *f) {
    random_anchors(b, f, below(b, f->result.rank));
    if (below(b, 2)) steps_of_anchors(f);
    folder_refit(f, b);
    return 1;
}

static int halve_residual(bench *b, folder *f) {
    f->result.max_residual[below(b, f->result.rank)] /= 2;
    folder_restate(f, b);
    return 1;
}

const forgery forgeries[] = {
    {"a real of an array", change_real},
    {"an integer of an array", change_integer},
    {"a number of the result", change_number},
    {"a mark of a completed entry", change_mark},
    {"weights of a column", change_weights},
    {"weights of an empty column", fill_empty},
    {"weights of another descent", other_descent},
    {"a value of result.json", change_json},
    {"what is said of H in parts", change_compact},
    {"a name of an anchor or a row", change_names},
    {"order of the anchors", swap_anchors},
    {"order of the steps", swap_steps},
    {"a step less", drop_step},
    {"an anchor less", drop_anchor},
    {"a setting", change_setting},
    {"anchors given in advance", change_kept},
    {"the folder of other settings", declare},
    {"duals that all columns maximise", flat_duals},
    {"a dual for several steps", shared_duals},
    {"other anchors", other_anchors},
    {"a residual on the way", halve_residual},
};
const int forgery_count = sizeof forgeries / sizeof *forgeries;
