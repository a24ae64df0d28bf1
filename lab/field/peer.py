#!/usr/bin/env python3
"""One run of a method that is not conehull's, in a process of its own. Prints one JSON object, or "missing WHAT".

    peer.py columns vca|n-findr|spa X.npy RANK SEED        {"anchors", "processor"}
    peer.py parts sklearn-l2|sklearn-kl X.npy RANK SEED    {"parts": rows of each part, "processor"}
    peer.py topics sklearn-l2|sklearn-kl X.npz RANK SEED   {"lists": rows of the ten largest words, "processor"}
    peer.py masks MOG2|KNN FOLDER gray|colour              {"f", "blocks", "processor"}

`processor` is that of the method alone: the interpreter, its imports, reading and scoring are left out. Decoding counts for
masks, since it does for the command. Everything that is not named here is the method's default."""
import json
import os
import sys
import time
import warnings

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

TOP = 10


def columns(name, path, rank, seed):
    import numpy as np

    from field.unmixers import n_findr, spa, vca
    X, random = np.load(path), np.random.default_rng(int(seed))
    start = time.process_time()
    found = {"vca": vca, "n-findr": n_findr, "spa": spa}[name](X, int(rank), random)
    return {"anchors": found, "processor": time.process_time() - start}


def model_of(name, rank, seed):
    from sklearn.decomposition import NMF
    kind = {"beta_loss": "kullback-leibler", "solver": "mu"} if name.endswith("-kl") else {}
    return NMF(int(rank), random_state=int(seed), **kind)


def parts(name, path, rank, seed):
    import numpy as np
    X, model = np.maximum(np.load(path), 0), model_of(name, rank, seed)
    start = time.process_time()
    model.fit_transform(X.T)
    return {"parts": model.components_.T.tolist(), "processor": time.process_time() - start}


def topics(name, path, rank, seed):
    import numpy as np
    import scipy.sparse as sparse
    from sklearn.feature_extraction.text import TfidfTransformer
    counts, model = sparse.load_npz(path).T.tocsr(), model_of(name, rank, seed)
    start = time.process_time()
    model.fit_transform(counts if name.endswith("-kl") else TfidfTransformer().fit_transform(counts))
    spent = time.process_time() - start
    return {"lists": [np.argsort(-row, kind="stable")[:TOP].tolist() for row in model.components_], "processor": spent}


def masks(name, folder, colour):
    import cv2

    from field.masks import Sequence, count, f_measure, f_of_blocks, masks_of_model
    cv2.setNumThreads(1)
    sequence = Sequence(folder)
    truth, sequence.spent = sequence.truth, 0.0

    def timed():
        source = masks_of_model(name, sequence, colour == "gray")
        while True:
            start = time.process_time()
            step = next(source, None)
            sequence.spent += time.process_time() - start
            if step is None:
                return
            yield step
    counts = count(timed(), truth)
    return {"f": f_measure(counts), "blocks": f_of_blocks(counts), "processor": sequence.spent}


def main(task, *words):
    warnings.simplefilter("ignore")
    try:
        print(json.dumps({"columns": columns, "parts": parts, "topics": topics, "masks": masks}[task](*words)))
    except ImportError as missing:
        print("missing", missing.name)


if __name__ == "__main__":
    main(*sys.argv[1:])
