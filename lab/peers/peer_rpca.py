"""Robust PCA by inexact augmented Lagrange multipliers (Lin, Chen, Ma, arXiv 1009.5055, Algorithm 5) in NumPy, as the other
side of `conehull bench decompose` (python_peer.h) and of run_peers.py.

Words: matrix (.npy). Answers each line with: seconds by the clock, of processors, iterations, rank.

    svd   as published, with NumPy's SVD
    gram  singular values from the eigenvalues of A A', the way conehull does it"""
import sys
import time

try:
    import numpy as np
except ImportError as missing:
    print("missing", missing)
    sys.exit(0)


def shrink(values, limit):
    return np.sign(values) * np.maximum(np.abs(values) - limit, 0)


def low_rank_svd(A, limit):
    U, s, V = np.linalg.svd(A, full_matrices=False)
    rank = int((s > limit).sum())
    return (U[:, :rank] * (s[:rank] - limit)) @ V[:rank], rank


def low_rank_gram(A, limit):
    values, U = np.linalg.eigh(A @ A.T)
    kept = values > limit * limit
    U = U[:, kept]
    return (U * (1 - limit / np.sqrt(values[kept]))) @ (U.T @ A), int(kept.sum())


def rpca(X, low_rank, tol=1e-7, growth=1.5):
    weight = 1 / np.sqrt(max(X.shape))
    norm, largest = np.linalg.norm(X, 2), np.abs(X).max()
    size = np.linalg.norm(X)
    Y = X / max(norm, largest / weight)
    S = np.zeros_like(X)
    mu = 1.25 / norm
    last = mu * 1e7
    for iteration in range(1, 1001):
        L, rank = low_rank(X - S + Y / mu, 1 / mu)
        S = shrink(X - L + Y / mu, weight / mu)
        Z = X - L - S
        Y = Y + mu * Z
        mu = min(mu * growth, last)
        if np.linalg.norm(Z) <= tol * size:
            break
    return iteration, rank


def main(path):
    X = np.asarray(np.load(path), dtype=float)
    if X.shape[0] > X.shape[1]:
        X = X.T
    print("ready", np.__version__, flush=True)
    for line in sys.stdin:
        start = time.perf_counter(), time.process_time()
        iterations, rank = rpca(X, low_rank_svd if line.strip() == "svd" else low_rank_gram)
        print(time.perf_counter() - start[0], time.process_time() - start[1], iterations, rank, flush=True)


main(*sys.argv[1:])
