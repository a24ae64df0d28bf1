#!/usr/bin/python3
"""Inputs that can be read only once: standard input and a FIFO go to a scratch file, and give what the file gives.

    video_pipe.py CONEHULL FILM"""
import json
import os
import subprocess
import sys
import tempfile

import film
import recording

WORDS = ("--learn-frames", "40", "-r", "1", "--lossless", "--quiet", "--json")


def through(command, path, words, name="-", code=0):
    """A run whose input comes through cat, by standard input or by the FIFO of that name."""
    with open(path, "rb") as file:
        target = {"stdout": subprocess.PIPE} if name == "-" else {"stdout": os.open(name, os.O_RDWR)}
        writer = subprocess.Popen(["cat"], stdin=file, stderr=subprocess.DEVNULL, **target)
        if name != "-":
            os.close(target["stdout"])
        done = subprocess.run([command, "video", name, *words], stdin=writer.stdout, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, timeout=300)
        if writer.stdout:
            writer.stdout.close()
        writer.kill()
        writer.wait()
    assert done.returncode == code, f"{words}: exit code {done.returncode}\n{done.stderr}"
    return json.loads(done.stdout) if code == 0 else done.stderr


def check_same(command, clip, folder):
    whole = film.video(command, clip, "-o", f"{folder}/file", *WORDS[:4])
    assert whole["learned_from"] == 40 and whole["frames"] == 300
    os.mkfifo(f"{folder}/fifo")
    for name, out in (("-", "pipe"), (f"{folder}/fifo", "named")):
        answer = through(command, clip, ("-o", f"{folder}/{out}", *WORDS), name)
        assert answer["learned_from"] == 40 and answer["frames"] == 300, answer["learned_from"]
        for file in ("mask.mkv", "overlay.mkv", "background.png", "activity.csv"):
            assert film.read(folder, out, file) == film.read(folder, "file", file), (out, file)
    assert "cannot be read from a pipe" in through(command, clip, ("-o", f"{folder}/memory", *WORDS, "--pipe", "memory"), code=2)
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", clip, "-c", "copy", f"{folder}/clip.mkv"], check=True)
    kept = through(command, f"{folder}/clip.mkv", ("-o", f"{folder}/memory", *WORDS, "--pipe", "memory"))
    assert kept["learned_from"] == kept["frames"] == 300


def check_limits(command, clip, folder):
    out, scratch = f"{folder}/left", f"{folder}/scratch"
    os.mkdir(scratch)
    message = through(command, clip, ("-o", out, *WORDS, "--spool-dir", scratch, "--spool-limit", "100K"), code=4)
    assert "is larger than 0.1024 MB" in message and scratch in message, message
    assert f"{folder}/nowhere" in through(command, clip, ("-o", out, *WORDS, "--spool-dir", f"{folder}/nowhere"), code=3)
    assert "--pipe must be" in through(command, clip, ("-o", out, *WORDS, "--pipe", "begin"), code=2)
    assert "cannot be used" in through(command, clip, ("-o", out, *WORDS, "--pipe", "memory", "--spool-limit", "1G"), code=2)
    assert not os.path.exists(out) and not os.listdir(scratch)
    answer = through(command, clip, ("-o", out, *WORDS, "--spool-dir", scratch, "--spool-limit", "1G"))
    assert answer["frames"] == 300 and not os.listdir(scratch)


def main(command, source):
    film.needs(command, "ffmpeg")
    with tempfile.TemporaryDirectory() as folder:
        picture = recording.make_background(command, source, folder)
        clip = recording.make(picture, f"{folder}/clip.mp4", 12, [(2, 4), (7, 9)], size=recording.SMALL)  # an MP4 whose index comes last
        check_same(command, clip, folder)
        check_limits(command, clip, folder)
        print("pipes give what files give, and scratch files keep to their limit")


if __name__ == "__main__":
    main(*sys.argv[1:])
