"""conehull finds a few real samples whose non-negative combinations explain all others (near-separable NMF).

Rows are samples, as in scikit-learn::

    from conehull import SeparableNMF
    model = SeparableNMF(n_components=10, loss="l1").fit(X)
    model.anchors_          # ten rows of X
    model.transform(X)      # the weights with which they explain each row

The package contains a C library that does the computation; ``info()`` describes it. Names are imported when they
are first used, so that ``python -m conehull``, the command, starts at once.
"""
import importlib

_HOME = {
    "estimators": ["SeparableNMF", "SPA", "Hottopixx", "SMRS", "relative_score"],
    "functions": ["anchors", "project", "verify", "AnchorsResult", "Certificate", "Projection", "Refined", "Verification"],
    "advice": ["advise", "Advice", "elbow"],
    "cells": ["annotate"],
    "decompose": ["robust_pca", "robust_nmf", "robust_lowrank", "median_filter", "RobustNMF", "Decomposition"],
    "streaming": ["MiniBatchSeparableNMF", "Stream", "StreamResult"],
    "live": ["LiveFrame", "LiveSeparator"],
    "losses": ["Bregman"],
    "spectra": ["unmix", "Unmixing"],
    "text": ["topics", "exemplars", "TopicModel", "Exemplars"],
    "_errors": ["DataWarning", "RankWarning"],
    "_info": ["info", "set_kernel"],
    "_version": ["__version__"],
}
_MODULES = ["losses", "spectra", "text", "video"]
__all__ = [name for names in _HOME.values() for name in names] + _MODULES


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    for home, names in _HOME.items():
        if name in names:
            value = globals()[name] = getattr(importlib.import_module(f".{home}", __name__), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
