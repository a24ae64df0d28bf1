"""What the field bench runs: a list of units. A unit is one run of one method on one draw of one data set.

Groups: planted matrices, spectra, video, exemplars and topics. `kind` says whose the method is: "ours" (conehull's own), "reference"
(published methods in conehull's implementation) and "peer" (programs of others, or plain NumPy)."""
import json
import os
import re
import shutil
import signal
import sys
from dataclasses import dataclass
from typing import Callable

import numpy as np

from field.child import run_child
from field.made import planted, scene, spike
from field.measures import coherence, matched, share_found
from field.sources import SPECTRA, TEXT, VIDEO, present

HERE = os.path.dirname(os.path.abspath(__file__))
# measure: what it is, and whether more is better
MEASURES = {"found": ("share of the planted columns that were found", True),
            "angle": ("mean angle in degrees between true and found columns", False),
            "F": ("F-measure of the masks", True),
            "accuracy, 10": ("accuracy in % of a classifier trained on 10 documents", True),
            "accuracy, 50": ("the same, trained on 50", True), "accuracy, 150": ("the same, trained on 150", True),
            "NPMI": ("coherence of the top ten words of 20 topics", True)}
DEFAULTS = {"planted": "l1", "spectra": "conehull unmix", "video": "conehull video", "exemplars": "central",
            "topics": "conehull topics"}
OWN = ("l1", "l2", "kl", "is", "quantile")  # losses of the xray selectors; the other selectors are methods of others
PAIRWISE = ("hottopixx", "smrs", "fgnsr")  # n x n unknowns
PAIRWISE_MOST = 2500  # columns
RANDOM = ("rand", "random-spa", "hottopixx", "vca", "n-findr", "sklearn", "R ")  # depend on the seed


@dataclass
class Unit:
    group: str
    data: str
    method: str
    kind: str
    seed: int
    run: Callable  # (Bench, Unit) -> values by measure, or Failure
    late: bool = False  # may take minutes

    @property
    def key(self):
        return f"{self.group}|{self.data}|{self.method}|{self.seed}"


class Failure(Exception):
    """A unit without a result. status: not present, over the limit, not run or failed."""

    def __init__(self, status, why=""):
        super().__init__(why)
        self.status = status


class Bench:
    """Runs commands for units, and stores the files that they read."""

    def __init__(self, conehull, data, folder, limit, lock):
        self.conehull, self.data, self.folder, self.limit, self.lock = conehull, data, folder, limit, lock
        self.environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")

    def made(self, name, write):
        """Returns the path of a file that write(path) creates at the first call."""
        path = os.path.join(self.folder, name)
        with self.lock:
            if not os.path.exists(path):
                write(path)
        return path

    def child(self, words):
        done = run_child(words, environment=self.environment, limit=self.limit)
        # The kernel counts the limit in clock ticks and may send the signal before the measured processor time reaches it.
        if done.code == -signal.SIGXCPU:
            raise Failure("over the limit", f"stopped after {done.processor:.0f} s of processor time")
        return done

    def ours(self, words):
        """Returns JSON and measurements of one run of the command. Exit code 1: it stopped early, with a usable result."""
        done = self.child([self.conehull, *words, "--json", "--quiet", "--threads", "1"])
        if done.code not in (0, 1):
            raise Failure("failed", done.err.strip().split("\n")[-1])
        return json.loads(done.out), {"processor": done.processor, "peak": done.peak, "early": done.code == 1}

    def theirs(self, words):
        done = self.child(words)
        if done.out.startswith("missing"):
            raise Failure("not present", done.out.strip()[len("missing "):])
        if done.code != 0 or not done.out.startswith("{"):
            raise Failure("failed", done.err.strip().split("\n")[-1])
        answer = json.loads(done.out)
        return answer, {"processor": answer["processor"], "peak": done.peak}

    def python(self, *words):
        return self.theirs([sys.executable, os.path.join(HERE, "peer.py"), *words])


def selectors():
    """Returns (name, settings) of all selectors in lab/harness/selectors.c, the list for all tables of selectors."""
    with open(os.path.join(HERE, "..", "harness", "selectors.c"), encoding="utf-8") as file:
        rows = re.findall(r'^    \{"([^"]+)", "([^"]+)"\},', file.read(), re.M)
    assert rows, "no selectors in lab/harness/selectors.c"
    return rows


def options_of(settings):
    """loss=l1 plain=1 -> --loss l1 --plain"""
    words = []
    for name, value in (word.split("=") for word in settings.split()):
        words += [f"--{name}"] if name in ("largest", "reverse", "plain", "linear") else [f"--{name}", value]
    return words


# ---- matrices: planted ones and spectra ----------------------------------------------------------


@dataclass
class Matrix:
    """draw(seed) -> X, X that the answer is measured on, true columns, their places in X or None."""
    group: str
    data: str
    draw: Callable
    columns: int
    seeds: int
    fixed: bool = False  # the data do not depend on the seed

    def file(self, bench, unit, suffix):
        seed = 0 if self.fixed else unit.seed
        name = re.sub(r"\W+", "-", f"{self.group}-{self.data}-{seed}")

        def write(path):
            X = self.draw(seed)[0]
            if suffix == "npy":
                np.save(path, np.asfortranarray(X))
            elif suffix == "csv":
                np.savetxt(path, np.maximum(X, 0), delimiter=",", fmt="%.9g")
            else:
                np.save(path, np.ascontiguousarray(X.T)[:, None, :])
        return bench.made(f"{name}.{suffix}" if suffix != "cube" else f"{name}-cube.npy", write)

    def values(self, unit, anchors=None, parts=None):
        _, on, pure, places = self.draw(0 if self.fixed else unit.seed)
        values = {"angle": [matched(on[:, anchors] if parts is None else parts, pure)[0]]}
        if places is not None and anchors is not None:
            values["found"] = [share_found(anchors, places)]
        return values

    def rank(self):
        return self.draw(0)[2].shape[1]


def run_selector(matrix, settings):
    def run(bench, unit):
        method = dict(word.split("=") for word in settings.split()).get("method", "xray")
        if method in PAIRWISE and matrix.columns > PAIRWISE_MOST:
            raise Failure("not run", f"{matrix.columns} x {matrix.columns} unknowns")
        found, spent = bench.ours(["anchors", matrix.file(bench, unit, "npy"), "-r", str(matrix.rank()), "--select-only", "--negative",
                                   "clip", "--seed", str(unit.seed), *options_of(settings)])
        return matrix.values(unit, found["anchors"]), spent
    return run


def run_unmix(matrix):
    def run(bench, unit):
        out = os.path.join(bench.folder, re.sub(r"\W+", "-", unit.key))
        found, spent = bench.ours(["unmix", matrix.file(bench, unit, "cube"), "-r", str(matrix.rank()), "-o", out])
        shutil.rmtree(out, ignore_errors=True)
        return matrix.values(unit, found["anchors"]), spent
    return run


def run_columns(matrix, name):
    def run(bench, unit):
        found, spent = bench.python("columns", name, matrix.file(bench, unit, "npy"), matrix.rank(), unit.seed)
        return matrix.values(unit, found["anchors"]), spent
    return run


def run_parts(matrix, name):
    def run(bench, unit):
        found, spent = bench.python("parts", name, matrix.file(bench, unit, "npy"), matrix.rank(), unit.seed)
        return matrix.values(unit, parts=np.array(found["parts"])), spent
    return run


def run_r(matrix, name):
    def run(bench, unit):
        if not shutil.which("Rscript"):
            raise Failure("not present", "Rscript")
        if matrix.columns > PAIRWISE_MOST:
            raise Failure("not run", f"minutes for {matrix.columns} columns")
        found, spent = bench.theirs(["Rscript", os.path.join(HERE, "nmf.R"), name, matrix.file(bench, unit, "csv"), matrix.rank(),
                                     unit.seed + 1])
        return matrix.values(unit, parts=np.array(found["parts"])), spent
    return run


def kind_of(settings):
    words = dict(word.split("=") for word in settings.split())
    return "ours" if words.get("loss", "").split(":")[0] in OWN else "reference"


def matrix_methods(matrix):
    rows = [(name, kind_of(settings), run_selector(matrix, settings)) for name, settings in selectors()]
    if matrix.group == "spectra":
        rows.append(("conehull unmix", "ours", run_unmix(matrix)))
    rows += [(f"{title}, NumPy", "peer", run_columns(matrix, name))
             for title, name in (("VCA", "vca"), ("N-FINDR", "n-findr"), ("SPA", "spa"))]
    rows += [(f"scikit-learn NMF, {loss}", "peer", run_parts(matrix, f"sklearn-{loss}")) for loss in ("l2", "kl")]
    return rows + [(f"R NMF, {name}", "peer", run_r(matrix, name)) for name in ("lee", "brunet")]


def matrix_units(matrix):
    for name, kind, run in matrix_methods(matrix):
        several = not matrix.fixed or any(word in name.lower() or name.startswith(word) for word in RANDOM)
        late = matrix.columns > 500 and any(word in name.lower() or name.startswith("R ") for word in PAIRWISE)
        for seed in range(matrix.seeds if several else 1):
            yield Unit(matrix.group, matrix.data, name, kind, seed, run, late)


def remembered(draw):
    """Caches the last draw, because every method is measured on it."""
    kept = {}

    def again(seed):
        if seed not in kept:
            kept[seed] = draw(seed)
        return kept[seed]
    return again


PLANTED = (("sparse", 0.3), ("sparse", 0.7), ("sparse", 1.5), ("two-sided", 0.5), ("gaussian", 0.3), ("poisson", 3.0))


def planted_matrices(quick):
    size = dict(rows=60, columns=70, rank=6) if quick else dict(rows=200, columns=210, rank=20)
    for noise, level in PLANTED[:1] if quick else PLANTED:
        def draw(seed, noise=noise, level=level):
            X, W, places = planted(seed, noise, level, **size)
            return X, X, W, places
        yield Matrix("planted", f"{noise} {level:g}", remembered(draw), size["columns"], 2 if quick else 5)


def spectra_matrices(data, quick):
    size = dict(bands=30, columns=200, rank=3) if quick else {}

    def clean(seed):
        X, pure = scene(seed, **size)
        return X, X, pure, None

    def spiked(seed):
        X, on, pure, _ = clean(seed)
        return spike(X, seed), on, pure, None
    yield Matrix("spectra", "generated scene", remembered(clean), 200 if quick else 2000, 2 if quick else 3)
    if quick:
        return
    yield Matrix("spectra", "generated scene, spikes", remembered(spiked), 2000, 3)
    if present(data, SPECTRA[0]):
        from scipy.io import loadmat
        samson = loadmat(os.path.join(data, SPECTRA[0].place))
        Y, pure = samson["Y"].astype(float), samson["GT"].astype(float).T
        yield Matrix("spectra", "Samson", remembered(lambda seed: (Y, Y, pure, None)), Y.shape[1], 3, fixed=True)
        yield Matrix("spectra", "Samson, spikes", remembered(lambda seed: (spike(Y, seed), Y, pure, None)), Y.shape[1], 3)


# ---- video -----------------------------------------------------------------------------------------


def run_video(folder, words):
    def run(bench, unit):
        clip = os.path.join(folder, "frames.mkv")
        source = [clip, "--truth", os.path.join(folder, "gt")] if os.path.exists(clip) else [folder]
        out = os.path.join(bench.folder, re.sub(r"\W+", "-", unit.key))
        scores, spent = bench.ours([words[0], *source, "-o", out, *words[1:]])
        values = {"F": f_by_blocks(os.path.join(out, "mask.mkv"), folder)}
        shutil.rmtree(out, ignore_errors=True)
        return values, dict(spent, whole={"F": scores["f_measure"]})
    return run


def f_by_blocks(path, folder):
    """Returns nothing without OpenCV, which reads the masks."""
    try:
        from field.masks import Sequence, count, f_of_blocks, masks_of_file
    except ImportError:
        return []
    sequence = Sequence(folder)
    return f_of_blocks(count(masks_of_file(path, sequence), sequence.truth))


def run_model(folder, name):
    def run(bench, unit):
        colour = "gray" if os.path.exists(os.path.join(folder, "frames.mkv")) else "colour"
        found, spent = bench.python("masks", name, folder, colour)
        return {"F": found["blocks"]}, dict(spent, whole={"F": found["f"]})
    return run


VIDEO_METHODS = (("conehull video", "ours", ["video"]), ("conehull live", "ours", ["live"]),
                 ("video, xray-l2", "ours", ["video", "--method", "xray-l2"]),
                 ("video, median", "reference", ["video", "--method", "median"]),
                 ("video, robust-lowrank", "reference", ["video", "--method", "robust-lowrank"]),
                 ("video, robust-nmf", "reference", ["video", "--method", "robust-nmf"]),
                 ("video, robust PCA", "reference", ["video", "--method", "rpca"]))


def video_units(data):
    for source in VIDEO:
        if present(data, source):
            folder = os.path.dirname(os.path.join(data, source.place))
            for name, kind, words in VIDEO_METHODS:
                yield Unit("video", source.name, name, kind, 0, run_video(folder, words), kind == "reference")
            for name in ("MOG2", "KNN"):
                yield Unit("video", source.name, f"OpenCV {name}", "peer", 0, run_model(folder, name))


# ---- text ------------------------------------------------------------------------------------------

RANKS, SPLITS, TOPICS = (10, 50, 150), 5, 20
EXEMPLARS = (("central", "ours"), ("facility", "ours"), ("robust-xray", "ours"), ("xray-l2", "ours"), ("xray-kl", "ours"),
             ("xray-is", "ours"), ("spa", "reference"), ("smrs", "reference"), ("hottopixx", "reference"), ("kmeans", "reference"),
             ("random", "reference"))


def run_exemplars(path, method):
    def run(bench, unit):
        labels = path.replace(".mtx.gz", ".labels")
        found, spent = bench.ours(["exemplars", path, "--labels", labels, "-r", ",".join(map(str, RANKS)), "--splits", str(SPLITS),
                                   "--method", method])
        return {f"accuracy, {r}": [100 * one for one in found["accuracy"][str(r)]["each"]] for r in RANKS}, spent
    return run


def some_documents(bench, path, seed):
    """Returns the path of the counts of 80 % of the documents, with the words within the limits of `conehull topics`."""
    import scipy.io
    import scipy.sparse as sparse

    def write(to):
        X = scipy.io.mmread(path).tocsc().astype(float)
        chosen = np.sort(np.random.default_rng(seed).permutation(X.shape[1])[:X.shape[1] * 4 // 5])
        X = X[:, chosen]
        held = np.diff((X > 0).tocsr().indptr)
        sparse.save_npz(to, X.tocsr()[(held >= 3) & (held <= 0.5 * X.shape[1])].tocsc())
    return bench.made(f"topics-{os.path.basename(path)}-{seed}.npz", write)


def number_rows(counts, to):
    """Writes names for the words, which the command requires; the results do not depend on them."""
    with np.load(counts) as file, open(to, "w", encoding="utf-8") as terms:
        terms.writelines(f"word{row}\n" for row in range(file["shape"][0]))


def coherence_of(counts, lists):
    import scipy.sparse as sparse
    return {"NPMI": [coherence(sparse.load_npz(counts), lists)[0]]}


def run_topics(path):
    def run(bench, unit):
        counts = some_documents(bench, path, unit.seed)
        terms = bench.made(f"{os.path.basename(counts)}.terms", lambda to: number_rows(counts, to))
        found, spent = bench.ours(["topics", counts, "--terms", terms, "-r", str(TOPICS)])
        return coherence_of(counts, [[word["row"] for word in topic["words"]] for topic in found["topics"]]), spent
    return run


def run_topics_peer(path, name):
    def run(bench, unit):
        counts = some_documents(bench, path, unit.seed)
        found, spent = bench.python("topics", name, counts, TOPICS, unit.seed)
        return coherence_of(counts, found["lists"]), spent
    return run


def text_units(data):
    for source in TEXT:
        if not present(data, source):
            continue
        path = os.path.join(data, source.place)
        for method, kind in EXEMPLARS:
            yield Unit("exemplars", source.name, method, kind, 0, run_exemplars(path, method), method in ("smrs", "hottopixx", "xray-is"))
        for seed in range(3):
            yield Unit("topics", source.name, "conehull topics", "ours", seed, run_topics(path))
            for loss, title in (("l2", "tf-idf"), ("kl", "KL")):
                yield Unit("topics", source.name, f"scikit-learn NMF, {title}", "peer", seed, run_topics_peer(path, f"sklearn-{loss}"))


def all_units(data, quick):
    """Every first draw before any second one, and what may run into the limit last, so that a bench which is stopped has
    something of everything."""
    units = [unit for matrices in (planted_matrices(quick), spectra_matrices(data, quick)) for matrix in matrices
             for unit in matrix_units(matrix)]
    if quick:
        return [unit for unit in units if unit.kind != "peer" or "NMF" not in unit.method or (unit.seed == 0 and unit.group == "planted")]
    units += [*video_units(data), *text_units(data)]
    return sorted(units, key=lambda unit: (unit.late, unit.seed))
