"""What the package costs over the C call, and whether arrays are copied.

    python_overhead.py [DATA_FOLDER]        DATA_FOLDER has text/reuters10/reuters10.mtx.gz (left out without it)

Overhead: the C call (context, threads, ``ch_anchors`` without progress, free) and ``fit_transform`` take turns, on
the same matrix. Processor times, since other work on the machine disturbs the clock:

    whole      median of fit_transform over the median of the C call, minus one
    own work   that of the calling thread outside the library, callbacks included, over the median of the C call

Copies: how much the peak of memory grows during a fit, relative to the array, in a process of its own. Ratios, so
they hold on any machine. Exit code 1 when own work exceeds 5 % or a copy was made.
"""
import ctypes
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

import conehull
import numpy as np


def c_call(matrix, settings) -> None:
    """Makes the calls of a C program for one run."""
    from conehull._library import library
    from conehull._structs import ch_anchors_result
    context, result = ctypes.c_void_p(), ch_anchors_result()
    library.ch_context_create(ctypes.byref(context), None)
    if library.ch_anchors(context, result, matrix, settings) < 0:
        raise RuntimeError(library.ch_context_message(context).decode())
    library.ch_anchors_result_free(context, result)
    library.ch_context_destroy(context)


class OwnWork:
    """Measures the processor time of this thread without ``ch_anchors``, but with its callbacks."""

    def __enter__(self):
        from conehull import _run
        from conehull._library import library
        self.library, self.ear = library, _run._Ear
        self.real, self.hear, self.inside = library.ch_anchors, _run._Ear.hear, 0.0
        library.ch_anchors, _run._Ear.hear = self.timed(self.real, 1), self.timed(self.hear, -1)
        self.start = time.thread_time()
        return self

    def __exit__(self, *_):
        self.seconds = time.thread_time() - self.start - self.inside
        self.library.ch_anchors, self.ear.hear = self.real, self.hear

    def timed(self, function, sign):
        def call(*arguments):
            start = time.thread_time()
            try:
                return function(*arguments)
            finally:
                self.inside += sign * (time.thread_time() - start)
        return call


def seconds(function, *arguments) -> float:
    start = time.process_time()
    function(*arguments)
    return time.process_time() - start


def overhead(name, X, rank, loss, turns) -> bool:
    from conehull import SeparableNMF
    from conehull._matrix import View
    from conehull._settings import tables
    view, settings = View(X), tables["anchors"].fill({"n_components": rank, "loss": loss})
    SeparableNMF(1, select_only=True).fit(X[:10])  # imports modules, and does everything that is done only once
    bare, whole, own = [], [], []
    for _ in range(turns):
        bare.append(seconds(c_call, view.matrix, settings))
        whole.append(seconds(SeparableNMF(rank, loss=loss).fit_transform, X))
        with OwnWork() as work:
            SeparableNMF(rank, loss=loss).fit_transform(X)
        own.append(work.seconds)
    call, all_, extra = (statistics.median(times) for times in (bare, whole, own))
    print(f"{name}, {loss}: C call {call:.3f} s, whole {all_ / call - 1:+.1%}, own work {extra * 1e3:.1f} ms: {extra / call:.2%}",
          flush=True)
    return extra < 0.05 * call


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
    """Measures in a separate process, whose peak memory starts at the memory in use."""
    import scipy.sparse as sparse

    from conehull import SeparableNMF
    if kind == "csr":
        X = sparse.random(20000, 2000, 0.3, format="csr", random_state=0)
        size = X.data.nbytes + X.indices.nbytes
    else:
        X = array(kind, order)
        size = X.nbytes
    SeparableNMF(1).fit(np.ones((3, 3)) + np.eye(3))
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak to the memory in use
    before = peak()
    SeparableNMF(4, select_only=True).fit(X)
    print((peak() - before) / size)


def copies(kind, order) -> bool:
    run = subprocess.run([sys.executable, __file__, "--growth", kind, order], capture_output=True, text=True, check=True)
    share = float(run.stdout)
    print(f"{kind} {order}: peak memory grew by {share:.1%} of the array")
    return share < 0.5


def main(data=None) -> int:
    warnings.simplefilter("ignore", conehull.DataWarning)
    fine = True
    file = Path(data or "") / "text/reuters10/reuters10.mtx.gz"
    if file.exists():
        from scipy.io import mmread
        X = mmread(file).T.tocsr().astype(np.float64)
        for loss in ("l1", "l2", "kl"):
            fine &= overhead(f"Reuters, {X.shape[0]} x {X.shape[1]}, sparse, rank 50", X, 50, loss, turns=11)
    else:
        print("Reuters: not here, left out")
    for loss in ("l1", "l2"):
        fine &= overhead("4000 x 1000, float64, rank 20", array("float64", "C", 4000, 1000), 20, loss, turns=5)
    fine &= overhead("20000 x 2000, float32, rank 5", array("float32", "C"), 5, "l1", turns=2)
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
