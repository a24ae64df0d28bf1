#!/usr/bin/env python3
"""Time, memory and Ctrl-C of `conehull exemplars` on generated collections of many short documents.

    exemplars_large.py CONEHULL [--documents N] [--words N] [--terms N] [-r N] [--method M] [--threads N] [--stops N]

Words are drawn by Zipf's law; 70 % of the words of a document come from its subject, one of 200, whose words are in an
order of their own. The file is a sparse .npz. --stops N: N more runs, which are interrupted at random times; the largest
delay until the command ends is reported (a second is allowed, on a machine that does nothing else)."""
import argparse
import json
import os
import random
import signal
import subprocess
import tempfile
import time

import numpy as np
import scipy.sparse


def generate(path, documents, words, terms, subjects=200, share=0.7, seed=5):
    rng = np.random.default_rng(seed)
    chance = 1 / (np.arange(terms) + 10.0)
    total = np.cumsum(chance / chance.sum())
    orders = np.stack([rng.permutation(terms) for _ in range(subjects)])
    parts = []
    for start in range(0, documents, 50000):
        count = min(50000, documents - start)
        lengths = rng.poisson(words, count)
        document = np.repeat(np.arange(count), lengths)
        rank = np.minimum(np.searchsorted(total, rng.random(len(document))), terms - 1)
        subject = rng.integers(subjects, size=count)[document]
        own = rng.random(len(document)) < share
        term = np.where(own, orders[subject, rank], rank)
        counts = scipy.sparse.coo_matrix((np.ones(len(term)), (term, document)), shape=(terms, count))
        parts.append(counts.tocsc())  # adds up repeated words
    X = scipy.sparse.hstack(parts, format="csc")
    scipy.sparse.save_npz(path, X, compressed=False)
    return X


def run(words):
    """Seconds by the clock, seconds of processor time, peak memory in GB, the result."""
    start = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.PIPE)
    out = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(words)} ended with {status}")
    return time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6, json.loads(out)


def processor_time(process):
    """Seconds so far; infinite if the process has ended."""
    with open(f"/proc/{process}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return float("inf") if fields[0] == "Z" else (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stop(words, after):
    """Interrupts a run after that much processor time. Seconds of the clock and of processor time until it ends."""
    # a shell starts jobs in the background with SIGINT ignored
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    while processor_time(process.pid) < after:
        time.sleep(0.02)
    start, before = time.monotonic(), processor_time(process.pid)
    os.kill(process.pid, signal.SIGINT)
    _, _, used = os.wait4(process.pid, 0)
    return time.monotonic() - start, max(used.ru_utime + used.ru_stime - before, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("command")
    parser.add_argument("--documents", type=int, default=1000000)
    parser.add_argument("--words", type=float, default=32, help="mean number of words of a document")
    parser.add_argument("--terms", type=int, default=50000)
    parser.add_argument("-r", type=int, default=50)
    parser.add_argument("--method", default="central")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--stops", type=int, default=0)
    parser.add_argument("--keep", help="folder for the collection, which is removed otherwise")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        path = f"{given.keep or scratch}/large_{given.documents}_{given.words:g}.npz"
        if not os.path.exists(path):
            X = generate(path, given.documents, given.words, given.terms)
            print(f"{X.shape[1]} documents, {X.shape[0]} terms, {X.nnz / X.shape[1]:.1f} terms per document")
        words = [given.command, "exemplars", path, "-r", str(given.r), "--method", given.method]
        words += ["--threads", given.threads, "--json", "--quiet"]
        clock, spent, peak, result = run(words)
        print(f"{given.method}, r = {given.r}, {given.threads} threads: {clock:.1f} s by the clock, {spent:.1f} s of processor time, "
              f"peak {peak:.2f} GB, {result['seconds']}, {result.get('facility')}", flush=True)
        random.seed(3)
        delays = [stop(words, spent * (k + random.random()) / given.stops * 0.95) for k in range(given.stops)]
        if delays:
            print(f"Ctrl-C, the largest of {len(delays)} delays: {max(delays)[0]:.2f} s by the clock, "
                  f"{max(used for _, used in delays):.2f} s of processor time")


if __name__ == "__main__":
    main()
