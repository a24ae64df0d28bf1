#!/usr/bin/python3
"""The page of `conehull reproduce` in a browser, from a small run: every claim with a verdict and its rule, figures with
settings and the command; desktop, phone; no console message, no request.

    reproduce_page.py CONEHULL"""
import os
import subprocess
import sys
import tempfile

from browser import DESKTOP, PHONE, Browser

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common")
CLAIMS = 19
FIGURES = ("exemplars-bbc", "video-lobby")


def make_data(folder):
    subprocess.run([sys.executable, f"{CASES}/make_news.py"], cwd=folder, check=True)
    subprocess.run([sys.executable, f"{CASES}/make_inputs.py", "film"], cwd=folder, check=True)
    os.makedirs(f"{folder}/data/video/lobby")
    os.rename(f"{folder}/gray", f"{folder}/data/video/lobby/frames.mkv")
    os.rename(f"{folder}/truth", f"{folder}/data/video/lobby/gt")


def rows(page, section):
    return [[cell.text for cell in row.find_elements("css selector", "td, th")] for row in page.all(f"{section} tbody tr")]


def main(command):
    command = os.path.abspath(command)
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        make_data(folder)
        for name in FIGURES:
            subprocess.run([command, "reproduce", name, "--quick", "--data", "data", "-o", "out", "--quiet"],
                           cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for size in (DESKTOP, PHONE):
            page = browser.open(f"{folder}/out/report.html", size)
            assert page.find("h1").text == "Reproducing the paper"
            claims = rows(page, "#claims")
            assert len(claims) == len(rows(page, "#rules")) == CLAIMS, len(claims)
            verdicts = [row[2] for row in claims]
            assert verdicts.count("not run") == CLAIMS - 5, verdicts
            assert all(row[1] for row in claims if row[2] != "not run")
            assert all(row[3] for row in claims)
            for name in FIGURES:
                assert len(page.all(f"#{name} svg")) == 1, name
                assert f"reproduce {name} --quick" in page.find(f"#{name}").text, name
                assert "Settings:" in page.find(f"#{name}").text and "commit" in page.find(f"#{name}").text
            assert page.width() <= size[0], f"{page.width()} pixels wide in a window of {size[0]}"


if __name__ == "__main__":
    main(*sys.argv[1:])
