#!/usr/bin/env python3
"""`conehull video` and `live` report a camera that shakes, and a plain object that the background follows like a light: in
words, in `warnings` of the JSON, and on the page of `video`. They report neither for a still camera.

    video_warnings.py CONEHULL"""
import json
import os
import random
import subprocess
import sys
import tempfile

import film

WIDTH, HEIGHT, FRAMES, EDGE = 128, 96, 72, 4
SHIFT, LIGHT = "the camera moves", "in a way that light does not"


def draw_scene(chance):
    scene = [[110] * (WIDTH + 2 * EDGE) for _ in range(HEIGHT + 2 * EDGE)]
    for _ in range(60):
        left, top, level = chance.randrange(WIDTH), chance.randrange(HEIGHT), chance.randrange(50, 200)
        for row in scene[top:top + chance.randrange(5, 20)]:
            row[left:left + 12] = [level] * len(row[left:left + 12])
    return scene


def make_clip(folder, kind):
    """Pictures of a scene with a small object that passes; the camera shakes, or a block half as wide passes too."""
    chance = random.Random(7)
    scene = draw_scene(chance) if kind != "block" else [[110] * (WIDTH + 2 * EDGE)] * (HEIGHT + 2 * EDGE)
    os.mkdir(folder)
    for number in range(FRAMES):
        x, y = (chance.randrange(-2, 3) if kind == "shake" else 0 for _ in range(2))
        left = number % 36 * (WIDTH + WIDTH // 2) // 36 - WIDTH // 2
        rows = []
        for line in range(HEIGHT):
            row = list(scene[line + EDGE + y][EDGE + x:EDGE + x + WIDTH])
            if 40 <= line < 60:
                row[number:number + 10] = [230] * 10
            if kind == "block":
                row[max(left, 0):max(left + WIDTH // 2, 0)] = [60] * (min(left + WIDTH // 2, WIDTH) - max(left, 0))
            rows.append(bytes(value + chance.randrange(-4, 5) for value in row[:WIDTH]))
        with open(f"{folder}/{number:04d}.pgm", "wb") as file:
            file.write(b"P5\n%d %d\n255\n" % (WIDTH, HEIGHT) + b"".join(rows))


def run(command, job, clip, out):
    words = [command, job, clip, "-o", out, "--json"] + (["--warm-up", "60"] if job == "live" else [])
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    warnings = json.loads(done.stdout)["warnings"]
    for text in warnings:
        assert "warning: " + text in " ".join(done.stderr.split()), f"{job} {clip}: not printed: {text}"
    return " ".join(warnings)


def main(command):
    film.needs(command)
    with tempfile.TemporaryDirectory() as place:
        for kind, expected in (("still", None), ("shake", SHIFT), ("block", LIGHT)):
            clip, out = f"{place}/{kind}", f"{place}/out"
            make_clip(clip, kind)
            for job in ("video", "live"):
                warnings = run(command, job, clip, out)
                for text in (SHIFT, LIGHT):
                    if text == expected or kind == "still":
                        assert (text in warnings) == (text == expected), f"{job} {kind}: {warnings}"
                with open(f"{out}/report.html", encoding="utf-8") as page:
                    assert not expected or expected in page.read(), f"{job} {kind}: not on the page"


if __name__ == "__main__":
    main(*sys.argv[1:])
