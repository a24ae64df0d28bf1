#!/usr/bin/python3
"""The page of `conehull unmix` in a browser: the spectrum under the pointer and by keys, rings, maps, a file name that is
markup; desktop, phone, dark; no console message, no request; a large scene stays a small page.

    unmix_page.py CONEHULL"""
import os
import subprocess
import sys
import tempfile

from browser import DESKTOP, PHONE, Browser

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common", "make_scene.py")


def hover(page, selector, across, down):
    page.run("""const map = document.querySelector(arguments[0]), box = map.getBoundingClientRect();
        map.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + arguments[1] * box.width,
                                                           clientY: box.top + arguments[2] * box.height}));""",
             selector, across, down)
    return page.find("#pixel").text


def look(page, size):
    assert "<b>scene" in page.find("h1").text
    assert len(page.all(".ring")) == 4 and len(page.all("#abundances .map img")) == 4
    assert len(page.all("#quality .map img")) == 2 and len(page.all("#spectra svg")) == 1
    assert len(page.all("#table tbody tr")) == 4 and len(page.all("#abundances .scale")) == 1
    assert page.width() <= size[0], f"{page.width()} pixels wide in a window of {size[0]}"
    # The corner at the lower right is nearly pure; over a map as over the picture.
    assert "Line 23, sample 29: endmember " in hover(page, "#picture", 0.99, 0.99)
    assert "Line 0, sample 0: " in hover(page, "#abundances .map", 0.001, 0.001)
    paths = page.all("#spectrum path")
    assert [path.get_attribute("class") for path in paths] == ["measured", "fit"]
    assert all(len(path.get_attribute("d").split("L")) == 50 for path in paths)
    page.press("ARROW_RIGHT", "ARROW_DOWN", on="#picture")
    assert "Line 1, sample 1: " in page.find("#pixel").text
    page.press("ARROW_LEFT", "ARROW_LEFT", "ARROW_LEFT", on="#picture")
    assert "Line 1, sample 0: " in page.find("#pixel").text
    page.run("document.querySelectorAll('button[data-line]')[0].click()")
    text = page.find("#pixel").text
    assert "endmember 1 100 %" in text, text
    # The fit of a pure pixel is its spectrum, up to the quantisation.
    ends = [[float(pair.split()[1]) for pair in path.get_attribute("d")[1:].split("L")] for path in page.all("#spectrum path")]
    assert max(abs(a - b) for a, b in zip(*ends)) < 3, max(abs(a - b) for a, b in zip(*ends))


def main(command):
    command = os.path.abspath(command)
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        subprocess.run([sys.executable, SCENE], cwd=folder, check=True)
        os.rename(f"{folder}/scene.npy", f"{folder}/<b>scene.npy")
        run = [command, "unmix", "-r", "4", "--quiet"]
        subprocess.run([*run, "<b>scene.npy", "--truth", "truth.npz", "-o", "out"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for size, dark in ((DESKTOP, False), (PHONE, False), (DESKTOP, True)):
            look(browser.open(f"{folder}/out/report.html", size, dark), size)
        subprocess.run([sys.executable, SCENE, "300", "400", "60"], cwd=folder, check=True)
        subprocess.run([*run, "scene.npy", "-o", "large"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        assert os.path.getsize(f"{folder}/large/report.html") < 8e6, os.path.getsize(f"{folder}/large/report.html")
        page = browser.open(f"{folder}/large/report.html")
        assert "lines and samples one is in this page" in page.find("#scene").text
        assert "endmember" in hover(page, "#picture", 0.5, 0.5)


if __name__ == "__main__":
    main(*sys.argv[1:])
