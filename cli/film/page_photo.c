/* Encodes photographs for pages, as JPEG if the build can write it. */
#include "film/page_photo.h"

ch_status cli_photo_encode(ch_context *context, report_blob *blob, const ch_picture *picture,
                           int quality) {
    ch_status status =
        ch_picture_encode_jpeg(context, &blob->bytes, &blob->length, picture, quality);
    blob->type = "image/jpeg";
    if (status != CH_ERR_UNSUPPORTED) return status;
    blob->type = "image/png";
    return ch_picture_encode_png(context, &blob->bytes, &blob->length, picture);
}
