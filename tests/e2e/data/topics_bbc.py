#!/usr/bin/env python3
"""Topics of the BBC articles: as coherent as NMF's, as pure as their classes, the same on two threads.

    topics_bbc.py CONEHULL DATA

The limits on coherence are what scikit-learn's NMF (least squares on tf-idf, start nndsvda, 200 rounds) reaches at rank
20 on the same words (lab/peers/compare_topics.py measures both; KL on counts gets less). Exit 77 (skipped) without the data or NumPy."""
import collections
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

NPMI, UMASS, PURITY = 0.3891, -1.3900, 0.90


def main(command, data):
    folder = os.path.join(os.environ.get("CONEHULL_DATA", data), "text", "bbc")
    if not os.path.exists(os.path.join(folder, "bbc.mtx.gz")):
        print(f"skipped: no {folder}")
        return 77
    classes = open(os.path.join(folder, "bbc.labels"), encoding="utf-8").read().split()
    answers = []
    with tempfile.TemporaryDirectory() as out:
        for threads in ("1", "2"):
            text = subprocess.run([command, "topics", os.path.join(folder, "bbc.mtx.gz"), "--terms",
                                   os.path.join(folder, "bbc.terms"), "-r", "20", "--threads", threads, "--json",
                                   "--quiet", "-o", out], check=True, stdout=subprocess.PIPE).stdout
            answers.append(json.loads(text))
        shares = np.load(os.path.join(out, "document_topic.npy"))
    assert answers[0]["topics"] == answers[1]["topics"], "threads change the answer"
    coherence = answers[0]["coherence"]
    main_topic = shares.argmax(1)
    pure = sum(collections.Counter(c for c, z in zip(classes, main_topic) if z == topic).most_common(1)[0][1]
               for topic in set(main_topic)) / len(classes)
    print(f"npmi {coherence['npmi']:.4f} (at least {NPMI}), umass {coherence['umass']:.4f} (at least {UMASS}), "
          f"documents whose class is that of most of their topic: {pure:.3f} (at least {PURITY})")
    assert all(topic["name"] in [word["term"] for word in topic["words"]] for topic in answers[0]["topics"])
    for topic in answers[0]["topics"]:
        print(f"  {topic['name']:12s}", " ".join(word["term"] for word in topic["words"]))
    return int(not (coherence["npmi"] >= NPMI and coherence["umass"] >= UMASS and pure >= PURITY))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
