"""Live separation beside OpenCV's background subtractors: the same gray frames of our generator, the same threads, one run.

    compare_live.py BUILD [--threads 2] [--frames 120] [--rounds 3] [--sizes 1280x720,1920x1080] [--keep FOLDER]
    compare_live.py BUILD --data DATA

Each method is measured in turn, --rounds times; the best round counts. Mpixel/s and frames/s of what processes frames
(reading not counted, the first 60 frames left out), and the latency of live separation in ms. --keep: where the frames
are, or are to be, made.

--data: masks instead of speed. Every frame of DATA/video/*/frames.mkv once, gray, default settings of all, against the
masks of gt/: AUC and F-measure of live, F-measure of the others, whose shadows count as background."""
import argparse
import json
import os
import subprocess
import tempfile
import time

try:
    import cv2
    import numpy as np
except ImportError as missing:
    print("missing", missing)
    raise SystemExit(0)

PEERS = {"MOG2": cv2.createBackgroundSubtractorMOG2, "KNN": cv2.createBackgroundSubtractorKNN}
WARM_UP = 60


def measure_peer(name, frames, threads):
    cv2.setNumThreads(threads)
    model, spent = PEERS[name](), 0.0
    for i, frame in enumerate(frames):
        start = time.perf_counter()
        model.apply(frame)
        spent += (time.perf_counter() - start) * (i >= WARM_UP)
    return 1e-6 * frames[0].size * (len(frames) - WARM_UP) / spent


def measure(bench, width, height, options, folder):
    path = os.path.join(folder, f"{width}x{height}.raw")
    if not os.path.exists(path):
        subprocess.run([bench, "make", path, str(width), str(height), str(options.frames)], check=True)
    frames = np.fromfile(path, np.uint8).reshape(-1, height, width)
    best, live = dict.fromkeys(PEERS, 0.0), {"mpixels": 0}
    for _ in range(options.rounds):
        out = subprocess.run([bench, "run", path, str(width), str(height), str(options.threads), "1"], check=True,
                             stdout=subprocess.PIPE).stdout
        live = max(live, json.loads(out), key=lambda one: one["mpixels"])
        for name in PEERS:
            best[name] = max(best[name], measure_peer(name, frames, options.threads))
    print(f"{width} x {height}, {options.threads} threads: live {live['mpixels']:.1f} Mpixel/s, {live['fps']:.1f} frames/s; "
          f"latency p50 {live['p50']}, p95 {live['p95']}, p99 {live['p99']}, max {live['max']} ms")
    for name, speed in best.items():
        print(f"    {name} {speed:.1f} Mpixel/s: live is {live['mpixels'] / speed:.2f} times as fast")


def f_measure_of_peer(name, folder, truth):
    model, capture = PEERS[name](), cv2.VideoCapture(f"{folder}/frames.mkv")
    index = hits = called = 0
    while True:
        more, frame = capture.read()
        if not more:
            break
        mask = model.apply(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)) == 255
        if index in truth:
            hits += int((mask & truth[index]).sum())
            called += int(mask.sum())
        index += 1
    return 2 * hits / (called + sum(int(mask.sum()) for mask in truth.values()))


def compare_masks(command, folder):
    truth = {int(name[:-4]): cv2.imread(f"{folder}/gt/{name}", cv2.IMREAD_GRAYSCALE) >= 128
             for name in os.listdir(f"{folder}/gt") if name.endswith(".png")}
    live = json.loads(subprocess.run([command, "live", f"{folder}/frames.mkv", "--truth", f"{folder}/gt", "--gray", "--json",
                                      "--quiet"], check=True, stdout=subprocess.PIPE).stdout)
    peers = ", ".join(f"{name} {f_measure_of_peer(name, folder, truth):.3f}" for name in PEERS)
    print(f"{os.path.basename(folder)}, {live['frames']} frames, {len(truth)} masks: live AUC {live['auc']:.3f}, "
          f"F {live['f_measure']:.3f}; F of OpenCV {cv2.__version__} {peers}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--frames", type=int, default=120)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", default="1280x720,1920x1080")
    parser.add_argument("--keep")
    parser.add_argument("--data")
    options = parser.parse_args()
    if options.data:
        for name in sorted(os.listdir(os.path.join(options.data, "video"))):
            folder = os.path.join(options.data, "video", name)
            if os.path.isdir(f"{folder}/gt") and os.path.exists(f"{folder}/frames.mkv"):
                compare_masks(os.path.join(options.build, "conehull"), folder)
        return
    bench = os.path.join(options.build, "bench", "bench_live")
    with tempfile.TemporaryDirectory(prefix="compare-live-") as made:
        for size in options.sizes.split(","):
            width, height = map(int, size.split("x"))
            measure(bench, width, height, options, options.keep or made)


main()
