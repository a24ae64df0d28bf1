#!/usr/bin/python3
"""The pages of `conehull demo` in a browser: desktop, phone, dark; no console message, no request.

    demo_page.py CONEHULL"""
import subprocess
import sys
import tempfile

from browser import DESKTOP, PHONE, Browser


def main(command):
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        subprocess.run([command, "demo", "--runs", "1", "--frames", "40", "-o", folder, "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
        for size in (DESKTOP, PHONE):
            page = browser.open(f"{folder}/report.html", size)
            assert page.find("h1").text == "Finding planted anchors"
            assert len(page.all("figure svg")) == 1 and page.find("table")
            assert page.width() <= size[0], f"{page.width()} pixels wide in a window of {size[0]}"
            page = browser.open(f"{folder}/index.html", size)
            assert len(page.all("#recovery figure svg")) == 1
            shown = page.run("return [...document.querySelectorAll('#video img')].map(i => i.naturalWidth)")
            assert len(shown) == 3 and min(shown) > 0, f"pictures of the film: {shown}"
            assert page.width() <= size[0], f"{page.width()} pixels wide in a window of {size[0]}"
        page = browser.open(f"{folder}/report.html", PHONE)
        light = page.run("return getComputedStyle(document.body).backgroundColor")
        dark = browser.open(f"{folder}/report.html", dark=True)
        assert dark.run("return getComputedStyle(document.body).backgroundColor") != light
        text = dark.run("return getComputedStyle(document.querySelector('svg text')).fill")
        assert text == dark.run("return getComputedStyle(document.body).color"), "a chart stays light"


if __name__ == "__main__":
    main(*sys.argv[1:])
