/* Prints the result of conehull live as text. */
#include "live/live_command.h"

static void print_speed(FILE *to, const live_run *run) {
    const live_latency *latency = &run->latency;
    if (latency->count == 0) {
        fprintf(to, "  all frames belong to the warm-up\n");
        return;
    }
    fprintf(to,
            "  %.1f frames per second processed; %.1f including warm-up, reading and writing\n"
            "  latency %.2f ms (p50), %.2f (p95), %.2f (p99), %.2f at most\n",
            (double)latency->count / run->process, (double)run->frames / run->total,
            1e3 * live_latency_at(latency, 0.5), 1e3 * live_latency_at(latency, 0.95),
            1e3 * live_latency_at(latency, 0.99), 1e3 * latency->most);
}

static void print_results(FILE *to, const live_run *run) {
    const ch_live_info *model = &run->model;
    const live_truth *truth = &run->truth;
    fprintf(to, "%lld frames, %s; background of rank %lld\n", (long long)run->frames, run->status,
            (long long)model->rank);
    cli_print_reason(to, model->rank_reason);
    cli_print_reason(to, model->mask_reason);
    if (model->switches > 0)
        fprintf(to,
                "  light switched %lld times, %lld new backgrounds; last switch at frame %lld, "
                "new background at %lld\n",
                (long long)model->switches, (long long)model->adaptations,
                (long long)model->switch_frame, (long long)model->adapted_frame);
    fprintf(to, "  something moves in %lld frame%s; %lld pixel%s absorbed into the background\n",
            (long long)run->active, run->active == 1 ? "" : "s", (long long)model->absorbed,
            model->absorbed == 1 ? "" : "s");
    if (run->info.dropped + run->info.damaged > 0)
        fprintf(to, "  %lld frames dropped, %lld damaged\n", (long long)run->info.dropped,
                (long long)run->info.damaged);
    if (model->implausible > 0)
        fprintf(to,
                "  nothing was learned from %lld frames, which suddenly differed too much from the "
                "background\n",
                (long long)model->implausible);
    print_speed(to, run);
    cli_events_print(to, &run->events);
    if (truth->used > 0) {
        fprintf(
            to,
            "  compared with %lld known masks: AUC %.4f; F %.3f (precision %.3f, recall %.3f)\n",
            (long long)truth->used, truth->roc.auc, ch_pixel_counts_f_measure(&truth->counts),
            ch_pixel_counts_precision(&truth->counts), ch_pixel_counts_recall(&truth->counts));
        fprintf(to, "  specificity %.4f, wrong pixels %.3f %%\n",
                ch_pixel_counts_specificity(&truth->counts), ch_pixel_counts_pwc(&truth->counts));
    }
}

void live_print(const live_run *run) {
    const live_arguments *given = run->given;
    FILE *to = given->pipe ? stderr : stdout;
    print_results(to, run);
    for (int view = 0; view < CLI_VIEWS; view++)
        if (given->output && given->choice.views[view])
            fprintf(to, "  %s/%s\n", cli_plain(given->output),
                    cli_film_name(&given->choice, (cli_view)view));
}
