/* Warnings of maskers for people and programs. */
#include "common/mask_warnings.h"
#include "common/message.h"
#include <conehull/mask.h>

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
