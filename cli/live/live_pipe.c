/* Pictures on standard output as YUV4MPEG2, which ffmpeg and players read from a pipe: gray as
 * mono, colour as 4:4:4 by BT.601, both with full range. If the reader of the pipe does not read,
 * writing waits, but Ctrl-C still works. If the reader has ended, this is an error. */
#include "common/interrupt.h"
#include "live/live_command.h"
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <unistd.h>

/* After poll(), a write of up to PIECE bytes does not block. */
enum { PIECE = 4096, WAIT_MILLISECONDS = 200 };

static int write_all(const void *bytes, size_t count) {
    const char *from = bytes;
    while (count > 0) {
        struct pollfd ready = {STDOUT_FILENO, POLLOUT, 0};
        int got = poll(&ready, 1, WAIT_MILLISECONDS);
        if (cli_interrupted()) return EXIT_INTERRUPTED;
        if (got <= 0) continue;
        ssize_t done = write(STDOUT_FILENO, from, count < PIECE ? count : PIECE);
        if (done < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (done < 0) return cli_error(EXIT_FILES, "standard output: %s", strerror(errno));
        from += done;
        count -= (size_t)done;
    }
    return EXIT_DONE;
}

int live_pipe_begin(const ch_picture *shape, double rate) {
    char head[160];
    long long thousandths = llround(1000 * (rate > 0 && rate < 1e6 ? rate : 25));
    int length = snprintf(head, sizeof head,
                          "YUV4MPEG2 W%lld H%lld F%lld:1000 Ip A1:1 C%s XCOLORRANGE=FULL\n",
                          (long long)shape->width, (long long)shape->height, thousandths,
                          shape->channels == 1 ? "mono" : "444");
    return write_all(head, (size_t)length);
}

static uint8_t level(double value) {
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5);
}

static void to_planes(uint8_t *planes, const uint8_t *rgb, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        double r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        double y = 0.299 * r + 0.587 * g + 0.114 * b;
        planes[i] = level(y);
        planes[count + i] = level(128 + (b - y) / 1.772);
        planes[2 * count + i] = level(128 + (r - y) / 1.402);
    }
}

int live_pipe_add(const ch_picture *picture, uint8_t *buffer) {
    static const char head[] = "FRAME\n";
    int64_t count = picture->width * picture->height;
    if (picture->channels == 3) to_planes(buffer, picture->pixels, count);
    TRY(write_all(head, sizeof head - 1));
    return write_all(picture->channels == 3 ? buffer : picture->pixels,
                     (size_t)(count * picture->channels));
}
