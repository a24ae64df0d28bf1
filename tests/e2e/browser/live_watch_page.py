#!/usr/bin/python3
"""The page of `conehull live --page` in a browser: pictures that follow, on desktop and phone; and what the server
refuses: other hosts, other addresses, other methods, long requests; a client that says nothing holds nobody up.

    live_watch_page.py CONEHULL [SCREENSHOT]"""
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time

from browser import DESKTOP, PHONE, Browser, Page, skip

WIDTH, HEIGHT = 96, 72


def feed(pipe, stop, drift=0):
    """A still scene, or one that drifts, with a bright block that walks, until told to stop."""
    scene = bytes(60 + (x * 7 + y * 13) % 80 for y in range(HEIGHT) for x in range(WIDTH))
    i = 0
    try:
        pipe.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 Cmono\n" % (WIDTH, HEIGHT))
        while not stop.is_set():
            frame = bytearray(scene[drift * i % len(scene):] + scene[:drift * i % len(scene)])
            for k in range(0, len(frame), 1 + i % 7):
                frame[k] += (i * 31 + k) % 3
            for y in range(20, 44):
                frame[y * WIDTH + 5 * i % 79:y * WIDTH + 5 * i % 79 + 16] = b"\xf0" * 16
            pipe.write(b"FRAME\n" + frame)
            pipe.flush()
            i += 1
            time.sleep(0.02)
        pipe.close()
    except BrokenPipeError:
        pass


def ask(port, request, host="127.0.0.1"):
    with socket.create_connection((host, port), 5) as client:
        client.sendall(request)
        answer = b""
        try:
            while chunk := client.recv(65536):
                answer += chunk
        except ConnectionResetError:
            pass  # it did not read to the end
    return answer


def get(port, path, host=None, method="GET"):
    host = host or f"127.0.0.1:{port}"
    return ask(port, f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())


def check_server(port):
    assert get(port, "/").startswith(b"HTTP/1.1 200 OK\r\n")
    assert get(port, "/", f"localhost:{port}").startswith(b"HTTP/1.1 200 ")
    assert get(port, "/frame.jpg", "elsewhere.example").startswith(b"HTTP/1.1 403 ")
    assert get(port, "/../../etc/passwd").startswith(b"HTTP/1.1 404 ")
    assert get(port, "/frame.jpg", method="POST").startswith(b"HTTP/1.1 405 ")
    assert ask(port, b"GET / HTTP/1.1\r\nX: " + b"x" * 8000)[:13] in (b"HTTP/1.1 431 ", b"")
    try:
        ask(port, b"GET / HTTP/1.1\r\n\r\n", "127.0.0.2")
        raise AssertionError("it listens beyond 127.0.0.1")
    except OSError:
        pass
    silent = socket.create_connection(("127.0.0.1", port), 5)  # holds the server up for half a second at most
    start = time.monotonic()
    assert get(port, "/state.json").startswith(b"HTTP/1.1 200 ") and time.monotonic() - start < 20
    silent.close()


def wait_for(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.1)


def watch(browser, port, size, screenshot):
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE})
    page = Page(browser.driver, f"http://127.0.0.1:{port}/")
    browser.driver.get(page.address)

    def state():
        return page.find("#state").text
    wait_for(lambda: re.fullmatch(r"frame \d+, (steady|adapting)", state()), f"no picture: {state()}")
    assert page.run("return document.getElementById('view').naturalWidth") == 3 * WIDTH
    assert page.width() <= size[0]
    first = state()
    wait_for(lambda: state() != first, "the picture stands still")
    # of the shown picture: white somewhere in the mask, dark on most of it
    light = page.run("""const v = document.getElementById('view'), c = document.createElement('canvas');
        c.width = v.naturalWidth; c.height = v.naturalHeight; const g = c.getContext('2d'); g.drawImage(v, 0, 0);
        const d = g.getImageData(2 * c.width / 3, 0, c.width / 3, c.height).data; let n = 0;
        for (let i = 0; i < d.length; i += 4) n += d[i] > 200; return n / (d.length / 4)""")
    assert 0.02 < light < 0.5, f"{light:.3f} of the mask is white"
    log = [entry["message"] for entry in browser.driver.get_log("browser")]
    assert not log, log
    if screenshot:
        page.screenshot(f"{screenshot}-{size[0]}.png")
    return page, state


def check_warnings(browser, port):
    """A camera that moves: the page says what the run will say."""
    page = Page(browser.driver, f"http://127.0.0.1:{port}/")
    browser.driver.get(page.address)
    wait_for(lambda: "Warning: " in page.find("#warnings").text, "no warning on the page")
    said = json.loads(get(port, "/state.json").split(b"\r\n\r\n", 1)[1])["warnings"]
    assert said and all(f"Warning: {text}." in page.find("#warnings").text for text in said), said


def main(command, screenshot=None):
    watch_run(command, 0, lambda browser, port: None, screenshot)
    watch_run(command, 1237, check_warnings, None)


def watch_run(command, drift, check, screenshot):
    """A run that is watched; drift 0: on desktop and phone, to its end."""
    run = subprocess.Popen([os.path.abspath(command), "live", "-", "--warm-up", "60", "--rank", "1", "--page", "0"],
                           stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    stop = threading.Event()
    writer = threading.Thread(target=feed, args=(run.stdin, stop, drift))
    writer.start()
    try:
        line = b""
        while run.poll() is None and b"watch it at" not in line:
            line = run.stderr.readline()
        if b"without video" in line:
            skip("built without video")
        port = int(re.search(rb"http://127\.0\.0\.1:(\d+)/", line)[1])
        drain = threading.Thread(target=run.stderr.read)
        drain.start()
        with Browser() as browser:
            check(browser, port)
            if not drift:
                check_server(port)
                watch(browser, port, DESKTOP, screenshot)
                _, state = watch(browser, port, PHONE, screenshot)
            stop.set()
            writer.join()
            assert run.wait(60) == 0
            if not drift:
                wait_for(lambda: state() == "the run has ended", "the page does not see the end")
        drain.join()
    finally:
        stop.set()
        if run.poll() is None:
            run.kill()
        run.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
