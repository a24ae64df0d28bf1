"""Finds the pure spectra of a scene and their share in every pixel, and compares both with a reference.

    >>> import numpy as np
    >>> import conehull
    >>> rng = np.random.default_rng(0)
    >>> pure = rng.random((3, 40))
    >>> shares = rng.dirichlet(np.ones(3), 20 * 30)
    >>> shares[[5, 77, 300]] = np.eye(3)
    >>> found = conehull.unmix((shares @ pure).reshape(20, 30, 40), 3)
    >>> sorted(found.pixels.tolist())
    [[0, 5], [2, 17], [10, 0]]
    >>> bool(conehull.spectra.score(found.endmembers, pure).mean_angle < 1e-6)
    True

A spectrum is a row, like every sample in this package. Angles are in radians.
"""
from dataclasses import dataclass, field
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._library import library
from ._matrix import View
from ._run import Run, copied, pointer_to
from ._settings import tables
from ._shown import Shown, listed, proven, shape_of
from ._signature import with_settings
from ._sklearn import checked
from ._structs import ch_spectra_noise, ch_spectra_score, ch_spectra_set, ch_spectra_smoothing, ch_unmix_rank
from .functions import AnchorsResult, c_result, fill_settings, run_anchors

__all__ = ["NoiseEstimate", "Score", "Unmixing", "estimate_noise", "match", "rmse", "score", "smooth", "spectral_angle", "unmix"]

TABLE = tables["unmix"]
#: Names of the band axis in labelled arrays.
_BAND_NAMES = ("band", "bands", "wavelength", "wavelengths", "wl", "lambda", "channel", "energy", "eaxis", "shift", "raman_shift")


def _rows(values, name) -> np.ndarray:
    rows = np.ascontiguousarray(np.atleast_2d(np.asarray(values, dtype=np.float64)))
    if rows.ndim != 2 or rows.size == 0:
        raise ValueError(f"{name} must be an array of spectra x bands; got shape {rows.shape}")
    return rows


def spectral_angle(a: Any, b: Any) -> np.ndarray:
    """Returns the angles in radians between every row of ``a`` and every row of ``b``, or one number for two spectra.

    Examples
    --------
    >>> from conehull.spectra import spectral_angle
    >>> round(float(spectral_angle([1.0, 0.0], [2.0, 2.0])), 4)
    0.7854
    """
    single = np.ndim(a) == 1 and np.ndim(b) == 1
    a, b = _rows(a, "a"), _rows(b, "b")
    if a.shape[1] != b.shape[1]:
        raise ValueError(f"the spectra have {a.shape[1]} and {b.shape[1]} bands, but they must have the same number of bands")
    angles = np.array([[library.ch_spectral_angle(pointer_to(x), pointer_to(y), len(x)) for y in b] for x in a])
    return angles[0, 0] if single else angles


def match(cost: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Returns the one-to-one pairs with the smallest total cost, as rows and columns, like
    ``scipy.optimize.linear_sum_assignment``.

    Examples
    --------
    >>> from conehull.spectra import match
    >>> match([[3.0, 1.0], [1.0, 3.0]])
    (array([0, 1]), array([1, 0]))
    """
    cost = np.asarray(cost, dtype=np.float64)
    if cost.ndim != 2 or cost.size == 0:
        raise ValueError(f"cost must be an array of rows x columns; got shape {cost.shape}")
    by_columns = np.asfortranarray(cost)
    pairs = np.empty(cost.shape[0], dtype=np.int64)
    with Run() as run:
        run.call(library.ch_spectra_match, pointer_to(pairs), None, pointer_to(by_columns.T), *cost.shape)
    rows = np.flatnonzero(pairs >= 0)
    return rows, pairs[rows]


def rmse(found: Any, truth: Any) -> np.ndarray:
    """Returns the root mean square error of abundances for each component. Components are on the last axis.

    Examples
    --------
    >>> from conehull.spectra import rmse
    >>> rmse([[0.0, 1.0], [0.5, 0.5]], [[0.0, 1.0], [0.5, 0.1]]).round(4)
    array([0.    , 0.2828])
    """
    off = np.asarray(found, dtype=np.float64) - np.asarray(truth, dtype=np.float64)
    return np.sqrt(np.nanmean(off.reshape(-1, off.shape[-1]) ** 2, axis=0))


@dataclass(frozen=True)
class Score:
    """Result of :func:`score`. For each reference spectrum it holds the matched endmember (``match``, -1 if there is none), the
    angle in radians and the RMSE of the abundances; ``mean_angle`` and ``mean_rmse`` are means over the pairs."""

    match: np.ndarray
    angle: np.ndarray
    mean_angle: float
    rmse: Optional[np.ndarray]
    mean_rmse: float

    @property
    def degrees(self) -> np.ndarray:
        return np.degrees(self.angle)


def _set(endmembers, abundances, hold) -> ch_spectra_set:
    """Returns spectra and abundances as a struct of the library. Rows in C order are its columns, so nothing is copied."""
    spectra = _rows(endmembers, "endmembers")
    count, bands = spectra.shape
    hold.append(spectra)
    made = ch_spectra_set(bands=bands, count=count, endmembers=pointer_to(spectra))
    if abundances is not None:
        shares = np.asarray(abundances, dtype=np.float64)
        shares = np.ascontiguousarray(shares.reshape(-1, shares.shape[-1]))
        if shares.shape[1] != count:
            raise ValueError(f"the abundances have {shares.shape[1]} columns, but there are {count} endmembers; "
                             "one column for each is needed")
        hold.append(shares)
        made.pixels, made.abundances = shares.shape[0], pointer_to(shares)
    return made


def score(endmembers: Any, reference: Any, abundances: Any = None, reference_abundances: Any = None) -> Score:
    """Compares endmembers with reference spectra. Pairs are one-to-one with the smallest sum of angles. With abundances of both,
    their errors are computed too.

    Examples
    --------
    >>> import numpy as np
    >>> from conehull.spectra import score
    >>> pure = np.eye(3) + 0.1
    >>> found = score(2 * pure[[2, 0, 1]], pure)
    >>> found.match, bool(found.mean_angle < 1e-9)
    (array([1, 2, 0]), True)
    """
    hold = []
    found, truth = _set(endmembers, abundances, hold), _set(reference, reference_abundances, hold)
    with Run() as run:
        made = run.own(ch_spectra_score, library.ch_spectra_score_free)
        run.call(library.ch_spectra_compare, made.struct, found, truth)
        r = made.struct
        return Score(copied(r.match, r.count), copied(r.angle, r.count), r.mean_angle, copied(r.rmse, r.count), r.mean_rmse)


@dataclass(frozen=True)
class NoiseEstimate:
    """Result of :func:`estimate_noise`: the dimension of the signal, the standard deviation of the noise in every band, and the
    signal to noise ratio."""

    rank: int
    deviation: np.ndarray
    snr: float


def estimate_noise(X: Any, *, n_jobs: Any = None) -> NoiseEstimate:
    """Estimates the noise by regression between bands, and the dimension of the signal (HySime). X is pixels x bands and must
    have more pixels than bands.

    Examples
    --------
    >>> import numpy as np
    >>> from conehull.spectra import estimate_noise
    >>> rng = np.random.default_rng(0)
    >>> X = rng.dirichlet(np.ones(4), 500) @ rng.random((4, 30)) + 0.001 * rng.standard_normal((500, 30))
    >>> estimate_noise(X).rank
    4
    """
    view = View(checked(X))
    with Run(n_jobs) as run:
        made = run.own(ch_spectra_noise, library.ch_spectra_noise_free)
        run.call(library.ch_spectra_estimate_noise, made.struct, view.matrix)
        return NoiseEstimate(made.struct.rank, copied(made.struct.deviation, made.struct.bands), made.struct.snr)


def smooth(X: Any, spectra: Any, neighbours: int, average: str = "median", *, n_jobs: Any = None) -> Tuple[np.ndarray, np.ndarray]:
    """Replaces every spectrum by the average of the rows of X that are nearest to its ray. Returns the averages and the row
    numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from conehull.spectra import smooth
    >>> X = np.array([[1.0, 2.0], [2.0, 4.1], [9.0, 1.0], [1.0, 1.9]])
    >>> smooth(X, X[:1], 3)[1].tolist()
    [[0, 1, 3]]
    """
    if average not in ("median", "mean"):
        raise ValueError(f"average must be 'median' or 'mean'; got {average!r}")
    view, spectra = View(checked(X)), _rows(spectra, "spectra")
    made, members = np.empty_like(spectra), np.empty((len(spectra), max(1, neighbours)), dtype=np.int64)
    with Run(n_jobs) as run:
        run.call(library.ch_spectra_smooth, pointer_to(made), pointer_to(members), view.matrix, pointer_to(spectra),
                 len(spectra), ch_spectra_smoothing(neighbours, int(average == "mean")))
    return made, members


@dataclass(frozen=True, repr=False)
class Unmixing(Shown):
    """Result of :func:`unmix`.

    Attributes
    ----------
    endmembers : ndarray, shape (rank, bands)
    abundances : ndarray, shape (rows, columns, rank)
        NaN where a pixel was left out.
    pixels : ndarray of int, shape (rank, 2)
        Row and column of every endmember in the scene; -1, -1 for an endmember from ``library``.
    residual : ndarray, shape (rows, columns)
        The share of a pixel that is not explained, |x - W h| / |x| in the norm of the loss.
    gap : ndarray, shape (rows, columns)
        Proven bound on how far the loss of a pixel is above its minimum, relative to the size of the pixel.
    smooth : ndarray, shape (rank, bands), or None without ``smooth``
        For each endmember the average of the pixels nearest to it.
    rank_by : dict
        With ``n_components="auto"``, the number that each rule gives.
    wavelengths : ndarray or None
        The wavelengths of a labelled array.
    result : AnchorsResult
        The complete result, with ``result.anchors`` and ``result.certificate``; :func:`conehull.verify` accepts it.
    """

    endmembers: np.ndarray
    abundances: np.ndarray
    pixels: np.ndarray
    residual: np.ndarray
    gap: np.ndarray
    smooth: Optional[np.ndarray]
    rank_by: Dict[str, Any] = field(repr=False)
    wavelengths: Optional[np.ndarray] = field(repr=False)
    result: AnchorsResult = field(repr=False)

    def _facts(self) -> list:
        places = [f"({row}, {column})" for row, column in self.pixels]
        facts = [("endmembers", f"{shape_of(self.endmembers)}, endmembers x bands"), ("pixels", f"{listed(places)}: row, column"),
                 ("abundances", f"{shape_of(self.abundances)}, rows x columns x endmembers"),
                 ("residual", f"{np.nanmedian(self.residual):.2%} of a pixel in the median, {np.nanmax(self.residual):.2%} at most"),
                 ("certificate", proven(self.result.certificate)), ("status", self.result.status)]
        return facts + ([("rank", f"by noise {self.rank_by['noise']}, by residual {self.rank_by['residual']}")] if self.rank_by else [])

    def _picture(self):
        """Returns the maps of abundances side by side."""
        maps = np.nan_to_num(self.abundances)
        if maps.shape[1] * maps.shape[2] > 2000 or maps.shape[0] > 1000:
            step = max(1, maps.shape[1] * maps.shape[2] // 2000, maps.shape[0] // 1000)
            maps = maps[::step, ::step]
        largest = maps.max(axis=(0, 1), keepdims=True)
        maps = maps / np.where(largest > 0, largest, 1)
        return np.hstack(list(np.moveaxis(maps, -1, 0))), f"abundances of the {maps.shape[2]} endmembers, black is the largest of each"


def _band_axis(cube, band_axis) -> int:
    names = [str(name).lower() for name in getattr(cube, "dims", ())]
    if isinstance(band_axis, str):
        if band_axis.lower() not in names:
            raise ValueError(f"band_axis must be one of {names}; got {band_axis!r}")
        return names.index(band_axis.lower())
    if band_axis is None:
        known = [axis for axis, name in enumerate(names) if name in _BAND_NAMES]
        return known[0] if len(known) == 1 else -1
    return band_axis


def _take_cube(cube, band_axis):
    """Returns the values as rows x columns x bands, and the wavelengths of a labelled array."""
    axis = _band_axis(cube, band_axis)
    values = np.asarray(cube.values if hasattr(cube, "dims") and hasattr(cube, "values") else cube)
    if values.ndim != 3:
        raise ValueError(f"a cube has three axes, rows x columns x bands; got shape {values.shape}")
    wavelengths = None
    if hasattr(cube, "dims") and hasattr(cube, "coords"):
        name = cube.dims[axis]
        if name in cube.coords:
            along = np.asarray(getattr(cube.coords[name], "values", cube.coords[name]))
            wavelengths = along.astype(float) if along.dtype.kind in "iuf" else None
    return np.moveaxis(values, axis, -1), wavelengths


def _choose_rank(X, values, n_jobs):
    with Run(n_jobs) as run:
        made = ch_unmix_rank()
        run.call(library.ch_unmix_choose_rank, made, View(X).matrix, TABLE.fill(values))
    return int(made.rank), {"noise": None if made.by_noise < 0 else int(made.by_noise), "residual": int(made.by_residual),
                            "snr": made.snr}


def _prove(X, found: AnchorsResult, values, known, n_jobs):
    losses, gaps, hold = np.empty(len(X)), np.empty(len(X)), []
    with Run(n_jobs) as run:
        settings = fill_settings(values, run, len(found.anchors), keep_duals=True, known=known)
        struct = c_result(found, X.shape, hold)
        run.call(library.ch_column_proofs, pointer_to(losses), pointer_to(gaps), View(X).matrix, struct, settings)
    return losses, gaps


def _sizes(X, loss) -> np.ndarray:
    X = np.maximum(X.astype(float), 0)  # as the loss counts them
    size = np.sqrt(np.nansum(X ** 2, axis=1)) if loss == "l2" else np.nansum(X, axis=1)
    return np.where(size > 0, size, np.inf)


@with_settings(TABLE, leave_out=("n_components",))
def unmix(cube: Any, n_components="auto", *, mask: Any = None, library: Any = None, band_axis: Any = None, n_jobs=None,
          verbose=0, **settings) -> Unmixing:
    """Finds the pure spectra of a scene and their share in every pixel. The defaults suit spectra.

    Parameters
    ----------
    cube : array, shape (rows, columns, bands), or a labelled array such as xarray.DataArray
        A labelled array may have its bands on any axis if that axis is named band, wavelength, energy or similar.
    n_components : int or "auto"
        Number of endmembers; "auto" uses the smaller of two estimates, by the noise (as HySime) and by the residuals.
    mask : array of bool, shape (rows, columns), or None
        Pixels that are used. Pixels that are NaN in every band are never used; single NaN values are unknown entries, unless
        ``missing="none"``.
    library : array, shape (n_known, bands), or None
        Spectra of known components, which are the first endmembers.
    band_axis : int, str or None
        The axis of the bands; None finds it by its name, or else uses the last axis.
    n_jobs : int or None
        Number of threads; None uses all cores. The result does not depend on it.
    verbose : bool
        Show a progress bar, or lines on stderr if tqdm is not installed.
    {settings}

    Returns
    -------
    Unmixing

    Examples
    --------
    >>> import numpy as np
    >>> import conehull
    >>> rng = np.random.default_rng(1)
    >>> pure = rng.random((2, 30))
    >>> shares = rng.dirichlet(np.ones(2), 6 * 7)
    >>> shares[[0, 41]] = np.eye(2)
    >>> found = conehull.unmix((shares @ pure).reshape(6, 7, 30), 2)
    >>> found.abundances.shape, bool(found.gap.max() < 1e-9)
    ((6, 7, 2), True)
    """
    values, wavelengths = _take_cube(cube, band_axis)
    rows, columns, bands = values.shape
    flat = values.reshape(-1, bands)
    taken = ~np.isnan(flat).all(1) if flat.dtype.kind == "f" else np.ones(len(flat), bool)
    if mask is not None:
        mask = np.asarray(mask, dtype=bool)
        if mask.shape != (rows, columns):
            raise ValueError(f"mask has the shape {mask.shape}, but the scene has {(rows, columns)}; both must have the same shape")
        taken &= mask.ravel()
    if not taken.any():
        raise ValueError("no pixel of the scene can be used; the mask excludes all pixels, or no pixel contains data")
    X = checked(flat if taken.all() else flat[taken])
    settings = dict(settings)
    if X.dtype.kind != "f" or not np.isnan(X).any():
        settings["missing"] = "none"  # avoids a copy
    rank_by = {}
    if isinstance(n_components, str) and n_components == "auto":
        if library is not None:
            raise ValueError("n_components must be a number if a library is given")
        n_components, rank_by = _choose_rank(X, settings, n_jobs)
    chosen = {**TABLE.defaults(("n_components", "smooth", "average")),
              **{name: value for name, value in settings.items() if name not in ("smooth", "average")}}
    found = run_anchors(X, n_components, chosen, keep_duals=True, n_jobs=n_jobs, verbose=verbose, known=library)
    losses, gaps = _prove(X, found, chosen, found.settings.get("library"), n_jobs)
    shares = (np.sqrt(losses) if chosen["loss"] == "l2" else losses) / _sizes(X, chosen["loss"])

    def as_map(per_pixel):
        whole = np.full((rows * columns,) + per_pixel.shape[1:], np.nan)
        whole[taken] = per_pixel
        return whole.reshape((rows, columns) + per_pixel.shape[1:])

    places = np.flatnonzero(taken)
    pixels = np.array([divmod(int(places[j]), columns) if j < len(places) else (-1, -1) for j in found.anchors])
    averaged = None
    if settings.get("smooth", 0):
        averaged = smooth(X, found.components, settings["smooth"], settings.get("average", "median"), n_jobs=n_jobs)[0]
    return Unmixing(found.components, as_map(found.weights), pixels, as_map(shares), as_map(gaps), averaged, rank_by,
                    wavelengths, found)
