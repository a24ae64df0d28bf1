#!/usr/bin/python3
"""`conehull unmix` on spectra with known pure components, end to end from the .mat files:  spectra_data.py CONEHULL DATA

Samson: mean angle at most 4.1 degrees, at most 3.5 over ten draws of spikes in 0.1 % of the values (of the pixels as they were before
the spikes); als2004 at most 11.5. Needs DATA/spectra or $CONEHULL_DATA/spectra; skipped (77) without."""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy.io import loadmat
from scipy.optimize import linear_sum_assignment


def unmix(command, *words):
    done = subprocess.run([command, "unmix", *words, "--json", "--quiet"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def angle(chosen, pure):
    cosine = (pure / np.linalg.norm(pure, axis=0)).T @ (chosen / np.linalg.norm(chosen, axis=0))
    each = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
    return each[linear_sum_assignment(each)].mean()


def main(command, data):
    data = os.path.join(os.environ.get("CONEHULL_DATA", data), "spectra")
    samson, als = f"{data}/samson/samson.mat", f"{data}/als2004/als2004.mat"
    if not os.path.exists(samson) or not os.path.exists(als):
        print("skipped: no spectra")
        sys.exit(77)
    clean = unmix(command, samson, "-r", "3", "--truth", samson)
    print("Samson", clean["angle"]["mean"], clean["abundance_rmse"], clean["cube"]["lines"])
    assert clean["angle"]["mean"] <= 4.1 and clean["abundance_rmse"] <= 0.16 and clean["cube"]["lines"] == 95
    assert clean["residual"]["max_gap"] <= 1e-9
    run = unmix(command, als, "--var", "MATRIX", "--transpose", "-r", "4", "--truth", als)
    print("als2004", run["angle"]["mean"], run["clipped"]["count"])
    assert run["angle"]["mean"] <= 11.5 and run["clipped"]["count"] > 0
    held = loadmat(samson)
    Y, pure, angles = held["Y"].astype(float), held["GT"].astype(float).T, []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(10):
            random = np.random.default_rng(seed)
            hit = random.random(Y.shape) < 0.001
            np.save(f"{folder}/Y.npy", np.where(hit, Y + Y.max() * random.uniform(0.5, 1.5, Y.shape), Y))
            angles.append(angle(Y[:, unmix(command, f"{folder}/Y.npy", "-r", "3")["anchors"]], pure))
    print("Samson with spikes", np.mean(angles))
    assert np.mean(angles) <= 3.5


if __name__ == "__main__":
    main(*sys.argv[1:])
