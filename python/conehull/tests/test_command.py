"""``python -m conehull`` is the command, and gives the same bits as the package."""
import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sparse

import conehull
from conehull import _library

pytestmark = pytest.mark.skipif(not (_library.path().parent / "conehull").exists(), reason="no command here")


def command(*words, start=(_library.path().parent / "conehull",)):
    return subprocess.run([*start, *map(str, words)], capture_output=True, text=True)


def test_exit_codes_and_help():
    start = (sys.executable, "-m", "conehull")
    assert command("anchors", start=start).returncode == 2
    assert conehull.__version__ in command("info", start=start).stdout


@pytest.mark.parametrize("kind", ["f8", "f4", "u1", "u2", "sparse"])
@pytest.mark.parametrize("words, keywords", [
    ([], {}),
    (["--loss", "kl"], {"loss": "kl"}),
    (["--loss", "l2", "--exterior", "greedy"], {"loss": "l2", "exterior": "greedy"}),
    (["--method", "spa"], {"method": "spa"}),
    (["--exterior", "rand", "--seed", "5"], {"exterior": "rand", "random_state": 5}),
    (["--exterior", "share", "--faint", "0.1"], {"exterior": "share", "faint": 0.1}),
    (["--exterior", "balanced"], {"exterior": "balanced"}),
    (["--loss", "quantile:0.2"], {"loss": "quantile:0.2"}),
], ids=["l1", "kl", "greedy", "spa", "rand", "share", "balanced", "quantile"])
def test_the_same_bits(tmp_path, kind, words, keywords):
    rng = np.random.RandomState(0)
    X = rng.rand(120, 40) * (rng.rand(120, 40) < 0.7) * 200
    if kind == "sparse":
        X = sparse.csr_matrix(X)
        sparse.save_npz(tmp_path / "X.npz", X)
        file = tmp_path / "X.npz"
    else:
        X = X.astype(kind)
        np.save(tmp_path / "X.npy", X)
        file = tmp_path / "X.npy"
    run = command("anchors", file, "--transpose", "-r", 6, "-o", tmp_path / "out", "--json", *words)
    assert run.returncode == 0, run.stderr
    model = conehull.SeparableNMF(6, **keywords)
    W = model.fit_transform(X)
    reported = json.loads(run.stdout)
    assert reported["anchors"] == model.anchors_.tolist()
    norm = keywords.get("loss") == "l2"                         # scikit-learn's measure: the root of the squares
    assert (np.sqrt(reported["objective"]) if norm else reported["objective"]) == model.reconstruction_err_
    assert W.dtype == (np.float32 if kind == "f4" else np.float64)  # single precision in, single precision out
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "H.npy").T.astype(W.dtype), W)
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "W.npy").T, model.components_)


def test_unmix_is_the_same(tmp_path):
    rng = np.random.default_rng(6)
    pure = rng.random((4, 30))
    shares = rng.dirichlet(np.full(4, 0.6), 14 * 15) * rng.uniform(0.4, 1, (14 * 15, 1))
    cube = (shares @ pure + 0.002 * rng.standard_normal((14 * 15, 30))).reshape(14, 15, 30)
    np.save(tmp_path / "scene.npy", cube)
    done = command("unmix", tmp_path / "scene.npy", "-r", 4, "-o", tmp_path / "out", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    found = conehull.unmix(cube, 4)
    assert json.loads(done.stdout)["pixels"] == found.pixels.tolist()
    assert np.array_equal(np.load(tmp_path / "out" / "abundances.npy"), found.abundances)
    assert np.allclose(np.load(tmp_path / "out" / "residual.npy"), found.residual, atol=1e-14)
    assert np.array_equal(np.load(tmp_path / "out" / "gap.npy"), found.gap)


TEXTS = ["The Moon's orbit, and the company's rocket: it's 384,400 km", "A rocket flew to the moon -- don't you know?",
         "Earth, moon & rocket (x1)", "Bake caf\u00e9-bread with \u201cyeast\u201d", "Flour, yeast and \u00d1o\u00f1o butter; CAFE\u0301!",
         "butter on fresh bread \u2014 the baker\u2019s, wasn't it",
         "\u039f\u03b4\u03c5\u03c3\u03c3\u03b5\u03cd\u03c2 \u0130stanbul stra\u00dfe", ""] * 3


def test_the_same_words_topics_and_exemplars(tmp_path):
    file = tmp_path / "texts.txt"
    file.write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    run = command("topics", file, "-r", 2, "--stop-words", "english", "-o", tmp_path / "out", "--json", "--quiet")
    assert run.returncode == 0, run.stderr
    model = conehull.TopicModel(2, stop_words="english")
    weights = model.fit_transform(TEXTS)
    assert (tmp_path / "out" / "terms.txt").read_text(encoding="utf-8").split() == model.terms_.tolist()
    assert [topic["name"] for topic in json.loads(run.stdout)["topics"]] == model.names_.tolist()
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "topic_word.npy"), model.components_)
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "document_topic.npy"), weights)
    run = command("exemplars", file, "-r", 4, "--stop-words", "english", "--json", "--quiet")
    assert run.returncode == 0, run.stderr
    found = conehull.exemplars(TEXTS, 4, stop_words="english")
    reported = json.loads(run.stdout)
    assert reported["exemplars"] == found.indices.tolist() and reported["terms"] == found.words


@pytest.mark.parametrize("suffix", ["jpg", "png", "bmp"])
def test_folders_of_pictures_are_read_without_video(tmp_path, suffix):
    pictures = pytest.importorskip("PIL.Image")
    rng = np.random.RandomState(0)
    kinds = [np.kron(rng.randint(40, 255, (4, 5, 3)), np.ones((8, 8, 1))) for _ in range(3)]
    for k in range(12):
        pictures.fromarray((kinds[k % 3] * (0.6 + 0.03 * k)).clip(0, 255).astype(np.uint8)).save(tmp_path / f"{k}.{suffix}")
    run = command("exemplars", tmp_path, "-r", 3, "--json", "--quiet")
    if suffix == "jpg" and "cannot read JPEG files" in run.stderr:
        pytest.skip("built without TurboJPEG")
    assert run.returncode == 0, run.stderr
    chosen = json.loads(run.stdout)["exemplars"]
    assert sorted(k % 3 for k in chosen) == [0, 1, 2], chosen


def _noisy(kind):
    rng = np.random.RandomState(7)
    W = rng.rand(8, 80)
    X = np.vstack([W, rng.dirichlet(np.full(8, 0.5), 120) @ W])
    if kind == "added":
        return X + np.maximum(rng.laplace(0, 0.5, X.shape), 0)
    return rng.poisson(30 * X).astype(float) if kind == "counts" else X


@pytest.mark.parametrize("kind, settings", [("added", {"loss": "quantile:0.2", "exterior": "share"}), ("counts", {"loss": "kl"}),
                                            ("exact", {})])
def test_advice_is_that_of_the_command(tmp_path, kind, settings):
    X = _noisy(kind)
    np.save(tmp_path / "X.npy", X)
    run = command("anchors", tmp_path / "X.npy", "--transpose", "-r", 8, "--advise", "--json", "--quiet")
    reported = json.loads(run.stdout)["advice"]
    found = conehull.advise(X, 8)
    assert found.settings == settings
    assert (reported["options"] or "") == " ".join(f"--{name} {value}" for name, value in settings.items())
    assert list(found.because) == reported["because"] and found.because
    numbers = {name: None if value != value else value for name, value in found.evidence.items()}
    assert {name: numbers[name] for name in reported["evidence"]} == reported["evidence"]


def test_advice_of_an_estimator():
    X = _noisy("added")
    model = conehull.SeparableNMF(8, select_only=True)
    assert model.advise(X).settings == conehull.advise(X, 8).settings
    assert not hasattr(model, "anchors_")  # nothing was fitted
    assert "quantile" in repr(model.advise(X))
    advised = conehull.SeparableNMF(8, **model.advise(X).settings).fit(X)
    assert len(advised.anchors_) == 8


def test_refusals_of_advice():
    with pytest.raises(ValueError, match="n_components"):
        conehull.advise(_noisy("added"), -1)
    with pytest.raises(TypeError):
        conehull.advise(_noisy("added"), 8, select_only=True)
