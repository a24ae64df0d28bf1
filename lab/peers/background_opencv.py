"""OpenCV's background subtractors against hand-made masks.

    background_opencv.py MOG2|KNN CLIP TRUTH THREADS curve|time
                                                        seconds of one run; curve: area under the ROC, best F-measure
    background_opencv.py save CLIP X.npy                the clip as frames x pixels, for the others

They give a mask, not a score, so the curve is traced by running them at each of THRESHOLDS (their own distance
threshold, squared; OpenCV's default is among them), all frames in order, shadows counted as background: points (false
positive rate, true positive rate) over all pixels of the frames with a mask, joined by straight lines, with (0, 0) and
(1, 1). The best F is the largest over these thresholds. Seconds: apply() at the default, without reading."""
import json
import os
import sys
import time

try:
    import cv2
    import numpy as np
except ImportError as missing:
    print("missing", missing)
    sys.exit(0)

THRESHOLDS = {"MOG2": (0.25, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024),
              "KNN": (6, 12, 25, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12800)}
DEFAULT = {"MOG2": 16, "KNN": 400}


def read(path):
    capture, frames = cv2.VideoCapture(path), []
    while True:
        more, frame = capture.read()
        if not more:
            return np.array(frames)
        frames.append(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY))


def masks(folder):
    names = sorted(name for name in os.listdir(folder) if name.endswith(".png"))
    return {int(name[:-4]): cv2.imread(os.path.join(folder, name), cv2.IMREAD_GRAYSCALE) >= 128 for name in names}


def run(method, threshold, frames, truth):
    """Returns true and false positives over the frames with a mask, and the seconds for all frames."""
    if method == "MOG2":
        model = cv2.createBackgroundSubtractorMOG2(varThreshold=threshold, detectShadows=True)
    else:
        model = cv2.createBackgroundSubtractorKNN(dist2Threshold=threshold, detectShadows=True)
    hits = false = 0
    seconds = 0.0
    for i, frame in enumerate(frames):
        start = time.perf_counter()
        mask = model.apply(frame)
        seconds += time.perf_counter() - start
        if i in truth:
            called = mask == 255
            hits += int((called & truth[i]).sum())
            false += int((called & ~truth[i]).sum())
    return hits, false, seconds


def measure(method, clip, folder, threads, what):
    cv2.setNumThreads(int(threads))
    frames, truth = read(clip), masks(folder)
    positives = sum(int(mask.sum()) for mask in truth.values())
    negatives = sum(int((~mask).sum()) for mask in truth.values())
    points, best = [(0.0, 0.0), (1.0, 1.0)], 0.0
    for threshold in THRESHOLDS[method] if what == "curve" else (DEFAULT[method],):
        hits, false, spent = run(method, threshold, frames, truth)
        points.append((false / negatives, hits / positives))
        best = max(best, 2 * hits / (hits + false + positives))
        if threshold == DEFAULT[method]:
            seconds = spent
    points.sort()
    area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(points, points[1:]))
    return {"peer": f"OpenCV {cv2.__version__} {method}", "seconds": seconds, "what": "AUC", "quality": area,
            "note": f"best F {best:.3f}"}


def save(clip, path):
    frames = read(clip)
    np.save(path, frames.reshape(len(frames), -1))
    return {"seconds": 0}


def main(how, *words):
    print(json.dumps(save(*words) if how == "save" else measure(how, *words)))


main(*sys.argv[1:])
