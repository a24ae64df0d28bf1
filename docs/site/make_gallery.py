#!/usr/bin/python3
"""Makes the pictures of docs/gallery again: make_gallery.py CONEHULL DEMO [--field PAGE] [--only NAME ...]

DEMO is the folder of `conehull demo`. The commands are those of docs/gallery.md, run as they stand: a line

    <!-- picture: NAME of PAGE -->

below a block of sh says which page that block writes, and what its picture is called. The texts are those of the first Python block of
docs/tutorials/documents.md, the cells those of docs/users/cells.md. Needs ffmpeg, chromium, chromium-driver and python3-selenium."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
docs = os.path.dirname(here)
sys.path.insert(0, os.path.join(os.path.dirname(docs), "tests/e2e/browser"))
from browser import Browser  # noqa: E402
WIDTH, SIZE = 900, (1180, 1000)
COLOURS = ("#0b4f9c", "#c2540a", "#4f7f1f", "#7b3f98")


def read(page):
    with open(os.path.join(docs, page), encoding="utf-8") as file:
        return file.read()


def blocks(page, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", read(page), re.S | re.M)


def run(script, program):
    path = os.path.dirname(os.path.abspath(program)) + os.pathsep + os.environ["PATH"]
    subprocess.run(["bash", "-euc", script], check=True, env=dict(os.environ, PATH=path), stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def picture(browser, page, name):
    opened = browser.open(os.path.abspath(page), size=SIZE)
    opened.origins = (f"file://{os.path.dirname(os.path.realpath(page))}",)  # a film beside its page
    opened.screenshot("page.png", whole=False)
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", "page.png", "-vf", f"scale={WIDTH}:-1", "-q:v", "5",
                    os.path.join(docs, "gallery", name)], check=True)


def draw_cells(weights, name, width=900, height=240):
    """A bar for each cell, in the order of its largest share: each colour is a type."""
    import numpy as np
    shares = weights / weights.sum(axis=0)
    shares = shares[:, np.lexsort((-shares.max(axis=0), shares.argmax(axis=0)))]
    step = width / shares.shape[1]
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
             "<title>Shares of four types in each cell</title>"]
    for kind, row in enumerate(shares):
        below = shares[:kind].sum(axis=0)
        path = "".join(f"M{step * cell:.1f} {height * (1 - low - share):.1f}h{step:.2f}v{height * share:.1f}h-{step:.2f}z"
                       for cell, (low, share) in enumerate(zip(below, row)) if share > 0.002)
        lines.append(f'<path fill="{COLOURS[kind]}" d="{path}"/>')
    with open(os.path.join(docs, "gallery", name), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n</svg>\n")


def make_cells(program):
    import numpy as np
    exec(compile(blocks("users/cells.md", "python")[0], "cells.md", "exec"), {})
    run(blocks("users/cells.md", "sh")[0], program)
    draw_cells(np.load("types/H.npy"), "cells.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("conehull")
    parser.add_argument("demo")
    parser.add_argument("--field", help="the page of make bench-field")
    parser.add_argument("--only", nargs="+", help="names of pictures")
    given = parser.parse_args()
    program, demo, field = (os.path.abspath(path or "") for path in (given.conehull, given.demo, given.field))
    jobs = re.findall(r"^```sh\n([^`]*)^```\n\n<!-- picture: (\S+) of (\S+) -->", read("gallery.md"), re.S | re.M)
    assert jobs, "docs/gallery.md names no picture"
    os.makedirs(os.path.join(docs, "gallery"), exist_ok=True)
    with tempfile.TemporaryDirectory() as work, Browser() as browser:
        os.chdir(work)
        os.mkdir("out")
        os.symlink(demo, "out/demo")
        exec(compile(blocks("tutorials/documents.md", "python")[0], "documents.md", "exec"), {})
        if not given.only or "cells.svg" in given.only:
            make_cells(program)
        for script, name, page in jobs:
            if not given.only or name in given.only:
                run(script, program)
                picture(browser, page, name)
        if given.field:
            picture(browser, field, "field.jpg")
        os.chdir(docs)


if __name__ == "__main__":
    main()
