"""Uses an installed conehull: import, fit, verify, the command, a folder of JPEG pictures. Run by check-wheel and build-arm64."""
import json
import os
import platform
import subprocess
import sys
import tempfile

import numpy as np
import scipy
import sklearn
from PIL import Image

import conehull


def command(*words):
    """The command of the package, which must end well. CONEHULL_TRY_COMMAND: how it is started where it cannot start itself."""
    start = os.environ.get("CONEHULL_TRY_COMMAND", f"{sys.executable} -m conehull").split()
    run = subprocess.run([*start, *map(str, words)], capture_output=True, text=True)
    assert run.returncode == 0, (words, run.returncode, run.stderr)
    return run.stdout


def planted(rng):
    W = rng.random((30, 5))
    return np.hstack([W, W @ rng.exponential(size=(5, 400))]).T  # a sample is a row


def check_fit(X):
    for loss, bound in (("l1", 1e-6), ("l2", 1e-6), ("kl", 1e-3)):  # divergences add a floor of 1e-6 times the mean
        model = conehull.SeparableNMF(n_components=5, loss=loss).fit(X)
        assert sorted(model.anchors_) == [0, 1, 2, 3, 4], (loss, model.anchors_)
        weights = model.transform(X)
        assert np.abs(weights @ model.components_ - X).max() < bound, loss
    assert conehull.verify(X, conehull.anchors(X, 5, keep_duals=True)).ok


def check_command(X, folder):
    np.save(f"{folder}/X.npy", X.T)
    found = json.loads(command("anchors", f"{folder}/X.npy", "-r", 5, "-o", f"{folder}/found", "--json", "--quiet"))
    assert sorted(found["anchors"]) == [0, 1, 2, 3, 4]
    assert json.loads(command("verify", f"{folder}/X.npy", f"{folder}/found", "--json"))["ok"]


def check_pictures(rng, folder):
    """Three kinds of pictures as JPEG: one exemplar of each is found, and they are read without libav."""
    os.mkdir(f"{folder}/pictures")
    kinds = [np.kron(rng.integers(40, 255, (4, 5, 3)), np.ones((8, 8, 1))) for _ in range(3)]
    for k in range(30):
        picture = np.clip(kinds[k % 3] * (0.6 + 0.02 * k / 3) + rng.normal(0, 1, (32, 40, 3)), 0, 255).astype(np.uint8)
        Image.fromarray(picture).save(f"{folder}/pictures/{k}.jpg", quality=90)
    out = json.loads(command("exemplars", f"{folder}/pictures", "-r", 3, "-o", f"{folder}/chosen", "--json", "--quiet"))
    chosen = out["exemplars"]
    assert sorted(c % 3 for c in chosen) == [0, 1, 2], chosen


def main():
    rng = np.random.default_rng(1)
    X = planted(rng)
    info = conehull.info()
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}; "
          f"conehull {conehull.__version__}, kernel {info['kernel']}")
    with tempfile.TemporaryDirectory() as folder:
        check_fit(X)
        check_command(X, folder)
        check_pictures(rng, folder)
    print("import, fit, verify, the command and a folder of JPEG pictures: good")


if __name__ == "__main__":
    main()
