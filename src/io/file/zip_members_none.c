/* Zip archives in a build without libarchive: they are not read. */
#include "io/file/format.h"

ch_status chi_zip_walk(ch_context *context, const char *path, chi_zip_visit visit, void *user) {
    (void)visit, (void)user;
    return chi_fail(context, CH_ERR_UNSUPPORTED,
                    "%s: this build of conehull cannot read .npz archives; save the array as .npy",
                    path);
}

ch_status chi_zip_load(chi_zip *zip, void **raw) {
    (void)raw;
    return chi_fail(zip->context, CH_ERR_UNSUPPORTED,
                    "%s: this build of conehull cannot read .npz archives", zip->path);
}
