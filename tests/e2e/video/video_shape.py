#!/usr/bin/python3
"""Pictures as they are to be shown: turned as the file says, pixels of the shape that it has.

    video_shape.py CONEHULL FILM

- a clip with a display matrix gives the same masks and background as one whose pictures were turned by ffmpeg, for video and live,
  also where chroma is finer in one direction;
- what is written says the shape of its pixels: videos, the PNG, the page."""
import json
import re
import struct
import subprocess
import sys
import tempfile

import film
import recording


def ffmpeg(*words):
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *words], check=True)


def run(command, name, *words):
    """With one anchor, which is all that the empty scene needs: to choose the number takes longer than the rest."""
    words += ("--warm-up", "40") if name == "live" else ()
    done = subprocess.run([command, name, *words, "-r", "1", "--json", "--quiet"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def check_turned(command, clip, folder, pixels):
    ffmpeg("-i", clip, "-an", "-c:v", "libx264", "-pix_fmt", pixels, f"{folder}/lying.mp4")
    for degrees in (90, 180, 270) if pixels == "yuv420p" else (90,):
        turned, upright = f"{folder}/turned.mp4", f"{folder}/upright.mkv"
        ffmpeg("-i", f"{folder}/lying.mp4", "-c", "copy", "-metadata:s:v", f"rotate={degrees}", turned)
        ffmpeg("-i", turned, "-c:v", "ffv1", upright)  # ffmpeg turns the pictures as players do
        size = film.probe(upright)[1:3]
        for name in ("video", "live"):
            seen = run(command, name, turned, "-o", f"{folder}/a", "--lossless")
            run(command, name, upright, "-o", f"{folder}/b", "--lossless")
            assert (seen["input"]["width"], seen["input"]["height"]) == size and seen["input"]["rotation"] in (degrees, 360 - degrees)
            assert film.probe(f"{folder}/a/overlay.mkv")[1:3] == size
            masks = [film.gray_frames(f"{folder}/{out}/mask.mkv", *size) for out in "ab"]
            assert sum(map(len, masks[0])) > 0 and any(255 in mask for mask in masks[0])
            wrong = sum(x != y for one, two in zip(*masks) for x, y in zip(one, two))
            if pixels == "yuv420p":
                assert wrong == 0, (name, degrees, wrong)
                assert film.read(folder, "a", "background.png") == film.read(folder, "b", "background.png")
            else:  # chroma is converted once, by ffmpeg or by us
                assert wrong < 0.002 * sum(map(len, masks[0])), (name, degrees, wrong)


def shape_of_png(path):
    """Width : height of a pixel by its pHYs chunk: pixels per unit down and across."""
    raw = film.read(path)
    at = raw.index(b"pHYs")
    across, down, unit = struct.unpack(">IIB", raw[at + 4:at + 13])
    assert unit == 0
    return down, across


def check_shape(command, clip, folder):
    ffmpeg("-i", clip, "-an", "-vf", "setsar=4/3", "-c:v", "libx264", f"{folder}/wide.mp4")
    for name in ("video", "live"):
        for words in ((), ("--learn-frames", "all")) if name == "video" else ((),):
            out = f"{folder}/shape"
            seen = run(command, name, f"{folder}/wide.mp4", "-o", out, "--write", "background", *words)
            assert seen["input"]["aspect"] == [4, 3], seen["input"]
            for file in ("overlay.mp4", "mask.mkv", "background.mp4"):
                said = subprocess.check_output(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
                                                "stream=sample_aspect_ratio", "-of", "csv=p=0", f"{out}/{file}"], universal_newlines=True)
                assert said.strip() == "4:3", (file, said)
            assert shape_of_png(f"{out}/background.png") == (4, 3)
            shape = float(re.search(rb"--shape:([0-9.]+)", film.read(out, "report.html")).group(1))
            assert abs(shape - recording.SMALL[0] * 4 / (recording.SMALL[1] * 3)) < 1e-3
    run(command, "video", clip, "-o", f"{folder}/square", "--write", "none")
    assert b"pHYs" not in film.read(f"{folder}/square/background.png") and b"--shape:" not in film.read(f"{folder}/square/report.html")


def main(command, source):
    film.needs(command, "ffmpeg", "ffprobe")
    with tempfile.TemporaryDirectory() as folder:
        picture = recording.make_background(command, source, folder)
        clip = recording.make(picture, f"{folder}/clip.mp4", 3, [(1, 2.5)], sound=False, size=recording.SMALL)
        check_turned(command, clip, folder, "yuv420p")
        check_turned(command, clip, folder, "yuv422p")
        check_shape(command, clip, folder)
        print("pictures are turned as the file says, and keep the shape of their pixels")


if __name__ == "__main__":
    main(*sys.argv[1:])
