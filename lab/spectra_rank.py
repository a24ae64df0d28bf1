#!/usr/bin/python3
"""How many endmembers `conehull unmix -r auto` says, by the noise and by the residuals, on scenes with a known number:

    PYTHONPATH=build/python lab/spectra_rank.py [SCENES]        (default: 3 of each kind)

Smooth spectra of 150 bands, 2000 pixels, mixtures with one pure pixel of each; noise at 25 and 40 dB that is white, stronger in some
bands, or shared by three neighbouring bands, as in resampled data. `plain` is HySime as published, in NumPy: each band is predicted from
all others."""
import sys

import numpy as np

from conehull import unmix

BANDS, PIXELS = 150, 2000


def scene(random, count, decibels, kind):
    axis = np.linspace(0, 1, BANDS)[:, None]
    pure = 0.1 + sum(random.random(count) * np.exp(-0.5 * ((axis - random.random(count)) / (0.03 + 0.2 * random.random(count))) ** 2)
                     for _ in range(5))
    shares = random.dirichlet(np.full(count, 0.7), PIXELS).T
    shares[:, :count] = np.eye(count)
    X = pure @ shares
    noise = random.standard_normal(X.shape)
    if kind == "shared":
        noise = (noise + np.roll(noise, 1, 0) + np.roll(noise, -1, 0)) / np.sqrt(3)
    if kind == "coloured":
        noise *= 0.2 + 2 * np.exp(-0.5 * ((axis - 0.7) / 0.15) ** 2)
    return X + np.sqrt((X ** 2).mean() / 10 ** (decibels / 10)) * noise


def plain(X):
    G = X @ X.T / X.shape[1]
    P = np.linalg.inv(G + 1e-12 * np.trace(G) * np.eye(BANDS))
    B = P / np.diag(P)[:, None]
    R = (np.eye(BANDS) - B) @ G @ (np.eye(BANDS) - B).T
    vectors = np.linalg.eigh(R)[1]
    noise = 1 / np.diag(P) + np.trace(R) / BANDS * 1e-5
    return int((2 * noise @ vectors ** 2 < np.einsum("ij,ij->j", vectors, G @ vectors)).sum())


def main(scenes=3):
    random = np.random.default_rng(0)
    print("| noise | dB | endmembers | plain HySime | by the noise | by the residuals | taken |\n|---|---|---|---|---|---|---|")
    for kind in ("white", "coloured", "shared"):
        for decibels in (40, 25):
            for count in (3, 6, 10):
                rows = []
                for _ in range(int(scenes)):
                    X = scene(random, count, decibels, kind)
                    by = unmix(X.T.reshape(40, -1, BANDS), "auto").rank_by
                    rows.append((plain(X), by["noise"], by["residual"], min(by["noise"], by["residual"])))
                cells = (", ".join(str(value) for value in column) for column in zip(*rows))
                print(f"| {kind} | {decibels} | {count} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
