#!/usr/bin/python3
"""kill -9 at moments spread over `conehull video --checkpoint`, going on each time: the same numbers and files at the end,
nothing left behind; a checkpoint of other settings is refused.

    video_resume.py CONEHULL FILM"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import film

FRAMES, KILLS = 40, int(os.environ.get("KILLS", 3))
VARY = ("seconds", "machine", "threads", "command", "output")


def story(value):
    """Without what depends on the moment."""
    if isinstance(value, dict):
        return {key: story(kept) for key, kept in value.items() if key not in VARY}
    return [story(kept) for kept in value] if isinstance(value, list) else value


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main(command, source):
    film.needs(command)
    draw = random.Random(int(os.environ.get("CONEHULL_SEED", 5)))
    with tempfile.TemporaryDirectory() as folder:
        clip = os.path.join(source, "clip.mkv")
        words = (clip, "-r", "2", "--refit", "2", "--frames", str(FRAMES))
        began = time.monotonic()
        whole = film.video(command, *words, "-o", f"{folder}/whole")
        took = time.monotonic() - began
        keep = ("--checkpoint", f"{folder}/c", "--resume")
        killed, kept = 0, 0
        for turn in range(KILLS):
            run = subprocess.Popen([command, "video", *words, "-o", f"{folder}/parts", *keep, "--quiet", "--threads",
                                    str(1 + turn % 2)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(draw.uniform(0.2, 0.7) * took)
            run.kill()
            killed += run.wait() < 0
            kept += os.path.exists(f"{folder}/c")
        if os.path.exists(f"{folder}/c"):  # not where the last of them was done before its kill
            other = subprocess.run([command, "video", *words[:2], "3", *words[3:], "-o", f"{folder}/parts", *keep], capture_output=True,
                                   text=True)
            assert other.returncode == 2 and "to another run: rank is now '3'" in other.stderr, other
        parts = film.video(command, *words, "-o", f"{folder}/parts", *keep)
        assert story(parts) == story(whole), (parts, whole)
        assert sorted(os.listdir(folder)) == ["parts", "whole"], os.listdir(folder)
        assert sorted(os.listdir(f"{folder}/parts")) == sorted(os.listdir(f"{folder}/whole"))
        for name in ("background.png", "mask.mkv", "background.mkv"):
            assert read(f"{folder}/parts/{name}") == read(f"{folder}/whole/{name}"), name
        refused = subprocess.run([command, "video", clip, "--method", "median", "-o", f"{folder}/parts", *keep],
                                 capture_output=True, text=True)
        assert refused.returncode == 2 and "cannot be resumed" in refused.stderr, refused
        assert killed > 0 or KILLS == 0, "no run was long enough"
        print(f"the same after {killed} kills, {kept} of them with something kept")


if __name__ == "__main__":
    main(*sys.argv[1:])
