"""Masks of live separation beside OpenCV's background subtractors: every frame of DATA/video/*/frames.mkv once, gray, default
settings of all, against the masks of gt/. AUC and F-measure of live, F-measure of the others, whose shadows count as
background. Speed is measured by `conehull bench live`.

    compare_live.py CONEHULL DATA"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
try:
    import cv2
    from field.masks import MODELS, Sequence, count, f_measure, masks_of_model
except ImportError as missing:
    print("missing", missing)
    raise SystemExit(0)


def compare_masks(command, folder):
    sequence = Sequence(folder)
    live = json.loads(subprocess.run([command, "live", f"{folder}/frames.mkv", "--truth", f"{folder}/gt", "--gray", "--json",
                                      "--quiet"], check=True, stdout=subprocess.PIPE).stdout)
    peers = ", ".join(f"{name} {f_measure(count(masks_of_model(name, sequence, True), sequence.truth)):.3f}" for name in MODELS)
    print(f"{os.path.basename(folder)}, {live['frames']} frames, {len(sequence.truth)} masks: live AUC {live['auc']:.3f}, "
          f"F {live['f_measure']:.3f}; F of OpenCV {cv2.__version__} {peers}", flush=True)


def main(command, data):
    for name in sorted(os.listdir(os.path.join(data, "video"))):
        folder = os.path.join(data, "video", name)
        if os.path.isdir(f"{folder}/gt") and os.path.exists(f"{folder}/frames.mkv"):
            compare_masks(command, folder)


main(*sys.argv[1:])
