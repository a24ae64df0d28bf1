#!/usr/bin/python3
"""`--cut` and recordings of several files.

    video_cut.py CONEHULL FILM

- a clip holds the very pictures of the recording, from the key frame that is reported on, with its sound; MP4 stays MP4, the rest
  becomes Matroska; where key frames are rare, clips overlap;
- frames, times and events of several files go on from one to the next, and are those of the joined recording; an event over the
  end of a file has a clip of each;
- what cannot be cut or joined is refused before any work."""
import functools
import json
import os
import re
import subprocess
import sys
import tempfile

import film
import recording


def run(command, name, *words, code=0, **options):
    """With one anchor, which is all that the empty scene needs: to choose the number takes longer than the rest."""
    done = subprocess.run([command, name, *words, "-r", "1", "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, **options)
    assert done.returncode == code, f"{name} {' '.join(words)}: exit code {done.returncode}\n{done.stderr}"
    return done.stderr if code else json.loads(done.stdout)


def look(path):
    """Hashes of all pictures as they are decoded, and the seconds from the first to the last packet of sound."""
    out = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", path, "-map", "0:v", "-map", "0:a?", "-c:a", "copy", "-fps_mode",
                          "passthrough", "-f", "framemd5", "-"], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    rows = [[field.strip() for field in line.split(",")] for line in out.splitlines() if not line.startswith("#")]
    ticks = [int(row[2]) for row in rows if row[0] == "1"]  # presentation times
    tick = re.search(r"^#tb 1: (\d+)/(\d+)", out, re.M)
    sound = (ticks[-1] - ticks[0]) * int(tick[1]) / int(tick[2]) if ticks else 0
    return [row[-1] for row in rows if row[0] == "0"], sound


look_at_source = functools.lru_cache(None)(look)  # the clips of a run are those of several sources, a source that of several runs


def check_clips(out, answer, sources, keys):
    """Every clip against its source; keys: seconds between key frames."""
    starts = {part["file"]: part["start"] for part in answer["files"]}
    hashes = {source: look_at_source(source)[0] for source in sources}
    assert answer["events"], "there must be something to cut"
    for event in answer["events"]:
        assert event["clips"], event
        for clip in event["clips"]:
            begin = starts[clip["source"]]
            assert clip["start"] <= max(event["start"], begin) + 0.001, (event, clip)
            assert clip["start"] > max(event["start"], begin) - keys, (event, clip)
            first = round((clip["start"] - begin) * 25)
            found, sound = look(f"{out}/{clip['file']}")
            wanted = hashes[clip["source"]][first:first + len(found)]
            short = sum(1 for a, b in zip(found, wanted) if a != b)
            # The last pictures may lie behind a gap: those after the end that others refer to.
            assert found[:len(found) - 3] == wanted[:len(found) - 3] and short <= 3, (clip, short)
            last = min(event["end"] - begin, len(hashes[clip["source"]]) / 25)
            assert len(found) >= round(last * 25) - first - 1, (event, clip, len(found))
            assert abs(sound - (last - first / 25)) < 0.15, (clip, sound)


def check_containers(command, clip, folder):
    for name, words, suffix in (("plain.mkv", ["-c", "copy"], "mkv"), ("plain.ts", ["-c", "copy"], "mkv"),
                                ("plain.mov", ["-c", "copy"], "mp4"),
                                ("pcm.mov", ["-c:v", "copy", "-c:a", "pcm_s16le"], "mkv")):
        source, out = f"{folder}/{name}", f"{folder}/out-{name}"
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", clip, *words, source], check=True)
        answer = run(command, "video", source, "-o", out, "--cut", "--write", "none", "--json")
        assert [c["file"] for e in answer["events"] for c in e["clips"]] == [f"event_001.{suffix}", f"event_002.{suffix}"], answer["events"]
        check_clips(out, answer, [source], 1.001)


def check_rare_keys(command, picture, folder):
    """One key frame in all: every clip begins with the file, and there are more of them than are written at once."""
    moves = [(2 * k + 0.6, 2 * k + 1.3) for k in range(30)]
    clip = recording.make(picture, f"{folder}/rare.mp4", 61, moves, "-g", "10000", "-sc_threshold", "0", size=(64, 36))
    out = f"{folder}/rare"
    words = (clip, "-o", out, "--cut", "--event-gap", "0.5s", "--event-margin", "0", "--write", "none", "--json", "--least", "5")
    answer = run(command, "video", *words)
    assert len(answer["events"]) == 30, len(answer["events"])
    assert all(event["clips"][0]["start"] == 0 for event in answer["events"])
    assert len([name for name in os.listdir(out) if name.startswith("event_0")]) == 30
    run(command, "video", clip, "-o", out, "--write", "none", "--json")
    assert not [name for name in os.listdir(out) if name.startswith("event")], "clips of an earlier run must go"


def check_several(command, picture, folder):
    parts = [recording.make(picture, f"{folder}/{name}.mp4", seconds, moves, size=recording.SMALL)
             for name, seconds, moves in (("a", 10, [(2, 4), (9, 10)]), ("b", 6, [(0, 1)]), ("c", 8, [(3, 5)]))]
    with open(f"{folder}/list.txt", "w", encoding="utf-8") as file:
        file.writelines(f"file '{part}'\n" for part in parts)
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-f", "concat", "-safe", "0", "-i", f"{folder}/list.txt", "-map", "0:v",
                    "-c", "copy",
                    f"{folder}/joined.mkv"], check=True)
    answers = {}
    for name in ("video", "live"):
        more = ("--warm-up", "40") if name == "live" else ()
        answers[name] = run(command, name, *parts, "-o", f"{folder}/parts-{name}", "--cut", "--json", "--lossless", *more)
        joined = run(command, name, f"{folder}/joined.mkv", "-o", f"{folder}/joined-{name}", "--events", "--json", "--lossless", *more)
        answer = answers[name]
        assert answer["frames"] == joined["frames"] == 600
        assert [part["start"] for part in answer["files"]] == [0, 10, 16], answer["files"]
        assert [(e["first"], e["last"]) for e in answer["events"]] == [(e["first"], e["last"]) for e in joined["events"]] == [
            (50, 100), (225, 275), (475, 525)], answer["events"]
        masks, wanted = (film.gray_frames(f"{folder}/{kind}-{name}/mask.mkv", *recording.SMALL) for kind in ("parts", "joined"))
        assert masks == wanted
        assert [c["file"] for e in answer["events"] for c in e["clips"]] == ["event_001.mp4", "event_002.mp4", "event_002_2.mp4",
                                                                             "event_003.mp4"]
        check_clips(f"{folder}/parts-{name}", answer, parts, 1.001)
    stamps = film.probe(f"{folder}/parts-video/mask.mkv")[4]
    assert len(stamps) == 600 and all(abs(stamp - k / 25) < 0.002 for k, stamp in enumerate(stamps))
    some = run(command, "video", *parts, "--from", "240", "--frames", "30", "-o", f"{folder}/some", "--write", "none", "--json")
    assert (some["input"]["first"], some["input"]["last"]) == (240, 269) and some["frames"] == 30
    return parts


def check_refused(command, parts, source, folder):
    small = f"{folder}/small.mp4"
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", parts[1], "-vf", "scale=64:36", small], check=True)
    os.mkdir(f"{folder}/pictures")
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", parts[1], "-frames:v", "30", f"{folder}/pictures/%03d.png"], check=True)
    for name in ("video", "live"):
        out = f"{folder}/left"
        message = run(command, name, parts[0], small, "-o", out, code=2)
        assert "64 x 36" in message and "small.mp4" in message, message
        for words, what in (((f"{folder}/pictures", "--cut"), "folder of pictures"),
                            ((f"{folder}/pictures/%03d.png", "--cut"), "pictures")):
            assert what in run(command, name, *words, "-o", out, code=2)
        with open(parts[1], "rb") as file:
            assert "not from a pipe" in run(command, name, "-", "--cut", "-o", out, code=2, stdin=file)
        assert "missing.mp4" in run(command, name, parts[0], f"{folder}/missing.mp4", "-o", out, code=3)
        assert not os.path.exists(out)
    assert "cannot be one of several" in run(command, "live", parts[0], "rtsp://127.0.0.1:1/x", "-o", f"{folder}/left", code=2)
    joined = run(command, "video", f"{folder}/pictures", parts[1], "-o", f"{folder}/mixed", "--write", "none", "--json")
    assert joined["frames"] == 30 + 150 and abs(joined["files"][1]["start"] - 30 / 25) < 1e-9


def main(command, source):
    film.needs(command, "ffmpeg", "ffprobe")
    with tempfile.TemporaryDirectory() as folder:
        picture = recording.make_background(command, source, folder)
        clip = recording.make(picture, f"{folder}/clip.mp4", 16, [(3.2, 5), (10, 12)], size=recording.SMALL)
        answer = run(command, "video", clip, "-o", f"{folder}/out", "--cut", "--json")
        assert len(answer["events"]) == 2
        check_clips(f"{folder}/out", answer, [clip], 1.001)
        check_containers(command, clip, folder)
        check_rare_keys(command, picture, folder)
        check_refused(command, check_several(command, picture, folder), source, folder)
        print("clips hold the very pictures of the recording, files of a recording go on from one to the next")


if __name__ == "__main__":
    main(*sys.argv[1:])
