/* The automatic rank, from the residuals during the run (the paper leaves the choice open).
 *
 * While an anchor is missing, at least one column is far from the cone: the missing anchor itself.
 * When the last anchor is found, the largest residual falls to the noise level and then decreases
 * slowly. So the rank is
 *
 *     where the largest residual last fell by 20 % or more in one step (for the first anchor: by
 *     half or more, compared with the norm of the largest column);
 *     if it never fell that much, or is not known (exterior rand, share or balanced): where the
 *     summed objective of a sample of 256 columns, anchors not counted, last fell by a share of
 *     1.5 / rows or more (a coefficient fitted to noise removes about 1 / rows).
 *
 * The run continues past the rank. It stops after five anchors in a row at which neither of the two
 * fell that much, or after 200 anchors. It does not stop before the first fall: if the columns have
 * nothing in common, only the last anchor lowers the largest residual.
 *
 * Once the largest residual has fallen at a later anchor than the first, the mean share of the
 * sample that each anchor up to there removed, without the first, is known. From then on an anchor
 * that removes less than a tenth of this mean counts as noise, however many rows there are. The
 * reason: columns that repeat the anchors with other noise remove 2 / rows to 5 / rows each. There
 * may be dozens of them, and each costs a search in which no bound separates the columns. (The
 * tenth was chosen on planted anchors with sparse noise and 1000 rows: the mean was 4 to 10 %, and
 * later anchors mostly removed less than 0.5 %.)
 *
 * The first choice is dropped, because under noise it is often no anchor. It is replaced only if
 * the same rule finds that an anchor is missing. With exact data the run ends earlier, because
 * every column is in the cone. */
#include "xray/select.h"

#include <math.h>
#include <stdatomic.h>

enum { LIMIT = 200, SAMPLE = 256, PATIENCE = 5, WINDOW = 256 };
static const double LARGEST_FALL = 0.2, FIRST_FALL = 0.5, SAMPLE_FALL = 1.5, NOISE_SHARE = 0.1;

int64_t chi_auto_limit(const ch_matrix *X, const ch_anchors_settings *set, int64_t usable) {
    int64_t limit = X->rows < usable ? X->rows : usable;
    if (limit > LIMIT) limit = LIMIT;
    return limit > set->keep_count ? limit : set->keep_count;
}

/* For places [low, low + count) of the shuffled list: size = the size of the column, or -1 if it is
 * empty, faint or not a data column. Collective. */
static ch_status look_at_places(const chi_run *run, double *size, int64_t low, int64_t count) {
    const chi_data *data = &run->data;
    for (int64_t k = 0; k < count; k++) {
        int64_t own = chi_distribution_local(&data->spread, run->sample.list[low + k]);
        int counts = own >= 0 && own < data->points;
        size[k] = counts && data->role[own] != CHI_EMPTY && data->role[own] != CHI_FAINT
                      ? data->size[own]
                      : -1;
    }
    return chi_largest(run->context, size, (int)count);
}

static ch_status draw_sample(chi_run *run) {
    chi_sample *sample = &run->sample;
    int64_t cols = run->data.spread.cols;
    double size[WINDOW];
    ch_random_shuffle(&run->random, sample->list, cols);
    for (int64_t low = 0; low < cols && sample->count < SAMPLE; low += WINDOW) {
        int64_t count = cols - low < WINDOW ? cols - low : WINDOW;
        TRY(look_at_places(run, size, low, count));
        for (int64_t k = 0; k < count && sample->count < SAMPLE; k++) {
            if (size[k] < 0) continue;
            sample->objective[sample->count] =
                run->data.measure->divergence ? INFINITY : run->data.at_zero * size[k];
            sample->list[sample->count++] = sample->list[low + k];
        }
    }
    return CH_OK;
}

ch_status chi_auto_create(chi_run *run) {
    chi_sample *sample = &run->sample;
    sample->list = chi_arena_alloc(&run->arena, run->data.spread.cols, sizeof *sample->list);
    sample->objective = chi_arena_doubles(&run->arena, SAMPLE);
    TRY(ch_comm_agree(run->context, chi_arena_status(&run->arena, "the automatic rank")));
    return draw_sample(run);
}

int chi_auto_observes(const chi_run *run) {
    return run->set->rank == 0 && !run->reselecting;
}

static int is_anchor(const chi_run *run, int64_t j) {
    for (int64_t k = 0; k < run->basis.cone.count; k++)
        if (run->result->anchors[k] == j) return 1;
    return 0;
}

typedef struct sample_job {
    chi_run *run;
    double *objective;
} sample_job;

static void project_item(void *user, int64_t at, int thread) {
    const sample_job *job = user;
    chi_run *run = job->run;
    const chi_projector *projector = &run->basis.projector;
    chi_fit fit;
    int64_t own = chi_distribution_local(&run->data.spread, run->sample.list[at]);
    job->objective[at] = -1;
    if (own < 0) return;
    chi_project_column(projector, thread, &fit, projector->worker[thread].b, NULL, own);
    if (!fit.proven) atomic_fetch_add(&run->basis.unproven, 1);
    job->objective[at] = fit.objective;
}

/* Computes the objectives of the sample; each process projects its own columns. */
static ch_status project_sample(chi_run *run, double *objective) {
    sample_job job = {run, objective};
    TRY(chi_parallel_until(run->context, run->sample.count, project_item, &job));
    return chi_largest(run->context, objective, (int)run->sample.count);
}

/* Computes the share of the sample's objective that the last anchor removed. Anchors in the sample
 * are left out, because their own objective becomes zero whatever they explain. */
static ch_status measure_fall(chi_run *run, double *fall) {
    chi_sample *sample = &run->sample;
    double before = 0, after = 0, objective[SAMPLE];
    TRY(project_sample(run, objective));
    for (int64_t at = 0; at < sample->count; at++) {
        if (!is_anchor(run, sample->list[at])) {
            before += sample->objective[at];
            after += objective[at];
        }
        sample->objective[at] = objective[at];
    }
    *fall = before > 0 ? 1 - after / before : 0;
    return CH_OK;
}

/* The origin of a hull is the first entry of the cone, but it is not an anchor. */
static int64_t origins(const chi_run *run) {
    return run->set->hull == CH_HULL_CONVEX0;
}

/* Without an anchor, the distance is no reference for the first fall under a divergence, where the
 * model is only the floor, or on a hull, which then has no point. */
static int is_measured(const chi_run *run) {
    return run->basis.cone.count > 0 ||
           (!run->data.measure->divergence && run->set->hull == CH_HULL_CONE);
}

/* Sets *enough if the largest residual or the sample has fallen before, and neither has for the
 * last PATIENCE anchors. */
static ch_status judge(chi_run *run, int *enough) {
    chi_sample *sample = &run->sample;
    int64_t count = run->basis.cone.count;
    double residual = chi_residual(run->data.measure, run->far.distance), of_sample = 0;
    int first = count == 1 + origins(run);
    double fall = first ? FIRST_FALL : LARGEST_FALL;
    int rule = run->set->exterior; /* rand, share, balanced: the residual of some column */
    int largest =
        rule != CH_EXTERIOR_RAND && rule != CH_EXTERIOR_SHARE && rule != CH_EXTERIOR_BALANCED;
    if (count > 0) TRY(measure_fall(run, &of_sample));
    if (count > origins(run)) {
        sample->taken += first ? 0 : of_sample;
        if (largest && residual <= (1 - fall) * sample->distance) {
            sample->last_fall = count;
            sample->mean = first ? 0 : sample->taken / (double)(count - 1 - origins(run));
        }
        if (of_sample * (double)run->basis.cone.rows >= SAMPLE_FALL &&
            of_sample >= NOISE_SHARE * sample->mean)
            sample->last_gain = count;
    }
    chi_log(run->context, CH_LOG_DEBUG,
            "with %lld anchors the largest residual is %.4g, with one anchor fewer it was %.4g; "
            "the last anchor lowers the objective of the sample by %.3g %%",
            (long long)count, residual, sample->distance, 100 * of_sample);
    sample->distance = is_measured(run) ? residual : 0;
    int seen = sample->last_fall > 0 || sample->last_gain > 0;
    *enough = seen && count - sample->last_fall >= PATIENCE &&
              count - sample->last_gain >= PATIENCE && count - run->basis.given >= PATIENCE;
    return CH_OK;
}

ch_status chi_auto_stop(chi_run *run, int *stop) {
    *stop = 0;
    if (!chi_auto_observes(run)) return CH_OK;
    TRY(judge(run, stop));
    *stop |= run->basis.cone.count == run->rank;
    return CH_OK;
}

/* The run has continued past the rank; removes the anchors after it. */
void chi_auto_cut_back(chi_run *run) {
    chi_sample *sample = &run->sample;
    int64_t rank = sample->last_fall > 0 ? sample->last_fall : sample->last_gain;
    if (!chi_auto_observes(run)) return;
    if (rank < run->basis.given) rank = run->basis.given;
    if (rank < 1 + origins(run)) rank = 1 + origins(run);
    sample->distance = run->result->max_residual[rank - 1];
    while (run->basis.cone.count > rank) chi_remove_anchor(run, run->basis.cone.count - 1);
    if (run->result->steps > rank) run->result->steps = rank;
    run->rank = rank;
}

ch_status chi_auto_watch(chi_run *run) {
    double fall;
    return run->set->rank == 0 && run->sample.last_fall == 0 ? measure_fall(run, &fall) : CH_OK;
}

ch_status chi_auto_missed(chi_run *run, int *missed) {
    const chi_sample *sample = &run->sample;
    double fall;
    *missed = 1;
    if (run->set->rank > 0) return CH_OK;
    double limit = sample->distance / (1 - LARGEST_FALL);
    if (sample->last_fall > 0) /* smaller objectives cannot change the answer */
        run->far.least = run->data.measure->degree == 2 ? limit * limit : limit;
    ch_status status = chi_exterior_next(&run->far);
    run->far.least = 0;
    if (status != CH_OK) return status;
    if (sample->last_fall > 0) {
        double residual = chi_residual(run->data.measure, run->far.distance);
        *missed = sample->distance <= (1 - LARGEST_FALL) * residual;
        return CH_OK;
    }
    TRY(measure_fall(run, &fall));
    *missed = -fall * (double)run->basis.cone.rows >= SAMPLE_FALL;
    return CH_OK;
}
