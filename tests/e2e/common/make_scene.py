"""A scene with a known answer, as `conehull unmix` reads it: make_scene.py [LINES SAMPLES BANDS]

scene.npy (lines x samples x bands), truth.npz (M: bands x 4, A: 4 x pixels, sums at most 1: the rest is shade), mask.png (the
left half). Smooth spectra, patches with soft borders, one pure pixel each at least, shade, noise of 0.3 %, a few values below 0."""
import struct
import sys
import zlib

import numpy as np


def scene(lines=24, samples=30, bands=50, rank=4, seed=3, noise=0.003):
    random = np.random.default_rng(seed)
    axis = np.linspace(0, 1, bands)[:, None]
    M = 0.08 + sum(random.uniform(0, 1, rank) * np.exp(-((axis - random.uniform(0, 1, rank)) / random.uniform(0.05, 0.25, rank)) ** 2)
                   for _ in range(4))
    y, x = np.mgrid[0:lines, 0:samples] / max(lines, samples)
    corners = np.array([[0.1, 0.1], [0.1, 0.85], [0.7, 0.2], [0.65, 0.8]])[:rank]
    near = np.exp(-((y[None] - corners[:, 0, None, None]) ** 2 + (x[None] - corners[:, 1, None, None]) ** 2) / 0.03)
    A = (near / near.sum(0)).reshape(rank, -1)
    A[:, [int(k) for k in A.argmax(1)]] = np.eye(rank)
    light = random.uniform(0.5, 1, A.shape[1])
    light[A.max(0) == 1] = 1
    light[::17] *= 0.1
    light[A.max(0) == 1] = 1
    A = A * light
    X = M @ A + noise * random.standard_normal((bands, lines * samples))
    return X.T.reshape(lines, samples, bands), M, A


def png(path, rows):
    """Gray, eight bits."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    height, width = rows.shape
    body = b"".join(b"\0" + row.astype(np.uint8).tobytes() for row in rows)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(body)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    cube, M, A = scene(*map(int, sys.argv[1:4]))
    np.save("scene.npy", cube)
    np.savez("truth.npz", M=M, A=A)
    mask = np.zeros(cube.shape[:2], np.uint8)
    mask[:, :cube.shape[1] // 2] = 255
    png("mask.png", mask)
