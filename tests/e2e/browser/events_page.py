#!/usr/bin/python3
"""Events on the pages of `conehull video` and `live` in a browser: bars over the chart of movement at the right places, which a click
and Enter follow, in the pictures and in the video; the table links the clips; no console message.

    events_page.py CONEHULL [SCREENSHOT]"""
import os
import subprocess
import sys
import tempfile
import time

from browser import DESKTOP, PHONE, Browser

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "video"))
import film  # noqa: E402
import recording  # noqa: E402

WANTED = [(75, 125), (250, 300)]


def make(command, folder):
    subprocess.run([command, "demo", "--runs", "1", "--frames", "40", "-o", f"{folder}/demo", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    picture = recording.make_background(command, f"{folder}/demo", folder)
    clip = recording.make(picture, f"{folder}/clip.mp4", 14, [(a / 25, b / 25) for a, b in WANTED])
    for name, words in (("video", ()), ("live", ("--warm-up", "60"))):
        subprocess.run([command, name, clip, "-r", "1", "-o", f"{folder}/{name}", "--cut", "--quiet", *words], check=True,
                       stdout=subprocess.DEVNULL)


def frame(page):
    return page.run("return JSON.parse(document.getElementById('film').textContent).frame[document.getElementById('slider').value]")


def wait_for_movie(page):
    end = time.monotonic() + 120
    while page.run("return document.getElementById('movie').hidden") and time.monotonic() < end:
        time.sleep(0.05)


def check_bars(page):
    bars = page.all("#activity-chart .event")
    assert len(bars) == len(WANTED), len(bars)
    chart = page.run("return Object.assign({}, document.getElementById('activity-chart').dataset)")
    left, right, low, high = (float(chart[key]) for key in ("left", "right", "xLow", "xHigh"))
    for bar, (first, last) in zip(bars, WANTED):
        begin, width = float(bar.get_attribute("x")), float(bar.get_attribute("width"))
        scale = (right - left) / (high - low)
        assert abs(begin - (left + (first - low) * scale)) < 1 and abs(width - (last + 1 - first) * scale) < 1, (begin, width)
        assert left <= begin and begin + width <= right + 1
    for number, how in ((1, "click"), (0, "Enter")):
        first = WANTED[number][0]
        if how == "click":
            page.run("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", bars[number])
        else:
            page.run("arguments[0].focus(); arguments[0].dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))",
                     bars[number])
        assert abs(frame(page) - first) <= 10, (how, frame(page), first)
        wanted = first / 25
        seen = page.run("return document.getElementById('video').currentTime")
        assert abs(seen - wanted) < 0.1, (how, seen, wanted)


def check_table(page, folder):
    links = page.all("#activity table a")
    assert [link.get_attribute("href").rsplit("/", 1)[-1] for link in links] == ["event_001.mp4", "event_002.mp4"]
    assert all(os.path.getsize(os.path.join(folder, link.text)) > 0 for link in links)
    assert "0:00:02.0" in page.find("#activity table").text


def main(command, picture=None):
    film.needs(command, "ffmpeg")
    with tempfile.TemporaryDirectory() as folder:
        make(command, folder)
        with Browser() as browser:
            for name in ("video", "live"):
                for size in (DESKTOP, PHONE):
                    page = browser.open(f"{folder}/{name}/report.html", size)
                    page.known |= {f"file://{os.path.realpath(folder)}/{name}/overlay.mp4"}
                    wait_for_movie(page)
                    check_bars(page)
                    check_table(page, f"{folder}/{name}")
                    page.check()
                    if picture and size == DESKTOP:
                        page.screenshot(f"{picture}-{name}.png")
    print("events are marks on the timeline, and lead there")


if __name__ == "__main__":
    main(*sys.argv[1:])
