#!/usr/bin/env python3
"""The bits of one process on larger data: the documents of Reuters, where they are at hand, and counts of
20,000 x 200,000 with 30 topics, two to a document.

    ranks_large.py PROGRAM MPIRUN FOLDER DATA        ($CONEHULL_DATA goes before DATA)"""

import os
import sys

import h5py
import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e", "mpi"))
from ranks_same import main as compare

ROWS, COLUMNS, TOPICS, WORDS = 20000, 200000, 30, 400
RANKS = "1,2,3,4,7"


def document(random, topics):
    first, second = random.integers(0, TOPICS, 2)
    length = random.integers(20, 80)
    of_first = random.integers(0, length + 1)
    words = numpy.concatenate([topics[first][random.integers(0, WORDS, of_first)],
                               topics[second][random.integers(0, WORDS, length - of_first)]])
    return numpy.unique(words, return_counts=True)


def make(path):
    random = numpy.random.default_rng(5)
    topics = [random.choice(ROWS, WORDS, replace=False) for _ in range(TOPICS)]
    documents = [document(random, topics) for _ in range(COLUMNS)]
    with h5py.File(path, "w") as file:
        group = file.create_group("X")
        group["indices"] = numpy.concatenate([rows for rows, _ in documents]).astype("i4")
        group["data"] = numpy.concatenate([counts for _, counts in documents]).astype("u1")
        group["indptr"] = numpy.cumsum([0, *(len(rows) for rows, _ in documents)])
        group["shape"] = numpy.array([ROWS, COLUMNS])
        group.attrs["encoding-type"] = "csc_matrix"


def main(program, mpirun, folder, data):
    make(os.path.join(folder, "large.h5"))
    failed = compare(program, mpirun, RANKS, folder, "large.h5 -r 20", "large.h5 -r 20 --method spa --select-only",
                     "large.h5 -r 10 --loss l2")
    os.remove(os.path.join(folder, "large.h5"))
    reuters = os.path.join(os.environ.get("CONEHULL_DATA", data), "text", "reuters10")
    if not os.path.isdir(reuters):
        print("skipped: Reuters is not at hand")
        return failed
    return compare(program, mpirun, RANKS, reuters, "reuters10.mtx.gz -r 50", "reuters10.mtx.gz -r 20 --loss kl",
                   "reuters10.mtx.gz -r 20 --exterior rand", "reuters10.mtx.gz -r 20 --method spa") or failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
