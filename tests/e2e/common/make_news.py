"""Documents of two classes with classes of their own words, as `reproduce exemplars` looks for them: data/text/bbc."""
import gzip
import os

DOCUMENTS, WORDS, LENGTH = 320, 240, 12
state = 7


def draw(below):
    global state
    state = (state * 1103515245 + 12345) % 2**31
    return state // 65536 % below


os.makedirs("data/text/bbc")
lines = []
for document in range(DOCUMENTS):
    counts = {}
    for place in range(LENGTH):
        word = draw(WORDS // 3) + (0 if place % 2 else WORDS // 3 * (1 + document % 2))
        counts[word] = counts.get(word, 0) + 1
    lines += [f"{word + 1} {document + 1} {counts[word]}\n" for word in sorted(counts)]
with gzip.open("data/text/bbc/bbc.mtx.gz", "wt") as file:
    file.write(f"%%MatrixMarket matrix coordinate integer general\n{WORDS} {DOCUMENTS} {len(lines)}\n")
    file.writelines(lines)
with open("data/text/bbc/bbc.labels", "w", encoding="utf-8") as file:
    file.writelines(f"class {document % 2}\n" for document in range(DOCUMENTS))
