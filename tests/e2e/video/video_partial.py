#!/usr/bin/python3
"""Ctrl-C with --keep-partial: code 130, files that play up to there, and scores that say so; without it, or while the background is
learned, nothing is left.

    video_partial.py CONEHULL FILM"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import film
import recording
from video_interrupt import hears

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import processes  # noqa: E402

signal.signal(signal.SIGINT, signal.default_int_handler)  # not ignored, as it is behind `nohup make test &`


def stop_when(command, words, ready, number=signal.SIGINT):
    """Runs until ready(run), then the signal; the exit code, stdout and stderr."""
    run = subprocess.Popen([command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    deadline = time.time() + 120
    while run.poll() is None and not (hears(run, number) and ready(run)) and time.time() < deadline:
        time.sleep(0.005)
    run.send_signal(number)
    out, err = run.communicate(timeout=120)
    return run.returncode, out, err


def writes_into(folder):
    """Whether the overlay has begun: its bytes are there, under a hidden name."""
    def ready(_):
        for path, _, names in os.walk(folder):
            if any("overlay" in name and os.path.getsize(os.path.join(path, name)) > 0 for name in names if os.path.exists(
                    os.path.join(path, name))):
                return True
        return False
    return ready


def check_kept(command, clip, times, out, *words):
    """times: of all frames of the clip."""
    code, printed, message = stop_when(command, ["video", clip, "-o", out, "--keep-partial", "--json", "--events", "--write",
                                                 "side", *words],
                                       writes_into(out))
    assert code == 130, f"{code}\n{message}"
    answer = json.loads(printed)
    frames = answer["frames"]
    assert answer["partial"] is True and 0 < frames < len(times), (frames, len(times))
    assert f"kept, with {frames} frames" in message, message
    assert not [name for name in os.listdir(out) if name.startswith(".")], os.listdir(out)
    for name in ("overlay.mp4", "mask.mkv", "side.mp4"):
        stamps = film.probe(f"{out}/{name}")[4]
        assert len(stamps) == frames and all(abs(a - b) < 0.002 for a, b in zip(stamps, times)), (name, len(stamps), frames)
    with open(f"{out}/activity.csv", encoding="utf-8") as file:
        assert len(file.readlines()) == frames + 1
    with open(f"{out}/scores.json", encoding="utf-8") as file:
        scores = json.load(file)
    assert scores["partial"] and len(scores["time"]) == len(scores["activity"]["share"]) == frames
    for name in ("background.png", "report.html", "events.csv"):
        assert os.path.getsize(f"{out}/{name}") > 0, name
    return frames


def main(command, source):
    film.needs(command, "ffmpeg", "ffprobe")
    with tempfile.TemporaryDirectory() as folder:
        picture = recording.make_background(command, source, folder)
        clip = recording.make(picture, f"{folder}/clip.mp4", 20, [(2, 4), (8, 14)], "-preset", "ultrafast", size=(640, 360))
        times = film.probe(clip)[4]
        kept = [check_kept(command, clip, times, f"{folder}/passing", "--learn-frames", "40", "-r", "1"),
                check_kept(command, clip, times, f"{folder}/memory", "--learn-frames", "all", "-r", "1", "--frames", "400", "--gray")]
        words = ["video", clip, "-o", f"{folder}/none", "--learn-frames", "40", "-r", "1"]
        code, _, message = stop_when(command, words, writes_into(f"{folder}/none"))
        assert code == 130 and not os.path.exists(f"{folder}/none"), f"{code}\n{message}"
        # While it learns there is nothing to keep: the clip is open, and nothing is written yet.
        code, _, message = stop_when(command, [*words, "--keep-partial"], lambda run: processes.holds_open(run.pid, clip))
        assert code == 130 and not os.path.exists(f"{folder}/none"), f"{code}\n{message}"
        whole = film.video(command, clip, "-o", f"{folder}/whole", "--frames", "50", "-r", "1", "--keep-partial",
                           lossless=False)
        assert whole["partial"] is False
        print(f"{kept[0]} and {kept[1]} frames were kept, and play")


if __name__ == "__main__":
    main(*sys.argv[1:])
