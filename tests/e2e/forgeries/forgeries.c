/* A search for forgeries: folders of honest runs are changed in one or two ways and given to what
 * `conehull verify` is made of. One that is accepted must be, number by number and up to the
 * tolerance, what an honest run of its settings finds; anything else is a forgery, and a failure.
 *
 *     forgeries COUNT [SEED]
 *
 * spreads COUNT changed folders over the problems below: every loss, both directions, anchors given
 * in advance, ties, empty columns, all rules and methods. */
#include "forgeries.h"
#include "common/message.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 7, COLS = 14, KNOWN = 5 };

static const problem problems[] = {
    {"loss=l1 rank=4", 0, "n"},
    {"loss=l1 rank=4", 1, "s"},
    {"loss=l1 rank=4 exterior=rand", 0, "n"},
    {"loss=l1 rank=3 dual=paper", 0, "s"},
    {"loss=l1 rank=4 exterior=share", 0, "n"},
    {"loss=l1 rank=3 exterior=share hull=convex0 faint=0.3", 0, "s"},
    {"loss=kl rank=3 exterior=share", 0, "s"},
    {"loss=l1 rank=4 exterior=balanced", 0, "n"},
    {"loss=quantile:0.3 rank=3 exterior=balanced hull=convex0 faint=0.3", 0, "s"},
    {"loss=is rank=3 exterior=balanced", 0, "n"},
    {"loss=quantile:0.2 rank=4", 0, "n"},
    {"loss=quantile:0.2 rank=4", 0, "s"},
    {"loss=quantile:0.7 rank=3 hull=convex0", 1, "s"},
    {"loss=l1 rank=4 first=paper", 0, "t"},
    {"loss=l1 rank=0", 0, "n"},
    {"loss=l1 rank=4 projection=admm", 0, "n"},
    {"loss=l2 rank=4", 0, "n"},
    {"loss=l2 rank=4", 2, "s"},
    {"loss=l2 rank=3 faint=0.5", 0, "s"},
    {"loss=l1 rank=3 faint=0.3", 0, "n"},
    {"loss=l2 rank=4", 0, "t"},
    {"loss=l1 rank=4 hull=convex", 0, "n"},
    {"loss=l1 rank=3 hull=convex0", 1, "s"},
    {"loss=l2 rank=3 hull=convex", 0, "s"},
    {"loss=l2 rank=4 hull=convex0 exterior=rand", 0, "n"},
    {"loss=kl rank=3 hull=convex", 0, "s"},
    {"loss=kl rank=3 hull=convex0 reverse=1", 0, "n"},
    {"loss=is rank=3 hull=convex0", 0, "n"},
    {"loss=l1 rank=3 hull=convex0 faint=0.3 method=xray", 0, "n"},
    {"loss=l1 rank=3 hull=convex method=spa", 0, "s"},
    {"loss=l2 rank=4 exterior=dist", 0, "n"},
    {"loss=l2 rank=4 exterior=greedy", 0, "n"},
    {"loss=l2 rank=3 path=1", 0, "n"},
    {"loss=l2 rank=4 projection=cd", 0, "s"},
    {"loss=kl rank=4", 0, "s"},
    {"loss=kl rank=4 reverse=1", 0, "s"},
    {"loss=kl rank=4", 1, "t"},
    {"loss=is rank=3", 0, "s"},
    {"loss=is rank=3 reverse=1", 0, "n"},
    {"loss=beta beta=0.5 rank=3", 0, "s"},
    {"loss=beta beta=0.5 rank=3 reverse=1", 1, "n"},
    {"loss=beta beta=1.5 rank=4", 0, "s"},
    {"loss=beta beta=1.5 rank=4 reverse=1 exterior=rand", 0, "s"},
    {"loss=beta beta=2 rank=4", 0, "n"},
    {"loss=logistic rank=3", 0, "s"},
    {"loss=logistic rank=3 reverse=1", 0, "n"},
    {"loss=kl rank=3 floor=0.01", 0, "s"},
    {"loss=l1 rank=3 method=spa", 0, "s"},
    {"loss=l2 rank=3 method=hottopixx", 0, "n"},
    {"loss=l1 rank=3 method=hottopixx largest=1", 0, "n"},
    {"loss=l2 rank=3 method=fgnsr", 0, "n"},
    {"loss=l1 rank=3 method=smrs", 0, "n"},
    {"loss=l2 rank=3 method=snpa", 0, "n"},
    {"loss=l1 rank=3 method=pspa", 0, "n"},
    {"loss=l1 rank=3 method=smoothed-spa neighbours=2", 0, "s"},
    {"loss=l2 rank=3 method=random-spa tries=3", 0, "n"},
    {"loss=l1 rank=4", 20, "n"},
    {"loss=l2 rank=4 hull=convex0", 21, "n"},
    {"loss=l1 rank=3 library-only=1", 10 * KNOWN, "n"},
    {"loss=l2 rank=3 library-only=1 faint=0.3", 10 * KNOWN, "s"},
    {"loss=kl rank=3 library-only=1 hull=convex", 10 * KNOWN, "n"},
    {"loss=l1 rank=3", 0, "nr"},
    {"loss=l2 rank=3", 0, "src"},
    {"loss=l1 rank=3 missing=nan", 0, "nn"},
    {"loss=l2 rank=3 missing=nan max-missing=0.3", 0, "nnr"},
    {"loss=l1 rank=3", 0, "smc"},
    {"loss=kl rank=3", 0, "nm"},
    {"loss=is rank=3", 0, "nm"},
    {"loss=l1 rank=3", 0, "nw"},
    {"loss=l2 rank=3", 1, "nwrc"},
    {"loss=l1 rank=3 hull=convex", 0, "nm"},
    {"loss=l2 rank=3 hull=convex0", 0, "nm"},
    {"loss=quantile:0.3 rank=3", 0, "nmr"},
    {"loss=l1 rank=4", 20, "nm"},
    {"loss=l2 rank=4", 20, "nwrc"},
    {"loss=kl rank=3 library-only=1", 10 * KNOWN, "nmc"},
    {"loss=l1 rank=4", 0, "nf"},
    {"loss=l2 rank=4", 0, "sfz"},
    {"loss=kl rank=3", 0, "sf"},
    {"loss=l1 rank=3", 0, "sz"},
    {"loss=l1 rank=4", 0, "nb"},
    {"loss=l2 rank=3", 1, "szb"},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* ---- problems ------------------------------------------------------------------------------ */

/* Mixtures of four columns, between 0 and 1; 't': of small integers, so that scores tie. */
static void draw(double *values, ch_random *random, char data) {
    double corner[4 * ROWS], mix[4];
    for (int i = 0; i < 4 * ROWS; i++) {
        double u = ch_random_uniform(random);
        corner[i] = data == 't' ? floor(4 * u) / 8 : data == 's' && u < 0.5 ? 0 : u * u;
    }
    for (int j = 0; j < COLS; j++) {
        double sum = 0;
        for (int k = 0; k < 4; k++) sum += mix[k] = floor(4 * ch_random_uniform(random));
        for (int i = 0; i < ROWS; i++) {
            double x = 0;
            for (int k = 0; k < 4; k++)
                x += j < 4 ? (k == j) * corner[i + k * ROWS]
                           : mix[k] * corner[i + k * ROWS] / fmax(1, sum);
            if (data == 'n') x += 0.1 * ch_random_uniform(random);
            values[i + j * ROWS] = data == 's' && j == COLS / 2 ? 0 : fmin(x, 1);
        }
    }
}

/* Mixtures of columns of the data, brighter than those. */
static void draw_library(double *known, const double *values, ch_random *random) {
    for (int k = 0; k < KNOWN; k++) {
        double share = ch_random_uniform(random);
        for (int i = 0; i < ROWS; i++)
            known[i + k * ROWS] =
                0.01 + 1.5 * (share * values[i + k * ROWS] + (1 - share) * values[i + 8 * ROWS]);
    }
}

/* One entry of six is missing, the others count between a half and two. */
static void draw_trust(bench *b, double *values, const char *trust) {
    static double entries[ROWS * COLS], rows[ROWS], columns[COLS];
    for (int i = 0; i < ROWS; i++) rows[i] = 0.5 + ch_random_uniform(&b->random);
    for (int j = 0; j < COLS; j++) columns[j] = 0.5 + ch_random_uniform(&b->random);
    for (int e = 0; e < ROWS * COLS; e++) {
        double u = ch_random_uniform(&b->random);
        entries[e] = u < 1.0 / 6 ? 0 : strchr(trust, 'w') ? 0.5 + 1.5 * u : 1;
        if (entries[e] == 0 && strchr(trust, 'n')) values[e] = NAN;
    }
    b->entries = (ch_matrix){.rows = ROWS, .cols = COLS, .values = entries, .stride = ROWS};
    if (strchr(trust, 'r')) b->row_weights = rows;
    if (strchr(trust, 'c')) b->column_weights = columns;
}

static void name_all(bench *b) {
    static const char *names[COLS] = {"a", "b", "c", "d", "e", "f", "g",
                                      "h", "i", "j", "k", "l", "m", "n"};
    b->input.names.of.columns = (ch_text_list){COLS, names, NULL};
    b->input.names.of.rows = (ch_text_list){ROWS, names, NULL};
}

/* How much entry (i, j) counts. */
static double weight_of(const bench *b, int64_t i, int64_t j) {
    double weight = isnan(ch_matrix_at(&b->input.X, i, j)) ? 0 : 1;
    if (b->row_weights) weight *= b->row_weights[i];
    if (b->column_weights) weight *= b->column_weights[j];
    if (strpbrk(trust_of(b->of), "wm")) weight *= ch_matrix_at(&b->entries, i, j);
    return weight;
}

static int open_bench(bench *b, const problem *of, uint64_t seed, const char *path) {
    static double values[ROWS * COLS], known[ROWS * KNOWN];
    ch_anchors_settings set;
    *b = (bench){.of = of, .path = path, .honest.json = NULL};
    if (ch_context_create(&b->context, NULL) != CH_OK) return 0;
    ch_context_set_threads(b->context, 1);
    static char note[CLI_NOTE];
    b->session.context = b->context;
    b->session.note = note;
    b->session.options.command = "verify";
    b->session.options.operands[0] = "X";
    b->session.options.operands[1] = path;
    b->session.options.operand_names[0] = "INPUT";
    b->session.options.operand_names[1] = "DIR";
    ch_random_seed(&b->random, seed);
    draw(values, &b->random, of->data[0]);
    b->input = (cli_input){.file = "X", .cols = COLS};
    ch_matrix dense = {.rows = ROWS, .cols = COLS, .values = values};
    if (ch_matrix_borrow(b->context, &b->input.X, &dense) != CH_OK) return 0;
    for (int i = 0; i < ROWS * COLS; i++) b->scale += fmax(1, values[i]);
    if (trust_of(of)[0]) draw_trust(b, values, trust_of(of));
    if (strchr(trust_of(of), 'b')) name_all(b);
    if (library_of(of)) {
        ch_matrix library = {.rows = ROWS, .cols = library_of(of), .values = known};
        draw_library(known, values, &b->random);
        if (ch_matrix_borrow(b->context, &b->library, &library) != CH_OK) return 0;
    }
    ch_anchors_defaults(&set);
    if (library_of(of)) set.library = &b->library;
    if (ch_settings_set_words(b->context, ch_anchors_table(), &set, of->words) != CH_OK) return 0;
    int64_t keep[MOST_KEPT] = {1, 9};
    set.keep = keep;
    set.keep_count = of->given % 10;
    return folder_find(&b->honest, b, &set);
}

static void close_bench(bench *b) {
    folder_free(&b->honest);
    ch_matrix_free(b->context, &b->input.X);
    ch_context_destroy(b->context);
}

/* The first of some data whose answer is proven; the others are not accepted, as their status says,
 * and show nothing. */
static int open_proven(bench *b, const problem *of, uint64_t seed, const char *path) {
    enum { TRIES = 20, APART = 1000 };
    for (uint64_t n = 0; n < TRIES; n++) {
        if (!open_bench(b, of, seed + n * APART, path)) return 0;
        if (b->honest.result.status != CH_STOP_INACCURATE || n == TRIES - 1) break;
        close_bench(b);
    }
    return 1;
}

/* ---- what verify says ---------------------------------------------------------------------- */

/* 1: accepted. stored is freed by the caller. */
static int accepts(const bench *b, cli_stored *stored, ch_verification *found) {
    *found = (ch_verification){.size = sizeof *found};
    if (cli_stored_read(stored, &b->session, b->path, 0) != 0) return 0;
    if (stored->settings.select_only) return 0;
    if (library_of(b->of)) stored->settings.library = &b->library;
    bench_trust(b, &stored->settings);
    return cli_stored_verify(found, stored, &b->session, &b->input) == 0 && found->ok;
}

/* ---- what is true -------------------------------------------------------------------------- */

static int near_enough(double claimed, double truth, double slack) {
    if (isnan(claimed) || isnan(truth)) return isnan(claimed) && isnan(truth);
    return fabs(claimed - truth) <= slack + 1e-8 * fabs(truth);
}

static int same_list(const int64_t *a, const int64_t *b, int64_t count) {
    return count == 0 || !memcmp(a, b, (size_t)count * sizeof *a);
}

/* (W H)_ij */
static double model(const ch_anchors_result *r, int64_t i, int64_t j) {
    double y = 0;
    for (int64_t k = 0; k < r->rank; k++) y += r->W[i + k * r->rows] * r->H[k + j * r->rank];
    return y;
}

static double loss_at(const ch_anchors_settings *set, double r) {
    double skew = set->loss == CH_LOSS_QUANTILE ? 1 - 2 * set->quantile : 0;
    return set->loss == CH_LOSS_L1 || skew != 0 ? fabs(r) - skew * r : r * r;
}

/* Is H as good as the honest one? By its loss under l1, quantile and l2; the others are curved, so
 * that W H itself cannot differ by more than the root of the tolerance. */
static int fits_alike(const bench *b, const ch_anchors_result *claimed,
                      const ch_anchors_result *truth, const ch_anchors_settings *set) {
    double sums[2] = {0, 0}, most = 0;
    for (int64_t j = 0; j < truth->cols; j++)
        for (int64_t i = 0; i < truth->rows; i++) {
            double x = ch_matrix_at(&b->input.X, i, j), y = model(claimed, i, j),
                   z = model(truth, i, j);
            double weight = weight_of(b, i, j);
            if (weight == 0) continue;
            sums[0] += weight * loss_at(set, x - y);
            sums[1] += weight * loss_at(set, x - z);
            most = fmax(most, fabs(y - z));
        }
    if (set->loss == CH_LOSS_L1 || set->loss == CH_LOSS_QUANTILE || set->loss == CH_LOSS_L2)
        return near_enough(sums[0], sums[1], 4 * set->tol * b->scale);
    return most <= 50 * sqrt(set->tol);
}

/* What differs from the honest result of the same settings; NULL: nothing. */
static const char *difference(const ch_anchors_result *claimed, const ch_anchors_result *truth,
                              double tol, double scale) {
    double slack = 4 * fmax(tol, 1e-12) * scale;
    if (claimed->rank != truth->rank) return "rank";
    if (!same_list(claimed->anchors, truth->anchors, truth->rank)) return "anchors";
    if (claimed->steps != truth->steps) return "steps";
    if (!same_list(claimed->step_anchor, truth->step_anchor, truth->steps)) return "step_anchor";
    if (!same_list(claimed->step_exterior, truth->step_exterior, truth->steps))
        return "step_exterior";
    if (truth->steps && claimed->p_seed != truth->p_seed) return "p_seed";
    if (!near_enough(claimed->objective, truth->objective, slack)) return "objective";
    if (!near_enough(claimed->floor, truth->floor, 0)) return "floor";
    if (claimed->nonzeros != truth->nonzeros) return "nonzeros";
    if (claimed->unproven != truth->unproven) return "unproven";
    if (claimed->faint != truth->faint) return "faint";
    if (claimed->unknown != truth->unknown) return "unknown";
    if (claimed->incomplete != truth->incomplete) return "incomplete";
    if (claimed->completed != truth->completed) return "completed";
    if (!claimed->completed_entries != !truth->completed_entries) return "completed_entries";
    if (truth->completed_entries && memcmp(claimed->completed_entries, truth->completed_entries,
                                           (size_t)(truth->rows * truth->rank)) != 0)
        return "completed_entries";
    if (claimed->status != truth->status) return "status";
    if (!near_enough(claimed->certificate.gap, truth->certificate.gap, 2 * tol)) return "gap";
    for (int64_t k = 0; k < truth->rank; k++) {
        if (!near_enough(claimed->max_residual[k], truth->max_residual[k], 1e-5))
            return "max_residual";
        if (!claimed->objective_path != !truth->objective_path) return "objective_path";
        if (truth->objective_path &&
            !near_enough(claimed->objective_path[k], truth->objective_path[k], slack))
            return "objective_path";
    }
    for (int64_t s = 0; s < truth->steps; s++) {
        const double *a = claimed->step_dual + s * truth->dual_rows,
                     *b = truth->step_dual + s * truth->dual_rows;
        double size = 0;
        for (int64_t i = 0; i < truth->dual_rows; i++) size = fmax(size, fabs(b[i]));
        for (int64_t i = 0; i < truth->dual_rows; i++)
            if (!near_enough(a[i], b[i], 1e-8 * size)) return "step_dual";
    }
    return NULL;
}

static int64_t weights_in(const ch_anchors_result *r) {
    int64_t count = 0;
    for (int64_t e = 0; e < r->rank * r->cols; e++) count += r->H[e] != 0;
    return count;
}

/* What result.json says of an H in parts, and names; names that verify reports as unchecked may be
 * any. The number of weights is that of the H in the folder: one as good as the honest H may have a
 * tiny weight where the other has none. The gap is that of the certificate and what rounding adds,
 * so it has the certificate's slack. */
static const char *said_wrongly(const cli_stored *stored, const json_t *truth) {
    static const char *const lists[] = {"anchor_names", "largest_rows", "largest_row_names"};
    const json_t *claimed = json_object_get(stored->json, "h");
    const char *key;
    json_t *value, *h = json_object_get(truth, "h");
    if (!claimed != !h) return "h";
    json_object_foreach(h, key, value) {
        const json_t *other = json_object_get(claimed, key);
        if (strcmp(key, "nonzeros") == 0) {
            if (json_integer_value(other) != weights_in(&stored->result)) return key;
            continue;
        }
        double real = json_number_value(value);
        double slack = 1e-5 * fabs(real) + (strcmp(key, "gap") == 0 ? 2 * stored->settings.tol : 0);
        if (!json_is_real(value) ? !json_equal(value, other)
                                 : !near_enough(json_number_value(other), real, slack))
            return key;
    }
    for (int k = 0; k < 3; k++) {
        const json_t *list = json_object_get(stored->json, lists[k]);
        if (list && stored->names == CLI_NAMES_CHECKED &&
            !json_equal(list, json_object_get(truth, lists[k])))
            return lists[k];
    }
    return NULL;
}

static const char *is_forged(const bench *b, const cli_stored *stored) {
    folder truth;
    if (!folder_find(&truth, b, &stored->settings)) {
        folder_free(&truth);
        return "settings that no run has";
    }
    const char *what = difference(&stored->result, &truth.result, stored->settings.tol, b->scale);
    if (!what) what = said_wrongly(stored, truth.json);
    if (!what && !fits_alike(b, &stored->result, &truth.result, &stored->settings)) what = "H";
    folder_free(&truth);
    return what;
}

/* ---- the search ---------------------------------------------------------------------------- */

typedef struct tally {
    int64_t tried, accepted, forged;
} tally;

static void try_one(bench *b, tally *t) {
    folder f = folder_copy(&b->honest);
    cli_stored stored;
    ch_verification found;
    int ways = 1 + (below(b, 4) == 0), done = 0;
    const char *names[2] = {"", ""};
    while (done < ways) {
        const forgery *way = &forgeries[below(b, forgery_count)];
        if (way->apply(b, &f)) names[done++] = way->name;
    }
    folder_write(&f, b);
    t->tried++;
    if (accepts(b, &stored, &found)) {
        const char *what = is_forged(b, &stored);
        t->accepted++;
        if (what) {
            t->forged++;
            fprintf(stderr, "accepted: %s, %s changed by: %s; %s\n", b->of->words, what, names[0],
                    names[1]);
        }
    }
    cli_stored_free(&stored, &b->session);
    folder_free(&f);
}

/* Honest folders must be accepted, or the search shows nothing. */
static int honest_holds(const bench *b) {
    cli_stored stored;
    ch_verification found;
    folder_write(&b->honest, b);
    int good = accepts(b, &stored, &found);
    const char *what = good ? is_forged(b, &stored) : found.why;
    if (!good || what) fprintf(stderr, "%s: the honest folder: %s\n", b->of->words, what);
    cli_stored_free(&stored, &b->session);
    return good && !what;
}

static void remove_folder(const char *path) {
    static const char *const files[] = {"W.npy",           "H.npy",       "certificate.npz",
                                        "result.json",     "anchors.txt", "W_completed.npy",
                                        "row_weights.npy", "H.npz"};
    char name[512];
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "%s/%s", path, files[i]);
        unlink(name);
    }
    rmdir(path);
}

int main(int count, char **words) {
    int64_t wanted = count > 1 ? atoll(words[1]) : 1000;
    uint64_t seed = count > 2 ? (uint64_t)atoll(words[2]) : 1;
    /* In memory where there is such a place: files are synced when they are written. */
    char path[] = "/dev/shm/forgeries-XXXXXX", elsewhere[] = "/tmp/forgeries-XXXXXX", *place;
    tally t = {0};
    int failed = 0;
    place = mkdtemp(path) ? path : mkdtemp(elsewhere);
    if (!place) return 2;
    cli_messages_mute();
    for (int p = 0; p < PROBLEMS; p++) {
        bench b;
        int64_t share = wanted * (p + 1) / PROBLEMS - wanted * p / PROBLEMS;
        if (!open_proven(&b, &problems[p], seed + (uint64_t)p, place)) {
            fprintf(stderr, "%s: %s\n", problems[p].words, ch_context_message(b.context));
            failed = 1;
        } else if (!honest_holds(&b)) {
            failed = 1;
        } else {
            for (int64_t n = 0; n < share; n++) try_one(&b, &t);
        }
        close_bench(&b);
    }
    remove_folder(place);
    printf("%lld changed folders, seed %llu: %lld accepted, of which %lld are forged\n",
           (long long)t.tried, (unsigned long long)seed, (long long)t.accepted,
           (long long)t.forged);
    return failed || t.forged > 0;
}
