#!/usr/bin/env python3
"""How near the chosen spectra are to known pure ones, by setting.

    spectra_angles.py CONEHULL DATA [--seeds N] [-o FILE.csv]

DATA holds samson/samson.mat and als2004/als2004.mat; without them (-) generated scenes alone are tried. Every row of the
table is one setting of `conehull anchors`. A number is the mean angle in degrees between pure spectra and the chosen columns
after the best one-to-one matching (Hungarian method), the mean over the seeds. Spikes hit 0.1 % of the entries; there the angle is
that of the columns as they were before the spikes, so that it tells of the choice and not of the spike itself.

Generated scenes: field/made.py."""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy.io import loadmat

from field.made import scene, spike
from field.measures import matched

SETTINGS = [("cone (default)", ""), ("cone, faint 0.05", "--faint 0.05"), ("cone, faint 0.1", "--faint 0.1"),
            ("share", "--exterior share"), ("share, faint 0.05", "--exterior share --faint 0.05"),
            ("share, faint 0.1", "--exterior share --faint 0.1"), ("share, convex0", "--exterior share --hull convex0"),
            ("share, convex0, faint 0.1", "--exterior share --hull convex0 --faint 0.1"),
            ("balanced", "--exterior balanced"), ("balanced, faint 0.1", "--exterior balanced --faint 0.1"),
            ("balanced, convex0", "--exterior balanced --hull convex0"),
            ("convex", "--hull convex"), ("convex0", "--hull convex0"), ("convex0, faint 0.05", "--hull convex0 --faint 0.05"),
            ("convex0, faint 0.1", "--hull convex0 --faint 0.1"), ("convex0, l2", "--hull convex0 --loss l2"),
            ("spa, columns scaled to sum 1", "--method spa"), ("spa, convex0", "--method spa --hull convex0")]


def choose(command, X, rank, options):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "X.npy")
        np.save(file, np.asfortranarray(X))
        done = subprocess.run([command, "anchors", file, "-r", str(rank), "--select-only", "--negative", "clip", "--json",
                               "--quiet", *options.split()], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["anchors"]


def cases(data, seeds):
    """Yields (name, list of (X, X that the angle is measured on, pure spectra))."""
    if data != "-":
        samson = loadmat(os.path.join(data, "samson", "samson.mat"))
        Y, pure = samson["Y"].astype(float), samson["GT"].astype(float).T
        yield "samson", [(Y, Y, pure)]
        yield "samson, spikes", [(spike(Y, seed), Y, pure) for seed in range(seeds)]
        als = loadmat(os.path.join(data, "als2004", "als2004.mat"))
        yield "als2004, clipped", [(als["MATRIX"].T, np.maximum(als["MATRIX"].T, 0), als["spure"].T)]
    scenes = [scene(seed) for seed in range(seeds)]
    yield "scenes", [(X, X, pure) for X, pure in scenes]
    yield "scenes, spikes", [(spike(X, seed), X, pure) for seed, (X, pure) in enumerate(scenes)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("data")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("-o", "--output")
    given = parser.parse_args()
    columns = list(cases(given.data, given.seeds))
    table = [["setting"] + [name for name, _ in columns]]
    for name, options in SETTINGS:
        means = [np.mean([matched(on[:, choose(given.command, X, pure.shape[1], options)], pure)[0] for X, on, pure in runs])
                 for _, runs in columns]
        table.append([name] + [f"{mean:.2f}" for mean in means])
        print(" | ".join(table[-1]), file=sys.stderr)
    with open(given.output, "w", newline="", encoding="utf-8") if given.output else sys.stdout as file:
        csv.writer(file).writerows(table)


if __name__ == "__main__":
    main()
