"""The library's calls on arrays: ``anchors``, ``project``, ``verify``.

Rows are samples everywhere: the anchors are rows of X, and ``X ~ weights @ components``.
"""
import ctypes
import os
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Dict, Optional

import numpy as np
import scipy.sparse as sparse

from . import _errors
from ._cautions import cautions
from ._library import library
from ._matrix import View
from ._names import (check_features, check_same_features, check_trust, explain_scaling, feature_names, named_places, numbers_of,
                     sample_names)
from ._run import Owned, Run, pointer_to, whole_numbers
from ._settings import seed_of, tables
from ._signature import with_settings
from ._shown import Shown, listed, proven, shape_of, weights_picture
from ._sklearn import checked
from ._structs import (CH_OK, CH_STOP_COMPLETE, CH_WARN_EMPTY_ANCHORS, CH_WARN_LONELY_ANCHORS, CH_WARN_UNEXPLAINED, CH_WARN_ZERO_WEIGHTS,
                       ch_anchors_result, ch_project_info, ch_verification)
from ._units import scaled, unit_caution
from .losses import Bregman

__all__ = ["AnchorsResult", "Certificate", "Projection", "Refined", "Verification", "anchors", "project", "verify"]

TABLE = tables["anchors"]
_SHOWN = 12  # residuals that a warning lists


@dataclass(frozen=True, repr=False)
class Certificate(Shown):
    """Proof that the weights are optimal. Each number is that of the worst sample, relative to the size of the sample.

    Attributes
    ----------
    gap : float
        The objective minus a rigorous lower bound; NaN for losses that are not convex.
    dual_infeasibility : float
        How far the computed duals are from feasible.
    stationarity : float
        The projected gradient, which is the proof for losses without a gap.
    unproven : int
        Number of samples whose gap (or stationarity) is above ``tol``.
    """

    gap: float
    dual_infeasibility: float
    stationarity: float
    unproven: int

    def __repr__(self) -> str:
        return (f"Certificate(gap={self.gap:.3g}, dual_infeasibility={self.dual_infeasibility:.3g}, "
                f"stationarity={self.stationarity:.3g}, unproven={self.unproven})")

    def _facts(self) -> list:
        return [("gap", f"{self.gap:.3g}"), ("dual infeasibility", f"{self.dual_infeasibility:.3g}"),
                ("stationarity", f"{self.stationarity:.3g}"), ("samples not proven", str(self.unproven))]


@dataclass(frozen=True, repr=False)
class AnchorsResult(Shown):
    """Result of :func:`anchors`: ``X ~ weights @ components``.

    Attributes
    ----------
    anchors : ndarray of int64, shape (rank,)
        Row numbers of the anchors in X, in the order of selection; ``n_samples + k`` is row k of ``library``.
    components : ndarray, shape (rank, n_features)
        The anchors, which are rows of X or of ``library``.
    sources : list of (str, int)
        The origin of each anchor: ("data", row of X) or ("library", row of ``library``).
    weights : ndarray, shape (n_samples, rank), or None with ``select_only``
    objective : float
        The loss: sum |X - WH|, ||X - WH||_F^2, or the divergence.
    max_residual : ndarray, shape (rank,)
        The largest residual after each anchor (NaN where it was not measured).
    objective_path : ndarray, shape (rank,), or None without ``path``
    selection : ndarray, shape (rank,), or None
        For Hottopixx and SMRS, how much each anchor is used.
    refined : Refined or None without ``refine``
        Factors that were optimised from the anchors.
    completed : ndarray of bool, shape (rank, n_features), or None if every entry is known
        True for entries of the components that were missing in X and are estimated from the known entries.
    certificate : Certificate
    status : str
        "done", "complete" (fewer anchors than requested explain everything), "iterations" or "inaccurate".
    floor : float
        The number that divergences add to W H; 0 for l1 and l2.
    warnings : tuple of str
        Reasons why the result may not be useful, also raised as :class:`DataWarning`; usually empty.
    rank_reason : str
        With ``n_components="auto"``, the reason for the number of anchors, also raised as :class:`RankWarning`; otherwise empty.
    unexplained : float
        Under l1 the share of the data that is not explained, under l2 the share of their squares; NaN for other losses and with weights.
    names : ndarray or None
        The labels of the anchors, if X is a frame or an AnnData object.
    sample_names, feature_names : ndarray or None
        The labels of all samples and features, if X is a frame or an AnnData object.
    counts, seconds : dict
        Amount of work, and time, of the phases of the run.
    proof : dict of ndarray, or empty without ``keep_duals``
        The duals that :func:`verify` checks.
    settings : dict
        Keywords of the call.
    requested : dict
        ``n_components`` (0 for "auto") and ``floor`` as requested; the run may have chosen other values.
    """

    anchors: np.ndarray
    components: np.ndarray
    weights: Optional[np.ndarray]
    objective: float
    max_residual: np.ndarray
    objective_path: Optional[np.ndarray]
    selection: Optional[np.ndarray]
    refined: Optional["Refined"]
    completed: Optional[np.ndarray]
    certificate: Certificate
    status: str
    floor: float
    counts: Dict[str, int] = field(repr=False)
    seconds: Dict[str, float] = field(repr=False)
    proof: Dict[str, Any] = field(repr=False)
    settings: Dict[str, Any] = field(repr=False)
    samples: int = field(repr=False, default=-1)
    warnings: tuple = ()
    rank_reason: str = ""
    unexplained: float = float("nan")
    names: Optional[np.ndarray] = None
    sample_names: Optional[np.ndarray] = field(repr=False, default=None)
    feature_names: Optional[np.ndarray] = field(repr=False, default=None)
    requested: Optional[Dict[str, Any]] = field(repr=False, default=None)

    @property
    def sources(self) -> list:
        known = self.samples if self.settings.get("library") is not None else np.inf
        return [("library", int(j) - self.samples) if j >= known else ("data", int(j)) for j in self.anchors]

    def _facts(self) -> list:
        facts = [("anchors", f"{listed(self.anchors)}; {len(self.anchors)} of {self.samples} samples, {self.components.shape[1]} features")]
        if self.names is not None:
            facts.append(("names", listed(self.names)))
        if self.rank_reason:
            facts.append(("rank", self.rank_reason))
        facts += [("loss", f"{self.settings.get('loss', TABLE['loss'].default)}: {self.objective:.6g}"
                   + ("" if np.isnan(self.unexplained) else f", {self.unexplained:.1%} of the data unexplained")),
                  ("max residual", f"{listed(self.max_residual)} after each anchor"),
                  ("certificate", "no weights were computed" if self.weights is None else proven(self.certificate)),
                  ("status", self.status)]
        return facts + [("warning", text) for text in self.warnings]

    def _picture(self):
        return weights_picture(self.weights)


@dataclass(frozen=True, repr=False)
class Refined(Shown):
    """Result of ``refine``: ``X ~ weights @ components``, where components are no longer samples.

    ``path`` holds the loss after every half of a round, components first. ``angle`` is the angle in degrees between each
    component and its anchor. ``certificate`` is the worst of all projections.

    Examples
    --------
    >>> import numpy as np
    >>> import conehull
    >>> X = np.random.RandomState(0).rand(30, 10)
    >>> found = conehull.anchors(X, 4, loss="l2", refine=5)
    >>> found.refined.objective < found.objective
    True
    """

    components: np.ndarray
    weights: np.ndarray
    objective: float
    path: np.ndarray
    angle: np.ndarray
    certificate: Certificate

    def _facts(self) -> list:
        return [("components", shape_of(self.components)), ("objective", f"{self.objective:.6g} after {len(self.path) // 2} rounds"),
                ("angle", f"{listed(self.angle)} degrees from the anchors"), ("certificate", proven(self.certificate))]

    def _picture(self):
        return weights_picture(self.weights)


@dataclass(frozen=True, repr=False)
class Projection(Shown):
    """Result of :func:`project`: ``X ~ weights @ components``."""

    weights: np.ndarray
    objective: float
    certificate: Certificate
    status: str

    def _facts(self) -> list:
        return [("weights", f"{shape_of(self.weights)}, samples x components"), ("objective", f"{self.objective:.6g}"),
                ("certificate", proven(self.certificate)), ("status", self.status)]

    def _picture(self):
        return weights_picture(self.weights)


@dataclass(frozen=True, repr=False)
class Verification(Shown):
    """Result of :func:`verify`. It is true if all checks hold; ``why`` describes the first check that fails."""

    ok: bool
    gap: float
    dual_infeasibility: float
    stationarity: float
    objective: float
    why: str

    def __bool__(self) -> bool:
        return self.ok

    def _facts(self) -> list:
        return [("ok", "yes" if self.ok else f"no: {self.why}"), ("gap", f"{self.gap:.3g}"), ("objective", f"{self.objective:.6g}"),
                ("dual infeasibility", f"{self.dual_infeasibility:.3g}"), ("stationarity", f"{self.stationarity:.3g}")]


#: Settings that a projection uses.
PROJECTION = ("loss", "beta", "quantile", "reverse", "floor", "projection", "hull", "negative", "missing", "tol")
#: Weights and masks: keywords that are in no settings table.
TRUST = ("sample_weight", "feature_weight", "observed", "entry_weight")


def _weights(name, values) -> np.ndarray:
    made = np.ascontiguousarray(values, dtype=np.float64)
    if made.ndim != 1:
        raise ValueError(f"{name} must be a list of numbers; got an array of {made.ndim} dimensions")
    return made


def _entries(name, values) -> View:
    """Returns a view of a matrix of the shape of X; True and False become 1 and 0."""
    if not sparse.issparse(values):
        values = np.asarray(values)
    return View(checked(values.astype(np.uint8) if values.dtype == bool else values))


def _fill_trust(tail, trust: dict, held: list) -> None:
    for name, member in (("feature_weight", "row_weight"), ("sample_weight", "column_weight")):
        if trust.get(name) is not None:
            held.append(_weights(name, trust[name]))
            setattr(tail, member + "s", pointer_to(held[-1]))
            setattr(tail, member + "_count", len(held[-1]))
    for name, member in (("observed", "observed"), ("entry_weight", "weights")):
        if trust.get(name) is not None:
            held.append(_entries(name, trust[name]))
            setattr(tail, member, ctypes.pointer(held[-1].matrix))


def fill_settings(values: dict, run: Run, rank=None, keep=(), keep_duals=False, checkpoint=None, known=None):
    """Returns the settings struct of a call. ``values`` holds settings of the table and keywords of TRUST; a loss may also
    be "beta:B", "quantile:Q" or a Bregman."""
    trust = {name: values[name] for name in TRUST if name in values}
    values = {name: value for name, value in values.items() if name not in TRUST}
    loss = values.get("loss")
    if isinstance(loss, Bregman):
        values["loss"] = "custom"
    elif isinstance(loss, str) and loss.startswith(("beta:", "quantile:")):
        name, number = loss.split(":", 1)
        values["loss"] = name
        try:
            values[name] = float(number)
        except ValueError:
            raise ValueError(f"loss must end in a number after '{name}:'; got {loss!r}") from None
    elif loss == "custom" or loss is not None and not isinstance(loss, str):
        raise ValueError(f"loss must be one of {', '.join(map(repr, TABLE['loss'].accepted))}, or a conehull.losses.Bregman; got {loss!r}")
    if rank is not None:
        values["n_components"] = rank
    struct = TABLE.fill(values)
    tail = TABLE.tail(struct)
    struct.held = []  # keeps alive the arrays that the tail points to
    if isinstance(loss, Bregman):
        struct.held.append(loss.c_struct(run.ear))
        tail.custom = struct.held[-1]
        arrays = loss.c_arrays(run.ear)
        if arrays is not None:
            struct.held.append(arrays)
            tail.custom_arrays = ctypes.pointer(arrays)
    if keep is not None and len(keep):
        struct.held.append(whole_numbers("keep", keep))
        tail.keep, tail.keep_count = pointer_to(struct.held[-1]), len(keep)
    if known is not None:
        struct.held.append(View(known))
        tail.library = ctypes.pointer(struct.held[-1].matrix)
    tail.keep_duals = bool(keep_duals)
    _fill_trust(tail, trust, struct.held)
    tail.checkpoint = checkpoint
    return struct


def rank_of(n_components, shape) -> int:
    """Returns 0 for "auto", and the smaller side of X for None."""
    if n_components is None:
        return min(shape)
    if isinstance(n_components, str) and n_components == "auto":
        return 0
    if isinstance(n_components, bool) or not isinstance(n_components, (int, np.integer)) or n_components < 1:
        raise ValueError(f"n_components must be a whole number from 1 on, 'auto' or None; got {n_components!r}")
    return TABLE["n_components"].to_number(int(n_components))


def open_run(n_jobs, verbose, loss) -> Run:
    """Opens a run. A loss in Python uses one thread, because others would only wait for the interpreter lock."""
    one_at_a_time = isinstance(loss, Bregman) and loss.is_python
    return Run(1 if one_at_a_time else n_jobs, verbose)


def _certificate(c, unproven) -> Certificate:
    return Certificate(c.gap, c.dual_infeasibility, c.stationarity, unproven)


# Numbers that verify compares, in addition to the named fields of a result.
_NUMBERS = ("p_seed", "status", "nonzeros", "faint", "clipped", "clipped_mass", "unknown", "incomplete", "dual_rows", "library", "measured",
            "warnings", "zero_weights", "empty_anchors", "unexplained", "lonely_anchors", "lonely_column", "mean_shared",
            "select_objective", "select_gap", "duals_checked", "duals_valid")


def _proof(result: Owned) -> dict:
    r = result.struct
    entries = r.dual_start[r.cols] if r.dual_start else 0
    shapes = {"step_exterior": r.steps, "step_anchor": r.steps, "step_dual": (r.steps, r.dual_rows),
              "dual_start": r.cols + 1, "dual_row": entries, "dual_value": entries}
    return {**{name: getattr(r, name) for name in _NUMBERS},
            **{name: result.take(name, shape) for name, shape in shapes.items()}}


def _refined(result: Owned) -> Optional[Refined]:
    r = result.struct
    if not r.refined_W:
        return None
    return Refined(
        components=result.take("refined_W", (r.rank, r.rows)),
        weights=result.take("refined_H", (r.cols, r.rank)),
        objective=r.refined_objective,
        path=result.take("refined_path", 2 * r.refined_rounds),
        angle=result.take("refined_angle", r.rank),
        certificate=_certificate(r.refined_certificate, r.refined_unproven),
    )


def _completed(result: Owned) -> Optional[np.ndarray]:
    entries = result.take("completed_entries", (result.struct.rank, result.struct.rows))
    return None if entries is None else entries.view(bool)


def _result(result: Owned, keep_duals, settings, stated, reason) -> AnchorsResult:
    """``stated`` holds rank and floor as requested; ``settings`` holds the values that the run used."""
    r = result.struct
    return AnchorsResult(
        anchors=result.take("anchors", r.rank),
        components=result.take("W", (r.rank, r.rows)),
        weights=result.take("H", (r.cols, r.rank)),
        objective=r.objective,
        max_residual=result.take("max_residual", r.rank),
        objective_path=result.take("objective_path", r.rank),
        selection=result.take("weights", r.rank),
        refined=_refined(result),
        completed=_completed(result),
        certificate=_certificate(r.certificate, r.unproven),
        status=_errors.word(r.status),
        floor=r.floor,
        counts={name: getattr(r, name) for name in ("projections", "pivots", "iterations", "faint", "clipped", "unknown", "incomplete",
                                                    "completed")},
        seconds={"select": r.seconds_select, "project": r.seconds_project},
        proof=_proof(result) if keep_duals else {},
        requested=stated,
        settings=settings,
        samples=r.cols,
        rank_reason=reason,
        unexplained=r.unexplained if r.measured else float("nan"),
    )


def rank_reason(r, method) -> str:
    """Returns the reason for the number of anchors of "auto"; empty if the data are explained exactly, so nothing was chosen."""
    if r.status != CH_OK:
        return ""
    if method == "smrs":
        return "these are the samples that the weights of SMRS show"
    if library.ch_anchors_rank_clear(r):
        share = 1 - r.max_residual[r.rank - 1] / r.max_residual[r.rank - 2]
        return f"the last anchor lowers the largest residual by {share:.0%}, more do little"
    return _unclear_rank(np.array(r.max_residual[:r.rank]))


_BEND = 0.5  # share by which an anchor lowers the largest residual at a bend, as in the command


def _unclear_rank(residual) -> str:
    """Returns what the largest residuals after each anchor suggest, if they do not clearly end at the last anchor."""
    if len(residual) == 1:
        return "there is no clear rank, no anchor after the first lowers the largest residual by 20 % or more"
    fall = [1 - after / before if before > 0 else 0.0 for before, after in zip(residual, residual[1:])]
    path = f"it is {', '.join(f'{value:.3g}' for value in residual[:_SHOWN])}{', ...' if len(residual) > _SHOWN else ''} after each anchor"
    at = int(np.argmax(fall)) + 1
    if fall[at - 1] >= _BEND and at + 1 < len(residual):
        return (f"there is no clear rank, anchor {at + 1} lowers the largest residual most, by {fall[at - 1]:.0%}, but anchor "
                f"{len(residual)} still lowers it by 20 % or more ({path}); {at + 1} and {len(residual)} are both sensible")
    return f"there is no clear rank, each anchor lowers the largest residual by at most {max(fall):.0%} ({path})"


#: Warnings of the library, without the numbers of a result.
_OBJECTIONS = {
    CH_WARN_ZERO_WEIGHTS: "most samples have no weights",
    CH_WARN_EMPTY_ANCHORS: "the anchors are nearly empty samples",
    CH_WARN_UNEXPLAINED: "most of the data are unexplained",
    CH_WARN_LONELY_ANCHORS: "some anchors are parts of one or two samples only; they are rare, or outliers",
}


def _objections(r) -> list:
    """Returns the warnings of a result."""
    text = ctypes.create_string_buffer(500)
    return [_errors.Caution(_errors.ACROSS.translate(text.value.decode()), reason) for bit, reason in _OBJECTIONS.items()
            if library.ch_anchors_warning(text, len(text), r, bit)]


def _early_stop(status, rank, found, library_only=False) -> str:
    """Returns a sentence about a run that found fewer anchors than requested; empty for other statuses."""
    if status == CH_STOP_COMPLETE and library_only:
        return f"no other row of the library would lower a residual, after {found} of the {rank} asked for"
    if status == CH_STOP_COMPLETE:
        return f"{found} anchors explain every sample, before the {rank} asked for were found"
    return ""


@contextmanager
def open_checkpoint(run: Run, path, resume):
    """Yields the callbacks of a checkpoint file, or None without a path. The file is removed when the block ends, and stays
    if it raises."""
    if path is None:
        if resume:
            raise ValueError("resume=True cannot be used without checkpoint, the file to resume from")
        yield None
        return
    file, finished = ctypes.c_void_p(), False
    run.call(library.ch_checkpoint_file_open, ctypes.byref(file), os.fsencode(path), bool(resume))
    try:
        yield library.ch_checkpoint_file_interface(file)
        finished = True
    finally:
        run.call_bare(library.ch_checkpoint_file_close, file, finished)


@dataclass(frozen=True)
class Request:
    """What a result was computed from, except the data: enough to repeat the run."""

    values: Dict[str, Any]
    n_components: int
    keep: Any
    known: Any
    left_out: tuple  # keywords with data of the samples

    @classmethod
    def of(cls, result: AnchorsResult) -> "Request":
        """Of a result, without the keywords that belong to its samples, which may be as large as X."""
        return cls._of(result, tuple(name for name in TRUST if name in result.settings and name != "feature_weight"))

    @classmethod
    def of_all(cls, result: AnchorsResult) -> "Request":
        return cls._of(result, ())

    @classmethod
    def _of(cls, result, left_out) -> "Request":
        values = {name: value for name, value in result.settings.items() if name not in (*left_out, "floor", "keep", "library")}
        if result.requested["floor"] is not None:
            values["floor"] = result.requested["floor"]
        return cls(values, result.requested["n_components"], result.settings["keep"], result.settings.get("library"), left_out)

    def repeat(self, X, n_jobs) -> AnchorsResult:
        """Returns the result of the same run on a checked X, with duals and without warnings."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return run_anchors(X, self.n_components or "auto", self.values, self.keep, True, n_jobs, known=self.known)


def known_components(rows, features):
    """Returns known components as a checked array; None without them."""
    if rows is None:
        return None
    rows = checked(rows)
    if rows.shape[1] != features:
        raise ValueError(f"library has {rows.shape[1]} features, but X has {features}; both must have the same features")
    return rows


def run_anchors(X, n_components, values, keep=(), keep_duals=False, n_jobs=None, verbose=0, checkpoint=None,
                resume=False, known=None, scale=None, source=None) -> AnchorsResult:
    """The same as ``anchors`` for a checked X; the estimators call it. ``source`` is X as the user gave it."""
    view, known = View(X), known_components(known, X.shape[1])
    values = scaled(X, scale, values)
    rank = rank_of(n_components, X.shape)
    if "random_state" in values:
        values = {**values, "random_state": seed_of(values["random_state"])}  # drawn once and stored in the result
    with open_run(n_jobs, verbose, values.get("loss")) as run, open_checkpoint(run, checkpoint, resume) as kept:
        settings = fill_settings(values, run, rank, keep, keep_duals, kept, known)
        result = run.own(ch_anchors_result, library.ch_anchors_result_free)
        status = run.call(library.ch_anchors, result.struct, view.matrix, settings)
    if status != CH_OK and not (status == CH_STOP_COMPLETE and (n_components is None or rank == 0)):
        _errors.warn(status, _early_stop(status, rank, result.struct.rank, values.get("library_only")))
    reason = rank_reason(result.struct, values.get("method")) if rank == 0 else ""
    if reason:
        _errors.name_rank(result.struct.rank, reason)
    used = {**values, "floor": result.struct.floor, "keep": keep}
    made = _result(result, keep_duals, used if known is None else {**used, "library": known},
                   {"n_components": rank, "floor": values.get("floor")}, reason)
    found = [] if _errors.is_candidate() else _objections(result.struct)
    found += cautions(X, values, result.struct, made.weights, feature_names(source))
    if not _are_counts(source):
        found += unit_caution(X, values, feature_names(source))
    for caution in found:
        _errors.object_to(caution)
    return replace(made, warnings=tuple(map(str, found)))


def _are_counts(source) -> bool:
    """Returns whether the user's data are an array of whole numbers, which have one unit; the columns of a frame may have several."""
    return getattr(getattr(source, "dtype", None), "kind", "f") in "uib"


@with_settings(TABLE, leave_out=("n_components",))
def anchors(X: Any, n_components="auto", *, keep=(), keep_duals=False, n_jobs=None, verbose=0,
            checkpoint: Any = None, resume: bool = False, library: Any = None, sample_weight: Any = None,
            feature_weight: Any = None, observed: Any = None, entry_weight: Any = None,
            scale=None, **settings) -> AnchorsResult:
    """Finds rows of X whose non-negative combinations explain all rows of X.

    Parameters
    ----------
    X : array, sparse matrix, frame or AnnData object, shape (n_samples, n_features)
        Non-negative. float64, float32, uint8 and uint16 are used in place.
    n_components : int, "auto" or None
        Number of anchors. "auto" (methods xray and smrs) stops when more anchors no longer help much; this is a rule of
        thumb, and a :class:`RankWarning` gives the reason. None means the smaller of n_samples and n_features.
    keep : sequence of int or labels, pandas Index or None
        Samples that become the first anchors, in this order. Whole numbers are positions, counted from 0, whatever the index
        of a frame is. Other values are labels of the frame. All values of a pandas Index are labels, also whole numbers.
    keep_duals : bool
        Store the duals that :func:`verify` checks, so that it need not repeat the run.
    n_jobs : int or None
        Number of threads; None uses all cores. The result does not depend on it.
    verbose : bool
        Show a progress bar, or lines on stderr if tqdm is not installed.
    checkpoint : path or None
        A file that stores the progress of the call after every anchor and every block of weights. It is removed when the
        call ends. An interrupted or killed call can be resumed from it. A file of an unfinished call is refused without
        ``resume``.
    resume : bool
        Resume from ``checkpoint``, with the same X and settings; the result is the same to the bit. If the file does not
        exist, the call starts from the beginning.
    library : array or sparse matrix, shape (n_known, n_features), or None
        Known components, which need not be rows of X. They are the first anchors, before those of ``keep``; the remaining
        anchors are selected from X. With ``library_only`` all anchors are selected from the library.
    sample_weight : array, shape (n_samples,), or None
        Weight of each sample, in the search for the farthest sample and in the objective. A sample of weight 0 is never
        selected.
    feature_weight : array, shape (n_features,), or None
        Weight of each feature, for example less than 1 for noisy sensors and 0 for bad bands.
    observed : array or sparse matrix of the shape of X, or None
        Non-zero where an entry of X is known; entries that a sparse matrix does not store are unknown. NaN in X has the
        same effect with ``missing="nan"``.
    entry_weight : array or sparse matrix of the shape of X, or None
        Weight of each entry (l1, l2), for l2 for example 1 / variance. An entry of weight 0 is unknown.
    scale : {"max", "mean"} or None
        For features in different units: divides each feature by its maximum or its mean in the loss, so that all of them count.
        Components and weights stay in the units of X; ``settings["feature_weight"]`` of the result holds the weights that have
        this effect, for :func:`project`.
    {settings}

    Returns
    -------
    AnchorsResult

    Examples
    --------
    >>> import numpy as np
    >>> import conehull
    >>> rng = np.random.RandomState(0)
    >>> topics = rng.rand(3, 8)
    >>> X = np.vstack([rng.dirichlet(np.ones(3), 20) @ topics, topics])
    >>> found = conehull.anchors(X, 3)
    >>> sorted(found.anchors.tolist())
    [20, 21, 22]
    >>> bool(np.allclose(found.weights @ found.components, X))
    True
    """
    check_trust(X, sample_weight, feature_weight, observed, entry_weight)
    check_features("library", library, X)
    settings.update(given(sample_weight, feature_weight, observed, entry_weight))
    with explain_scaling(), named_places(X):
        found = run_anchors(checked(X), n_components, settings, numbers_of(keep, X), keep_duals, n_jobs, verbose, checkpoint,
                            resume, library, scale, X)
    return replace(found, names=names_of(X, library, found.anchors), sample_names=sample_names(X),
                   feature_names=feature_names(X))


def names_of(X, known, anchors) -> Optional[np.ndarray]:
    """Returns the labels of the anchors, numbered as in ``anchors``; None if X has no labels."""
    labels = sample_names(X)
    if labels is None:
        return None
    if known is None:
        return labels[anchors]
    own = sample_names(known)
    both = [*labels, *([f"library {k}" for k in range(np.shape(known)[0])] if own is None else own)]
    made = np.empty(len(anchors), dtype=object)
    made[:] = [both[j] for j in anchors]
    return made


def given(*trust) -> dict:
    """Returns the keywords of TRUST that are not None, by name."""
    return {name: value for name, value in zip(TRUST, trust) if value is not None}


def run_project(X, components, values, n_jobs=None, verbose=0, quiet=False) -> Projection:
    """The same as ``project`` for a checked X; without warnings if ``quiet``."""
    view = View(X)
    components = np.ascontiguousarray(components, dtype=np.float64)
    weights = np.empty((X.shape[0], components.shape[0]))
    info = ch_project_info()
    with open_run(n_jobs, verbose, values.get("loss")) as run:
        settings = fill_settings(values, run)
        status = run.call(library.ch_project, pointer_to(weights), info, view.matrix, pointer_to(components),
                          components.shape[0], settings)
    if not quiet:
        _errors.warn(status)
        for text in cautions(X, values, info, weights):
            _errors.object_to(text)
    return Projection(weights, info.objective, _certificate(info.certificate, info.unproven), _errors.word(status))


@with_settings(TABLE, only=PROJECTION)
def project(X: Any, components: Any, *, n_jobs=None, verbose=0, sample_weight: Any = None, feature_weight: Any = None,
            observed: Any = None, entry_weight: Any = None, **settings) -> Projection:
    """Computes the non-negative weights with which the components explain the rows of X best.

    This is the last step of :func:`anchors`, and it gives the same weights for the same rows. For divergences pass
    ``floor=result.floor``.

    Parameters
    ----------
    X : array or sparse matrix, shape (n_samples, n_features)
    components : array, shape (n_components, n_features)
    n_jobs, verbose, sample_weight, feature_weight, observed, entry_weight
        As in :func:`anchors`; ``sample_weight`` refers to the samples of this X.
    {settings}

    Returns
    -------
    Projection

    Examples
    --------
    >>> import conehull
    >>> conehull.project([[1.0, 2.0, 2.0]], [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]).weights
    array([[1., 2.]])
    """
    check_trust(X, sample_weight, feature_weight, observed, entry_weight)
    check_features("components", components, X)
    whole, X = X, checked(X)
    components = checked(components)
    components = components.toarray() if sparse.issparse(components) else components
    if components.shape[1] != X.shape[1]:
        raise ValueError(f"components have {components.shape[1]} features, but X has {X.shape[1]}; both must have the same features")
    settings.update(given(sample_weight, feature_weight, observed, entry_weight))
    with named_places(whole):
        return run_project(X, components, settings, n_jobs, verbose)


def c_result(result: AnchorsResult, shape, hold: list) -> ch_anchors_result:
    """The result as the library wants it back; ``hold`` keeps the arrays alive."""
    def pointer(name, values, kind):
        if values is None:
            return
        hold.append(np.ascontiguousarray(values, dtype=kind))
        setattr(r, name, np.ctypeslib.as_ctypes(hold[-1].reshape(-1)) if hold[-1].size else None)

    r = ch_anchors_result()
    r.cols, r.rows = shape
    r.rank, r.objective, r.floor = len(result.anchors), result.objective, result.floor
    pointer("anchors", result.anchors, np.int64)
    pointer("W", result.components, np.float64)
    pointer("H", result.weights, np.float64)
    pointer("max_residual", result.max_residual, np.float64)
    pointer("objective_path", result.objective_path, np.float64)
    pointer("weights", result.selection, np.float64)
    pointer("completed_entries", result.completed, np.uint8)
    r.completed = 0 if result.completed is None else int(result.completed.sum())
    if result.refined is not None:
        pointer("refined_W", result.refined.components, np.float64)
        pointer("refined_H", result.refined.weights, np.float64)
        pointer("refined_path", result.refined.path, np.float64)
        pointer("refined_angle", result.refined.angle, np.float64)
        r.refined_rounds, r.refined_objective = len(result.refined.path) // 2, result.refined.objective
        r.refined_unproven = result.refined.certificate.unproven
        for name in ("gap", "dual_infeasibility", "stationarity"):
            setattr(r.refined_certificate, name, getattr(result.refined.certificate, name))
    for name in _NUMBERS:
        setattr(r, name, result.proof[name])
    r.unproven, r.iterations = result.certificate.unproven, result.counts["iterations"]
    for name in ("gap", "dual_infeasibility", "stationarity"):
        setattr(r.certificate, name, getattr(result.certificate, name))
    r.steps = len(result.proof["step_anchor"]) if result.proof["step_anchor"] is not None else 0
    for name, kind in (("step_exterior", np.int64), ("step_anchor", np.int64), ("step_dual", np.float64),
                       ("dual_start", np.int64), ("dual_row", np.int32), ("dual_value", np.float64)):
        pointer(name, result.proof[name], kind)
    return r


def verify(X: Any, result: AnchorsResult, *, n_jobs: Optional[int] = None, library: Any = None) -> Verification:
    """Checks a result of :func:`anchors`, from X and the settings alone. A result that was computed without
    ``keep_duals`` has no duals, so the run is repeated to obtain them.

    The fit and every step of xray are checked by code that is independent of the solvers. Then the selection is
    repeated, and it must give the same anchors. If the run had a library, ``library`` is that library; None means the
    library that is stored in the settings of the result.

    Examples
    --------
    >>> import numpy as np
    >>> import conehull
    >>> X = np.random.RandomState(0).rand(30, 10)
    >>> found = conehull.anchors(X, 4, keep_duals=True)
    >>> bool(conehull.verify(X, found))
    True
    """
    check_same_features(X, result.feature_names)
    return _verify(X, result, n_jobs, library)


def _verify(X, result, n_jobs, known) -> Verification:
    if result.weights is None:
        raise ValueError("the result cannot be verified, because it contains no weights (select_only=True)")
    if not result.requested:
        raise ValueError("the result cannot be verified, because it was made by an earlier version, which did not store the request")
    if result.proof and _errors.word(result.proof["status"]) != result.status:
        raise ValueError(f"the result has the status {result.status!r}, but its proof has {_errors.word(result.proof['status'])!r}")
    X = checked(X)
    if X.shape != (len(result.weights), result.components.shape[1]):
        raise ValueError(f"X is {X.shape[0]} x {X.shape[1]}, but the result belongs to data of "
                         f"{len(result.weights)} x {result.components.shape[1]}")
    if not result.proof:
        again = Request.of_all(result).repeat(X, n_jobs)
        if not np.array_equal(again.anchors, result.anchors):
            return Verification(False, *[float("nan")] * 4, "a second run on these samples gives other anchors")
        result = replace(result, proof=again.proof)
    view, hold, found = View(X), [], ch_verification()
    with open_run(n_jobs, 0, result.settings.get("loss")) as run:
        values = {**result.settings, "floor": result.requested["floor"]}
        if values["floor"] is None:
            del values["floor"]
        own = values.pop("library", None)
        known = known_components(own if known is None else known, X.shape[1])
        settings = fill_settings(values, run, result.requested["n_components"], values.pop("keep"), known=known)
        run.call(library.ch_verify, found, view.matrix, c_result(result, X.shape, hold), settings)
    return Verification(bool(found.ok), found.gap, found.dual_infeasibility, found.stationarity, found.objective,
                        _errors.ACROSS.explain(found.why.decode()))
