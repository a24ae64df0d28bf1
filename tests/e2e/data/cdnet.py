#!/usr/bin/env python3
"""A sequence of the CDnet benchmark in its own layout (input, groundtruth, ROI.bmp, temporalROI.txt), through `video` and `live`.

    cdnet.py CONEHULL DATA          ($CONEHULL_DATA, where set, goes before DATA)

- the folder alone is enough: frames, truth, region and stretch are found, also by --truth beside --every;
- the figures of the benchmark fit together, and F on highway is at least 0.93, the aim, in video and live;
- cars come and go: there are events, and boxes of them.

Exit 77 (skipped) without the sequence."""
import csv
import json
import os
import subprocess
import sys
import tempfile

SKIPPED = 77
LEAST_F = 0.93


def run(command, name, *words):
    done = subprocess.run([command, name, *words, "--json", "--quiet"], stdout=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == 0, f"{name} {' '.join(words)}: exit code {done.returncode}"
    return json.loads(done.stdout)


def check_figures(answer):
    recall, precision = answer["recall"], answer["precision"]
    assert abs(answer["f_measure"] - 2 * recall * precision / (recall + precision)) < 1e-9
    assert abs(answer["false_negative_rate"] - (1 - recall)) < 1e-9
    assert abs(answer["false_positive_rate"] - (1 - answer["specificity"])) < 1e-9
    assert 0 < answer["pwc"] < 5, answer["pwc"]


def main(command, data):
    sequence = f"{os.environ.get('CONEHULL_DATA', data)}/video/cdnet/highway"
    if not os.path.exists(f"{sequence}/ROI.bmp"):
        print(f"skipped: no {sequence}")
        sys.exit(SKIPPED)
    with open(f"{sequence}/temporalROI.txt", encoding="utf-8") as file:
        first, last = map(int, file.read().split())
    with tempfile.TemporaryDirectory() as folder:
        whole = run(command, "video", sequence, "-o", folder, "--events", "--write", "boxes")
        assert whole["frames"] == len(os.listdir(f"{sequence}/input"))
        assert whole["truth"]["used"] == last - first + 1 == len(whole["truth"]["frames"])
        assert whole["truth"]["frames"][0] == first - 1, "the benchmark counts from 1, frames from 0"
        check_figures(whole)
        assert whole["f_measure"] >= LEAST_F, whole["f_measure"]
        with open(f"{folder}/boxes.csv", encoding="utf-8", newline="") as file:
            boxes = list(csv.DictReader(file))
        assert whole["events"] and len(boxes) > 100
        assert all(0 <= int(b["x"]) and int(b["x"]) + int(b["width"]) <= 320 and int(b["y"]) + int(b["height"]) <= 240 for b in boxes)
        some = run(command, "video", f"{sequence}/input", "--truth", sequence, "--every", "400", "--frames", "600", "-o", folder,
                   "--write", "none")
        assert some["truth"]["used"] == 600 - (first - 1), "frames with a mask are looked at whatever --every says"
        live = run(command, "live", sequence)
        check_figures(live)
        assert live["f_measure"] >= LEAST_F and live["truth"]["used"] == last - first + 1, live["f_measure"]
    print(f"highway: F {whole['f_measure']:.3f} (video), {live['f_measure']:.3f} (live), {len(whole['events'])} events")


if __name__ == "__main__":
    main(*sys.argv[1:])
