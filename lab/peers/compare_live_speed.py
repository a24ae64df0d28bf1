"""Live separation beside OpenCV's MOG2 on the same colour frames, the mask alone: the longest call, the warm-up and its end
included, and the steady state in wall and processor time. Frames are a fixed picture with sensor noise and moving blocks.

    compare_live_speed.py [WIDTH HEIGHT FRAMES]        needs conehull (PYTHONPATH) and OpenCV"""
import itertools
import resource
import sys
import time

import numpy as np

from conehull import LiveSeparator

try:
    import cv2
except ImportError as missing:
    print("missing", missing)
    raise SystemExit(0)


def make_frames(width, height, noise=3):
    """Endless. The noise is cut anew from a larger picture for every frame: noise that came again with a period would be
    learned as a light of its own."""
    rng = np.random.RandomState(0)
    ground = cv2.resize(rng.randint(40, 200, (height // 20, width // 20, 3)).astype(np.float32), (width, height)).astype(np.int16)
    grain = np.rint(noise * rng.randn(height + 200, width + 200, 3)).astype(np.int16)
    for i in itertools.count():
        y, x = rng.randint(200), rng.randint(200)
        frame = ground + grain[y:y + height, x:x + width]
        for k in range(4):
            x, y = (7 * i + k * width // 4) % (width - 80), height * (k + 1) // 6
            frame[y:y + 100, x:x + 60] = (30 + 60 * k, 200 - 40 * k, 90)
        yield np.clip(frame, 0, 255).astype(np.uint8)


def processor():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measure(call, frames, count, at_once=40):
    """Returns the longest call and the means of wall and processor time. Frames are made in batches before the calls and not counted."""
    longest = total = used = 0.0
    for left in range(count, 0, -at_once):
        lot, begin = list(itertools.islice(frames, min(left, at_once))), processor()
        for frame in lot:
            start = time.perf_counter()
            call(frame)
            took = time.perf_counter() - start
            longest, total = max(longest, took), total + took
        used += processor() - begin
    return longest, total / count, used / count


def main(width=1280, height=720, count=150):
    frames = make_frames(width, height)
    live, warm_up = LiveSeparator(), 200
    longest, _, _ = measure(live.apply, frames, warm_up + 1)
    waited = time.perf_counter()
    while live.info["state"] == "adapting":
        longest = max(longest, measure(live.apply, frames, 1)[0])
    print(f"{width} x {height} in colour, rank {live.info['rank']}: longest call until the background is learned {1e3 * longest:.1f} ms; "
          f"learned {time.perf_counter() - waited:.1f} s after the warm-up", flush=True)
    peer = cv2.createBackgroundSubtractorMOG2()
    measure(peer.apply, frames, 50)
    best = {}
    for _ in range(3):
        for name, call in (("live", live.apply), ("MOG2", peer.apply)):
            now = measure(call, frames, count)
            best[name] = tuple(map(min, best.get(name, now), now))
    for name, (most, wall, used) in best.items():
        print(f"{name}: {1e3 * wall:.2f} ms a frame, {1e3 * used:.2f} ms of processor, longest {1e3 * most:.1f} ms")
    print(f"live is {best['MOG2'][1] / best['live'][1]:.2f} times as fast by the clock, "
          f"{best['MOG2'][2] / best['live'][2]:.2f} times by processor time")


main(*map(int, sys.argv[1:]))
