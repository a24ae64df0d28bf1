"""Calls that are stopped and gone on with."""
import numpy as np
import pytest

import conehull
from conehull import _run

X = np.random.RandomState(3).rand(9000, 12)


class Stopped(Exception):
    pass


@pytest.fixture
def stop_after(monkeypatch):
    """Makes calls raise at their n-th word of progress."""
    def patch(count):
        left = [count]

        def hear(ear, event, _):
            left[0] -= 1
            if left[0] <= 0 and ear.error is None:
                ear.error = Stopped()
            return ear.error is not None

        monkeypatch.setattr(_run._Ear, "hear", hear)
        return monkeypatch.undo
    return patch


def same(one, other):
    for name in ("anchors", "components", "weights", "max_residual"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert one.objective == other.objective and one.certificate == other.certificate


@pytest.mark.parametrize("loss", ["l1", "kl"])
def test_goes_on_to_the_same_bits(tmp_path, stop_after, loss):
    whole = conehull.anchors(X, 8, loss=loss, n_jobs=1)
    file = tmp_path / "run"
    sizes = []
    for count in (4, 3, 5):
        undo = stop_after(count)
        with pytest.raises(Stopped):
            conehull.anchors(X, 8, loss=loss, n_jobs=2, checkpoint=file, resume=True)
        undo()
        sizes.append(file.stat().st_size)
    assert sizes[0] < sizes[-1], sizes
    same(conehull.anchors(X, 8, loss=loss, checkpoint=file, resume=True), whole)
    assert not list(tmp_path.iterdir())


def test_what_is_refused(tmp_path, stop_after):
    file = str(tmp_path / "run")
    undo = stop_after(4)
    with pytest.raises(Stopped):
        conehull.anchors(X, 8, checkpoint=file)
    undo()
    with open(file, "rb") as kept:
        before = kept.read()
    with pytest.raises(ValueError, match="not finished"):
        conehull.anchors(X, 8, checkpoint=file)
    with pytest.raises(ValueError, match="another run"):
        conehull.anchors(X, 8, loss="l2", checkpoint=file, resume=True)
    with pytest.raises(ValueError, match="other data"):
        conehull.anchors(X[::-1], 8, checkpoint=file, resume=True)
    with open(file, "rb") as kept:
        assert kept.read() == before
    with pytest.raises(ValueError, match="resume=True cannot be used without checkpoint"):
        conehull.anchors(X, 8, resume=True)
    with pytest.raises(OSError, match="cannot open"):
        conehull.anchors(X, 8, checkpoint=tmp_path / "no" / "where")
