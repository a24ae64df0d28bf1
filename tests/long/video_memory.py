#!/usr/bin/python3
"""A clip of 1,000 frames of 640 x 360 from a real encoder (h264 in mp4), in bounded memory: the peak
resident size is at most what the clip was announced to take and 400 MB; with --gray and half the
width, at most that clip and 300 MB; the length of the clip does not matter beyond that.

    video_memory.py CONEHULL"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e", "video"))
import film

FRAMES, WIDTH, HEIGHT = 1000, 640, 360


def encode(path):
    """Moving shapes over a still picture with noise, light that changes: ffmpeg's own sources."""
    ground = (f"gradients=s={WIDTH}x{HEIGHT}:r=25:x0=0:y0=0:x1={WIDTH}:y1={HEIGHT}:c0=0x506050:c1=0xa09070:"
              "speed=0.00001,eq=brightness='0.05*sin(n/150)':eval=frame,noise=alls=4:allf=t[ground]")
    graph = (f"color=c=0xd04030:s=60x110:r=25[box];{ground};"
             f"[ground][box]overlay=x='mod(n*3,{WIDTH + 200})-100':y=200[v]")
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-filter_complex", graph, "-map", "[v]", "-frames:v",
                    str(FRAMES), "-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p", path],
                   check=True)


def measure(*words):
    """JSON, peak resident bytes, and what was announced to be taken, in bytes."""
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = child.stdout.read()
    said = child.stderr.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, f"exit code {child.returncode}\n{said}"
    number, unit = re.search(r"take ([0-9.]+) (MB|GB)", said).groups()
    return json.loads(text), usage.ru_maxrss * 1024, float(number) * {"MB": 1e6, "GB": 1e9}[unit]


def main(command):
    film.needs(command, "ffmpeg")
    with tempfile.TemporaryDirectory() as folder:
        clip = f"{folder}/clip.mp4"
        encode(clip)
        for words, more in ((("-r", "2"), 400e6), (("-r", "2", "--gray", "--width", "320"), 300e6)):
            result, peak, announced = measure(command, "video", clip, "-o", f"{folder}/out", "--json", *words)
            print(f"{result['frames']} frames of {result['pixels']} pixels: announced {announced / 1e6:.0f} MB, peak "
                  f"{peak / 1e6:.0f} MB; seconds " + ", ".join(f"{k} {v:.1f}" for k, v in result["seconds"].items()))
            assert result["frames"] == FRAMES and result["input"]["codec"] == "h264"
            assert peak <= announced + more, "more than that"


if __name__ == "__main__":
    main(*sys.argv[1:])
