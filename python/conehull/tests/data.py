"""Data with a known answer, and plain NumPy versions of what the library does."""
import numpy as np
from scipy.optimize import linprog, nnls


def separable(samples=60, features=20, rank=4, noise=0.0, seed=0):
    """X and the sorted rows that are its anchors; the other rows are mixtures of them."""
    rng = np.random.RandomState(seed)
    anchors = rng.rand(rank, features)
    X = np.vstack([anchors, rng.dirichlet(np.ones(rank), samples - rank) @ anchors])
    X += noise * np.maximum(rng.laplace(size=X.shape), 0)
    order = rng.permutation(samples)
    return X[order], np.flatnonzero(order < rank)


def spa(X, rank):
    """The successive projection algorithm, on rows scaled to sum 1."""
    R = X / X.sum(axis=1, keepdims=True)
    chosen = []
    for _ in range(rank):
        j = int(np.argmax((R**2).sum(axis=1)))
        chosen.append(j)
        direction = R[j] / np.linalg.norm(R[j])
        R = R - np.outer(R @ direction, direction)
    return chosen


def xray_l2(X, rank):
    """XRAY with the farthest sample and one pass, first anchor kept; after the paper, in plain NumPy."""
    X = np.asarray(X, dtype=float)
    p = np.ones(X.shape[1])
    chosen, R = [], X
    for _ in range(rank):
        i = int(np.argmax((R**2).sum(axis=1)))
        score = (X @ R[i]) / (X @ p)
        score[chosen] = -np.inf
        chosen.append(int(np.argmax(score)))
        R = X - weights_l2(X, X[chosen]) @ X[chosen]
    return chosen


def weights_l2(X, components):
    return np.array([nnls(components.T, x)[0] for x in np.asarray(X, dtype=float)])


def error_l1(x, components):
    """The least |x - w components|_1 over w >= 0, by linear programming."""
    k, n = components.shape
    cost = np.r_[np.zeros(k), np.ones(2 * n)]
    equal = np.hstack([components.T, np.eye(n), -np.eye(n)])
    return linprog(cost, A_eq=equal, b_eq=x, method="highs").fun


def kl(X, Y):
    safe = np.where(X > 0, X, 1)
    return (np.where(X > 0, X * np.log(safe / Y), 0) - X + Y).sum()
