#!/usr/bin/env python3
"""The program of the demo page, built natively: it finds what the command finds, and `conehull verify` accepts its folder.

    page_program.py CONEHULL PAGE_PROGRAM"""
import json
import subprocess
import sys
import tempfile

import numpy as np


def run(program, *words):
    done = subprocess.run([program, *map(str, words), "--json", "--quiet"], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.returncode, done.stderr)
    return json.loads(done.stdout)


def main(command, page):
    rng = np.random.default_rng(2)
    W = rng.random((40, 6))
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/X.npy"
        np.save(data, np.hstack([W, W @ rng.exponential(size=(6, 150))]) + 0.01 * rng.random((40, 156)))
        for loss in ("l1", "l2", "kl", "is"):
            out = f"{folder}/{loss}"
            found = run(page, "anchors", data, "-r", 6, "--loss", loss, "-o", out)
            assert found["anchors"] == run(command, "anchors", data, "-r", 6, "--loss", loss)["anchors"], loss
            assert run(command, "verify", data, out)["ok"], loss
    print("anchors of four losses are those of the command, and their folders are verified")


if __name__ == "__main__":
    main(*sys.argv[1:])
