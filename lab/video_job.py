"""The whole job of a camera's clip, from file to files, side by side: `conehull video`, `conehull live`, a plain OpenCV script
(read, MOG2, median clean-up, mask and overlay as mp4), decoding alone, and decoding with one encoding.

    video_job.py CONEHULL FOLDER [--frames N] [--width W] [--turns T] [--threads N] [--clip FILE] [--only A,B]

Without --clip a clip is made in FOLDER: the film of `conehull demo`, enlarged to W (1920) columns, with noise that changes from
frame to frame as a sensor's does, H.264 of 14 Mbit/s at 1920 x 1080. Of T turns (3), taken in turns, the least counts: seconds,
processor seconds (user and system, children included), frames a second, largest resident size, bytes written. A peer that is
not installed is "not present". Prints a table, and JSON with --json."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import time

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


def make_clip(command, folder, width, frames):
    """The demo's film has some hundred frames; it is played again and again."""
    clip = f"{folder}/clip-{width}-{frames}.mp4"
    if os.path.exists(clip):
        return clip
    subprocess.run([command, "demo", "--runs", "1", "--frames", "400", "-o", f"{folder}/demo", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    height = width * 9 // 16 // 2 * 2
    rate = f"{max(14 * width * height // (1920 * 1080), 1)}M"
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-stream_loop", "-1", "-i", f"{folder}/demo/clip.mkv",
                    "-frames:v", str(frames), "-vf", f"scale={width}:{height}:flags=bicubic,noise=alls=5:allf=t", "-c:v", "libx264",
                    "-preset", "veryfast", "-b:v", rate, "-pix_fmt", "yuv420p", clip + ".part.mp4"], check=True)
    os.rename(clip + ".part.mp4", clip)
    shutil.rmtree(f"{folder}/demo")
    return clip


def jobs(command, clip, threads):
    """Name and words of each; {out} is where it writes."""
    n = str(threads)
    listed = {"video": [command, "video", clip, "-o", "{out}", "--threads", n, "--quiet"],
              "live": [command, "live", clip, "-o", "{out}", "--threads", n, "--quiet"],
              "opencv": [sys.executable, "-c", OPENCV, clip, "{out}", n],
              "decode": ["ffmpeg", "-v", "error", "-nostdin", "-threads", n, "-i", clip, "-f", "null", "-"],
              "decode+encode": ["ffmpeg", "-v", "error", "-nostdin", "-threads", n, "-i", clip, "-threads", n, "-c:v", "libx264",
                                "-preset", "ultrafast", "-crf", "23", "-an", "{out}/encoded.mp4"]}
    if subprocess.run([sys.executable, "-c", "import cv2"], stderr=subprocess.DEVNULL, check=False).returncode:
        del listed["opencv"]
    return listed


def measure(words, out):
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    start = time.monotonic()
    process = subprocess.Popen([word.replace("{out}", out) for word in words], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - start
    assert process.returncode == 0, f"{words[:2]}: exit code {process.returncode}"
    return {"seconds": seconds, "processor": usage.ru_utime + usage.ru_stime, "resident": 1024 * usage.ru_maxrss,
            "bytes": sum(entry.stat().st_size for entry in os.scandir(out))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("folder")
    for name, value in (("frames", 1200), ("width", 1920), ("turns", 3), ("threads", 2)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--clip")
    parser.add_argument("--only")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    os.makedirs(given.folder, exist_ok=True)
    command = os.path.realpath(given.command)
    clip = given.clip or make_clip(command, given.folder, given.width, given.frames)
    frames = int(subprocess.check_output(["ffprobe", "-v", "error", "-select_streams", "v", "-count_packets", "-show_entries",
                                          "stream=nb_read_packets", "-of", "csv=p=0", clip]).strip(b",\n"))
    listed = jobs(command, clip, given.threads)
    if given.only:
        listed = {name: listed[name] for name in given.only.split(",") if name in listed}
    best = {}
    for _ in range(given.turns):
        for name, words in listed.items():
            now = measure(words, f"{given.folder}/out")
            old = best.setdefault(name, now)
            best[name] = {key: min(old[key], now[key]) for key in now}
    shutil.rmtree(f"{given.folder}/out", ignore_errors=True)
    for row in best.values():
        row["frames_per_second"] = frames / row["seconds"]
    size = os.path.getsize(clip)
    if given.json:
        print(json.dumps({"clip": clip, "frames": frames, "bytes": size, "threads": given.threads, "jobs": best}))
        return
    print(f"{clip}: {frames} frames, {size / 1e6:.1f} MB; {given.threads} threads; the least of {given.turns} turns")
    print(f"{'':14} {'seconds':>8} {'processor':>9} {'frames/s':>8} {'MB held':>8} {'MB written':>10} {'of input':>8}")
    for name, row in best.items():
        print(f"{name:14} {row['seconds']:8.1f} {row['processor']:9.1f} {row['frames_per_second']:8.1f} "
              f"{row['resident'] / 1e6:8.0f} {row['bytes'] / 1e6:10.1f} {row['bytes'] / size:8.2f}")
    if "opencv" not in best and not given.only:
        print("opencv         not present")


if __name__ == "__main__":
    main()
