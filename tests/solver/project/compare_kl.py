#!/usr/bin/env python3
"""KL projections of the command against independent solvers with the same floor.

    compare_kl.py CONEHULL [FILE.mtx.gz [EVERY]]

Runs `conehull anchors --loss kl` on Poisson data, or on FILE with 20 anchors, and reads W, H and the
floor that it reports. Then, for every column, from X, W, H and floor alone:

- the duality gap of H, recomputed, is at most 1e-7 of |x|_1;
- SciPy's L-BFGS-B, from its own start, ends within 1e-8 of our objective, and no lower by more (with EVERY, on every
  so many columns: the gap, which is recomputed for all, already bounds how far off any of them can be);
- scikit-learn's multiplicative updates with W fixed reach no lower value (where it is installed).

Exit 77 (skipped) without SciPy or FILE."""
import json
import os
import subprocess
import sys
import tempfile

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):  # many small products: threads only hinder
    os.environ[name] = "1"
try:
    import numpy as np
    import scipy.io
    import scipy.optimize
    import scipy.sparse
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

SKIPPED = 77
GAP, CLOSE = 1e-7, 1e-8


def run(command, path, rank, folder):
    text = subprocess.run(
        [command, "anchors", path, "-r", str(rank), "--loss", "kl", "--json", "--quiet", "-o", folder],
        check=True, stdout=subprocess.PIPE).stdout
    result = json.loads(text)
    assert result["status"] == "done" and result["unproven"] == 0, result["status"]
    W, H = np.load(os.path.join(folder, "W.npy")), np.load(os.path.join(folder, "H.npy"))
    return result, W, H


class Column:
    """f(b) = sum over the support of x log(x/y) - x + y, plus y where x is 0; y = W b + floor."""

    def __init__(self, x, rows, W, floor):
        self.x, self.A, self.floor, self.sums = x, W[rows], floor, W.sum(0)
        self.linear = self.sums - self.A.sum(0)  # exact: counts are whole numbers
        self.zeros = floor * (W.shape[0] - len(x))

    def value(self, b):
        y = self.A @ b + self.floor
        ratio = (y - self.x) / self.x
        near = np.abs(ratio) < 0.5  # there log1p keeps the digits, elsewhere log
        logs = np.where(near, np.log1p(np.where(near, ratio, 0)), np.log(y / self.x))
        return (self.x * (ratio - logs)).sum() + self.linear @ b + self.zeros

    def gradient(self, b):
        return self.sums - self.A.T @ (self.x / (self.A @ b + self.floor))

    def gap(self, b):
        """f(b) minus a lower bound. u = 1 - x/y (1 where x is 0) made feasible, W'u >= 0, by
        u <- (u + t) / (1 + t): then f >= sum x log(1 - u) + floor u."""
        t = max(0, (-self.gradient(b) / self.sums).max())
        rest = self.x / (self.A @ b + self.floor) / (1 + t)  # 1 - u
        return self.value(b) - (self.x @ np.log(rest) + self.floor * (1 - rest).sum() + self.zeros)

    def minimum(self):
        """By L-BFGS-B in units of equal size, begun again where it stops until that helps no more."""
        total = self.x.sum()
        unit = total / self.sums
        b, last = unit / len(unit), np.inf
        for _ in range(30):
            found = scipy.optimize.minimize(
                lambda c: (self.value(c * unit) / total, self.gradient(c * unit) * unit / total), b / unit,
                jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(unit),
                options={"maxiter": 2000, "maxfun": 4000, "ftol": 1e-16, "gtol": 1e-11, "maxcor": 30})
            b = found.x * unit
            value = self.value(b)
            if last - value <= 1e-11 * abs(value):
                return value
            last = value
        return last


def check_columns(X, W, H, floor, objective, every):
    total, worst_gap, apart = 0.0, 0.0, 0.0
    for j in range(X.shape[1]):
        x, rows = X.data[X.indptr[j]:X.indptr[j + 1]], X.indices[X.indptr[j]:X.indptr[j + 1]]
        column = Column(x, rows, W, floor)
        ours = column.value(H[:, j])
        total += ours
        gap = column.gap(H[:, j]) / x.sum()
        assert -1e-12 <= gap <= GAP, f"column {j}: gap {gap}"
        worst_gap = max(worst_gap, gap)
        if j % every:
            continue
        theirs = column.minimum()
        difference = (ours - theirs) / abs(theirs)
        assert difference <= CLOSE, f"column {j}: {ours} against {theirs}"
        assert difference >= -CLOSE, f"column {j}: SciPy stopped at {theirs}, we have {ours}"
        apart = max(apart, abs(difference))
    assert abs(total - objective) <= 1e-9 * objective, (total, objective)
    print(f"{X.shape[1]} columns: gap at most {worst_gap:.1e}, objectives of every {every} within {apart:.1e} of SciPy's")
    return total


def check_multiplicative(X, W, floor, total):
    try:
        import warnings

        from sklearn.decomposition import non_negative_factorization
    except ImportError:
        print("scikit-learn is not here: not compared")
        return
    warnings.simplefilter("ignore")
    start = np.asarray(X.sum(0)).ravel()[:, None] / (W.shape[1] * W.sum(0)[None, :])
    found, _, _ = non_negative_factorization(
        X.T.tocsr(), W=start, H=np.ascontiguousarray(W.T), n_components=W.shape[1], init="custom",
        update_H=False, solver="mu", beta_loss="kullback-leibler", tol=0, max_iter=200)
    value = 0.0
    for j in range(X.shape[1]):
        x, rows = X.data[X.indptr[j]:X.indptr[j + 1]], X.indices[X.indptr[j]:X.indptr[j + 1]]
        value += Column(x, rows, W, floor).value(found[j])
    print(f"scikit-learn after 200 rounds: {value / total - 1:.1e} above ours")
    assert value >= total * (1 - 1e-10), (value, total)


def poisson(folder):
    """Counts, a third of them zero, in columns whose sizes differ a hundredfold."""
    random = np.random.default_rng(5)
    W = random.random((120, 8)) ** 3
    H = np.hstack([np.eye(8), random.dirichlet(np.full(8, 0.5), 72).T]) * random.uniform(0.2, 20, 80)
    X = random.poisson(4 * W @ H).astype(float)
    path = os.path.join(folder, "counts.npy")
    np.save(path, X[:, X.sum(0) > 0])
    return path, scipy.sparse.csc_matrix(X[:, X.sum(0) > 0])


def main():
    command = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 2:
            path = sys.argv[2]
            if not os.path.exists(path):
                print(f"skipped: no {path}")
                sys.exit(SKIPPED)
            X, rank = scipy.io.mmread(path).tocsc().astype(float), 20
        else:
            (path, X), rank = poisson(folder), 10
        X.sort_indices()
        result, W, H = run(command, path, rank, os.path.join(folder, "result"))
        total = check_columns(X, W, H, result["floor"], result["objective"], int(sys.argv[3]) if len(sys.argv) > 3 else 1)
        check_multiplicative(X, W, result["floor"], total)


if __name__ == "__main__":
    main()
