#!/usr/bin/python3
"""The page of `conehull anchors --page` in a browser: path, anchors and their largest rows, weights under the pointer, by keys
and by the slider, residuals, the proof in words; names that are markup; desktop, phone, dark; no console message, no request;
a large matrix stays a small page.

    anchors_page.py CONEHULL"""
import os
import subprocess
import sys
import tempfile

import numpy as np
from browser import DESKTOP, PHONE, Browser

PURE = [5, 17, 30, 44]


def write_table(path, X, names, rows):
    with open(path, "w", encoding="utf-8") as file:
        file.write("what," + ",".join(f'"{name}"' for name in names) + "\n")
        for name, values in zip(rows, X):
            file.write(f'"{name}",' + ",".join(f"{value:.6f}" for value in values) + "\n")


def mixtures(rows, columns, seed=1):
    random = np.random.RandomState(seed)
    H = random.dirichlet([0.4] * len(PURE), columns).T
    H[:, PURE] = np.eye(len(PURE))
    return 10 * random.rand(rows, len(PURE)) @ H * (1 + 0.01 * random.rand(rows, columns))


def hover(page, across):
    page.run("""const map = document.querySelector("#shares"), box = map.getBoundingClientRect();
        map.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + arguments[0] * box.width,
                                                           clientY: box.top + 3}));""", across)
    return page.find("#column").text


def look(page, size):
    assert page.find("h1").text == "Anchors of <i>beers.csv"
    assert page.width() <= size[0], f"{page.width()} pixels wide in a window of {size[0]}"
    assert not page.cut_texts(), page.cut_texts()
    assert len(page.all("#path svg path")) >= 1 and len(page.all("#residuals svg")) == 1
    rows = page.all("#anchors tbody tr")
    assert sorted(int(row.find_elements("css selector", "td")[1].text) for row in rows) == PURE
    assert sum("<b>Dunkel" in row.text for row in rows) == 1 and not page.all("#anchors td b")
    assert all("row " not in row.text and "Größe" in page.find("#anchors").text for row in rows)
    assert len(page.all("#residuals tbody tr")) == 10
    assert "could be better by more" in page.find("#proof").text and "conehull verify" in page.find("#proof").text
    assert "conehull anchors" in page.find("#again").text
    # A pure column is made of one anchor, and nothing is left.
    text = hover(page, 17.5 / 60)
    assert text.startswith("Column 17 (<b>Dunkel</b>): 0.0 %"), text
    parts = page.all("#mixture li")
    assert len(parts) == 1 and "<b>Dunkel</b>" in parts[0].text and "100 %" in parts[0].text, [p.text for p in parts]
    page.press("ARROW_RIGHT", on="#shares")
    assert page.find("#column").text.startswith("Column 18 (beer 18)")
    page.press("END", on="#shares")
    assert page.find("#column").text.startswith("Column 59 ")
    page.press("HOME", on="#shares")
    assert page.find("#column").text.startswith("Column 0 ")
    page.press("ARROW_RIGHT", "ARROW_RIGHT", on="#which")
    assert page.find("#column").text.startswith("Column 2 ")
    total = sum(float(part.text.split()[-2]) for part in page.all("#mixture li"))
    assert 97 <= total <= 103, total


def main(command):
    command = os.path.abspath(command)
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        names = [f"beer {j}" for j in range(60)]
        names[17] = "<b>Dunkel</b>"
        rows = ["malt", "hops", "</script>", "sugar", "iron, total", "Größe"]
        write_table(f"{folder}/<i>beers.csv", mixtures(6, 60), names, rows)
        run = [command, "anchors", "--quiet", "--page"]
        for words in ([], ["--h-precision", "single"]):
            subprocess.run([*run, "<i>beers.csv", "-r", "4", "-o", "out", *words], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL)
            for size, dark in ((DESKTOP, False), (PHONE, False), (DESKTOP, True)):
                look(browser.open(f"{folder}/out/anchors.html", size, dark), size)
        subprocess.run([*run, "<i>beers.csv", "-r", "4", "-o", "out", "--select-only"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        page = browser.open(f"{folder}/out/anchors.html")
        assert "were not computed" in page.find("#proof").text and not page.find("#weights")
        np.save(f"{folder}/large.npy", mixtures(40, 50000, 3).astype("float32"))
        subprocess.run([*run, "large.npy", "-r", "4", "--loss", "l2", "-o", "large"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        assert os.path.getsize(f"{folder}/large/anchors.html") < 1e6, os.path.getsize(f"{folder}/large/anchors.html")
        page = browser.open(f"{folder}/large/anchors.html", PHONE)
        assert "This page shows one column in 3" in page.find("#weights").text
        assert len(page.all("#anchors svg")) == 1 and page.width() <= PHONE[0]
        assert hover(page, 0.5).startswith("Column ")


if __name__ == "__main__":
    main(*sys.argv[1:])
