"""Exceptions, signals and threads while the library works."""
import math
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import conehull
from conehull import _run
from conehull.losses import Bregman

LARGE = np.random.RandomState(0).rand(20000, 200)


class Alarm(Exception):
    pass


def _ring(*_):
    raise Alarm


@pytest.fixture
def alarm():
    before = signal.signal(signal.SIGALRM, _ring)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("loss", ["l1", "l2", "kl"])
def test_a_signal_handler_that_raises_stops_the_run(alarm, loss):
    hook = sys.unraisablehook
    with pytest.raises(Alarm):
        alarm(0.3)
        conehull.SeparableNMF(150, loss=loss).fit(LARGE)
    assert sys.unraisablehook is hook


def test_ctrl_c(request):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # shells make background jobs deaf to it
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        conehull.SeparableNMF(150).fit(LARGE)
    assert conehull.SeparableNMF(2).fit(LARGE[:50]).anchors_.shape == (2,)


@pytest.mark.parametrize("run", [lambda: conehull.robust_pca(LARGE[:4000]), lambda: conehull.robust_nmf(LARGE, 20),
                                 lambda: conehull.SMRS(5).fit(LARGE[:3000]),
                                 lambda: conehull.project(LARGE, LARGE[:100])],
                         ids=["robust_pca", "robust_nmf", "smrs", "project"])
def test_other_runs_stop_too(alarm, run):
    with pytest.raises(Alarm):
        alarm(0.2)
        run()


def test_the_interpreter_lock_is_free_while_solving():
    thread = threading.Thread(target=conehull.SeparableNMF(20, n_jobs=1).fit, args=(LARGE[:4000],))
    counted = 0
    thread.start()
    while thread.is_alive():
        time.sleep(0.001)
        counted += 1
    assert counted > 3


def test_threads_side_by_side():
    X = LARGE[:500]
    alone = conehull.anchors(X, 8)
    found = [None] * 4

    def solve(i):
        found[i] = conehull.anchors(X, 8, n_jobs=2)

    threads = [threading.Thread(target=solve, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for result in found:
        np.testing.assert_array_equal(result.weights, alone.weights)


def test_a_loss_that_raises():
    calls = []

    def slope(x):
        calls.append(x)
        if len(calls) > 100:
            raise ZeroDivisionError("of mine")
        return math.log(x)

    loss = Bregman(lambda x: x * math.log(x) - x, slope, lambda x: 1 / x, convex=True)
    with pytest.raises(ZeroDivisionError, match="of mine"):
        conehull.SeparableNMF(3, loss=loss).fit(LARGE[:30, :10])


@pytest.mark.parametrize("where", ["main thread", "another thread"])
def test_a_loss_of_the_wrong_type(where):
    loss = Bregman(lambda x: "x", lambda x: x, lambda x: 1.0)
    raised = []

    def fit():
        try:
            conehull.SeparableNMF(2, loss=loss).fit(LARGE[:10, :5])
        except TypeError as error:
            raised.append(error)

    if where == "main thread":
        fit()
    else:
        thread = threading.Thread(target=fit)
        thread.start()
        thread.join()
    assert len(raised) == 1 and "str" in str(raised[0])


def test_errors_of_others_are_not_ours(monkeypatch):
    """A callback of another library that raises on another thread while we work is reported as ever."""
    import ctypes
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: told.append(unraisable.exc_value))

    @ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
    def broken(x):
        raise LookupError("not ours")

    def disturb():
        while not done:
            broken(1.0)
            time.sleep(0.001)

    done = []
    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        conehull.SeparableNMF(10, n_jobs=1).fit(LARGE[:1000])
    finally:
        done.append(1)
        thread.join()
    assert told and all(isinstance(error, LookupError) for error in told)


def test_progress_bar(capsys):
    pytest.importorskip("tqdm")
    conehull.SeparableNMF(10, verbose=1).fit(LARGE[:300])
    assert "select" in capsys.readouterr().err
    conehull.SeparableNMF(10).fit(LARGE[:300])
    assert capsys.readouterr().err == ""


def test_n_jobs(monkeypatch):
    cores = len(os.sched_getaffinity(0))
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert [_run.threads_of(n) for n in (None, 1, 5, -1)] == [0, 1, 5, cores]
    assert _run.threads_of(-1000) == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert _run.threads_of(None) == 3
