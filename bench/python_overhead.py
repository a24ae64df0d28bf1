"""What the package costs over the C call, and whether arrays are copied.

    python_overhead.py [DATA_FOLDER]        DATA_FOLDER has text/reuters10/reuters10.mtx.gz (left out without it)

Overhead: time of ``fit_transform`` outside the library's own call, relative to that call, in one run; the least of
a few. Copies: how much the peak of memory grows during a fit, relative to the array, in a process of its own.
Ratios, so they hold on any machine. Exit code 1 when overhead exceeds 5 % or a copy was made.
"""
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

def overhead(name, X, rank, runs) -> bool:
    from conehull import SeparableNMF, _run
    inside = []
    bare = _run.Run.call_bare

    def timed(self, *arguments):
        start = time.perf_counter()
        try:
            return bare(self, *arguments)
        finally:
            inside.append(time.perf_counter() - start)

    _run.Run.call_bare = timed
    shares = []
    for _ in range(runs):
        inside.clear()
        start = time.perf_counter()
        SeparableNMF(rank).fit_transform(X)
        total = time.perf_counter() - start
        shares.append((total - sum(inside)) / sum(inside))
    _run.Run.call_bare = bare
    print(f"{name}: {sum(inside):.3f} s in the library, {min(shares):.2%} more in Python")
    return min(shares) < 0.05


def array(kind, order, samples=20000, features=2000):
    X = np.empty((samples, features), dtype=kind, order=order)
    rng = np.random.RandomState(0)
    base = rng.rand(8, features)
    for lo in range(0, samples, 500):
        X[lo:lo + 500] = (rng.dirichlet(np.ones(8), 500) @ base + 0.01 * rng.rand(500, features)) * 100
    return X


def peak() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def growth(kind, order) -> None:
    """In a process of its own, whose peak starts at what is in use."""
    import scipy.sparse as sparse

    from conehull import SeparableNMF
    if kind == "csr":
        X = sparse.random(20000, 2000, 0.3, format="csr", random_state=0)
        size = X.data.nbytes + X.indices.nbytes
    else:
        X = array(kind, order)
        size = X.nbytes
    SeparableNMF(1).fit(np.ones((3, 3)) + np.eye(3))
    Path("/proc/self/clear_refs").write_text("5")  # the peak is now what is in use
    before = peak()
    SeparableNMF(4, select_only=True).fit(X)
    print((peak() - before) / size)


def copies(kind, order) -> bool:
    run = subprocess.run([sys.executable, __file__, "--growth", kind, order], capture_output=True, text=True, check=True)
    share = float(run.stdout)
    print(f"{kind} {order}: peak memory grew by {share:.1%} of the array")
    return share < 0.5


def main(data=None) -> int:
    fine = True
    file = Path(data or "") / "text/reuters10/reuters10.mtx.gz"
    if file.exists():
        from scipy.io import mmread
        X = mmread(file).T.tocsr().astype(np.float64)
        fine &= overhead(f"Reuters, {X.shape[0]} x {X.shape[1]}, sparse, rank 50", X, 50, runs=5)
    else:
        print("Reuters: not here, left out")
    fine &= overhead("20000 x 2000, float32, rank 5", array("float32", "C"), 5, runs=1)
    for kind in ("float64", "float32", "uint8"):
        for order in "FC":
            fine &= copies(kind, order)
    fine &= copies("csr", "-")
    return 0 if fine else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--growth"]:
        growth(*sys.argv[2:])
    else:
        sys.exit(main(*sys.argv[1:]))
