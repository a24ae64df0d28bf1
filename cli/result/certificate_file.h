/* certificate.npz of a result folder (result_folder.h). */
#pragma once

#include "common/output_folder.h"
#include "result/stored_result.h"

/* Writes certificate.npz. Prints errors and returns the exit code. */
int cli_certificate_write(cli_folder *folder, const ch_anchors_result *result);
/* Reads the certificate into stored->result, whose rows, columns and settings are already set.
 * Arrays that are missing or have another shape are counted as contradictions. Prints errors and
 * returns the exit code. */
int cli_certificate_read(cli_stored *stored, const cli_session *session, const char *file);
