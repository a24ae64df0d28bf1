"""What a type checker and an editor see of an installed package."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

import conehull

pytest.importorskip("mypy")
STUB = Path(conehull.__file__).with_name("estimators.pyi")
pytestmark = pytest.mark.skipif(not STUB.exists(), reason="types are written by the build, if it has scikit-learn")

RIGHT = """
from conehull import SPA, Bregman, SeparableNMF, anchors, annotate, relative_score, robust_pca, video
import numpy as np
X = np.ones((3, 3))
model = SeparableNMF(3, loss="kl", exterior="max", tol=1e-8, n_jobs=2).fit(X)
share: float = model.certificate_.gap
rank: int = len(anchors(X, "auto", path=True).anchors)
SPA(2, plain=True).fit(X).transform(X).sum()
robust_pca(X, lambda_=0.5).low_rank.sum()
video.separate(X, rank="auto", method="median").masks(threshold=3).masks.any()
video.separate(path for path in [X]).masks()
first = next(video.read_frames("clip.mp4"))
score: float = relative_score(model, X)
left: float = model.relative_error_ + model.relative_error(X)
SeparableNMF(3, loss="quantile:0.2").fit(X)
SeparableNMF(3, loss="frobenius", scale="max").fit(X).get_anchors()
anchors(X, 3, scale="mean")
SeparableNMF(3, loss=Bregman(np.exp, np.exp, np.exp, vectorized=True)).fit(X)
annotate(X, 3, layer="counts", loss="kl")
"""
WRONG = {
    'SeparableNMF(3, exterior="farthest")': "exterior",
    'SeparableNMF(3, tol="small")': "tol",
    "SeparableNMF(3, smoothness=1)": "smoothness",
    'anchors([[1]], method="xrey")': "method",
    "anchors([[1]]).anchor": "anchor",
    'SeparableNMF(3, loss="nope")': "loss",
    'SeparableNMF(3, scale="median")': "scale",
    "Bregman(1, 2, 3)": "Callable",
}


def test_types(tmp_path):
    (tmp_path / "right.py").write_text(RIGHT)
    head = "from conehull import SPA, Bregman, SeparableNMF, anchors\n"
    (tmp_path / "wrong.py").write_text(head + "\n".join(WRONG) + "\n")
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--cache-dir", str(tmp_path / "cache")]
    environment = dict(os.environ)
    if "site-packages" not in STUB.parts:  # mypy finds an installed package by itself, and refuses its folder as a path
        environment["MYPYPATH"] = str(STUB.parent.parent)
    run = subprocess.run([*command, "right.py", "wrong.py"], cwd=tmp_path, capture_output=True, text=True, env=environment)
    lines = run.stdout.splitlines()
    assert not [line for line in lines if line.startswith("right.py") or ".pyi:" in line and ": error: " in line], run.stdout
    for number, word in enumerate(WRONG.values(), start=2):
        assert any(line.startswith(f"wrong.py:{number}: error") and word in line for line in lines), run.stdout
    wrong_lines = {int(line.split(":")[1]) for line in lines if ": error: " in line}
    assert wrong_lines == set(range(2, 2 + len(WRONG))), run.stdout
