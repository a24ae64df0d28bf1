"""OpenCV's background subtractors as the other side of `conehull bench live` (python_peer.h).

Words: file of gray frames, one after another; width; height; threads; frames that are not timed. Answers "MOG2" or "KNN" with:
seconds by the clock, of processors, the share of the last frame that moves, frames that were timed. Defaults otherwise."""
import sys
import time

try:
    import cv2
    import numpy as np
except ImportError as missing:
    print("missing", missing)
    sys.exit(0)


def main(path, width, height, threads, warm_up):
    frames = np.fromfile(path, np.uint8).reshape(-1, int(height), int(width))
    cv2.setNumThreads(int(threads))
    makers = {"MOG2": cv2.createBackgroundSubtractorMOG2, "KNN": cv2.createBackgroundSubtractorKNN}
    print("ready", cv2.__version__, flush=True)
    for line in sys.stdin:
        model, start = makers[line.strip()](), (0, 0)
        for i, frame in enumerate(frames):
            if i == int(warm_up):
                start = time.perf_counter(), time.process_time()
            mask = model.apply(frame)
        wall, processor = time.perf_counter() - start[0], time.process_time() - start[1]
        print(wall, processor, float((mask > 0).mean()), len(frames) - int(warm_up), flush=True)


main(*sys.argv[1:])
