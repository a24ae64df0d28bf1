"""Endmember extraction in plain NumPy: VCA, N-FINDR and SPA, each as method(X, rank, random) -> columns of X.

References: J. Nascimento and J. Bioucas-Dias, "Vertex component analysis", IEEE TGRS 43, 2005; M. Winter, "N-FINDR", SPIE
3753, 1999; M. Araujo and others, "The successive projections algorithm", 2001."""
import numpy as np


def vca(X, rank, random):
    """Returns the columns of X that are extreme in random directions orthogonal to the columns found so far."""
    bands, pixels = X.shape
    mean = X.mean(1, keepdims=True)
    U = np.linalg.svd((X - mean) @ (X - mean).T / pixels)[0][:, :rank]
    power = (X ** 2).sum() / pixels
    signal = ((U.T @ (X - mean)) ** 2).sum() / pixels + (mean ** 2).sum()
    snr = 10 * np.log10(max(1e-12, signal - rank / bands * power) / max(1e-12, power - signal))
    if snr < 15 + 10 * np.log10(rank):
        low = U[:, :rank - 1].T @ (X - mean)
        Y = np.vstack([low, np.full(pixels, np.sqrt((low ** 2).sum(0).max()))])
    else:
        U = np.linalg.svd(X @ X.T / pixels)[0][:, :rank]
        low = U.T @ X
        along = low.mean(1, keepdims=True).T @ low
        Y = low / np.where(np.abs(along) > 1e-12, along, 1e-12)
    A, found = np.zeros((rank, rank)), []
    A[-1, 0] = 1
    for k in range(rank):
        w = random.standard_normal((rank, 1))
        f = w - A @ (np.linalg.pinv(A) @ w)
        found.append(int(np.abs(f.T @ Y).argmax()))
        A[:, k] = Y[:, found[-1]]
    return found


def n_findr(X, rank, random):
    """Replaces one vertex at a time while the simplex grows, from a random start."""
    mean = X.mean(1, keepdims=True)
    U = np.linalg.svd((X - mean) @ (X - mean).T)[0][:, :rank - 1]
    Y = np.vstack([np.ones(X.shape[1]), U.T @ (X - mean)])
    found = random.choice(X.shape[1], rank, replace=False).tolist()
    for _ in range(3 * rank):
        before = list(found)
        for k in range(rank):
            # The volume is linear in the vertex: its cofactors score all pixels at once.
            V = Y[:, found].copy()
            cofactors = np.array([np.linalg.det(np.delete(np.delete(V, i, 0), k, 1)) * (-1) ** (i + k) for i in range(rank)])
            volume = np.abs(cofactors @ Y)
            if volume.max() > volume[found[k]] * (1 + 1e-12):
                found[k] = int(volume.argmax())
        if found == before:
            break
    return found


def spa(X, rank, _):
    """Returns the longest column, then repeatedly the column with the longest part orthogonal to the columns before."""
    R, found = X.copy(), []
    for _ in range(rank):
        found.append(int((R ** 2).sum(0).argmax()))
        u = R[:, found[-1]] / np.linalg.norm(R[:, found[-1]])
        R -= np.outer(u, u @ R)
    return found
