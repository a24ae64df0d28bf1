"""Anchors of AnnData objects: cells are samples, genes are features.

    conehull.annotate(adata, 12)     # the anchors are cells
    adata.obsm["X_conehull"]         # weights, cells x anchors
    adata.varm["conehull"]           # expression of the anchor cells, genes x anchors
    adata.obs["conehull_anchor"]     # which cells are anchors
    adata.uns["conehull"]            # anchors, names, loss, objective, certificate

``conehull anchors data.h5ad --write-h5ad out.h5ad`` writes the same entries to a file.
"""
from typing import Any, Optional

import numpy as np

from ._names import is_anndata, sample_names
from ._settings import tables
from ._signature import with_settings
from .functions import AnchorsResult, anchors

__all__ = ["annotate"]


@with_settings(tables["anchors"], leave_out=("n_components",))
def annotate(adata: Any, n_components="auto", *, layer: Optional[str] = None, key: str = "conehull", copy: bool = False, keep=(),
             n_jobs=None, verbose=0, **settings) -> Any:
    """Finds the anchor cells of an AnnData object and writes the results into the object.

    Parameters
    ----------
    adata : anndata.AnnData
        Cells x genes, not negative: counts or normalised counts, not centred values.
    n_components : int or "auto"
        Number of anchors, as in :func:`anchors`.
    layer : str or None
        The layer to use; None uses ``adata.X``.
    key : str
        The results are ``obsm["X_" + key]``, ``varm[key]``, ``obs[key + "_anchor"]`` and ``uns[key]``.
    copy : bool
        Write the results into a copy and return it.
    keep, n_jobs, verbose
        As in :func:`anchors`.
    {settings}

    Returns
    -------
    AnnData with ``copy``, else None

    Examples
    --------
    >>> import numpy as np
    >>> import conehull
    >>> anndata = __import__("pytest").importorskip("anndata")
    >>> rng = np.random.RandomState(0)
    >>> pure = rng.rand(3, 8)
    >>> X = np.vstack([rng.dirichlet(np.ones(3), 20) @ pure, pure])
    >>> adata = anndata.AnnData(X, dtype=X.dtype)
    >>> conehull.annotate(adata, 3)
    >>> sorted(adata.uns["conehull"]["anchors"].tolist())
    [20, 21, 22]
    >>> adata.obsm["X_conehull"].shape, adata.varm["conehull"].shape
    ((23, 3), (8, 3))
    """
    if not is_anndata(adata):
        raise TypeError(f"annotate() takes an AnnData object; for arrays and frames use anchors(); got {type(adata).__name__}")
    if settings.get("select_only"):
        raise ValueError("annotate() writes weights, but select_only=True computes none; use anchors() instead")
    target = adata.copy() if copy else adata
    if layer is not None and layer not in target.layers:
        raise KeyError(f"the AnnData object has no layer {layer!r}; it has {', '.join(map(repr, target.layers.keys())) or 'none'}")
    X = target if layer is None else target.layers[layer]
    found = anchors(X, n_components, keep=keep, n_jobs=n_jobs, verbose=verbose, **settings)
    _write(target, found, key, settings)
    return target if copy else None


def _write(adata, found: AnchorsResult, key, settings) -> None:
    fitted = found if found.refined is None else found.refined
    adata.obsm[f"X_{key}"] = np.ascontiguousarray(fitted.weights)
    adata.varm[key] = np.ascontiguousarray(fitted.components.T)
    chosen = np.zeros(adata.n_obs, dtype=bool)
    chosen[found.anchors] = True
    adata.obs[f"{key}_anchor"] = chosen
    loss = settings.get("loss", tables["anchors"]["loss"].default)
    adata.uns[key] = {
        "anchors": found.anchors.copy(), "names": sample_names(adata)[found.anchors].astype(str), "loss": str(loss),
        "method": settings.get("method", tables["anchors"]["method"].default), "objective": float(fitted.objective),
        "max_residual": found.max_residual.copy(), "gap": float(found.certificate.gap), "unproven": int(found.certificate.unproven),
        "status": found.status}
