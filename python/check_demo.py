#!/usr/bin/env python3
"""`conehull demo` of a command without video, as the wheel has it: it does the rest, and says what it left out.

    check_demo.py COMMAND"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LEFT_OUT = ("clip.mkv", "video/background.mp4", "video/overlay.mp4", "video/mask.mkv")


def run(command, *words):
    done = subprocess.run([command, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.returncode, done.stderr)
    return done


def check(command, folder):
    assert json.loads(run(command, "info", "--json").stdout)["video"] is None, "this command has video"
    run(command, "demo", "--runs", 1, "--frames", 50, "-o", folder, "--quiet")
    done = run(command, "demo", "--runs", 1, "--frames", 40, "-o", folder, "--json")
    for name in LEFT_OUT:
        assert name in done.stderr and not (folder / name).exists(), (name, done.stderr)
    assert sorted(path.name for path in (folder / "clip").iterdir()) == [f"{k:06}.png" for k in range(40)]  # not 50: none is left over
    found = json.loads(done.stdout)
    assert found["found"] == 20 and found["video"]["results"][0]["auc"] > 0.99, found
    index = (folder / "index.html").read_text()
    assert "clip.mkv" in index and len(re.findall(r"<img[^>]*data:image/", index)) == 3
    for name in re.findall(r'href="([^"#]*)"', index):
        assert (folder / name).is_file(), name
    said = run(command, "demo", "--runs", 1, "--frames", 40, "-o", folder).stdout
    typed = re.search(r"try 'conehull (video .*) -o out'", said)[1].split()
    run(command, *typed, "-o", folder / "out", "--quiet")
    assert (folder / "out/report.html").is_file()


with tempfile.TemporaryDirectory() as work:
    check(sys.argv[1], Path(work) / "demo")
print("demo without video: good")
