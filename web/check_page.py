#!/usr/bin/python3
"""The demo page in headless Chromium, served by a plain file server: a matrix, a spectral image and a clip of the project's own
generators, end to end. Anchors are those of the native command, `conehull verify` accepts what is downloaded, the page
asks no other host and writes nothing to the console.

    web/check_page.py CONEHULL PAGE_FOLDER [--pictures FOLDER]

Prints the time of the anchors job over that of the native command on one thread, and the compressed size."""
import argparse
import functools
import gzip
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "e2e", "browser"))
from browser import DESKTOP, PHONE, Browser, program  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402


class Server:
    """The folder on a free port; remembers who asked for what."""

    def __init__(self, folder):
        asked = self.asked = []

        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                asked.append(self.path)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/"


def wait(page, script, what, seconds=240):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = page.run(script)
        if value:
            return value
        refusal = page.run("const box = document.getElementById('refusal'); return box.hidden ? '' : box.textContent")
        assert not refusal, f"{what}: {refusal}"
        time.sleep(0.1)
    raise AssertionError(f"{what}: not within {seconds} s")


def native(command, *words):
    run = subprocess.run([command, "anchors", *words, "--threads", "1", "--json", "--quiet"], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def verify(command, data, folder):
    run = subprocess.run([command, "verify", data, folder, "--json"], capture_output=True, text=True)
    assert run.returncode == 0 and json.loads(run.stdout)["ok"], run.stdout + run.stderr


class Case:
    def __init__(self, browser, server, options):
        self.browser, self.server, self.options = browser, server, options

    def open(self, size=DESKTOP, dark=False):
        page = self.browser.open(self.server.address + "index.html", size, dark)
        page.origins = (self.server.address, "blob:" + self.server.address)
        return page

    def picture(self, page, name):
        if self.options.pictures:
            page.screenshot(os.path.join(self.options.pictures, name + ".png"))

    def give(self, page, *files):
        page.find("#file").send_keys("\n".join(files))

    def shown_anchors(self, page):
        return [int(row.split("|")[1]) for row in page.run(
            "return [...document.querySelectorAll('#anchors tbody tr')].map(r => [...r.cells].map(c => c.textContent).join('|'))")]

    def slide(self, page, value):
        page.run("const s = document.getElementById('rank'); s.value = arguments[0]; s.dispatchEvent(new Event('input'))", value)

    def download(self, page, button, folder, press=None):
        """The zip file that the button gives; press: another way than a click."""
        before = set(os.listdir(folder))
        if press:
            press()
        else:
            page.run("document.getElementById(arguments[0]).click()", button)
        for _ in range(600):
            new = [n for n in set(os.listdir(folder)) - before if n.endswith(".zip")]
            if new:
                return os.path.join(folder, new[0])
            time.sleep(0.1)
        raise AssertionError(f"{button}: nothing was downloaded")


def unpacked(path, folder):
    to = os.path.join(folder, "unpacked-" + os.path.basename(path))
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        archive.extractall(to)
    return to


def check_matrix(case, demo, downloads):
    command, page, data = case.options.command, case.open(), f"{demo}/X.npy"
    page.run("document.getElementById('most').value = 20")
    case.give(page, data)
    wait(page, "return document.getElementById('matrix').hidden === false && document.querySelector('#anchors tbody tr')", "first run")
    page.run("const m = document.getElementById('most'); m.value = 20; m.dispatchEvent(new Event('change'))")
    wait(page, "return document.getElementById('matrix').dataset.complete === '20'", "all ranks")
    for rank in (20, 12, 3):
        case.slide(page, rank)
        assert case.shown_anchors(page) == native(command, data, "-r", str(rank))["anchors"], rank
    case.slide(page, 20)
    case.picture(page, "matrix-desktop")
    page.run("document.getElementById('compare').click()")
    wait(page, "return !document.getElementById('losses').hidden", "losses")
    rows = page.run("return [...document.querySelectorAll('#losses tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    assert [row[0] for row in rows] == ["l1", "l2", "kl", "is"]
    for row in rows:
        assert [int(a) for a in row[4].split(",")] == native(command, data, "-r", "20", "--loss", row[0])["anchors"], row[0]
    verify(command, data, unpacked(case.download(page, "download", downloads), downloads))
    page.check()


def tab_to(page, wanted):
    """Presses Tab until the element has the focus, as somebody without a mouse does."""
    for _ in range(40):
        ActionChains(page.driver).send_keys(Keys.TAB).perform()  # to whatever has the focus
        if page.run("return document.activeElement === document.querySelector(arguments[0])", wanted):
            return page.driver.switch_to.active_element
    raise AssertionError(f"Tab does not lead to {wanted}")


def check_keyboard(case, downloads):
    """A sample, the slider, the losses and the download by keys alone."""
    page = case.open()
    tab_to(page, "[data-sample=matrix]").send_keys(Keys.ENTER)
    wait(page, "return document.getElementById('matrix').dataset.complete", "the sample matrix")
    most = len(case.shown_anchors(page))
    slider = tab_to(page, "#rank")
    slider.send_keys(Keys.ARROW_LEFT)
    slider.send_keys(Keys.ARROW_LEFT)
    assert len(case.shown_anchors(page)) == most - 2
    tab_to(page, "#compare").send_keys(Keys.SPACE)
    wait(page, "return document.querySelectorAll('#losses tbody tr').length === 4", "losses by a key")
    tab_to(page, "#download")
    assert case.download(page, "download", downloads, lambda: page.driver.switch_to.active_element.send_keys(Keys.ENTER))
    page.check()


DROP = """
    const given = new DataTransfer();
    given.items.add(new File(["1,0,1,2\\n0,1,1,3\\n"], "dropped.csv"));
    document.getElementById("drop").dispatchEvent(new DragEvent("drop", {dataTransfer: given, bubbles: true, cancelable: true}));
"""
WATCH = """
    window.seen = {longest: 0, values: [], last: performance.now(), begun: performance.now()};
    window.watching = setInterval(() => {
      const now = performance.now(), bar = document.getElementById("progress");
      seen.longest = Math.max(seen.longest, now - seen.last);
      seen.last = now;
      if (!document.getElementById("working").hidden && bar.hasAttribute("value")) seen.values.push(bar.value);
    }, 10);
"""


def check_alive(case, demo):
    """A dropped file is taken; and while a long job runs the page goes on and its bar moves."""
    page = case.open()
    page.run(DROP)
    wait(page, "return document.querySelector('#anchors tbody tr')", "the dropped file")
    page = case.open()
    page.run("document.getElementById('most').value = 30")
    case.give(page, f"{demo}/scene.hdr", f"{demo}/scene.img")
    wait(page, "return document.getElementById('matrix').dataset.complete", "the scene")
    page.run(WATCH)
    page.run("const m = document.getElementById('most'); m.value = 30; m.dispatchEvent(new Event('change'))")
    wait(page, "return document.getElementById('matrix').dataset.complete === '30'", "30 anchors")
    longest, values, took = page.run("clearInterval(watching); return [seen.longest, seen.values, performance.now() - seen.begun]")
    print(f"a job of {took / 1000:.1f} s: the page stood still for at most {longest:.0f} ms, the bar showed {len(set(values))} values")
    assert longest < took / 4, (longest, took)
    assert len(set(values)) >= 3, values
    page.check()


def check_refusals(case, folder):
    page = case.open()
    with open(f"{folder}/bad.csv", "w") as file:
        file.write("1,2\n3,-4\n")
    case.give(page, f"{folder}/bad.csv")
    text = ""
    for _ in range(300):
        text = page.find("#refusal").text
        if text:
            break
        time.sleep(0.1)
    assert "row 1, column 1" in text and "negative" in text, text
    page.run("document.getElementById('clip-negative').click()")
    wait(page, "return document.getElementById('matrix').dataset.complete", "after the option")
    # Cancelled, the page goes on with the same input.
    page.run("document.getElementById('cancel').click(); document.getElementById('loss').value = 'l2';"
             "document.getElementById('loss').dispatchEvent(new Event('change'))")
    wait(page, "return document.getElementById('matrix').dataset.complete", "after cancelling")
    page.check()


def check_scene(case, demo, downloads):
    command, data = case.options.command, f"{demo}/scene.hdr"
    for size, dark, name in ((DESKTOP, False, "scene-desktop"), (PHONE, True, "scene-phone-dark"), (PHONE, False, "scene-phone")):
        page = case.open(size, dark)
        case.give(page, data, f"{demo}/scene.img")
        wait(page, "return document.getElementById('matrix').dataset.complete === '8'", "all ranks of the scene")
        case.slide(page, 5)
        wanted = native(command, data, "-r", "5", "--hull", "convex0", "--negative", "clip", "--faint", "0.05")
        assert case.shown_anchors(page) == wanted["anchors"]
        assert len(page.all("#maps canvas")) == 5
        assert page.width() <= size[0], f"{page.width()} pixels wide in a window of {size[0]}"
        case.picture(page, name)
    verify(command, data, unpacked(case.download(page, "download", downloads), downloads))
    page.check()


def check_samples(case):
    for size, name in ((DESKTOP, "clip-desktop"), (PHONE, "clip-phone")):
        page = case.open(size)
        page.run("document.querySelector('[data-sample=clip]').click()")
        wait(page, "return document.getElementById('clip').dataset.complete === '120'", "the film")
        page.run("const s = document.getElementById('frame'); s.value = 60; s.dispatchEvent(new Event('input'))")
        assert page.width() <= size[0]
        case.picture(page, name)
        page.check()
    page = case.open()
    page.run("document.querySelector('[data-sample=scene]').click()")
    wait(page, "return document.getElementById('matrix').dataset.complete === '6'", "the sample scene")
    page.check()


def truth_score(masks, truth, demo_frames):
    """F-measure of the masks against the truth of the generator, at the frames that have one."""
    import numpy
    from PIL import Image
    hit = wrong = missed = 0
    for frame in demo_frames:
        mask = numpy.asarray(Image.open(f"{masks}/mask-{frame:06d}.png").convert("L")) > 127
        wanted = numpy.asarray(Image.open(f"{truth}/{frame:06d}.png").convert("L")) > 127
        hit += (mask & wanted).sum()
        wrong += (mask & ~wanted).sum()
        missed += (~mask & wanted).sum()
    return 2 * hit / (2 * hit + wrong + missed)


def check_clip(case, demo, downloads):
    page, film = case.open(), f"{downloads}/film.mp4"
    subprocess.run([program("ffmpeg"), "-v", "error", "-i", f"{demo}/clip.mkv", "-c:v", "libx264", "-crf", "16", "-pix_fmt", "yuv420p",
                    film], check=True)
    case.give(page, film)
    wait(page, "return document.getElementById('clip').dataset.complete", "the clip", 400)
    assert page.find("#clip").get_attribute("data-complete") == "200"
    masks = unpacked(case.download(page, "clip-download", downloads), downloads)
    frames = [int(name[:6]) for name in sorted(os.listdir(f"{demo}/truth"))]
    score = truth_score(masks, f"{demo}/truth", frames)
    print(f"clip: F-measure {score:.3f} against the truth")
    assert score > 0.8, score
    page.check()


START_WORKER = """
    const [names, done] = arguments;
    window.tried = new Worker("page_worker.js");
    const load = Promise.all(names.map(async n => ({name: n.split("/").pop(), bytes: await (await fetch(n)).arrayBuffer()})));
    window.tried.onmessage = ({data}) => { if (!data.progress) done(data.error || ""); };
    load.then(files => window.tried.postMessage({id: 0, kind: "files", files}));
"""
RUN_WORKER = """
    const [options, done] = arguments;
    window.tried.onmessage = ({data}) => {
      if (data.progress) return;
      done(data.error || data.result.seconds.select + data.result.seconds.project);
    };
    window.tried.postMessage({id: 1, kind: "anchors", options});
"""


def measure(case, demo):
    """The anchors job (choosing and weights, without reading): the page over the native command on one thread. Both run in
    turns, so that both meet the same machine; the least of each counts."""
    for file, rank, more in (("X.npy", 20, ()), ("scene.hdr", 5, ("--negative", "clip"))):
        page, here, there = case.open(), [], []
        names = [f"demo/{name}" for name in ([file] if file == "X.npy" else ["scene.hdr", "scene.img"])]
        problem = page.driver.execute_async_script(START_WORKER, names)
        assert not problem, problem
        for _ in range(case.options.rounds):
            seconds = page.driver.execute_async_script(RUN_WORKER, ["-r", str(rank), *more])
            assert isinstance(seconds, float), seconds
            there.append(seconds)
            found = native(case.options.command, f"{demo}/{file}", "-r", str(rank), *more)["seconds"]
            here.append(found["select"] + found["project"])
        print(f"{file}, {rank} anchors: page {min(there):.3f} s (first run {there[0]:.3f} s), native on one thread {min(here):.3f} s, "
              f"ratio {min(there) / min(here):.2f}")


def compressed(folder):
    total = 0
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                total += len(gzip.compress(file.read(), 9))
    return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("page")
    parser.add_argument("--pictures")
    parser.add_argument("--only")
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    options.command = os.path.abspath(options.command)
    if options.pictures:
        os.makedirs(options.pictures, exist_ok=True)
    size = compressed(options.page)
    print(f"compressed size of the page: {size / 1e6:.2f} MB")
    assert size < 1.5e6, size
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        demo, downloads = f"{folder}/site/demo", f"{folder}/downloads"
        os.makedirs(f"{folder}/site")
        os.mkdir(downloads)
        for name in os.listdir(options.page):
            os.symlink(os.path.abspath(os.path.join(options.page, name)), f"{folder}/site/{name}")
        subprocess.run([options.command, "demo", "-o", demo, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        browser.driver.set_script_timeout(300)
        browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": downloads})
        case = Case(browser, Server(f"{folder}/site"), options)
        steps = {"matrix": lambda: check_matrix(case, demo, downloads), "keyboard": lambda: check_keyboard(case, downloads),
                 "alive": lambda: check_alive(case, demo), "refusals": lambda: check_refusals(case, folder),
                 "scene": lambda: check_scene(case, demo, downloads), "samples": lambda: check_samples(case),
                 "clip": lambda: check_clip(case, demo, downloads), "measure": lambda: measure(case, demo)}
        for name, step in steps.items():
            if options.only and name not in options.only.split(","):
                continue
            step()
            print(f"{name}: ok")


if __name__ == "__main__":
    main()
