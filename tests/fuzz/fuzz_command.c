/* What the command reads besides data: labels of classes, a saved background of video, and a folder
 * of results for `verify` and `project`. Their words of complaint are left out. */
#include "common/command.h"
#include "common/message.h"
#include "fuzz.h"
#include "names/class_labels.h"
#include "result/stored_result.h"
#include "video/video_command.h"
#include "zip_store.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

fuzz_target fuzz_labels, fuzz_model, fuzz_result;

static void session_begin(cli_session *session, fuzz_run *run, size_t count) {
    memset(session, 0, sizeof *session);
    cli_messages_mute();
    fuzz_begin(run, count);
    session->context = run->context;
    session->options.command = "verify";
}

int fuzz_labels(const uint8_t *bytes, size_t count) {
    fuzz_run run;
    cli_session session;
    ch_text_list lines;
    int64_t number;
    const char *path = fuzz_path("-labels");
    fuzz_write(path, bytes, count);
    session_begin(&session, &run, count);
    ch_status status = ch_text_list_read(run.context, &lines, path, -1, NULL);
    if (status == CH_OK && lines.count > 0) {
        int32_t *classes = malloc((size_t)lines.count * sizeof *classes);
        const char **names = malloc((size_t)lines.count * sizeof *names);
        if (cli_number_classes(classes, names, &number, &lines, path) == 0)
            for (int64_t j = 0; j < lines.count; j++)
                fuzz_require(strcmp(names[classes[j]], lines.text[j]) == 0, "label %lld",
                             (long long)j);
        free(classes);
        free(names);
    }
    if (status == CH_OK) ch_text_list_free(run.context, &lines);
    fuzz_end(&run, status);
    unlink(path);
    return 0;
}

/* Members of the archive: a stretch for each of the arrays of a model, as .npy files. */
int fuzz_model(const uint8_t *input, size_t count) {
    static const char *const names[] = {"format.npy", "method.npy",  "width.npy", "height.npy",
                                        "colour.npy", "anchors.npy", "H.npy",     "noise.npy",
                                        "H_red.npy",  "H_green.npy", "H_blue.npy"};
    enum { NAMES = sizeof names / sizeof *names };
    fuzz_run run;
    cli_session session;
    video_model model;
    zip_member members[NAMES];
    fuzz_bytes bytes = {input, count};
    int number = 0;
    while (bytes.left > 0 && number < NAMES) {
        size_t length;
        const uint8_t *stretch = fuzz_stretch(&bytes, &length);
        members[number] = (zip_member){names[number], stretch, length};
        number++;
    }
    const char *path = fuzz_path("-model.npz");
    zip_store(path, members, number);
    session_begin(&session, &run, count);
    if (video_model_read(&session, &model, path) == 0) {
        int64_t pixels = model.width * model.height;
        double sum = 0;
        for (int64_t k = 0; k < model.rank * pixels; k++) sum += model.H[0][k];
        for (int64_t j = 0; j < pixels; j++) sum += model.noise[j];
        for (int64_t k = 0; k < model.anchor_count; k++) sum += (double)model.anchors[k];
        fuzz_require(model.rank > 0, "rank %lld, sum %g", (long long)model.rank, sum);
    }
    video_model_free(&session, &model);
    fuzz_end(&run, CH_OK);
    unlink(path);
    return 0;
}

/* The files of a folder of results, one stretch each; of the certificate, one for each array. Read
 * as `verify` does, and verified against a matrix of the size that result.json promises. */
static const char *const files[] = {"result.json", "anchors.txt", "W.npy", "H.npy"};
static const char *const arrays[] = {"step_exterior.npy", "step_anchor.npy", "step_dual.npy",
                                     "p_seed.npy",        "dual_start.npy",  "dual_row.npy",
                                     "dual_value.npy"};

static void write_folder(const char *folder, fuzz_bytes *bytes) {
    char path[200];
    size_t length;
    zip_member members[7];
    for (int f = 0; f < 4; f++) {
        const uint8_t *stretch = fuzz_stretch(bytes, &length);
        snprintf(path, sizeof path, "%s/%s", folder, files[f]);
        fuzz_write(path, stretch, length);
    }
    for (int a = 0; a < 7; a++) {
        members[a].name = arrays[a];
        members[a].bytes = fuzz_stretch(bytes, &members[a].count);
    }
    snprintf(path, sizeof path, "%s/certificate.npz", folder);
    zip_store(path, members, 7);
}

static void remove_folder(const char *folder) {
    char path[200];
    for (int f = 0; f < 5; f++) {
        snprintf(path, sizeof path, "%s/%s", folder, f < 4 ? files[f] : "certificate.npz");
        unlink(path);
    }
    rmdir(folder);
}

static ch_status verify(ch_context *context, const cli_stored *stored) {
    const ch_anchors_result *result = &stored->result;
    ch_verification found = {.size = sizeof found};
    ch_matrix X;
    if (result->rows > 64 || result->cols > 64 || result->rows < 1 || result->cols < 1)
        return CH_OK;
    double values[64 * 64];
    for (int64_t e = 0; e < result->rows * result->cols; e++) values[e] = (double)(e * 7 % 5);
    fuzz_require(ch_matrix_borrow(
                     context, &X,
                     &(ch_matrix){.rows = result->rows, .cols = result->cols, .values = values}) ==
                     CH_OK,
                 "%s", ch_context_message(context));
    return ch_verify(context, &found, &X, result, &stored->settings);
}

int fuzz_result(const uint8_t *input, size_t count) {
    fuzz_run run;
    cli_session session;
    cli_stored stored;
    fuzz_bytes bytes = {input, count};
    char folder[128];
    snprintf(folder, sizeof folder, "%s", fuzz_path("-result"));
    mkdir(folder, 0777);
    int only_cone = fuzz_byte(&bytes) & 1;
    write_folder(folder, &bytes);
    session_begin(&session, &run, count);
    int code = cli_stored_read(&stored, &session, folder, only_cone);
    ch_status status = CH_OK;
    if (code == 0 && !stored.why[0] && !only_cone && !stored.settings.select_only)
        status = verify(run.context, &stored);
    cli_stored_free(&stored, &session);
    fuzz_end(&run, status);
    remove_folder(folder);
    return 0;
}
