"""Masks of `conehull video` and `live` beside OpenCV's KNN and MOG2 on sequences in the layout of the CDnet benchmark, all at
default settings, in colour; shadows of OpenCV count as background, pixels that the benchmark leaves out do not count.

    compare_sequences.py CONEHULL SEQUENCE...          e.g. DATA/video/sbi/Foliage DATA/video/sbi/Board DATA/video/cdnet/highway"""
import json
import os
import re
import subprocess
import sys
import tempfile

try:
    import cv2
except ImportError as missing:
    print("missing", missing)
    raise SystemExit(0)

PEERS = {"KNN": cv2.createBackgroundSubtractorKNN, "MOG2": cv2.createBackgroundSubtractorMOG2}


def number(name):
    return int(re.search(r"\d+", name).group())


def files_of(folder):
    return {number(name): os.path.join(folder, name) for name in os.listdir(folder) if re.search(r"\d+\.(png|jpg)$", name)}


def f_measure_of_peer(make, folder):
    frames, masks = files_of(f"{folder}/input"), files_of(f"{folder}/groundtruth")
    first, last = min(frames), max(frames)
    if os.path.exists(f"{folder}/temporalROI.txt"):
        first, last = map(int, open(f"{folder}/temporalROI.txt").read().split())
    region = cv2.imread(f"{folder}/ROI.bmp", cv2.IMREAD_GRAYSCALE)
    model, hits, wrong = make(), 0, 0
    for index in sorted(frames):
        found = model.apply(cv2.imread(frames[index])) == 255
        if index not in masks or not first <= index <= last:
            continue
        truth = cv2.imread(masks[index], cv2.IMREAD_GRAYSCALE)
        counts = (truth != 85) & (truth != 170)
        if region is not None:
            counts &= region >= 128
        hits += int((found & (truth == 255) & counts).sum())
        wrong += int(((found != (truth == 255)) & counts).sum())
    return 2 * hits / (2 * hits + wrong)


def run(command, job, folder):
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([command, job, folder, "-o", out, "--json", "--quiet"], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)


def main(command, *folders):
    for folder in folders:
        ours = {job: run(command, job, folder) for job in ("video", "live")}
        text = ", ".join([f"{job} {scores['f_measure']:.3f}" for job, scores in ours.items()] +
                         [f"{name} {f_measure_of_peer(make, folder):.3f}" for name, make in PEERS.items()])
        print(f"{os.path.basename(folder)}: F {text}; {len(ours['video']['warnings'])} warnings", flush=True)


main(*sys.argv[1:])
