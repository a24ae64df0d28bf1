"""How results show themselves: a few lines in a terminal, and the same with a picture in a notebook.

A class that is ``Shown`` has ``_facts``, pairs of a name and a text, and may have ``_picture``: an array of two
dimensions, values from 0 to 1, and a caption.
"""
import base64
import html
import struct
import zlib

import numpy as np

_MOST = 8  # of a list, before it is cut


def listed(values, most=_MOST) -> str:
    """The first of some values: ``3, 17, 20, ... (50 in all)``."""
    texts = [f"{v:.4g}" if isinstance(v, (float, np.floating)) else str(v) for v in list(values[:most])]
    return ", ".join(texts) + (f", ... ({len(values)} in all)" if len(values) > most else "")


def shape_of(array) -> str:
    return " x ".join(map(str, array.shape))


class Shown:
    """Gives a class its two looks."""

    def _facts(self) -> list:
        raise NotImplementedError

    def _picture(self):
        return None

    def __repr__(self) -> str:
        facts = self._facts()
        wide = max(len(name) for name, _ in facts)
        return "\n".join([type(self).__name__, *(f"  {name:<{wide}}  {text}" for name, text in facts)])

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th><td style='text-align:left'>{html.escape(str(text))}</td></tr>"
                       for name, text in self._facts())
        picture = self._picture()
        return f"<div><b>{type(self).__name__}</b><table>{rows}</table>{'' if picture is None else _figure(*picture)}</div>"


def _figure(values, caption) -> str:
    rows, columns = values.shape
    high = min(max(14 * rows, 60), 360) if rows < 60 else min(rows, 480)
    return (f"<figure style='margin:0.5em 0'><img alt='{html.escape(caption, quote=True)}' style='width:100%;max-width:{max(320, min(columns * 4, 800))}px;"
            f"height:{high}px;image-rendering:pixelated' src='data:image/png;base64,{base64.b64encode(png(values)).decode()}'>"
            f"<figcaption>{html.escape(caption)}</figcaption></figure>")


def _chunk(kind, content) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(values) -> bytes:
    """A gray picture of values from 0 (white) to 1 (black)."""
    gray = np.round(255 * (1 - np.clip(np.nan_to_num(values), 0, 1))).astype(np.uint8)
    lines = np.hstack([np.zeros((len(gray), 1), np.uint8), gray]).tobytes()  # filter 0 before each line
    head = struct.pack(">IIBBBBB", gray.shape[1], gray.shape[0], 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(lines)) + _chunk(b"IEND", b"")


def weights_picture(weights, most=800):
    """A line per anchor, each relative to its largest weight, samples from left to right; some samples share a place where
    there are many. None where there is nothing to show."""
    if weights is None or weights.size == 0:
        return None
    lines = np.asarray(weights, dtype=float).T
    if lines.shape[1] > most:
        edges = np.linspace(0, lines.shape[1], most + 1).astype(int)[:-1]
        lines = np.maximum.reduceat(lines, edges, axis=1)
    largest = lines.max(axis=1, keepdims=True)
    caption = f"weights: a line for each of {lines.shape[0]} anchors, {weights.shape[0]} samples from left to right, black is the largest of the line"
    return lines / np.where(largest > 0, largest, 1), caption


def proven(certificate) -> str:
    """A certificate in a few words."""
    if np.isnan(certificate.gap):
        text = f"stationary to {certificate.stationarity:.1e} (no gap: the loss is not convex)"
    else:
        text = f"weights proven optimal to a relative gap of {max(certificate.gap, 0):.1e}"
    return text + (f"; {certificate.unproven} samples are not proven" if certificate.unproven else "")
