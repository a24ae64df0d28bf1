#!/usr/bin/env python3
"""Runs `conehull anchors` and `project` alone and under mpirun, and compares every byte of what they write.

    ranks_same.py PROGRAM MPIRUN RANKS FOLDER_OF_INPUTS CASE...

RANKS is a list like 2,4. A case is the words after `anchors`, without -o; or `project NEW` and such words, which make the
model. Of result.json these may differ: seconds, threads, ranks, and the counts of work done, projections, pivots and
passes. Inputs are made by make_ranks_input.py."""

import json
import os
import shlex
import subprocess
import sys
import tempfile

MAY_DIFFER = ("seconds", "threads", "ranks", "projections", "pivots", "passes")
FILES = ("anchors.txt", "W.npy", "H.npy", "certificate.npz")


def launch(mpirun, ranks):
    """Open MPI wants to be told that root and more ranks than cores are meant, and that other tests want the cores of a
    rank that waits; MPICH ignores these variables."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none",
                       OMPI_MCA_mpi_yield_when_idle="1")
    return [mpirun, "-n", str(ranks)], environment


def read(path):
    with open(path, "rb") as file:
        return file.read()


def result(folder):
    found = json.loads(read(os.path.join(folder, "result.json")))
    return {key: value for key, value in found.items() if key not in MAY_DIFFER}


def compare(case, alone, spread):
    for name in FILES:
        one, many = os.path.join(alone, name), os.path.join(spread, name)
        if os.path.exists(one) != os.path.exists(many):
            return f"{name} is there in one case only"
        if os.path.exists(one) and read(one) != read(many):
            return f"{name} differs"
    one, many = result(alone), result(spread)
    for key in sorted(one.keys() | many.keys()):
        if one.get(key) != many.get(key):
            return f"result.json: {key} is {many.get(key)}, alone {one.get(key)}"
    return None


def words_of(program, case, inputs, model):
    words, quiet = shlex.split(case), ["--quiet", "--threads", "1", "-o"]
    if words[0] != "project":
        return [program, "anchors", *words, *quiet]
    subprocess.run([program, "anchors", *words[2:], *quiet, model], cwd=inputs, check=True, stdout=subprocess.DEVNULL)
    return [program, "project", words[1], model, *quiet]


def main(program, mpirun, counts, inputs, *cases):
    failed = 0
    with tempfile.TemporaryDirectory(prefix="conehull-ranks-") as folder:
        for case in cases:
            words = words_of(program, case, inputs, os.path.join(folder, "model"))
            alone = os.path.join(folder, "alone")
            done = subprocess.run([*words, alone], cwd=inputs, stdout=subprocess.DEVNULL)
            for ranks in counts.split(","):
                spread = os.path.join(folder, "ranks" + ranks)
                start, environment = launch(mpirun, ranks)
                many = subprocess.run([*start, *words, spread], cwd=inputs, env=environment, timeout=300,
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True)
                trouble = compare(case, alone, spread) if many.returncode == done.returncode else \
                    f"code {many.returncode}, alone {done.returncode}: {many.stderr}"
                if trouble:
                    print(f"{ranks} ranks: {case}: {trouble}")
                    failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
