#!/usr/bin/python3
"""The page of `conehull topics` in a browser: all topics with bars, sizes and documents; names that are markup do
nothing; desktop, phone; no console message, no request.

    topics_page.py CONEHULL"""
import os
import subprocess
import sys
import tempfile

from browser import DESKTOP, PHONE, Browser

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common", "make_corpus.py")

LONG = ["antidisestablishmentarianism" * 4, "hippopotomonstrosesquippedaliophobia" * 3]


def odd(command, folder, browser):
    """Words and names of documents that are longer than the page is wide; coherence of several numbers of topics."""
    os.makedirs(f"{folder}/odd")
    for number in range(30):
        with open(f"{folder}/odd/{'n' * 200 if number < 2 else 'text'} <i>{number}.txt", "w", encoding="utf-8") as file:
            file.write(f"{LONG[0]} {LONG[1]} mmmm wwww\n" if number % 2 else "orbit shuttle moon rocket\n")
    subprocess.run([command, "topics", "odd", "-r", "1,2", "-o", "odd-out", "--quiet"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    for size in (DESKTOP, PHONE):
        page = browser.open(f"{folder}/odd-out/report.html", size)
        assert page.width() <= size[0], f"{page.width()} pixels wide in a window of {size[0]}"
        assert "Coherence against the number of topics" in page.find("#all").text
        assert not page.cut_texts(), f"{page.cut_texts()} are cut off"
        assert LONG[0] in page.find("#all table").text


def main(command):
    command = os.path.abspath(command)
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        subprocess.run([sys.executable, CORPUS], cwd=folder, check=True)
        with open(f"{folder}/names.txt", "w", encoding="utf-8") as file:
            file.writelines(f"<script>alert({i})</script> & \u00e9t\u00e9 {i}\n" for i in range(60))
        subprocess.run([command, "topics", "lines.txt", "--names", "names.txt", "-r", "3", "--stop-words", "english",
                        "-o", "out", "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for size in (DESKTOP, PHONE):
            page = browser.open(f"{folder}/out/report.html", size)
            assert page.find("h1").text == "Topics of lines.txt"
            assert len(page.all(".topic")) == 3 and len(page.all(".topic svg")) == 3
            assert len(page.all("#all svg")) == 1 and len(page.all("#all tbody tr")) == 3
            assert "harbour" in page.find("#topic-2").text
            assert "excerpt" not in page.find("#topic-1").text and "spade" in page.find("#topic-1 table").text
            assert "<script>alert(" in page.find("#topic-1 table").text
            assert "--stop-words english" in page.find("#again").text
            assert page.width() <= size[0], f"{page.width()} pixels wide in a window of {size[0]}"
            bars = page.all(".topic figure")
            assert all(bar.size["width"] <= size[0] for bar in bars)
        odd(command, folder, browser)


if __name__ == "__main__":
    main(*sys.argv[1:])
