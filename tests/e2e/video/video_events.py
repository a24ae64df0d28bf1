#!/usr/bin/python3
"""Events of `conehull video` and `live` on a recording whose movement is known.

    video_events.py CONEHULL FILM

- both find the stretches that were put there, with their frames, margins and lengths; a short flash is none;
- boxes.csv has the block where it was put;
- the table, events.csv and JSON say the same; options change what they say they change."""
import csv
import json
import subprocess
import sys
import tempfile

import film
import recording

SECONDS = 24
MOVES = [(4, 6.5), (7.5, 9), (15, 15.2), (18, 21)]  # the gap of 1 s joins the first two, the flash of 0.2 s is no event
WANTED = [(100, 225), (450, 525)]


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def run(command, name, *words):
    done = subprocess.run([command, name, *words, "--quiet"], stdout=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == 0, f"{name} {' '.join(words)}: exit code {done.returncode}"
    return done.stdout


def near(a, b, by=0.021):
    return abs(a - b) <= by


def check_found(out, printed):
    with open(f"{out}/scores.json", encoding="utf-8") as file:
        scores = json.load(file)
    events = scores["events"]
    assert [(e["first"], e["last"]) for e in events] == WANTED, events
    for event, (first, last) in zip(events, WANTED):
        assert near(event["from"], first / 25) and near(event["to"], (last + 1) / 25), event
        assert near(event["start"], event["from"] - 1) and near(event["end"], event["to"] + 1), event
        assert first <= event["peak"] <= last and near(event["peak_time"], event["peak"] / 25) and event["objects"] >= 1
        assert 0.03 < event["share"] < 0.12, event
    assert near(events[0]["moving"], 101 / 25) and events[0]["frames"] == 101, events[0]  # the pause does not count
    assert scores["event_settings"] == {"length": 0.5, "gap": 2, "margin": 1, "share": 0}
    table = rows(f"{out}/events.csv")
    assert len(table) == len(events)
    for row, event in zip(table, events):
        assert list(row)[:13] == [key for key in event][:13]
        assert all(near(float(row[key]), event[key], 0.0006) for key in list(row)[:13]), (row, event)
    assert "2 events" in printed and "100-225" in printed and "0:00:17.0" in printed, printed


def check_boxes(out):
    """The block is 40 x 60 at known places; every object of activity.csv has its box."""
    boxes, activity = rows(f"{out}/boxes.csv"), rows(f"{out}/activity.csv")
    assert list(boxes[0]) == ["frame", "time", "x", "y", "width", "height", "area"]
    assert len(boxes) == sum(int(row["objects"]) for row in activity) == len(rows(f"{out}/objects.csv"))
    for first, last in WANTED:
        for frame in range(first, last + 1):
            if not any(a <= frame / 25 <= b for a, b in MOVES):
                continue
            largest = next(row for row in boxes if int(row["frame"]) == frame)
            assert near(int(largest["x"]), 60 * frame / 25 % 216, 6) and near(int(largest["y"]), 60, 6), (frame, largest)
            assert near(int(largest["width"]), 40, 10) and near(int(largest["height"]), 60, 10), (frame, largest)
            assert int(largest["area"]) <= int(largest["width"]) * int(largest["height"]) and near(float(largest["time"]), frame / 25)


def check_options(command, clip, out):
    """When events are is decided by the options, whatever the width of the pictures and the number of anchors."""
    narrow = ("--width", "128", "-r", "1")
    for words, wanted in ((("--event-gap", "900ms", "--event-margin", "0"), 3), (("--event-length", "0.1s"), 3),
                          (("--event-length", "1h"), 0),
                          (("--event-margin", "2s", "--event-gap", "0"), 2), (("--event-share", "50%"), 0)):
        found = json.loads(run(command, "video", clip, "-o", out, "--write", "none", "--json", *narrow, *words))["events"]
        assert len(found) == wanted, (words, found)
        assert len(rows(f"{out}/events.csv")) == wanted
    run(command, "video", clip, "-o", out, "--write", "none", *narrow)
    assert subprocess.run(["test", "-e", f"{out}/events.csv"]).returncode == 1, "an earlier run's table must go"


def main(command, source):
    film.needs(command, "ffmpeg")
    with tempfile.TemporaryDirectory() as folder:
        picture = recording.make_background(command, source, folder)
        clip = recording.make(picture, f"{folder}/clip.mp4", SECONDS, MOVES)
        check_found(f"{folder}/video", run(command, "video", clip, "-o", f"{folder}/video", "--events", "--write", "boxes,objects"))
        check_boxes(f"{folder}/video")
        check_found(f"{folder}/live", run(command, "live", clip, "-o", f"{folder}/live", "--events", "--warm-up", "60", "--write",
                                          "boxes,objects"))
        check_boxes(f"{folder}/live")
        check_options(command, clip, f"{folder}/options")
        print("events are where movement was put, for video and live")


if __name__ == "__main__":
    main(*sys.argv[1:])
