/* Photographs for pages. */
#pragma once

#include "report_page.h"
#include <conehull/picture.h>

/* Encodes a photograph as JPEG, or as PNG, which is larger, in a build that cannot write JPEG. The
 * caller frees blob->bytes by ch_picture_bytes_free(). */
ch_status cli_photo_encode(ch_context *context, report_blob *blob, const ch_picture *picture,
                           int quality);
