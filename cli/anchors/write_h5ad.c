/* conehull anchors --write-h5ad: the answer in a copy of the AnnData file that was read. */
#include "anchors/anchors_command.h"
#include "common/output_folder.h"
#include "common/try.h"
#include "options/option_values.h"
#include "result/result_json.h"
#include <conehull/io.h>

int anchors_h5ad_check(const cli_session *session, const anchors_arguments *given) {
    if (!given->h5ad) return EXIT_DONE;
    const char *input = session->options.operands[0];
    if (!cli_is_h5ad(input))
        return cli_refuse("anchors: --write-h5ad needs an .h5ad file as INPUT; got %s", input);
    if (!cli_is_h5ad(given->h5ad))
        return cli_refuse("anchors: --write-h5ad needs a name that ends in .h5ad; got '%s'",
                          given->h5ad);
    if (given->settings.select_only || cli_weights_used(&given->weights))
        return cli_wrong_use(
            session, "--write-h5ad writes all weights, so it cannot be used with %s",
            given->settings.select_only ? "--select-only" : "--h-precision and --h-format");
    return cli_file_check(given->h5ad);
}

int anchors_h5ad_write(const cli_session *session, const anchors_arguments *given,
                       const ch_anchors_result *result) {
    if (!given->h5ad || !result->H) return EXIT_DONE;
    char loss[CLI_LOSS_NAME];
    int refined = result->refined_W != NULL;
    ch_h5ad_results made = {
        .size = sizeof made,
        .key = "conehull",
        .genes = !given->input.transpose,
        .points = result->cols,
        .features = result->rows,
        .rank = result->rank,
        .weights = refined ? result->refined_H : result->H,
        .components = refined ? result->refined_W : result->W,
        .anchors = result->anchors,
        .max_residual = result->max_residual,
        .loss = cli_loss_name(loss, &given->settings),
        .method = cli_choice_name(ch_anchors_table(), "method", given->settings.method),
        .status = cli_status_name(result->status),
        .objective = refined ? result->refined_objective : result->objective,
        .gap = refined ? result->refined_certificate.gap : result->certificate.gap,
        .unproven = result->unproven,
    };
    TRY(cli_check(session, ch_h5ad_write(session->context, given->h5ad, given->input.file, &made)));
    if (!session->common.quiet)
        cli_complain("%s was written: it is a copy of %s with obsm/X_conehull, varm/conehull and "
                     "uns/conehull",
                     given->h5ad, given->input.file);
    return EXIT_DONE;
}
