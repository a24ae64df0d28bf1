"""Masks of live separation beside OpenCV's background subtractors: every frame of DATA/video/*/frames.mkv once, gray, default
settings of all, against the masks of gt/. AUC and F-measure of live, F-measure of the others, whose shadows count as
background. Speed is measured by `conehull bench live`.

    compare_live.py CONEHULL DATA"""
import json
import os
import subprocess
import sys

try:
    import cv2
except ImportError as missing:
    print("missing", missing)
    raise SystemExit(0)

PEERS = {"MOG2": cv2.createBackgroundSubtractorMOG2, "KNN": cv2.createBackgroundSubtractorKNN}


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


def main(command, data):
    for name in sorted(os.listdir(os.path.join(data, "video"))):
        folder = os.path.join(data, "video", name)
        if os.path.isdir(f"{folder}/gt") and os.path.exists(f"{folder}/frames.mkv"):
            compare_masks(command, folder)


main(*sys.argv[1:])
