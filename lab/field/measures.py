"""How good an answer is: angles of spectra, shares of planted columns, coherence of topics."""
import numpy as np
from scipy.optimize import linear_sum_assignment


def matched(chosen, pure):
    """Mean angle in degrees between pure columns and chosen ones after the best one-to-one matching, and the chosen
    column of each pure one. A column of zeros is at 90 degrees."""
    lengths = np.outer(np.linalg.norm(pure, axis=0), np.linalg.norm(chosen, axis=0))
    cosine = np.divide(pure.T @ chosen, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    each = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
    pairs = linear_sum_assignment(each)
    return each[pairs].mean(), pairs[1]


def share_found(anchors, planted):
    return len(set(map(int, anchors)) & set(map(int, planted))) / len(planted)


def coherence(X, lists):
    """Mean NPMI and UMass of lists of rows of X, terms x documents: as `conehull topics --help` defines them."""
    holds, n = (X > 0).astype(float).tocsr(), X.shape[1]
    npmi, umass = [], []
    for words in lists:
        both = (holds[words] @ holds[words].T).toarray()
        df = np.diag(both)
        pairs = [(i, j) for i in range(len(words)) for j in range(i)]
        umass.append(np.mean([np.log((both[i, j] + 1) / df[j]) for i, j in pairs]))
        npmi.append(np.mean([-1.0 if both[i, j] == 0 else 1.0 if both[i, j] == n else
                             np.log(both[i, j] * n / (df[i] * df[j])) / np.log(n / both[i, j]) for i, j in pairs]))
    return float(np.mean(npmi)), float(np.mean(umass))
