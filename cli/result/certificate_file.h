/* certificate.npz of a result folder (result_folder.h). */
#pragma once

#include "common/output_folder.h"
#include "result/stored_result.h"

/* Complains itself and returns the exit code. */
int cli_certificate_write(cli_folder *folder, const ch_anchors_result *result);
/* Into stored->result, which knows its rows and columns and the settings. Arrays that are missing
 * or have another shape are contradictions. Complains itself and returns the exit code. */
int cli_certificate_read(cli_stored *stored, const cli_session *session, const char *file);
