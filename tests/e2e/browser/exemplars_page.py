#!/usr/bin/env python3
"""The page of `conehull exemplars` in a browser: accuracies, exemplars with terms, chosen frames.

    exemplars_page.py CONEHULL"""
import random
import subprocess
import sys
import tempfile

from browser import DESKTOP, PHONE, Browser

FRUIT = "apple pear plum cherry grape melon peach fig".split()
METHODS = "robust-xray facility xray-l2 xray-kl xray-is spa smrs hottopixx kmeans random".split()
TOOLS = "hammer saw drill chisel plane file clamp <rasp>".split()


def corpus(folder):
    random.seed(4)
    with open(f"{folder}/letters.txt", "w", encoding="utf-8") as docs, \
            open(f"{folder}/labels", "w", encoding="utf-8") as labels, \
            open(f"{folder}/names", "w", encoding="utf-8") as names:
        for j in range(60):
            docs.write(" ".join(random.choice(FRUIT if j < 30 else TOOLS) for _ in range(14)) + "\n")
            labels.write("fruit & <veg>\n" if j < 30 else "tools\n")
            names.write(f"letter <b>{j}</b>" + (" of a folder/with a name/that is longer than its column" if j % 3 else "") + "\n")


def run(command, *words):
    subprocess.run([command, "exemplars", *words, "--quiet"], check=True, stdout=subprocess.DEVNULL)


def check_text(command, folder, browser):
    corpus(folder)
    run(command, f"{folder}/letters.txt", "-r", "4:12:4", "--labels", f"{folder}/labels", "--names", f"{folder}/names",
        "--splits", "3", "--method", ",".join(METHODS), "-o", f"{folder}/out")
    for size in (DESKTOP, PHONE):
        page = browser.open(f"{folder}/out/report.html", size)
        assert page.find("h1").text == "Exemplars of letters.txt"
        assert len(page.all("#accuracy svg")) == 1 and len(page.all("#accuracy tbody tr, #accuracy tr")) >= 4
        names = page.find("#accuracy svg").get_attribute("textContent")
        for method in (*METHODS, "whole half"):
            assert method in names, f"{method} is not in the chart"
        assert len(page.all("#exemplars table")) == len(METHODS)
        assert "letter <b>" in page.find("#exemplars table").text, "names are shown as they are"
        assert not page.all("#exemplars table b"), "a name became markup"
        assert page.width() <= size[0], f"{page.width()} pixels wide in a window of {size[0]}"
        assert not page.cut_texts(), f"{page.cut_texts()} are cut off"
    rows = page.all("#exemplars table:first-of-type tbody tr")[:4]
    assert all(0 < row.size["height"] < 260 and row.size["width"] <= PHONE[0] for row in rows), [row.size for row in rows]
    assert "conehull exemplars" in page.find("#again").text
    run(command, f"{folder}/letters.txt", "-r", "4", "--labels", f"{folder}/labels", "--splits", "2", "-o", f"{folder}/one")
    page = browser.open(f"{folder}/one/report.html", DESKTOP)
    assert not page.all("#accuracy svg"), "a chart of one point"
    assert page.find("#accuracy table") and "The documents are split" in page.find("#accuracy").text


def check_frames(command, folder, browser):
    for number in range(12):
        with open(f"{folder}/clip/{number}.pgm", "wb") as file:
            file.write(b"P5\n32 24\n255\n" + bytes((200 if x // 8 == number // 3 else 30 + y)
                                                 for y in range(24) for x in range(32)))
    run(command, f"{folder}/clip", "-r", "4", "-o", f"{folder}/frames")
    page = browser.open(f"{folder}/frames/report.html", DESKTOP)
    pictures = page.all("#frames img")
    assert len(pictures) == 4, f"{len(pictures)} pictures"
    assert all(page.run("return arguments[0].naturalWidth", picture) == 32 for picture in pictures)
    assert not page.find("#accuracy")


def main(command):
    import os
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        check_text(command, folder, browser)
        os.mkdir(f"{folder}/clip")
        check_frames(command, folder, browser)


if __name__ == "__main__":
    main(*sys.argv[1:])
