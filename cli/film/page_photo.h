/* Photographs for pages. */
#pragma once

#include "report_page.h"
#include <conehull/picture.h>

/* The bytes of a photograph and their type: JPEG, or PNG (larger) in a build that writes no JPEG.
 * Free them with ch_picture_bytes_free(). */
ch_status cli_photo_encode(ch_context *context, report_blob *blob, const ch_picture *picture,
                           int quality);
