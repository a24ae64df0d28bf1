#!/usr/bin/python3
"""Length does not matter: 20,000 frames of 1280 x 720 take within 5 % of the memory of 2,000, and less than 1 GB, and the last
tenth of them passes as fast as the first (within a half, by processor time, since the machine may be busy).

    video_long.py CONEHULL FOLDER [FRAMES]             FRAMES: of the long clip; the short one has a tenth of it"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lab"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e", "video"))
import film
import video_job

WIDTH, MOST = 1280, 1e9


def main(command, folder, frames="20000"):
    film.needs(command, "ffmpeg")
    lengths = int(frames) // 10, int(frames)
    with tempfile.TemporaryDirectory(dir=folder) as made:
        rows = {}
        for length in lengths:
            clip = video_job.make_clip(command, made, WIDTH, length)
            assert video_job.count_frames(clip) == length
            for job in ("video", "live"):
                rows[job, length] = video_job.measure(video_job.ours(command, job, clip, 2), f"{made}/out")
                print(f"{job} {length}: {rows[job, length]}", flush=True)
            os.remove(clip)
        for job in ("video", "live"):
            short, whole = (rows[job, length] for length in lengths)
            assert whole["resident"] <= 1.05 * short["resident"], f"{job}: memory grows with the length"
            assert whole["resident"] < MOST, f"{job}: {whole['resident'] / 1e6:.0f} MB"
            # what passes after the short clip, a frame, beside the short one, whose learning counts in full
            later = (whole["processor"] - short["processor"]) / (lengths[1] - lengths[0])
            assert later <= 1.5 * short["processor"] / lengths[0], f"{job}: slower along the way"


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{error}") from error
