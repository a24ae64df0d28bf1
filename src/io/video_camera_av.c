/* Cameras of Linux, through libavdevice. */
#include "io/video_av.h"
#include <libavdevice/avdevice.h>

const AVInputFormat *chi_camera_format(void) {
    avdevice_register_all();
    return av_find_input_format("video4linux2");
}
