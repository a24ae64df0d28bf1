"""Masks of `conehull video` and `live` beside OpenCV's KNN and MOG2 on sequences in the layout of the CDnet benchmark, all at
default settings, in colour; shadows of OpenCV count as background, pixels that the benchmark leaves out do not count.

    compare_sequences.py CONEHULL SEQUENCE...          e.g. DATA/video/sbi/Foliage DATA/video/sbi/Board DATA/video/cdnet/highway"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
try:
    from field.masks import Sequence, count, f_measure, masks_of_model
except ImportError as missing:
    print("missing", missing)
    raise SystemExit(0)


def run(command, job, folder):
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([command, job, folder, "-o", out, "--json", "--quiet"], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)


def main(command, *folders):
    for folder in folders:
        ours, sequence = {job: run(command, job, folder) for job in ("video", "live")}, Sequence(folder)
        text = ", ".join([f"{job} {scores['f_measure']:.3f}" for job, scores in ours.items()] +
                         [f"{name} {f_measure(count(masks_of_model(name, sequence, False), sequence.truth)):.3f}"
                          for name in ("KNN", "MOG2")])
        print(f"{os.path.basename(folder)}: F {text}; {len(ours['video']['warnings'])} warnings", flush=True)


main(*sys.argv[1:])
