#!/usr/bin/python3
"""`--every N` looks at the very frames that decoding everything gives.

    video_every.py CONEHULL FILM

A pipe is decoded in full, a file only where it must be: for codecs whose pictures refer to each other in many ways, both give the
same scores of every pixel, numbers and times. Several files count as one, also where whole files are passed over."""
import subprocess
import sys
import tempfile

import film
import recording

CODECS = {
    "pyramid.mkv": ["-c:v", "libx264", "-g", "60", "-bf", "3", "-x264-params", "b-pyramid=normal:open-gop=1"],
    "refresh.mkv": ["-c:v", "libx264", "-bf", "0", "-x264-params", "intra-refresh=1:keyint=50"],
    "plain.ts": ["-c:v", "libx264", "-g", "40", "-bf", "3"],
    "open.mkv": ["-c:v", "libx265", "-x265-params", "log-level=none:open-gop=1:keyint=40"],
    "mpeg2.mkv": ["-c:v", "mpeg2video", "-g", "15", "-bf", "2"],
    "vp9.mkv": ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "50"],
    "groups.mkv": ["-c:v", "ffv1", "-g", "12"],  # without loss, but its coder remembers the pictures since the key frame
    "alone.mkv": ["-c:v", "mjpeg", "-q:v", "3", "-pix_fmt", "yuvj420p"],
}


def encode(clip, path, words):
    return subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", clip, "-an", *words, path],
                          stderr=subprocess.DEVNULL).returncode == 0


def look(command, out, *words, **options):
    answer = film.video(command, *words, "-o", out, "-r", "1", "--write", "soft", **options)
    hashes = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", f"{out}/soft.mkv", "-f", "framemd5", "-"], check=True,
                            stdout=subprocess.PIPE).stdout
    return answer, [line for line in hashes.splitlines() if not line.startswith(b"#")], film.read(out, "activity.csv")


def check_codec(command, path, folder):
    for step in ("3", "45"):
        some, hashes, table = look(command, f"{folder}/file", path, "--every", step, "--from", "5")
        with open(path, "rb") as file:  # through cat: a file as standard input could be sought
            pipe = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
            full, *wanted = look(command, f"{folder}/pipe", "-", "--step", step, "--from", "5", "--pipe", "memory", stdin=pipe.stdout)
            pipe.wait()
        assert some["frames"] == full["frames"] and [hashes, table] == wanted, (path, step)
        numbers = [int(line.split(b",")[0]) for line in table.splitlines()[1:]]
        assert numbers == list(range(5, 200, int(step))), (path, step, numbers)


def check_files(command, clip, folder):
    """Three times the same file, and a step over the second."""
    answer, _, table = look(command, f"{folder}/three", clip, clip, clip, "--every", "399")
    rows = [line.split(b",") for line in table.splitlines()[1:]]
    assert [int(row[0]) for row in rows] == [0, 399], rows
    assert all(abs(float(row[1]) - int(row[0]) / 25) < 0.002 for row in rows), rows
    assert [part["start"] for part in answer["files"]] == [0, 8], answer["files"]
    answer, _, table = look(command, f"{folder}/over", clip, clip, clip, "--from", "150", "--every", "300")
    assert [part["start"] for part in answer["files"]] == [0, 8, 16], answer["files"]
    assert [float(line.split(b",")[1]) for line in table.splitlines()[1:]] == [6, 18]


def main(command, source):
    film.needs(command, "ffmpeg")
    with tempfile.TemporaryDirectory() as folder:
        picture = recording.make_background(command, source, folder)
        clip = recording.make(picture, f"{folder}/clip.mp4", 8, [(2, 4), (5, 6)], size=recording.SMALL)
        tried = [name for name, words in CODECS.items() if encode(clip, f"{folder}/{name}", words)]
        assert len(tried) >= 4, "ffmpeg can encode too little"
        for name in tried:
            check_codec(command, f"{folder}/{name}", folder)
        check_files(command, clip, folder)
        print(f"every N-th frame is the one that decoding everything gives: {', '.join(tried)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
