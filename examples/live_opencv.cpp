// What moves in front of a camera: frames by OpenCV, background and masks by conehull.
//     c++ live_opencv.cpp -o live_opencv $(pkg-config --cflags --libs conehull-video opencv4)
//     ./live_opencv           the first camera; any file or address of cv::VideoCapture as a word
//
// Keys: f freezes the background, q ends. A second word names a file for the masks; no window then.
#include <conehull/live.h>
#include <iostream>
#include <memory>
#include <opencv2/highgui.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>

int main(int count, char **words) {
    cv::VideoCapture capture;
    cv::VideoWriter writer;
    cv::Mat frame, gray;
    if (count > 1 ? !capture.open(words[1]) : !capture.open(0)) {
        std::cerr << "cannot open the source\n";
        return 1;
    }
    ch_context *made;
    if (ch_context_create(&made, nullptr) != CH_OK) return 1;
    std::unique_ptr<ch_context, decltype(&ch_context_destroy)> context(made, ch_context_destroy);
    std::unique_ptr<ch_live, decltype(&ch_live_destroy)> live(nullptr, ch_live_destroy);
    bool frozen = false;
    while (capture.read(frame)) {
        cv::cvtColor(frame, gray, cv::COLOR_BGR2GRAY);
        if (!live) { // the size is that of the first frame
            ch_live *fresh;
            ch_live_settings settings;
            ch_live_defaults(&settings);
            settings.late = 1; // a camera does not wait
            const ch_frame_shape shape = {gray.cols, gray.rows, 1};
            if (ch_live_create(context.get(), &fresh, &shape, &settings) < 0) {
                std::cerr << ch_context_message(context.get()) << "\n";
                return 1;
            }
            live.reset(fresh);
        }
        const uint8_t *planes[] = {gray.data};
        ch_live_result now = {};
        now.size = sizeof now;
        if (ch_live_process(live.get(), &now, planes, 0) < 0) break;
        if (!now.mask) continue; // the warm-up
        cv::Mat mask(gray.rows, gray.cols, CV_8U, const_cast<uint8_t *>(now.mask));
        if (count > 2) {
            if (!writer.isOpened())
                writer.open(words[2], cv::VideoWriter::fourcc('F', 'F', 'V', '1'), 25, mask.size(),
                            false);
            writer.write(mask);
            continue;
        }
        cv::imshow("what moves", mask);
        int key = cv::waitKey(1);
        if (key == 'q') break;
        if (key == 'f') ch_live_freeze(live.get(), frozen = !frozen);
    }
    return 0;
}
