"""What the tests of `conehull video` share: the demo's film, runs, files as ffprobe sees them."""
import json
import os
import shutil
import subprocess
import sys

SKIPPED = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def needs(command, *programs):
    if json.loads(subprocess.check_output([command, "info", "--json"])).get("video") is None:
        skip("built without video")
    for program in programs:
        if not shutil.which(program):
            skip(f"no {program}")


def make_film(command, folder, frames):
    """clip.mkv and truth/ of `conehull demo`; the tests of one build share those of `film.py CONEHULL FOLDER FRAMES`."""
    subprocess.run([command, "demo", "--runs", "1", "--frames", str(frames), "-o", folder, "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    return os.path.join(folder, "clip.mkv"), os.path.join(folder, "truth")


def video(command, *words, lossless=True, **options):
    """The JSON of a run, whose videos can be compared pixel by pixel unless they are the usual ones."""
    words += ("--lossless",) if lossless else ()
    done = subprocess.run([command, "video", *words, "--json", "--quiet"], stdout=subprocess.PIPE, **options)
    assert done.returncode == 0, f"{' '.join(words)}: exit code {done.returncode}"
    return json.loads(done.stdout)


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def probe(path):
    """Codec, size, pixel format and time stamps of every frame."""
    words = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
             "stream=codec_name,width,height,pix_fmt:frame=pts_time", "-of", "json", path]
    seen = json.loads(subprocess.check_output(words))
    stream = seen["streams"][0]
    return (stream["codec_name"], stream["width"], stream["height"], stream["pix_fmt"],
            [float(frame["pts_time"]) for frame in seen["frames"]])


def gray_frames(path, width, height):
    """Bytes of every frame."""
    raw = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", path, "-f", "rawvideo", "-pix_fmt", "gray", "-"],
                         check=True, stdout=subprocess.PIPE).stdout
    size = width * height
    return [raw[i:i + size] for i in range(0, len(raw), size)]


if __name__ == "__main__":
    needs(sys.argv[1])
    make_film(*sys.argv[1:])
