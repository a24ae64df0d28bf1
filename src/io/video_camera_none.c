/* In builds without libavdevice. */
#include "io/video_av.h"

const AVInputFormat *chi_camera_format(void) {
    return NULL;
}
