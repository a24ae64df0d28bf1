"""Arrays that the library made: handed over in place, alive as long as they are used, gone right after."""
import copy
import gc
import pickle
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

import conehull
from conehull import video

X = np.random.RandomState(0).rand(400, 50)


def owner(values):
    while isinstance(values, np.ndarray):
        values = values.base
    return values


def arrays_of(result):
    named = {**vars(result), **getattr(result, "proof", {})}
    return {name: value for name, value in named.items() if isinstance(value, np.ndarray)}


def results():
    yield "anchors", conehull.anchors(X, 3, keep_duals=True, path=True)
    yield "smrs", conehull.anchors(X[:50], 3, method="smrs")
    yield "robust_pca", conehull.robust_pca(X)
    yield "robust_nmf", conehull.robust_nmf(X, 2)


def test_arrays_are_handed_over_and_writable():
    for name, result in results():
        found = arrays_of(result)
        assert len(found) >= 2
        for member, values in found.items():
            assert owner(values) is not None, f"{name}: {member} is a copy"
            assert values.flags.writeable and values.flags.aligned, f"{name}: {member}"
            values[...] = 1
        assert len({owner(values) for values in found.values()}) == len(found), name


def test_each_array_goes_with_its_last_user():
    """At once, without the garbage collector, and without waiting for the other arrays."""
    gc.disable()
    try:
        result = conehull.anchors(X, 3)
        components, part = result.components, result.weights[5:7].T
        gone = {name: weakref.ref(owner(values)) for name, values in arrays_of(result).items()}
        expected = part.copy()
        del result
        assert {name for name, block in gone.items() if block() is not None} == {"components", "weights"}
        del components
        assert gone["components"]() is None and gone["weights"]() is not None
        np.testing.assert_array_equal(part, expected)
        del part
        assert gone["weights"]() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("make", [pickle.dumps, copy.deepcopy, np.copy], ids=["pickle", "deepcopy", "copy"])
def test_copies_stand_alone(make):
    weights = conehull.anchors(X, 3).weights
    expected = weights.tolist()
    made = make(weights)
    weights[...] = -1
    made = pickle.loads(made) if isinstance(made, bytes) else made
    assert made.tolist() == expected and made.flags.writeable


def test_arrays_outlive_everything_else():
    model = conehull.SeparableNMF(3)
    weights, components = model.fit_transform(X), model.components_
    expected = weights @ components
    del model
    for _ in range(20):
        conehull.anchors(X, 3)  # whatever was freed is used again
    np.testing.assert_array_equal(weights @ components, expected)
    background = video.separate(np.full((30, 8, 8), 7, dtype=np.uint8), method="median").background()
    assert (background == 7).all()


def test_arrays_go_on_any_thread():
    found = [conehull.anchors(X, 3) for _ in range(40)]
    threads = [threading.Thread(target=found.pop) for _ in range(len(found))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert conehull.anchors(X, 3).anchors.shape == (3,)


def test_one_separation_serves_several_threads():
    rng = np.random.RandomState(0)
    frames = rng.randint(50, 60, (80, 24, 32)).astype(np.uint8)
    parts = video.separate(frames, rank=1)
    expected, wrong = parts.background(), []

    def look():
        for _ in range(10):
            if not np.array_equal(parts.background(), expected):
                wrong.append(1)
            parts.masks()

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
@pytest.mark.parametrize("run", [
    lambda A: conehull.SeparableNMF(2, keep_duals=True, first="paper").fit_transform(A),
    lambda A: conehull.robust_pca(A, iterations=2),
    lambda A: conehull.median_filter(A, radius=1),
    lambda A: video.separate(A.reshape(len(A), 100, -1), method="median", radius=1).background(0, 1),
], ids=["fit", "robust_pca", "median", "video"])
@pytest.mark.filterwarnings("ignore")
def test_memory_does_not_grow(run):
    """Forty results of half a megabyte or more each would show."""
    A = np.random.RandomState(0).rand(5, 20000)
    for _ in range(3):
        run(A)
    before = resident()
    for _ in range(40):
        run(A)
    assert resident() - before < 8e6


def test_the_interpreter_ends_with_arrays_in_use():
    code = """
import atexit, sys
import numpy as np
import conehull
X = np.random.RandomState(0).rand(50, 8)
weights = conehull.anchors(X, 3).weights
expected = weights.copy()
sys.kept = conehull.SeparableNMF(3).fit(X), weights      # gone after the modules
from conehull import video
sys.more = video.separate(np.full((30, 8, 8), 7, dtype=np.uint8), method="median")
atexit.register(lambda: print("same", np.array_equal(weights, expected)))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "same True\n", "")


def test_cycles_are_collected_in_any_order():
    code = """
import gc
import numpy as np
from conehull import video
class Node:
    pass
frames = np.random.RandomState(0).randint(50, 60, (20, 4, 5)).astype(np.uint8)
for _ in range(20):
    node = Node()
    node.itself, node.parts = node, video.separate(frames, rank=1)
    node.weights = node.parts.weights
    del node
    gc.collect()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_child_made_by_fork_has_its_own():
    code = """
import os
import numpy as np
import conehull
X = np.random.RandomState(0).rand(50, 8)
found = conehull.anchors(X, 3, n_jobs=2)
child = os.fork()
if child == 0:
    found.weights[...] = 0
    del found
    assert conehull.anchors(X, 3, n_jobs=2).weights.any()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert found.weights.any()
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
