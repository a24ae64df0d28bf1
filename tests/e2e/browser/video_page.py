#!/usr/bin/python3
"""The page of `conehull video` in a browser: everything is there, the player plays, keys and clicks
move it, it fits a phone; no console message, no request.

    video_page.py CONEHULL"""
import json
import os
import subprocess
import sys
import tempfile
import time

from browser import DESKTOP, PHONE, SKIPPED, Browser

FRAMES = 60


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def make(command, folder):
    """The demo's film, two methods, with truth."""
    if json.loads(subprocess.check_output([command, "info", "--json"])).get("video") is None:
        print("skipped: built without video")
        sys.exit(SKIPPED)
    run(command, "demo", "--runs", "1", "--frames", str(FRAMES), "-o", folder, "--quiet")
    return f"{folder}/video/report.html"


def pictures(page):
    return [page.run(f"return document.getElementById('view-{view}').src")
            for view in ("original", "background", "mask", "overlay")]


def check_parts(page, rank):
    for part in ("player", "activity", "roc", "anchors", "rank", "seconds", "settings", "again"):
        assert page.find(f"#{part} h2"), f"no section {part}"
    for chart in ("activity-chart", "roc-chart", "anchor-chart", "rank-chart"):
        assert page.find(f"#{chart} path"), f"no {chart}"
    assert len(page.all("#anchor-picture .ring")) == rank > 0
    assert all(src.startswith("data:image/") for src in pictures(page))
    broken = page.run("return [...document.images].filter(i => !i.complete || i.naturalWidth === 0).length")
    assert broken == 0, f"{broken} pictures do not load"
    assert page.find("#again code").text.startswith("conehull video ")


def at(page):
    return int(page.run("return document.getElementById('slider').value"))


def check_edge(page):
    """Every part begins at the same left edge."""
    edges = page.run("return [...document.querySelectorAll('h2')].map(h => Math.round(h.getBoundingClientRect().left))")
    assert len(set(edges)) == 1, edges


def check_player(page):
    last = int(page.find("#slider").get_attribute("max"))
    assert last + 1 == page.run("return JSON.parse(document.getElementById('film').textContent).frame.length")
    page.press("HOME")
    assert at(page) == 0 and page.find("#place").text.startswith("frame 0, second 0.00")
    first = pictures(page)
    page.press("ARROW_RIGHT")
    assert at(page) == 1
    second = pictures(page)
    assert first[0] != second[0] and first[3] != second[3], "the slider does not move the pictures"
    page.press("ARROW_LEFT", "ARROW_LEFT")
    assert at(page) == 0, "before the first frame"
    page.press("END")
    assert at(page) == last
    page.run("const s = document.getElementById('slider'); s.value = 3; s.dispatchEvent(new Event('input'))")
    assert page.find("#place").text.startswith("frame ") and "(4 of" in page.find("#place").text
    page.find("#play").click()
    assert page.find("#play").get_attribute("aria-pressed") == "true"
    end = time.monotonic() + 120
    while at(page) == 3 and time.monotonic() < end:
        time.sleep(0.05)
    assert at(page) != 3, "it does not play"
    page.find("#play").click()
    stopped = at(page)
    time.sleep(0.5)  # a span to watch, not a wait
    assert at(page) == stopped, "it does not stop"
    page.press("SPACE", on="#slider")
    assert page.find("#play").get_attribute("aria-pressed") == "true"
    page.press("SPACE", on="#slider")


def check_jump(page):
    """A click on the left and right ends of the activity chart; a change of method."""
    click = ("const c = document.getElementById('activity-chart'), b = c.getBoundingClientRect(),"
             "k = b.width / c.viewBox.baseVal.width, x = b.left + k * (arguments[0] ? c.dataset.right : c.dataset.left);"
             "c.dispatchEvent(new MouseEvent('click', {clientX: x, clientY: b.top + 5, bubbles: true}))")
    page.run(click, True)
    assert at(page) == int(page.find("#slider").get_attribute("max"))
    page.run(click, False)
    assert at(page) == 0
    before = pictures(page)
    page.run("const m = document.getElementById('method'); m.value = '1'; m.dispatchEvent(new Event('change'))")
    after = pictures(page)
    assert before[0] == after[0] and before[1] != after[1], "the method does not change the background"


def check_movie(page):
    """The overlay beside the page plays, and a click on the chart of movement seeks in it."""
    end = time.monotonic() + 120
    while page.run("return document.getElementById('movie').hidden") and time.monotonic() < end:
        time.sleep(0.05)
    facts = page.run("const v = document.getElementById('video'); return [v.error && v.error.message, v.readyState, v.duration, "
                     "v.videoWidth]")
    assert facts[0] is None and facts[1] >= 1 and abs(facts[2] - FRAMES / 25) < 0.2 and facts[3] > 0, facts
    click = ("const c = document.getElementById('activity-chart'), b = c.getBoundingClientRect(), d = c.dataset,"
             "k = b.width / c.viewBox.baseVal.width, x = b.left + k * (Number(d.left) + 0.5 * (d.right - d.left));"
             "c.dispatchEvent(new MouseEvent('click', {clientX: x, clientY: b.top + 5, bubbles: true}))")
    page.run(click)
    middle = page.run("return document.getElementById('video').currentTime")
    assert abs(middle - FRAMES / 50) < 0.1, middle
    page.run("document.getElementById('video').play()")
    end = time.monotonic() + 120
    while page.run("return document.getElementById('video').currentTime") <= middle + 0.1 and time.monotonic() < end:
        time.sleep(0.05)
    assert page.run("return document.getElementById('video').currentTime") > middle + 0.1, "the overlay does not play"
    page.run("document.getElementById('video').pause()")


def check_focus(page):
    """The keyboard reaches the player, and one sees where it is."""
    page.press("TAB")
    focused = page.run("return document.activeElement.id")
    assert focused == "play", f"the first key stop is {focused!r}"
    outline = page.run("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", outline


def main(command, *keep):
    with tempfile.TemporaryDirectory() as temporary:
        folder = keep[0] if keep else temporary
        path = make(command, folder)
        size = os.path.getsize(path)
        with open(f"{folder}/video/scores.json", encoding="utf-8") as file:
            rank = json.load(file)["results"][0]["rank"]
        assert size < 12e6, f"{size} bytes"
        with Browser() as browser:
            page = browser.open(path, DESKTOP)
            movies = {f"file://{os.path.realpath(folder)}/video/{name}" for name in ("overlay.mp4", "overlay-median.mp4")}
            page.known |= movies
            check_focus(page)
            check_parts(page, rank)
            check_edge(page)
            check_player(page)
            check_movie(page)
            check_jump(page)
            phone = browser.open(path, PHONE)
            phone.known |= movies
            assert phone.width() <= PHONE[0], f"{phone.width()} pixels wide on a phone"
            check_parts(phone, rank)
            check_player(phone)
            index = browser.open(f"{folder}/index.html", PHONE)
            assert len(index.all("a")) == 2
            assert index.width() <= PHONE[0]
            index.find("a[href='video/report.html']").click()
            assert browser.driver.title.startswith("Moving objects in clip.mkv")
            index.known |= movies | {browser.driver.current_url}
    print(f"page of {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
