#!/usr/bin/env python3
"""Topics of `conehull topics` against those of scikit-learn's NMF, in one run: least squares on tf-idf (coordinate
descent) and KL on counts (multiplicative updates).

    compare_topics.py CONEHULL COUNTS.mtx[.gz] TERMS [-r N] [--starts random,..] [--show]

Both see the same words (those that take part by the command's own limits), give the same number of topics, run on one
thread, and are measured by the same coherence of the ten words with the largest weights, computed here from the
documents alone. Times are seconds of processor use: of the whole command, files read and written, against that of
fit_transform() alone. Wall-clock times are shown too; on a busy machine only the first kind says much."""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"
try:
    import numpy as np
    import scipy.io
    from sklearn.decomposition import NMF
    from sklearn.feature_extraction.text import TfidfTransformer
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from field.measures import coherence  # noqa: E402

TOP = 10


def ours(options):
    with tempfile.TemporaryDirectory() as folder:
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        text = subprocess.run([options.conehull, "topics", options.counts, "--terms", options.terms, "-r",
                               str(options.rank), "--threads", "1", "--json", "--quiet", "-o", folder],
                              check=True, stdout=subprocess.PIPE).stdout
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        topic_word = np.load(os.path.join(folder, "topic_word.npy"))
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return json.loads(text), topic_word, spent, wall


def theirs(X, words, rank, loss, init, seed):
    counts = X[words].T.tocsr()
    kind = {"beta_loss": "kullback-leibler", "solver": "mu"} if loss == "kl" else {}
    start, wall = time.process_time(), time.perf_counter()
    model = NMF(rank, init=init, max_iter=200, random_state=seed, **kind)
    model.fit_transform(counts if loss == "kl" else TfidfTransformer().fit_transform(counts))
    spent, wall = time.process_time() - start, time.perf_counter() - wall
    lists = [list(words[np.argsort(-row, kind="stable")[:TOP]]) for row in model.components_]
    return lists, spent, wall, model.n_iter_


def tell(who, measures, spent, wall, lists, more):
    print(f"{who:24s} npmi {measures[0]:.4f}  umass {measures[1]:.4f}  processor {spent:7.2f} s  wall {wall:7.2f} s  "
          f"{len(set(sum(lists, []))):3d} distinct words{more}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    for word in ("conehull", "counts", "terms"):
        parser.add_argument(word)
    parser.add_argument("-r", "--rank", type=int, default=20)
    parser.add_argument("--starts", default="nndsvda,random", help="starts of NMF, with commas")
    parser.add_argument("--losses", default="squares,kl", help="what NMF minimises, with commas")
    parser.add_argument("--show", action="store_true", help="the words of both")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    X = scipy.io.mmread(options.counts).tocsc().astype(float)
    terms = open(options.terms, encoding="utf-8").read().split("\n")
    result, topic_word, spent, wall = ours(options)
    lists = [[word["row"] for word in topic["words"]] for topic in result["topics"]]
    measures = coherence(X, lists)
    assert np.allclose(measures, (result["coherence"]["npmi"], result["coherence"]["umass"]), atol=1e-12), \
        "the command's own coherence differs"
    tell("conehull topics", measures, spent, wall, lists, "")
    shown = [("conehull topics", lists)]
    words = np.flatnonzero(topic_word.sum(0) > 0)
    named = [topic["name"] in [word["term"] for word in topic["words"]] for topic in result["topics"]]
    print(f"{sum(named)} of {len(named)} names are among the ten top words of their topic")
    for loss in options.losses.split(","):
        for k, init in enumerate(options.starts.split(",")):
            other, other_spent, other_wall, rounds = theirs(X, words, options.rank, loss, init, k)
            tell(f"NMF {loss}, {init}", coherence(X, other), other_spent, other_wall, other,
                 f", {rounds} rounds; {other_spent / spent:.1f} times our time")
            shown.append((f"NMF {loss}, {init}", other))
    for who, topics in shown if options.show else []:
        print(f"\n{who}")
        for topic in topics:
            print("  " + " ".join(terms[i] for i in topic))


if __name__ == "__main__":
    main()
