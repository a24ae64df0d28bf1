/* Masks, as commands report them. */
#include "common/mask_report.h"
#include "common/exit_codes.h"
#include "common/message.h"
#include <conehull/mask.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char *path_in(const char *folder, const char *name) {
    size_t length = strlen(folder) + strlen(name) + 2;
    char *path = malloc(length);
    if (path) snprintf(path, length, "%s/%s", folder, name);
    return path;
}

static int has_folder(const char *folder, const char *name) {
    struct stat about;
    char *path = path_in(folder, name);
    int found = path && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    free(path);
    return found;
}

int cli_sequence_take(cli_session *session, const char **truth, char **made) {
    const char *folder = session->options.operands[0];
    *made = NULL;
    if (session->options.all_count > 1) return EXIT_DONE;
    if (!has_folder(folder, "input") || !has_folder(folder, "groundtruth")) return EXIT_DONE;
    *made = path_in(folder, "input");
    if (!*made) return cli_no_memory();
    if (!*truth) *truth = folder;
    session->options.operands[0] = session->options.all[0] = *made;
    return EXIT_DONE;
}

const uint8_t *cli_masks_region(ch_masks *masks, int64_t k, const uint8_t *watched,
                                int64_t pixels) {
    if (!masks->counted) return watched;
    uint8_t *counted = masks->counted + k * pixels;
    for (int64_t j = 0; watched && j < pixels; j++)
        if (!watched[j]) counted[j] = 0;
    return counted;
}

json_t *cli_benchmark_json(const ch_pixel_counts *counts) {
    if (!counts)
        return cli_json_pack("specificity:n false_positive_rate:n false_negative_rate:n pwc:n");
    double specificity = ch_pixel_counts_specificity(counts);
    return cli_json_pack("specificity:r false_positive_rate:r false_negative_rate:r pwc:r",
                         specificity, 1 - specificity, 1 - ch_pixel_counts_recall(counts),
                         ch_pixel_counts_pwc(counts));
}

json_t *cli_mask_warnings_json(int warnings) {
    json_t *list = json_array();
    for (int bit = 0; bit < CH_MASK_WARNINGS; bit++)
        if (warnings >> bit & 1)
            list = cli_json_append(list, json_string(ch_mask_warning(1 << bit)));
    return list;
}

void cli_mask_warnings_print(int warnings) {
    for (int bit = 0; bit < CH_MASK_WARNINGS; bit++)
        if (warnings >> bit & 1) cli_complain("warning: %s", ch_mask_warning(1 << bit));
}
