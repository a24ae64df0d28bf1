#!/usr/bin/python3
"""`conehull live` on the demo's film, as a file, a pipe and an address.

    live_end_to_end.py CONEHULL FILM

- a file, a pipe and an address, one thread and two: the same bytes; masks that agree with the truth;
- YUV4MPEG2 on standard output; a reader that goes away, and one that stops reading: no frame is lost, memory is bounded;
- Ctrl-C on a stream without end, another size on the way, an end within the warm-up, damaged frames, a full disk;
- frames that are dropped are counted; frozen means that the background of a frame stays what it was;
- regions; a part of the picture is what is cut out of it; flipped bytes that no decoder reports; a camera."""
import functools
import http.server
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

import film

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import processes  # noqa: E402

signal.signal(signal.SIGINT, signal.default_int_handler)  # not ignored, as it is behind `nohup make test &`

FRAMES, WIDTH, HEIGHT, WARM_UP = 80, 128, 72, 60  # both lights of the film
F_MEASURE, AUC = 0.8, 0.96
WORDS = ("--gray", "--width", str(WIDTH), "--warm-up", str(WARM_UP), "-r", "2")
KEYS = {"frames", "dropped", "damaged", "frames_per_second", "megapixels_per_second", "latency_ms", "lessons", "switches",
        "adaptations", "switch_frame", "adapted_frame", "absorbed_pixels", "gap", "unproven", "memory", "status"}


def run(command, *words, expected=0, lossless=True, **options):
    """JSON (None without one) and what was said; videos can be compared pixel by pixel unless they are the usual ones."""
    words += ("--lossless",) if lossless and "-o" in words else ()
    done = subprocess.run([command, "live", *words, "--json", "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=300, **options)
    said = done.stderr.decode()
    assert done.returncode == expected, f"{' '.join(words)}: exit code {done.returncode}, not {expected}\n{said}"
    return json.loads(done.stdout) if done.stdout else None, said


def start(command, *words):
    words += ("--lossless",) if "-o" in words and "-" not in words else ()
    return subprocess.Popen([command, "live", "-", *words, "--quiet"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def head(width=WIDTH, height=HEIGHT):
    return b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 Cmono XCOLORRANGE=FULL\n" % (width, height)


def stream(frames):
    """As YUV4MPEG2."""
    return head() + b"".join(b"FRAME\n" + frame for frame in frames)


def parse(data):
    """Frames of YUV4MPEG2, gray, of the usual size."""
    line, rest = data.split(b"\n", 1)
    words = line.decode().split()
    assert words[0] == "YUV4MPEG2" and {f"W{WIDTH}", f"H{HEIGHT}", "Cmono"} <= set(words), line
    size = WIDTH * HEIGHT + 6
    pieces = [rest[i:i + size] for i in range(0, len(rest), size)]
    assert all(piece.startswith(b"FRAME\n") and len(piece) == size for piece in pieces)
    return [piece[6:] for piece in pieces]


def count(path):
    return len(film.gray_frames(path, WIDTH, HEIGHT))


class Server(http.server.SimpleHTTPRequestHandler):
    """Waits between the pieces of a file, as a camera does."""
    pause = 0

    def copyfile(self, source, outputfile):
        while piece := source.read(1 << 16):
            outputfile.write(piece)
            time.sleep(self.pause)

    def log_message(self, *words):
        pass


def check_same(command, clip, truth, folder):
    """Threads and ways in: the same bytes, and good ones. Returns the frames of the mask."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Server, directory=os.path.dirname(clip)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/{os.path.basename(clip)}"
    first = None
    for name, source, words, options in (
            ("one", clip, ("--threads", "1", "--truth", truth), {}), ("two", clip, ("--threads", "2"), {}),
            ("pipe", "-", (), {"stdin": open(clip, "rb")}), ("address", address, ("--pace", "every"), {})):
        out = f"{folder}/{name}"
        result, _ = run(command, source, *WORDS, *words, "-o", out, **options)
        assert KEYS <= set(result) and result["frames"] == FRAMES and result["status"] == "done", (name, result)
        assert set(os.listdir(out)) == {"background.mkv", "mask.mkv", "overlay.mkv", "background.png", "scores.json",
                                        "activity.csv", "report.html"}
        latency = result["latency_ms"]
        assert 0 < latency["p50"] <= latency["p95"] <= latency["p99"] <= 1.01 * latency["max"], latency
        assert result["frames_per_second"] > 0 and result["dropped"] == result["damaged"] == result["unproven"] == 0
        files = [film.read(out, file) for file in ("mask.mkv", "background.mkv", "overlay.mkv", "background.png")]
        if first is None:
            print(f"F {result['f_measure']:.3f}, AUC {result['auc']:.4f}")
            assert result["f_measure"] >= F_MEASURE and result["auc"] >= AUC
        first = first or files
        assert files == first, name
    for name in ("background", "mask", "overlay"):
        assert len(film.probe(f"{folder}/one/{name}.mkv")[4]) == FRAMES
    Server.pause = 0.01
    newest, _ = run(command, address, "--gray", "--warm-up", "20", "-r", "1")
    assert newest["frames"] + newest["dropped"] == FRAMES and newest["settings"]["live"]["late"], newest
    server.shutdown()
    missing, said = run(command, address.replace("clip", "none"), *WORDS, "--silence", "1", expected=3)
    assert missing is None and "127.0.0.1" in said, said
    return film.gray_frames(f"{folder}/one/mask.mkv", WIDTH, HEIGHT)


def check_pipe(command, clip, masks):
    """What goes through the pipe is what goes into the file; a reader that leaves ends the run."""
    shown = [command, "live", clip, *WORDS, "-o", "-", "--show", "mask", "--quiet"]
    out = subprocess.run(shown, stdout=subprocess.PIPE, check=True).stdout
    assert parse(out) == masks
    gone = subprocess.Popen(shown, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert gone.stdout.read(9) == b"YUV4MPEG2"
    gone.stdout.close()
    said = gone.stderr.read().decode()
    assert gone.wait(60) == 3 and "standard output" in said, (gone.returncode, said)


def resident(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS"))


def check_slow_reader(command, frames, held):
    """Nobody reads for a while: the run stops taking frames; later all of them come."""
    total, taken = 10 * len(frames), 0
    slow = start(command, *WORDS, "-o", "-", "--show", "mask")

    def feed():
        nonlocal taken
        slow.stdin.write(head())
        for i in range(total):
            slow.stdin.write(b"FRAME\n" + frames[i % len(frames)])
            taken += 1
        slow.stdin.close()

    feeder = threading.Thread(target=feed)
    feeder.start()
    processes.wait_for(lambda: taken >= WARM_UP, "it takes the warm-up")
    processes.wait_until_idle(slow.pid, "nothing moves any more")
    assert taken < total / 4, f"{taken} of {total} frames were taken though nobody reads"
    size, stopped = resident(slow), taken
    out = slow.stdout.read()
    feeder.join()
    assert slow.wait(60) == 0 and len(parse(out)) == total
    print(f"reader stopped: {stopped} of {total} frames taken, {size / 1e6:.0f} MB ({held / 1e6:.0f} announced)")
    assert size < held + 100e6


def check_second_signal(command, frames, folder):
    """Two signals at once: nothing is finished, and the hidden folder with its half files goes too."""
    endless = start(command, *WORDS, "-o", f"{folder}/twice")
    endless.stdin.write(stream(frames))
    endless.stdin.flush()
    processes.wait_until_idle(endless.pid, "it has taken all frames")
    hidden = [name for name in os.listdir(f"{folder}/twice") if name.startswith(".conehull-run-")]
    assert hidden and os.listdir(f"{folder}/twice/{hidden[0]}"), "files are being written"
    processes.end_at_once(endless)
    code, said = endless.wait(60), endless.stderr.read().decode()
    endless.stdin.close()
    assert code == 130 and "ended at once" in said, (code, said)
    assert not os.path.exists(f"{folder}/twice"), os.listdir(f"{folder}/twice")


def check_interrupt(command, frames, folder):
    """A stream that neither ends nor goes on."""
    for fed, place in ((len(frames), "kept"), (WARM_UP // 2, "none")):
        endless = start(command, *WORDS, "-o", f"{folder}/{place}")
        endless.stdin.write(stream(frames[:fed]))
        endless.stdin.flush()
        processes.wait_until_idle(endless.pid, "it has taken all frames")
        assert endless.poll() is None
        endless.send_signal(signal.SIGINT)
        code = endless.wait(60)
        said = endless.stderr.read().decode()
        endless.stdin.close()
        assert code == 130 and "interrupted" in said, (code, said)
        if place == "none":
            assert not os.path.exists(f"{folder}/none") and "nothing was written" in said, said
            continue
        scores = json.loads(film.read(folder, place, "scores.json"))
        assert WARM_UP < scores["frames"] <= fed and scores["status"] == "interrupted", scores["frames"]
        for name in ("background", "mask", "overlay"):
            assert count(f"{folder}/{place}/{name}.mkv") == scores["frames"], name


def encode(source, path, *words):
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", source, *words, path], check=True)
    return film.read(path)


def check_ends(command, clip, frames, folder):
    """Another size on the way; an end within the warm-up."""
    small = encode(clip, f"{folder}/small.mjpeg", "-vf", f"scale={WIDTH}:{HEIGHT}", "-frames:v", "70")
    large = encode(clip, f"{folder}/large.mjpeg", "-frames:v", "10")
    result, said = run(command, "-", *WORDS, "-o", f"{folder}/sizes", input=small + large, expected=1)
    assert result["frames"] == 70 and result["status"] == "stopped", result["frames"]
    assert "256 x 144" in said and "frame 70" in said, said
    assert count(f"{folder}/sizes/mask.mkv") == count(f"{folder}/sizes/background.mkv") == 70
    result, said = run(command, "-", *WORDS, "-o", f"{folder}/short", input=stream(frames[:WARM_UP - 1]), expected=1)
    assert result is None and f"{WARM_UP - 1} frames" in said and "--warm-up" in said, said
    assert not os.path.exists(f"{folder}/short")


def check_damage(command, clip, folder):
    """Bytes in the middle of a stream: the run goes on, and learns from the whole frames alone."""
    whole = encode(clip, f"{folder}/whole.ts", "-vf", f"scale={WIDTH}:{HEIGHT}", "-c:v", "mpeg2video", "-q:v", "3")
    broken = bytearray(whole)
    for place in (0.8, 0.87, 0.95):
        at = int(place * len(whole))
        broken[at:at + 4] = bytes(255 - byte for byte in whole[at:at + 4])
    every = (*WORDS, "--every", "1")
    sound, _ = run(command, "-", *every, input=whole)
    hurt, _ = run(command, "-", *every, "-o", f"{folder}/hurt", input=bytes(broken))
    print(f"damaged {hurt['damaged']} of {hurt['frames']} frames; lessons {hurt['lessons']}, undamaged {sound['lessons']}")
    assert sound["damaged"] == 0 and sound["lessons"] >= FRAMES - WARM_UP - 2
    assert 1 <= hurt["damaged"] <= 6 and hurt["status"] == "done" and hurt["frames"] >= FRAMES - 3
    assert WARM_UP // 10 < hurt["lessons"] <= sound["lessons"] - hurt["damaged"]
    assert count(f"{folder}/hurt/mask.mkv") == hurt["frames"]


def check_full(command, clip, folder):
    """No more room for one of the files: the others are finished."""
    if "TSAN_OPTIONS" in os.environ:
        print("not under the thread sanitizer: the limit would cut a file of its own short, too")
        return
    sizes = {name: os.path.getsize(f"{folder}/one/{name}.mkv") for name in ("background", "mask", "overlay")}
    most = max(sizes, key=sizes.get)
    limit = sizes[most] - 4096
    assert sorted(sizes.values())[1] < limit, sizes
    words = [command, "live", clip, *WORDS, "--lossless", "-o", f"{folder}/full"]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    said, printed = done.stderr.decode(), done.stdout.decode()
    files = set(os.listdir(f"{folder}/full"))
    assert done.returncode == 3 and f"full/{most}.mkv: " in said and "are kept in" in said, (done.returncode, said)
    assert "nothing was written" not in said and f"{most}.mkv" not in printed, (said, printed)
    files.discard("report.html")  # larger than the limit, too
    assert files == {f"{name}.mkv" for name in sizes if name != most} | {"background.png", "scores.json", "activity.csv"}, files
    for name in set(sizes) - {most}:
        assert WARM_UP < count(f"{folder}/full/{name}.mkv") <= FRAMES, name
    assert json.loads(film.read(folder, "full", "scores.json"))["settings"]["live"]["freeze"] is False


def check_newest(command, frames, folder):
    """A source that does not wait: what is dropped is counted, nothing else is missing."""
    fast = start(command, "--warm-up", "20", "-r", "1", "--pace", "newest", "-o", f"{folder}/newest", "--json")
    fast.stdin.write(head())
    for frame in frames:
        fast.stdin.write(b"FRAME\n" + frame)
        fast.stdin.flush()
        time.sleep(0.01)
    out, said = fast.communicate(b"".join(b"FRAME\n" + frame for frame in 5 * frames))
    assert fast.returncode == 0, said
    result = json.loads(out)
    print(f"newest: {result['frames']} frames, {result['dropped']} dropped")
    assert result["dropped"] > 0 and result["frames"] + result["dropped"] == 6 * len(frames)
    assert len(film.probe(f"{folder}/newest/mask.mkv")[4]) == result["frames"]


def check_frozen(command, frames, folder):
    """The same frame before and after others that drift: the same background when frozen, another one when not."""
    drift = [bytes(min(255, byte + 3) if i % WIDTH < WIDTH // 8 else byte for i, byte in enumerate(frame))
             for frame in frames[WARM_UP:]]
    film_frames = frames[:WARM_UP + 5] + drift * 4 + frames[WARM_UP + 4:WARM_UP + 5]
    for name, words in (("frozen", ("--freeze",)), ("free", ())):
        result, _ = run(command, "-", *WORDS, *words, "--every", "1", "--follow", "20", "--write", "background", "-o",
                        f"{folder}/{name}", input=stream(film_frames))
        backgrounds = film.gray_frames(f"{folder}/{name}/background.mkv", WIDTH, HEIGHT)
        assert len(backgrounds) == len(film_frames)
        same = backgrounds[WARM_UP + 4] == backgrounds[-1]
        assert same == (name == "frozen"), name
        assert (result["lessons"] == 0) == (name == "frozen"), result["lessons"]


def check_regions(command, clip, folder):
    """Nothing is found where nothing is watched; corners are those of the source, not of the reduced picture."""
    half = f"0,0 {WIDTH},0 {WIDTH},{2 * HEIGHT} 0,{2 * HEIGHT}"
    for name, option, first, end in (("ignore", "--ignore", WIDTH // 2, WIDTH), ("watch", "--watch", 0, WIDTH // 2)):
        run(command, clip, *WORDS, option, half, "--write", "mask", "-o", f"{folder}/{name}")
        columns = {i % WIDTH for frame in film.gray_frames(f"{folder}/{name}/mask.mkv", WIDTH, HEIGHT)
                   for i, value in enumerate(frame) if value}
        assert columns and first <= min(columns) and max(columns) < end, (name, min(columns), max(columns))
    _, said = run(command, clip, *WORDS, "--watch", "1,2 3", expected=2)
    assert "live: a region must be three or more corners" in said, said


def check_part(command, clip, folder):
    """The part of a picture, reduced: the bytes of a clip that was cut before."""
    encode(clip, f"{folder}/cut.mkv", "-vf", "crop=160:96:32:16", "-c:v", "ffv1")
    few = ("--gray", "--width", "80", "--warm-up", "30", "-r", "1", "--frames", "50", "--write", "mask")
    part, _ = run(command, clip, *few, "--roi", "32,16,160,96", "-o", f"{folder}/part")
    run(command, f"{folder}/cut.mkv", *few, "-o", f"{folder}/whole")
    assert part["input"]["roi"] == [32, 16, 160, 96] and part["pixels"] == 80 * 48
    assert film.read(folder, "part", "mask.mkv") == film.read(folder, "whole", "mask.mkv")
    _, said = run(command, clip, "--roi", "200,0,100,10", expected=2)
    assert "200,0,100,10 (left, top, width, height) is not inside the pictures, which are 256 x 144" in said, said


def check_flipped(command, clip, folder):
    """Frames with flipped bytes decode without a word: afterwards all is as if they had not been."""
    for name, words in (("ffv1", ("-c:v", "ffv1", "-level", "3", "-pix_fmt", "gray")),
                        ("mjpeg", ("-c:v", "mjpeg", "-q:v", "3", "-pix_fmt", "yuvj420p"))):
        whole = encode(clip, f"{folder}/{name}.mkv", "-vf", f"scale={WIDTH}:{HEIGHT}", *words)
        broken = bytearray(whole)
        for k in range(6):  # behind the warm-up, before the last frames
            at = int((0.78 + 0.02 * k) * len(whole))
            broken[at:at + 3] = bytes(255 - byte for byte in whole[at:at + 3])
        backgrounds = []
        for kind, data in (("sound", whole), ("flipped", bytes(broken))):
            out = f"{folder}/{name}-{kind}"
            result, _ = run(command, "-", *WORDS, "--every", "1", "--write", "background", "-o", out, input=data)
            assert result["status"] == "done" and result["switches"] == 0, (name, kind)
            assert (result["frames"] == FRAMES) or (kind == "flipped" and result["frames"] >= FRAMES - 6), result["frames"]
            backgrounds.append(film.gray_frames(f"{out}/background.mkv", WIDTH, HEIGHT)[-1])
        worst = max(abs(a - b) for a, b in zip(*backgrounds))
        print(f"flipped bytes in {name}: {result['frames']} frames, {result['damaged']} reported, "
              f"{result['implausible']} implausible; the last background is off by {worst}")
        assert worst <= 2, worst


def check_camera(command):
    """libavdevice, by its input that needs no device."""
    words = ("lavfi:testsrc2=size=64x48:rate=100,format=gray,realtime", "--warm-up", "20", "--frames", "60", "-r", "1")
    _, said = run(command, *words, expected=2)
    assert "--graphs" in said, said
    done = subprocess.run([command, "live", *words, "--graphs", "--json", "--quiet"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=300)
    said = done.stderr.decode()
    if done.returncode == 2 and "libavdevice" in said:
        print("no libavdevice: cameras not tried")
        return
    assert done.returncode == 0, said
    result = json.loads(done.stdout)
    assert result["frames"] + result["dropped"] == 60 and result["settings"]["live"]["late"], result
    _, said = run(command, "/dev/video977", expected=3)
    assert "/dev/video977: No such file" in said, said


def main(command, source):
    film.needs(command, "ffmpeg", "ffprobe")
    with tempfile.TemporaryDirectory() as folder:
        clip, truth = f"{source}/clip.mkv", f"{source}/truth"
        raw = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", clip, "-vf", f"scale={WIDTH}:{HEIGHT}", "-f",
                              "rawvideo", "-pix_fmt", "gray", "-"], check=True, stdout=subprocess.PIPE).stdout
        frames = [raw[i:i + WIDTH * HEIGHT] for i in range(0, len(raw), WIDTH * HEIGHT)]
        masks = check_same(command, clip, truth, folder)
        check_pipe(command, clip, masks)
        memory = json.loads(film.read(folder, "one", "scores.json"))["memory"]
        check_slow_reader(command, frames, memory["held"] + memory["learning"])
        check_interrupt(command, frames, folder)
        check_second_signal(command, frames, folder)
        check_ends(command, clip, frames, folder)
        check_damage(command, clip, folder)
        check_full(command, clip, folder)
        check_newest(command, frames, folder)
        check_frozen(command, frames, folder)
        check_regions(command, clip, folder)
        check_part(command, clip, folder)
        check_flipped(command, clip, folder)
        check_camera(command)


if __name__ == "__main__":
    main(*sys.argv[1:])
