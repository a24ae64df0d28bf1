"""The whole job of a camera's clip, from file to files, as a table for each question:

    video_job.py hd CONEHULL FOLDER      1920 x 1080 in colour, 1,200 frames: `conehull video`, `conehull live`, a plain OpenCV
                                         script (read, MOG2, median clean-up, mask and overlay as mp4), decoding alone, decoding
                                         with one encoding; how often faster than the script, how far from the floor
    video_job.py small CONEHULL FOLDER --clip FILE|FOLDER ... [--before OLD_CONEHULL]
                                         small clips: seconds of each part, beside another build's
    video_job.py long CONEHULL FOLDER    1280 x 720, 2,000 and 20,000 frames: largest memory, speed along the way

Clips are made in FOLDER and stay there: the film of `conehull demo`, enlarged, with noise that changes from frame to frame as a
sensor's does, H.264 of 14 Mbit/s at 1920 x 1080 with a key frame every two seconds, as cameras have it. Of several turns, taken
in turns, the least counts: seconds, processor seconds (user and system, children included), frames a second, largest resident
size, bytes written. A peer that is not installed is "not present". --json prints the same as JSON. --frames N makes all clips
shorter, for a first try."""
import argparse
import json
import os
import shutil
import subprocess
import sys

from field.child import run_child

OPENCV = r'''
import sys
import cv2
source, folder, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
cv2.setNumThreads(threads)
capture = cv2.VideoCapture(source)
rate = capture.get(cv2.CAP_PROP_FPS) or 25
size = (int(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), int(capture.get(cv2.CAP_PROP_FRAME_HEIGHT)))
model = cv2.createBackgroundSubtractorMOG2()
code = cv2.VideoWriter_fourcc(*"mp4v")
masks = cv2.VideoWriter(folder + "/mask.mp4", code, rate, size, False)
overlays = cv2.VideoWriter(folder + "/overlay.mp4", code, rate, size)
while True:
    more, frame = capture.read()
    if not more:
        break
    mask = cv2.medianBlur((model.apply(frame) == 255).astype("uint8") * 255, 5)
    found, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    cv2.drawContours(frame, found, -1, (0, 64, 255), 2)
    masks.write(mask)
    overlays.write(frame)
masks.release()
overlays.release()
'''


def python_with_opencv():
    """Returns this interpreter or that of the system, whichever has cv2; None if neither has."""
    for python in (sys.executable, "/usr/bin/python3"):
        has = shutil.which(python) and subprocess.run([python, "-c", "import cv2"], stderr=subprocess.DEVNULL, check=False)
        if has and has.returncode == 0:
            return python
    return None


ENCODED = 2000  # frames: longer clips repeat the encoded packets, without encoding again


def repeat_clip(clip, short, frames):
    """Makes a long clip by repeating the packets of a short one."""
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-stream_loop", "-1", "-i", short, "-c", "copy", "-frames:v",
                    str(frames), clip + ".part.mp4"], check=True)
    os.rename(clip + ".part.mp4", clip)
    return clip


def make_clip(command, folder, width, frames):
    """Makes a clip from the film of the demo, which has some hundred frames and is repeated."""
    clip = f"{folder}/clip-{width}-{frames}-key50.mp4"
    if os.path.exists(clip):
        return clip
    if frames > ENCODED:
        return repeat_clip(clip, make_clip(command, folder, width, ENCODED), frames)
    subprocess.run([command, "demo", "--runs", "1", "--frames", "400", "-o", f"{folder}/demo", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    height = width * 9 // 16 // 2 * 2
    rate = f"{max(14 * width * height // (1920 * 1080), 1)}M"
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-stream_loop", "-1", "-i", f"{folder}/demo/clip.mkv",
                    "-frames:v", str(frames), "-vf", f"scale={width}:{height}:flags=bicubic,noise=alls=5:allf=t", "-c:v", "libx264",
                    "-preset", "veryfast", "-b:v", rate, "-g", "50", "-pix_fmt", "yuv420p", clip + ".part.mp4"], check=True)
    os.rename(clip + ".part.mp4", clip)
    shutil.rmtree(f"{folder}/demo")
    return clip


def count_frames(clip):
    return int(subprocess.check_output(["ffprobe", "-v", "error", "-select_streams", "v", "-count_packets", "-show_entries",
                                        "stream=nb_read_packets", "-of", "csv=p=0", clip]).strip(b",\n"))


def measure(words, out):
    """Runs a command that writes into the folder `out`."""
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    done = run_child([word.replace("{out}", out) for word in words])
    assert done.code == 0, f"{words[:2]}: exit code {done.code}"
    row = {"seconds": done.seconds, "processor": done.processor, "resident": done.peak,
           "bytes": sum(entry.stat().st_size for entry in os.scandir(out))}
    if os.path.exists(f"{out}/scores.json"):
        row["parts"] = json.load(open(f"{out}/scores.json", encoding="utf-8"))["seconds"]
    return row


def least(old, now):
    """Returns the faster of two turns, with the smaller memory and processor time of both."""
    best = dict(old if old["seconds"] <= now["seconds"] else now)
    for key in ("processor", "resident"):
        best[key] = min(old[key], now[key])
    return best


def take_turns(jobs, turns, out):
    best = {}
    for _ in range(turns):
        for name, words in jobs.items():
            now = measure(words, out)
            best[name] = least(best[name], now) if name in best else now
    shutil.rmtree(out, ignore_errors=True)
    return best


def ours(command, job, clip, threads):
    return [command, job, clip, "-o", "{out}", "--threads", str(threads), "--quiet"]


def print_parts(name, row):
    if "parts" in row:
        print(f"{name:14} {'  '.join(f'{part} {seconds:.2f}' for part, seconds in row['parts'].items())}")


def hd(given, command):
    clip = given.clip[0] if given.clip else make_clip(command, given.folder, 1920, given.frames or 1200)
    frames, n, size = count_frames(clip), str(given.threads), os.path.getsize(clip)
    jobs = {"video": ours(command, "video", clip, n), "live": ours(command, "live", clip, n),
            "opencv": [python_with_opencv(), "-c", OPENCV, clip, "{out}", n],
            "decode": ["ffmpeg", "-v", "error", "-nostdin", "-threads", n, "-i", clip, "-f", "null", "-"],
            "decode+encode": ["ffmpeg", "-v", "error", "-nostdin", "-threads", n, "-i", clip, "-threads", n, "-c:v", "libx264",
                              "-preset", "ultrafast", "-crf", "23", "-an", "{out}/encoded.mp4"]}
    if not jobs["opencv"][0]:
        del jobs["opencv"]
    if frames < 400:  # shortens the warm-up for a first try
        jobs["live"] += ["--warm-up", str(max(frames // 2, 20))]
    best = take_turns(jobs, given.turns, f"{given.folder}/out")
    if given.json:
        print(json.dumps({"clip": clip, "frames": frames, "bytes": size, "threads": given.threads, "jobs": best}))
        return
    print(f"{clip}: {frames} frames, {size / 1e6:.1f} MB; {n} threads; the least of {given.turns} turns")
    print(f"{'':14} {'seconds':>8} {'processor':>9} {'ms a frame':>10} {'frames/s':>8} {'MB held':>8} {'MB written':>10} "
          f"{'of input':>8}")
    for name, row in best.items():
        print(f"{name:14} {row['seconds']:8.1f} {row['processor']:9.1f} {1e3 * row['processor'] / frames:10.1f} "
              f"{frames / row['seconds']:8.1f} {row['resident'] / 1e6:8.0f} {row['bytes'] / 1e6:10.1f} {row['bytes'] / size:8.2f}")
    for name in ("video", "live"):
        print_parts(name, best[name])
    floor = best["decode+encode"]
    for name in ("video", "live"):
        row, words = best[name], []
        if "opencv" in best:
            words.append(f"{best['opencv']['seconds'] / row['seconds']:.2f} times as fast as opencv")
        words.append(f"{row['seconds'] / floor['seconds']:.2f} times the seconds and "
                     f"{row['processor'] / floor['processor']:.2f} times the processor time of decode+encode")
        print(f"{name}: {', '.join(words)}")
    if "opencv" not in best:
        print("opencv         not present")


def small(given, command):
    builds = {"now": command, **({"before": os.path.realpath(given.before)} if given.before else {})}
    for clip in given.clip or [make_clip(command, given.folder, 360, given.frames or 1100)]:
        jobs = {name: ours(build, "video", clip, given.threads) + given.also for name, build in builds.items()}
        best = take_turns(jobs, given.turns, f"{given.folder}/out")
        if given.json:
            print(json.dumps({"clip": clip, "jobs": best}))
            continue
        print(f"{clip}; {given.threads} threads; the least of {given.turns} turns")
        for name, row in best.items():
            print_parts(name, row)
        if "before" in best:
            parts = best["before"]["parts"]
            ratio = best["now"]["parts"]["total"] / (parts["read"] + parts["separate"])
            print(f"               total is {ratio:.2f} times (read + separate) of before; separate takes 1/"
                  f"{parts['separate'] / best['now']['parts']['separate']:.1f} of before")


def long(given, command):
    lengths = (given.frames // 10, given.frames) if given.frames else (2000, 20000)
    rows = {}
    for frames in lengths:
        clip = make_clip(command, given.folder, 1280, frames)
        jobs = {job: ours(command, job, clip, given.threads) for job in ("video", "live")}
        if frames < 400:  # shortens the warm-up for a first try
            jobs["live"] += ["--warm-up", str(max(frames // 2, 20))]
        rows[frames] = take_turns(jobs, 1, f"{given.folder}/out")
    if given.json:
        print(json.dumps(rows))
        return
    print(f"1280 x 720, {given.threads} threads\n{'':7} {'frames':>7} {'seconds':>8} {'frames/s':>8} {'MB held':>8}")
    for job in ("video", "live"):
        for frames in lengths:
            row = rows[frames][job]
            print(f"{job:7} {frames:7} {row['seconds']:8.1f} {frames / row['seconds']:8.1f} {row['resident'] / 1e6:8.0f}")
        short, whole = (rows[frames][job] for frames in lengths)
        print(f"{job}: memory {whole['resident'] / short['resident']:.3f} times that of the short one; processor time a frame "
              f"{whole['processor'] / lengths[1] / (short['processor'] / lengths[0]):.2f} times")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", choices=["hd", "small", "long"])
    parser.add_argument("command")
    parser.add_argument("folder")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--frames", type=int)
    parser.add_argument("--clip", nargs="*")
    parser.add_argument("--before")
    parser.add_argument("--also", type=str.split, default=[], help="further options of conehull video, for small: \"-r 2\"")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    os.makedirs(given.folder, exist_ok=True)
    {"hd": hd, "small": small, "long": long}[given.question](given, os.path.realpath(given.command))


if __name__ == "__main__":
    main()
