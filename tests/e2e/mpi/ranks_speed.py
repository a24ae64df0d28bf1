#!/usr/bin/env python3
"""Two ranks against one, one thread each, in turns: prints the ratio of their times and the share of communication.

    ranks_speed.py PROGRAM MPIRUN FOLDER [COLUMNS [TURNS]]

The default number of columns makes a job of more than a minute on one rank. No test of the suite: the figures say as much
about the machine as about the program, and need two cores that nobody else uses."""

import json
import os
import subprocess
import sys

import numpy

from ranks_same import launch

ROWS, RANK = 400, 25


def make(path, columns):
    random = numpy.random.default_rng(1)
    W, H = random.random((ROWS, RANK)), random.dirichlet(numpy.full(RANK, 0.5), columns).T
    noise = numpy.maximum(0, random.laplace(0, 0.05, (ROWS, columns))) * (random.random((ROWS, columns)) < 0.3)
    numpy.save(path, numpy.asfortranarray((W @ H + noise).astype("f4")))


def seconds(words, environment):
    done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["seconds"]


def main(program, mpirun, folder, columns="300000", turns="1"):
    path = os.path.join(folder, "speed.npy")
    make(path, int(columns))
    words = [program, "anchors", path, "-r", str(RANK), "--threads", "1", "--quiet", "--json"]
    start, environment = launch(mpirun, 2)
    best = [float("inf"), float("inf")]
    for _ in range(int(turns)):
        one, two = seconds(words, environment), seconds([*start, *words], environment)
        total = two["select"] + two["project"]
        best = [min(best[0], one["select"] + one["project"]), min(best[1], total)]
        share = sum(two["communication"].values()) / total
        print(f"one rank {one['select']:.2f} + {one['project']:.2f} s, two {two['select']:.2f} + {two['project']:.2f} s, "
              f"of which communication {100 * share:.2f} %, waiting {two['waiting']:.2f} s")
    os.remove(path)
    print(f"two ranks are {best[0] / best[1]:.2f} times one rank")


if __name__ == "__main__":
    main(*sys.argv[1:])
