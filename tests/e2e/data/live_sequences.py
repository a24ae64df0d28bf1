#!/usr/bin/env python3
"""`conehull live` on the whole of three surveillance videos, one pass, against all hand-made masks.

    live_sequences.py CONEHULL DATA [NAME ...]      ($CONEHULL_DATA, where set, goes before DATA)

Default settings, warm-up 200:

- area under the ROC curve and F-measure not more than 0.005 below what was measured, the area not more than 0.02 below
  that of `conehull video` on all frames, F above both OpenCV's MOG2 and KNN at their defaults (docs/live.md);
- Lobby, whose lights go off in steps, the last at frame 447: a new background is in use within 50 frames; when they come
  back, nothing is learned anew;
- the weights of every frame are proven;
- Airport Hall, where things stop and go and the noise moves: one thread and two, the same numbers to the last bit.

Exit 77 (skipped) without a video."""
import json
import os
import subprocess
import sys

SKIPPED = 77
MARGIN, BEHIND_BATCH, SOON = 0.005, 0.02, 50
# sequence: frames, AUC and F measured, AUC of video, better F of MOG2 and KNN, last switch of the lights
SEQUENCES = {"restaurant": (2000, 0.926, 0.796, 0.930, 0.630, None),
             "airport_hall": (2984, 0.953, 0.772, 0.952, 0.510, None),
             "lobby": (1546, 0.965, 0.857, 0.963, 0.486, 447)}


def run(command, folder, *more):
    done = subprocess.run([command, "live", f"{folder}/frames.mkv", "--truth", f"{folder}/gt", "--json", "--quiet", *more],
                          stdout=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == 0, f"{folder}: exit code {done.returncode}"
    return json.loads(done.stdout)


def check(command, folder, name):
    frames, auc, f_measure, batch, peers, switched = SEQUENCES[name]
    result = run(command, folder, "--threads", "2")
    print(f"{name}: AUC {result['auc']:.4f}, F {result['f_measure']:.4f}, rank {result['rank']}, "
          f"{result['adaptations']} adaptations, the last at {result['adapted_frame']}")
    assert result["frames"] == frames and result["truth"]["used"] == 20 and result["unproven"] == 0
    assert result["auc"] >= max(auc - MARGIN, batch - BEHIND_BATCH), name
    assert result["f_measure"] >= f_measure - MARGIN and result["f_measure"] > peers, name
    if name == "airport_hall":
        alone = run(command, folder, "--threads", "1")
        for key in ("auc", "f_measure", "best_f", "noise", "lessons", "absorbed_pixels", "active_frames"):
            assert alone[key] == result[key], f"{name}: {key} {alone[key]} with one thread, {result[key]} with two"
    if switched is None:
        assert result["adaptations"] == 0, name
    else:
        assert result["adaptations"] == 1 and switched < result["adapted_frame"] <= switched + SOON, name


def main(command, data, *names):
    data = os.environ.get("CONEHULL_DATA", data)
    for name in names or SEQUENCES:
        if not os.path.exists(f"{data}/video/{name}/frames.mkv"):
            print(f"skipped: no {data}/video/{name}")
            sys.exit(SKIPPED)
        check(command, f"{data}/video/{name}", name)


if __name__ == "__main__":
    main(*sys.argv[1:])
