/* Writes the folder of a result. */
#include "result/result_folder.h"
#include "common/output_folder.h"
#include "common/try.h"
#include "result/certificate_file.h"
#include "result/named_files.h"
#include "result/rank_chart.h"
#include "result/result_json.h"

static void write_anchors(FILE *to, const void *user) {
    const ch_anchors_result *result = user;
    for (int64_t k = 0; k < result->rank; k++) fprintf(to, "%lld\n", (long long)result->anchors[k]);
}

/* Writes a matrix with the shape of W that is 1 where W was completed. */
static int write_completed(cli_folder *folder, const ch_anchors_result *result) {
    int64_t count = result->rows * result->rank;
    double *marks = malloc((size_t)(count + 1) * sizeof *marks);
    if (!marks) return cli_no_memory();
    for (int64_t e = 0; e < count; e++) marks[e] = result->completed_entries[e];
    int code = cli_folder_matrix(folder, "W_completed.npy", marks, result->rows, result->rank);
    free(marks);
    return code;
}

static int write_refined(cli_folder *folder, const ch_anchors_result *result) {
    if (!result->refined_W) return EXIT_DONE;
    TRY(cli_folder_matrix(folder, "W_refined.npy", result->refined_W, result->rows, result->rank));
    return cli_folder_matrix(folder, "H_refined.npy", result->refined_H, result->rank,
                             result->cols);
}

int cli_result_files(cli_folder *folder, const cli_result_parts *parts, double *seconds) {
    const ch_anchors_result *result = parts->result;
    const ch_anchors_settings *settings = parts->settings;
    TRY(cli_folder_write(folder, "anchors.txt", write_anchors, result));
    if (parts->input) TRY(cli_named_files(folder, result, parts->input, parts->json));
    TRY(cli_folder_matrix(folder, "W.npy", result->W, result->rows, result->rank));
    if (result->H) TRY(cli_folder_matrix(folder, "H.npy", result->H, result->rank, result->cols));
    TRY(write_refined(folder, result));
    if (result->completed_entries) TRY(write_completed(folder, result));
    if (settings->row_weights)
        TRY(cli_folder_matrix(folder, "row_weights.npy", settings->row_weights,
                              settings->row_weight_count, 1));
    TRY(cli_certificate_write(folder, result));
    if (parts->page) TRY(cli_folder_write(folder, "anchors.html", parts->page, parts->page_user));
    *seconds = cli_seconds() - folder->opened;
    cli_json_set_seconds(parts->json, "write", *seconds);
    return cli_folder_json(folder, "result.json", parts->json);
}

int cli_result_write(const cli_session *session, const char *path, const cli_result_parts *parts,
                     double *seconds) {
    static const char *const stale[] = {"H.npy",         "H.npz",           "W_refined.npy",
                                        "H_refined.npy", "W_completed.npy", "row_weights.npy",
                                        "anchors.html",  "unmix.json",      "rank.svg",
                                        "pixels.txt",    CLI_NAMED_FILES,   NULL};
    const ch_anchors_result *result = parts->result;
    const cli_weights *weights = parts->weights;
    cli_folder folder;
    *seconds = 0;
    if (!path) {
        cli_json_set_seconds(parts->json, "write", 0);
        return EXIT_DONE;
    }
    int code = cli_folder_open(&folder, session, path);
    folder.keeps = result->status == CH_STOP_CANCELLED;
    if (code == EXIT_DONE && weights && cli_weights_are_whole(weights, result))
        code = cli_weights_write(&folder, weights);
    if (code == EXIT_DONE && cli_result_shows_rank(result, parts->settings))
        code = cli_rank_chart(&folder, result);
    if (code == EXIT_DONE) code = cli_result_files(&folder, parts, seconds);
    return cli_folder_close(&folder, code, stale);
}
