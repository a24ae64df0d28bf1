"""Recordings with a known course for the tests of events: the demo scene's empty background with sensor noise, sound, and a block
that crosses it at known times."""
import subprocess

RATE, WIDTH, HEIGHT = 25, 256, 144
SMALL = (128, 72)  # where it is asked which frames, not how many pixels: a quarter of the work


def make_background(command, source, folder):
    """The film's background without people, as a picture."""
    subprocess.run([command, "video", f"{source}/clip.mkv", "--frames", "40", "-r", "1", "--write", "none", "-o", f"{folder}/scene",
                    "--quiet",
                    "--json"], check=True, stdout=subprocess.DEVNULL)
    return f"{folder}/scene/background.png"


def make(picture, path, seconds, moves, *words, sound=True, size=None):
    """moves: (from, to) in seconds; the block is seen in the frames from <= t <= to. Other words go to the encoder."""
    when = "+".join(f"between(t,{a},{b})" for a, b in moves) or "0"
    scale = f"scale={size[0]}:{size[1]}," if size else ""  # before the noise, which is the sensor's
    graph = (f"[0][1]overlay=x='mod(60*t,{WIDTH - 40})':y=60:enable='{when}',{scale}noise=alls=4:allf=t:all_seed=7,format=yuv420p[v]")
    tone = ["-f", "lavfi", "-i", f"sine=frequency=440:duration={seconds}"] if sound else []
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-loop", "1", "-framerate", str(RATE), "-t", str(seconds), "-i", picture,
                    "-f", "lavfi", "-i", f"color=c=0xd03020:s=40x60:r={RATE}:d={seconds}", *tone, "-filter_complex", graph, "-map", "[v]",
                    *(["-map", "2:a", "-c:a", "aac"] if sound else []), "-c:v", "libx264", "-preset", "veryfast", "-crf", "16",
                    "-g", "25", "-bf",
                    "2", *words, path], check=True)
    return path
