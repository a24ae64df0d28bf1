"""The examples of live separation, compiled as their first lines say: the C one runs on a clip, and its masks are
those of Python's LiveSeparator to the bit; the C++ one is compiled, and runs, where OpenCV is.

    live_examples.py COMPILER BUILD EXAMPLES"""
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
WIDTH, HEIGHT, FRAMES, WARM = 64, 48, 60, 30
compiler, build, examples = sys.argv[1:]
sys.path.insert(0, os.path.join(build, "python"))


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def flags(*names):
    """What pkg-config says, or None."""
    found = subprocess.run(["pkg-config", "--cflags", "--libs", *names], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           encoding="utf-8")
    return found.stdout.split() if found.returncode == 0 else None


def library_flags():
    top = os.path.dirname(examples)
    return [f"-I{top}/include", f"-I{build}/include", f"-L{build}", f"-Wl,-rpath,{build}", "-lconehull_video", "-lconehull"]


def compile_example(program, name, extra):
    short = os.path.join(examples, name)
    lines = sum(1 for _ in open(short, encoding="utf-8"))
    assert lines < 60, f"{name} has {lines} lines"
    subprocess.run([program, "-Wall", "-Wextra", "-Werror", "-O1", short, "-o", os.path.splitext(name)[0],
                    *library_flags(), *extra], check=True)


def make_clip(np):
    """A room, some noise, a block that walks: gray frames without loss."""
    rng = np.random.RandomState(0)
    room = rng.randint(50, 180, (HEIGHT, WIDTH))
    frames = np.clip(room + rng.randint(-2, 3, (FRAMES, HEIGHT, WIDTH)), 0, 255).astype(np.uint8)
    for i, frame in enumerate(frames):
        frame[12:28, 3 * i % 44:3 * i % 44 + 16] = 250
    with open("clip.y4m", "wb") as file:
        file.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 Cmono\n" % (WIDTH, HEIGHT))
        for frame in frames:
            file.write(b"FRAME\n" + frame.tobytes())
    return frames


def masks_of(stdout, np):
    head = b"P5 %d %d 255\n" % (WIDTH, HEIGHT)
    size = len(head) + WIDTH * HEIGHT
    assert len(stdout) % size == 0 and stdout.startswith(head), "not a row of PGM pictures"
    return [np.frombuffer(stdout[at + len(head):at + size], np.uint8).reshape(HEIGHT, WIDTH)
            for at in range(0, len(stdout), size)]


def run_c(np, frames):
    from conehull import LiveSeparator
    live = LiveSeparator(warm_up=WARM, late=False)
    expected = [now.mask for now in map(live.process, frames) if now.mask is not None]
    done = subprocess.run(["./live_libav", "clip.y4m", str(WARM)], stdout=subprocess.PIPE, check=True)
    got = masks_of(done.stdout, np)
    assert len(got) == len(expected) > 20, f"{len(got)} masks, Python has {len(expected)}"
    for i, (mask, wanted) in enumerate(zip(got, expected)):
        assert (mask == wanted).all(), f"mask {i} differs from Python's"
    assert (got[-1] == 255).sum() > 100, "nothing moves"
    missing = subprocess.run(["./live_libav", "missing"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert missing.returncode == 1 and b"cannot open" in missing.stderr


def try_cpp():
    cpp = shutil.which("c++")
    extra = flags("opencv4") or ["-I/usr/include/opencv4", "-lopencv_highgui", "-lopencv_videoio", "-lopencv_imgproc",
                                 "-lopencv_core"]
    if not cpp or not os.path.exists("/usr/include/opencv4/opencv2/highgui.hpp"):
        return "the C++ one was left out: no OpenCV"
    compile_example(cpp, "live_opencv.cpp", extra)
    subprocess.run(["./live_opencv", "clip.y4m", "masks.mkv"], check=True)
    return "the C++ one compiled and ran"


def main():
    libav = flags("libavformat", "libavcodec", "libswscale", "libavutil")
    if libav is None:
        skip("no libav")
    try:
        import numpy as np
        import conehull  # noqa: F401
    except ImportError as missing:
        skip(f"no {missing.name}")
    with tempfile.TemporaryDirectory(prefix="conehull-examples-") as folder:
        os.chdir(folder)
        compile_example(compiler, "live_libav.c", libav)
        run_c(np, make_clip(np))
        print("the C example's masks are Python's;", try_cpp())
        os.chdir("/")


main()
