#!/usr/bin/python3
"""Draws the figures of the pages that explain: docs/images/explain-*.svg.

    PYTHONPATH=build/python docs/site/make_figures.py

Everything in them is computed: the projections and duals by scipy, the bounds by conehull."""
import os
import sys

import numpy as np
from scipy.optimize import linprog

from conehull import anchors, project

INK, SOFT, BLUE, ORANGE, GREEN, PALE = "#16191d", "#59626d", "#0b4f9c", "#c2540a", "#4f7f1f", "#dbe6f3"
images = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "images")


class Drawing:
    def __init__(self, width, height, title):
        self.width, self.height, self.title, self.parts = width, height, title, []

    def add(self, text):
        self.parts.append(text)

    def line(self, a, b, colour=INK, width=1.5, dash=""):
        self.add(f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" stroke="{colour}" '
                 f'stroke-width="{width}"{f" stroke-dasharray={chr(34)}{dash}{chr(34)}" if dash else ""}/>')

    def arrow(self, a, b, colour):
        a, b = np.asarray(a, float), np.asarray(b, float)
        along = (b - a) / np.linalg.norm(b - a)
        side = np.array([-along[1], along[0]])
        self.line(a, b - 6 * along, colour, 2)
        self.polygon([b, b - 10 * along + 4 * side, b - 10 * along - 4 * side], colour, "none")

    def dot(self, at, colour=SOFT, radius=3.2, hollow=False):
        fill = "#ffffff" if hollow else colour
        self.add(f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius}" fill="{fill}" stroke="{colour}" '
                 'stroke-width="1.6"/>')

    def polygon(self, points, fill, edge=BLUE, width=1.8):
        at = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.add(f'<polygon points="{at}" fill="{fill}" stroke="{edge}" stroke-width="{width}" '
                 'stroke-linejoin="round"/>')

    def text(self, at, words, colour=INK, anchor="start", size=14, italic=False):
        style = ' font-style="italic"' if italic else ""
        self.add(f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" fill="{colour}" text-anchor="{anchor}" '
                 f'font-size="{size}"{style}>{words}</text>')

    def save(self, name):
        with open(os.path.join(images, name), "w", encoding="utf-8") as file:
            file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                       f'width="{self.width}" height="{self.height}" role="img" aria-label="{self.title}" '
                       'font-family="system-ui, Helvetica, Arial, DejaVu Sans, sans-serif">\n'
                       f'<title>{self.title}</title>\n<rect width="100%" height="100%" fill="#ffffff"/>\n'
                       + "\n".join(self.parts) + "\n</svg>\n")


def l1_projection(x, A):
    """b and the dual d of min |x - A b|_1, b >= 0."""
    m, k = A.shape
    d = linprog(-x, A_ub=A.T, b_ub=np.zeros(k), bounds=[(-1, 1)] * m, method="highs")
    b = linprog(np.r_[np.zeros(k), np.ones(m)], A_ub=np.block([[A, -np.eye(m)], [-A, -np.eye(m)]]), b_ub=np.r_[x, -x],
                method="highs")
    return b.x[:k], d.x


def scene():
    """Five anchors and mixtures of them in three rows; the first three anchors are found already."""
    rng = np.random.RandomState(4)
    corners = np.array([[.74, .10, .16], [.30, .06, .64], [.08, .30, .62], [.10, .74, .16], [.50, .46, .04]]).T
    mixed = corners @ rng.dirichlet(np.full(5, 0.8), 26).T
    return corners, mixed


def on_plane(x, left, top, size):
    """A column with sum 1 as a point of the triangle of all such columns."""
    x = np.asarray(x) / np.sum(x)
    corner = np.array([[left, top + size * .866], [left + size, top + size * .866], [left + size / 2, top]])
    return x @ corner


def draw_cone():
    corners, mixed = scene()
    origin = np.array([50, 300.])

    def place(x, far=1.):
        u, v = on_plane(x, 0, 0, 340)
        return origin + far * (np.array([210 + .85 * u, 45 + .8 * v]) - origin)
    drawing = Drawing(640, 380, "A cone: mixtures lie between the rays of the anchors")
    order = [0, 1, 2, 3, 4]
    drawing.polygon([place(corners[:, i]) for i in order], PALE)
    for i in order:
        drawing.line(origin, place(corners[:, i], 1.12), BLUE, 1.4)
    for x in mixed.T:
        drawing.dot(place(x))
    for i in order:
        drawing.dot(place(corners[:, i]), BLUE, 5)
    drawing.dot(origin, INK, 3)
    drawing.text(origin + [-8, 24], "0", anchor="middle")
    drawing.text((40, 40), "anchors: columns on the edges of the cone", BLUE)
    drawing.text((40, 62), "all other columns are inside", SOFT)
    drawing.save("explain-cone.svg")


def draw_step():
    corners, mixed = scene()
    found, rest = corners[:, :3], np.c_[corners[:, 3:], mixed]
    fits = [l1_projection(x, found) for x in rest.T]
    outside = np.argsort([np.abs(x - found @ b).sum() for x, (b, _) in zip(rest.T, fits)])
    far = int(outside[len(outside) * 2 // 3])
    d = fits[far][1]
    scores = d @ rest / rest.sum(axis=0)
    best = int(np.argmax(scores))
    drawing = Drawing(640, 400, "One step: the dual of a column outside points at the next anchor")

    def place(x):
        return on_plane(x, 40, 20, 400)

    def cut(level):
        """The line d'x = level within the triangle sum x = 1."""
        ends = []
        for a, b in ((0, 1), (1, 2), (2, 0)):
            u, v = np.eye(3)[a], np.eye(3)[b]
            if (d @ u - level) * (d @ v - level) < 0:
                t = (level - d @ u) / (d @ v - d @ u)
                ends.append(place(u + t * (v - u)))
        return ends
    drawing.polygon([place(e) for e in np.eye(3)], "none", "#d9dde2", 1.2)
    drawing.polygon([place(x) for x in found.T], PALE)
    for x in rest.T:
        drawing.dot(place(x))
    for x in found.T:
        drawing.dot(place(x), BLUE, 5)
    separating, touching = cut(0.), cut(scores[best])
    if len(separating) == 2:
        drawing.line(*separating, ORANGE, 1.8, "6 4")
    if len(touching) == 2:
        drawing.line(*touching, ORANGE, 1.8)
    drawing.dot(place(rest[:, far]), ORANGE, 5, hollow=True)
    drawing.dot(place(rest[:, best]), GREEN, 6)
    rows = [(BLUE, "anchors so far, and their cone"), (ORANGE, "ring: i, a column outside the cone"),
            (ORANGE, "dashed: d'x = 0, the cone on one side"), (ORANGE, "solid: moved out as far as it touches data"),
            (GREEN, "green: the column it touches, the next anchor")]
    for at, (colour, words) in enumerate(rows):
        drawing.text((330, 40 + 22 * at), words, colour, size=13)
    drawing.save("explain-step.svg")


def draw_median():
    a, x = np.array([2., 1, 3, 1, 2, 1.5]), np.array([1.2, 1.1, 4.2, 2.1, 5.0, 4.6])
    breaks, weights = np.sort(x / a), a[np.argsort(x / a)]
    drawing = Drawing(640, 340, "With one anchor the loss is piecewise linear and ends at a weighted median")
    grid = np.linspace(0, 3.4, 300)
    loss = np.abs(x[:, None] - a[:, None] * grid).sum(axis=0)

    def place(b, f):
        return np.array([60 + 165 * b, 300 - 14 * f])
    drawing.line(place(0, 0), place(3.4, 0), SOFT, 1.2)
    drawing.line(place(0, 0), place(0, 17.5), SOFT, 1.2)
    drawing.add('<polyline fill="none" stroke="' + BLUE + '" stroke-width="2.2" points="'
                + " ".join("%.1f,%.1f" % tuple(place(b, f)) for b, f in zip(grid, loss)) + '"/>')
    half = np.searchsorted(np.cumsum(weights), weights.sum() / 2)
    for at, b in enumerate(breaks):
        f = np.abs(x - a * b).sum()
        best = at == half
        drawing.line(place(b, 0), place(b, f), ORANGE if best else "#d9dde2", 1.4, "4 3")
        drawing.dot(place(b, f), ORANGE if best else BLUE, 5 if best else 3.4)
    drawing.text(place(3.4, 0) + [6, 5], "b", italic=True)
    drawing.text(place(0, 17.5) + [16, 0], "|x - a b|", INK, size=13)
    drawing.text(place(breaks[half], 0) + [0, 20], "weighted median of x / a", ORANGE, "middle", 13)
    drawing.text((250, 90), "a corner wherever a row is met exactly", BLUE, size=13)
    drawing.save("explain-median.svg")


def draw_bounds():
    """Distances from the cone of three anchors, and what one more anchor leaves of those that must be looked at."""
    rng = np.random.RandomState(0)
    parts = rng.rand(20, 200)
    data = np.r_[parts, rng.dirichlet(np.full(20, .1), 190) @ parts] + np.maximum(rng.laplace(0, .1, (210, 200)), 0)
    order = anchors(data, 20, select_only=True).anchors

    def distance(k):
        rows = data[order[:k]]
        return np.abs(data - project(data, rows).weights @ rows).sum(axis=1)
    bound, now = distance(3), distance(4)
    by = np.argsort(-bound)
    looked, best = 0, -1.
    while looked < len(by) and bound[by[looked]] > best:
        best = max(best, now[by[looked]])
        looked += 1
    drawing = Drawing(640, 320, "Only columns whose old distance exceeds the best new one are projected")
    scale = 215 / bound.max()
    for at, j in enumerate(by):
        left = 40 + at * 2.75
        drawing.add(f'<rect x="{left:.2f}" y="{270 - scale * bound[j]:.1f}" width="2.2" height="{scale * bound[j]:.1f}" '
                    f'fill="{PALE if at >= looked else "#9dbbe0"}"/>')
        if at < looked:
            drawing.add(f'<rect x="{left:.2f}" y="{270 - scale * now[j]:.1f}" width="2.2" '
                        f'height="{scale * now[j]:.1f}" fill="{BLUE}"/>')
    level = 270 - scale * best
    drawing.line((40, level), (620, level), ORANGE, 1.6)
    drawing.text((620, level - 8), "the farthest column now", ORANGE, "end", 13)
    drawing.text((40, 292), "210 columns by their distance from the cone of 3 anchors; a 4th has just been added",
                 SOFT, size=13)
    drawing.text((40, 22), f"dark: projected again, {looked} of {len(by)}", BLUE, size=13)
    drawing.text((40, 42), "pale: the old distance is below the line, so the new one is", SOFT, size=13)
    drawing.save("explain-bounds.svg")
    return looked


def main():
    os.makedirs(images, exist_ok=True)
    draw_cone()
    draw_step()
    draw_median()
    print("columns looked at:", draw_bounds())


if __name__ == "__main__":
    sys.exit(main())
