"""Display of results: a few lines in a terminal, and the same lines with a picture in a notebook.

A subclass of ``Shown`` has ``_facts``, which returns pairs of a name and a text, and may have ``_picture``, which returns
an array of two dimensions with values from 0 to 1 and a caption.
"""
import base64
import html
import struct
import zlib

import numpy as np

_MOST = 8  # values of a list that are shown


def listed(values, most=_MOST) -> str:
    """Returns the first values of a list as text: ``3, 17, 20, ... (50 in all)``."""
    texts = [f"{v:.4g}" if isinstance(v, (float, np.floating)) else str(v) for v in list(values[:most])]
    return ", ".join(texts) + (f", ... ({len(values)} in all)" if len(values) > most else "")


def shape_of(array) -> str:
    return " x ".join(map(str, array.shape))


class Shown:
    """Base class that adds ``__repr__`` and ``_repr_html_``."""

    def _facts(self) -> list:
        raise NotImplementedError

    def _picture(self):
        return None

    def __repr__(self) -> str:
        facts = self._facts()
        wide = max(len(name) for name, _ in facts)
        return "\n".join([type(self).__name__, *(f"  {name:<{wide}}  {text}" for name, text in facts)])

    def _repr_html_(self) -> str:
        left = "style='text-align:left'"
        rows = "".join(f"<tr><th {left}>{html.escape(name)}</th><td {left}>{html.escape(str(text))}</td></tr>"
                       for name, text in self._facts())
        picture = self._picture()
        return f"<div><b>{type(self).__name__}</b><table>{rows}</table>{'' if picture is None else _figure(*picture)}</div>"


def _figure(values, caption) -> str:
    rows, columns = values.shape
    high = min(max(14 * rows, 60), 360) if rows < 60 else min(rows, 480)
    wide = max(320, min(columns * 4, 800))
    return (f"<figure style='margin:0.5em 0'><img alt='{html.escape(caption, quote=True)}' style='width:100%;max-width:{wide}px;"
            f"height:{high}px;image-rendering:pixelated' src='data:image/png;base64,{base64.b64encode(png(values)).decode()}'>"
            f"<figcaption>{html.escape(caption)}</figcaption></figure>")


def _chunk(kind, content) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(values) -> bytes:
    """Returns a gray PNG picture of values from 0 (white) to 1 (black)."""
    gray = np.round(255 * (1 - np.clip(np.nan_to_num(values), 0, 1))).astype(np.uint8)
    lines = np.hstack([np.zeros((len(gray), 1), np.uint8), gray]).tobytes()  # filter 0 before each line
    head = struct.pack(">IIBBBBB", gray.shape[1], gray.shape[0], 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(lines)) + _chunk(b"IEND", b"")


def weights_picture(weights, most=800):
    """Returns a picture of weights with a line per anchor, each relative to its largest weight, and its caption. If there are
    many samples, neighbouring samples share a pixel. None if there are no weights."""
    if weights is None or weights.size == 0:
        return None
    lines = np.asarray(weights, dtype=float).T
    if lines.shape[1] > most:
        edges = np.linspace(0, lines.shape[1], most + 1).astype(int)[:-1]
        lines = np.maximum.reduceat(lines, edges, axis=1)
    largest = lines.max(axis=1, keepdims=True)
    caption = (f"weights: a line for each of {lines.shape[0]} anchors, {weights.shape[0]} samples from left to right, "
               "black is the largest of the line")
    return lines / np.where(largest > 0, largest, 1), caption


def proven(certificate) -> str:
    """Returns a certificate as a short text."""
    if np.isnan(certificate.gap):
        text = f"stationary to {certificate.stationarity:.1e} (no gap: the loss is not convex)"
    else:
        text = f"weights proven optimal to a relative gap of {max(certificate.gap, 0):.1e}"
    return text + (f"; {certificate.unproven} samples are not proven" if certificate.unproven else "")
