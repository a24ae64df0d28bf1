#!/usr/bin/env python3
"""Counts of the command against scikit-learn's CountVectorizer, with a pattern that says the same on such text.

    compare_counts.py CONEHULL

Random text with punctuation, numbers, apostrophes, hyphens, capitals and accents. For several settings, terms, counts,
document frequency limits and their order must agree exactly. Exit 77 (skipped) without scikit-learn."""
import os
import random
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import scipy.io
    from sklearn.feature_extraction.text import CountVectorizer
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

SEED = 7
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" + "\u00e9\u00c9\u00fc\u00d6\u0141\u0434\u0414\u03bb"
WORD = r"(?:[^\W_])+(?:'(?:[^\W_])+)*"


def text(draw, stock):
    parts = []
    for _ in range(draw.randrange(0, 60)):
        parts.append(draw.choice(stock))
        parts.append(draw.choice([" ", " ", " ", ", ", ". ", "; ", "-", " - ", " (", ") ", "!\t", "_", "/", '" ']))
    return "".join(parts)


def stock_of(draw):
    stock = ["".join(draw.choice(LETTERS) for _ in range(draw.randrange(1, 7))) for _ in range(300)]
    stock += [str(draw.randrange(0, 3000)) for _ in range(30)] + ["3g", "mp3", "don't", "O'Neill", "x'y'z"]
    return stock


def analyzer(least, numbers):
    import re
    pattern = re.compile(WORD)

    def words(document):
        for word in pattern.findall(document):
            word = word.lower()
            if word.endswith("'s"):
                word = word[:-2]
            if sum(c.isalnum() for c in word) >= least and (numbers or any(c.isalpha() for c in word)):
                yield word
    return words


CASES = [
    ([], dict(), 2, False),
    (["--min-length", "1", "--numbers"], dict(), 1, True),
    (["--min-length", "4", "--min-df", "3"], dict(min_df=3), 4, False),
    (["--min-df", "2", "--max-df", "0.1"], dict(min_df=2, max_df=0.1), 2, False),
]


def main(command):
    draw = random.Random(SEED)
    stock = stock_of(draw)
    documents = [text(draw, stock) for _ in range(400)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "documents.txt")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write("\r\n".join(documents) + "\r\n")
        for options, limits, least, numbers in CASES:
            out = os.path.join(folder, "out")
            subprocess.run([command, "text", path, "-o", out, "--quiet", *options], check=True, stdout=subprocess.DEVNULL)
            counts = scipy.io.mmread(os.path.join(out, "counts.mtx")).tocsc()
            terms = open(os.path.join(out, "terms.txt"), encoding="utf-8").read().split("\n")[:-1]
            model = CountVectorizer(analyzer=analyzer(least, numbers), **limits)
            wanted = model.fit_transform(documents).T.tocsc()
            names = list(model.get_feature_names_out())
            order = sorted(range(len(names)), key=lambda i: names[i].encode())
            assert terms == [names[i] for i in order], (options, SEED, set(terms) ^ set(names))
            assert (counts != wanted[order]).nnz == 0, (options, SEED)
            print(f"{' '.join(options) or 'defaults'}: {len(terms)} terms, {counts.nnz} counts, equal")


if __name__ == "__main__":
    main(*sys.argv[1:])
