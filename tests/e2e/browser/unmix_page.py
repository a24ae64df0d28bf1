#!/usr/bin/python3
"""The page of `conehull unmix` in a browser: the spectrum under the pointer and by keys, rings, maps, a file name that is
markup; reflectance, unknown values, averages, stability and intervals; desktop, phone, dark; no console message, no
request; a large scene stays a small page.

    unmix_page.py CONEHULL"""
import os
import subprocess
import sys
import tempfile

import numpy as np

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


LONG = "Alunite_intimate_mixture with kaolinite <150um> & sample HS295.3B of the spectral library"


def write_library(folder):
    """One spectrum of the scene with a long name."""
    spectrum = np.load(f"{folder}/truth.npz")["M"][:, 0].astype("<f4")
    spectrum.tofile(f"{folder}/library.sli")
    with open(f"{folder}/library.hdr", "w", encoding="utf-8") as file:
        file.write(f"ENVI\nsamples = {len(spectrum)}\nlines = 1\nbands = 1\nfile type = ENVI Spectral Library\ndata type = 4\n"
                   f"interleave = bsq\nbyte order = 0\nspectra names = {{{LONG}}}\n")


def look_at_many(page, size):
    """Twelve endmembers, the first of them of a library."""
    assert page.width() <= size[0], f"{page.width()} pixels wide in a window of {size[0]}"
    assert "11 of its own pixels and 1 spectrum of a library" in page.find("header, body").text
    assert len(page.all(".ring")) == 11 and len(page.all("#spectra svg")) == 2
    rows = [row.text for row in page.all("#table tbody tr")]
    assert len(rows) == 12 and rows[0].split()[0] == "1" and rows[11].split()[0] == "12"
    captions = [caption.text for caption in page.all("#abundances figcaption")]
    assert len(captions) == 12 and captions[0].startswith(LONG + ": "), captions[0]
    table = page.run("const box = document.querySelector('#table .scroll'); return [box.scrollWidth, box.clientWidth];")
    assert table[0] <= table[1], f"the table is {table[0]} pixels wide in {table[1]}"


def write_gaps(folder):
    """The scene in reflectance x 5000 with a hole of bands in every pixel, and a band that stands alone between holes."""
    cube = np.round(5000 * np.load(f"{folder}/<b>scene.npy")).astype("<i2")
    cube[:, 1::2, 20:23] = cube[:, 1::2, 24] = -99
    cube.tofile(f"{folder}/gaps.img")
    with open(f"{folder}/gaps.hdr", "w", encoding="utf-8") as file:
        file.write("ENVI\nsamples = %d\nlines = %d\nbands = %d\n" % (cube.shape[1], cube.shape[0], cube.shape[2]) +
                   "data type = 2\ninterleave = bip\nbyte order = 0\nreflectance scale factor = 5000\n")


def look_at_gaps(page, size):
    """Reflectance, unknown values, averages, stability and intervals."""
    assert page.width() <= size[0], f"{page.width()} pixels wide in a window of {size[0]}"
    assert "1440 values in 360 pixels" in page.find("#choices").text
    titles = [title.text for title in page.all("#spectra figure")]
    assert len(titles) == 2 and "Averages of the 5 pixels" in page.find("#spectra").text, titles
    assert "reflectance (value / 5000)" in page.find("#spectra").text
    head = page.find("#table thead").text.lower()
    assert "stable" in head and "mean interval" in head, head
    hover(page, "#picture", 1.5 / 30, 0.5)
    measured, fit = (path.get_attribute("d") for path in page.all("#spectrum path"))
    assert measured.count("M") == 3 and measured.count("h1") == 1 and fit.count("M") == 1 and fit.count("L") == 49, measured
    ticks = [float(text.text) for text in page.all("#spectrum text")[:3]]
    assert max(ticks) < 3, ticks
    hover(page, "#picture", 0.5 / 30, 0.5)
    assert page.all("#spectrum path")[0].get_attribute("d").count("M") == 1


def main(command):
    command = os.path.abspath(command)
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        subprocess.run([sys.executable, SCENE], cwd=folder, check=True)
        os.rename(f"{folder}/scene.npy", f"{folder}/<b>scene.npy")
        run = [command, "unmix", "-r", "4", "--quiet"]
        subprocess.run([*run, "<b>scene.npy", "--truth", "truth.npz", "-o", "out"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for size, dark in ((DESKTOP, False), (PHONE, False), (DESKTOP, True)):
            look(browser.open(f"{folder}/out/report.html", size, dark), size)
        write_library(folder)
        subprocess.run([command, "unmix", "-r", "12", "--quiet", "<b>scene.npy", "--library", "library.sli", "-o", "many"], cwd=folder,
                       check=True, stdout=subprocess.DEVNULL)
        for size in DESKTOP, PHONE:
            look_at_many(browser.open(f"{folder}/many/report.html", size, False), size)
        write_gaps(folder)
        subprocess.run([*run, "gaps.hdr", "--nodata", "-99", "--smooth", "5", "--intervals", "--stability", "2", "-o", "gaps"], cwd=folder,
                       check=True, stdout=subprocess.DEVNULL)
        for size in DESKTOP, PHONE:
            look_at_gaps(browser.open(f"{folder}/gaps/report.html", size, False), size)
        subprocess.run([sys.executable, SCENE, "300", "400", "60"], cwd=folder, check=True)
        subprocess.run([*run, "scene.npy", "-o", "large"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        assert os.path.getsize(f"{folder}/large/report.html") < 8e6, os.path.getsize(f"{folder}/large/report.html")
        page = browser.open(f"{folder}/large/report.html")
        assert "The page shows every" in page.find("#scene").text
        assert "endmember" in hover(page, "#picture", 0.5, 0.5)


if __name__ == "__main__":
    main(*sys.argv[1:])
