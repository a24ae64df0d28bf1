"""conehull: a few real samples whose non-negative combinations explain all others (near-separable NMF).

Rows are samples, as everywhere in scikit-learn::

    from conehull import SeparableNMF
    model = SeparableNMF(n_components=10, loss="l1").fit(X)
    model.anchors_          # ten rows of X
    model.transform(X)      # with which weights they explain each row

The work is done by the C library that the package carries; ``info()`` tells about it.
"""
from ._info import info
from ._version import __version__
from .estimators import SMRS, SPA, Hottopixx, SeparableNMF
from .functions import AnchorsResult, Certificate, Projection, Verification, anchors, project, verify
from .losses import Bregman

__all__ = ["SeparableNMF", "SPA", "Hottopixx", "SMRS", "Bregman", "anchors", "project", "verify", "AnchorsResult",
           "Certificate", "Projection", "Verification", "info", "__version__"]
