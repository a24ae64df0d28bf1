#!/usr/bin/env python3
"""`conehull unmix` beside what people use: VCA, N-FINDR and SPA, plain NumPy, clean and with spikes.

    spectra_peers.py CONEHULL DATA [--seeds N] [-o FILE.csv]

DATA holds samson/samson.mat and als2004/als2004.mat; without them (-) generated scenes alone are tried. Numbers are means over
the seeds: of the random start (VCA, N-FINDR), of the spikes (0.1 % of the entries, half to one and a half times the largest value
added) and of the scenes. `angle` is the mean angle in degrees between pure spectra and the pixels that were chosen, as they were before
the spikes, after the best one-to-one matching. `rmse` is the error of the abundances, by the spectra that the method got, spikes
included: for the others by non-negative least squares (fully constrained least squares, with sum 1, is worse for all of them here: 0.27,
0.31, 0.51), for us as the run gives them; both scaled to sum 1 where the reference's do. `rmse at brightness` is the same after every
endmember was made as bright as its reference: abundances depend on that, and in Samson's reference water is as bright as soil, where
its pixels are a tenth as bright. als2004 has no abundances on a scale of its own."""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy.io import loadmat
from scipy.optimize import nnls

from field.made import scene, spike
from field.measures import matched
from field.unmixers import n_findr, spa, vca


def not_negative(W, X):
    return np.array([nnls(W, x)[0] for x in X.T]).T


def errors_of(H, W, pairs, pure, truth):
    """Returns the errors of the abundances H of endmembers W: as they are, and scaled to the brightness of the references."""
    if truth is None:
        return np.nan, np.nan
    found = []
    brighter = (W[:, pairs] * pure).sum(0) / (pure ** 2).sum(0)
    for H in (H[pairs], H[pairs] * brighter[:, None]):
        if np.allclose(truth.sum(0), 1, atol=1e-3):
            H = H / np.maximum(H.sum(0), 1e-12)
        found.append(np.sqrt(((H - truth) ** 2).mean(1)).mean())
    return tuple(found)


def means(angles, errors):
    errors = np.array(errors)
    return np.mean(angles), np.std(angles), *(np.nan if np.isnan(column).all() else np.nanmean(column) for column in errors.T)


def ours(command, X, rank, options):
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, "cube.npy"), np.ascontiguousarray(X.T)[:, None, :])
        done = subprocess.run([command, "unmix", f"{folder}/cube.npy", "-r", str(rank), "-o", f"{folder}/out", "--json", "--quiet",
                               *options],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stderr)
        smooth = f"{folder}/out/endmembers_smooth.csv"
        E = np.genfromtxt(smooth, delimiter=",", skip_header=1)[:, 1:] if os.path.exists(smooth) else None
        return json.loads(done.stdout)["anchors"], np.load(f"{folder}/out/H.npy"), E


def cases(data, seeds):
    """Yields (name, list of (X, X that the angle is measured on, pure spectra, abundances or None))."""
    if data != "-":
        samson = loadmat(os.path.join(data, "samson", "samson.mat"))
        Y, pure = samson["Y"].astype(float), samson["GT"].astype(float).T
        shares = samson["S_GT"].reshape(-1, 3, order="F").T
        yield "samson", [(Y, Y, pure, shares)]
        yield "samson, spikes", [(spike(Y, seed), Y, pure, shares) for seed in range(seeds)]
        als = loadmat(os.path.join(data, "als2004", "als2004.mat"))
        Z = np.maximum(als["MATRIX"].T, 0)
        yield "als2004", [(als["MATRIX"].T, Z, als["spure"].T, None)]
        yield "als2004, spikes", [(spike(als["MATRIX"].T, seed), Z, als["spure"].T, None) for seed in range(seeds)]
    scenes = [scene(seed) for seed in range(seeds)]
    yield "scenes", [(X, X, pure, None) for X, pure in scenes]
    yield "scenes, spikes", [(spike(X, seed), X, pure, None) for seed, (X, pure) in enumerate(scenes)]


def run_peer(method, runs, seeds):
    angles, errors = [], []
    for number, (X, on, pure, shares) in enumerate(runs):
        for seed in range(1 if method is spa else seeds if len(runs) == 1 else 1):
            found = method(X, pure.shape[1], np.random.default_rng([seed, number]))
            angle, pairs = matched(on[:, found], pure)
            angles.append(angle)
            H = None if shares is None else not_negative(X[:, found], X)
            errors.append(errors_of(H, X[:, found], pairs, pure, shares))
    return means(angles, errors)


def run_ours(command, runs, options):
    angles, errors = [], []
    for X, on, pure, shares in runs:
        anchors, H, E = ours(command, X, pure.shape[1], options)
        angle, pairs = matched(on[:, anchors] if E is None else E, pure)
        angles.append(angle)
        errors.append(errors_of(H, np.maximum(X[:, anchors], 0), pairs, pure, shares))
    return means(angles, errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("data")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("-o", "--output")
    given = parser.parse_args()
    table = [["data", "method", "angle", "sd", "rmse", "rmse at brightness"]]
    for name, runs in cases(given.data, given.seeds):
        for label, numbers in (("VCA", lambda: run_peer(vca, runs, given.seeds)), ("N-FINDR", lambda: run_peer(n_findr, runs, given.seeds)),
                               ("SPA", lambda: run_peer(spa, runs, given.seeds)),
                               ("conehull unmix", lambda: run_ours(given.command, runs, [])),
                               ("conehull unmix --smooth 20", lambda: run_ours(given.command, runs, ["--smooth", "20"]))):
            angle, sd, *errors = numbers()
            table.append([name, label, f"{angle:.2f}", f"{sd:.2f}", *("" if np.isnan(rmse) else f"{rmse:.3f}" for rmse in errors)])
            print(" | ".join(table[-1]), file=sys.stderr, flush=True)
    with open(given.output, "w", newline="", encoding="utf-8") if given.output else sys.stdout as file:
        csv.writer(file).writerows(table)


if __name__ == "__main__":
    main()
