#!/usr/bin/python3
"""`conehull live rtsp://...` on a film that GStreamer serves; skipped without its RTSP server and Python's gi.

    live_rtsp.py CONEHULL FILM

Three codecs of cameras, as far as this machine has their elements: all frames are taken or counted as dropped, something is
found. A film that is not there, and a camera that goes away in the middle: said, and what came before is kept."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e", "video"))
import film

try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import GLib, Gst, GstRtspServer
except (ImportError, ValueError) as missing:
    print("skipped:", missing)
    sys.exit(77)

FRAMES, WARM_UP = 160, 40
CODECS = (("mjpeg", ("-c:v", "mjpeg", "-huffman", "default", "-q:v", "3", "-pix_fmt", "yuvj420p"), "rtpjpegpay"),
          ("mpeg4", ("-c:v", "mpeg4", "-q:v", "3", "-g", "12", "-pix_fmt", "yuv420p"), "rtpmp4vpay"),
          ("h264", ("-c:v", "libx264", "-g", "12", "-tune", "zerolatency", "-pix_fmt", "yuv420p"),
           "h264parse ! rtph264pay config-interval=1"))


def serve(pipeline):
    """In a process of its own: the port on standard output, the film for every client from its beginning."""
    Gst.init(None)
    server, factory = GstRtspServer.RTSPServer(), GstRtspServer.RTSPMediaFactory()
    server.set_address("127.0.0.1")
    server.set_service("0")
    factory.set_launch(pipeline)
    server.get_mount_points().add_factory("/film", factory)
    server.attach(None)
    print(server.get_bound_port(), flush=True)
    GLib.MainLoop().run()


class Camera:
    def __init__(self, path, payloader):
        line = f"( filesrc location={path} ! matroskademux ! {payloader} name=pay0 )"
        self.process = subprocess.Popen([sys.executable, __file__, "--serve", line], stdout=subprocess.PIPE)
        self.address = f"rtsp://127.0.0.1:{int(self.process.stdout.readline())}/film"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def live(command, address, *words):
    return [command, "live", address, "--gray", "--warm-up", str(WARM_UP), "-r", "1", "--silence", "8", "--json", "--quiet", *words]


def check_codec(command, clip, folder, codec, words, payloader):
    path = f"{folder}/{codec}.mkv"
    made = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-stream_loop", "1", "-i", clip, *words, path], check=False)
    if made.returncode:
        print(f"{codec}: ffmpeg does not make it here")
        return False
    with Camera(path, payloader) as camera:
        done = subprocess.run(live(command, camera.address), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        said = done.stderr.decode()
        if done.returncode == 3 and "5XX" in said:
            print(f"{codec}: GStreamer does not serve it here")
            return False
        assert done.returncode == 0, (codec, done.returncode, said)
        result = json.loads(done.stdout)
        print(f"{codec}: {result['frames']} frames, {result['dropped']} dropped, {result['damaged']} damaged")
        assert result["input"]["codec"] == codec and result["input"]["container"] == "rtsp"
        assert result["frames"] + result["dropped"] + 2 >= FRAMES and result["frames"] > WARM_UP, result["frames"]
        assert result["active_frames"] > 0 and result["damaged"] == 0
        none = subprocess.run(live(command, camera.address + "-none"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        assert none.returncode == 3 and b"404" in none.stderr, none.stderr
    return True


def check_gone(command, clip, folder):
    """The camera is switched off: an end like any other, sooner or later."""
    path, out = f"{folder}/long.mkv", f"{folder}/gone"
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-stream_loop", "20", "-i", clip, *CODECS[0][1], path], check=True)
    with Camera(path, CODECS[0][2]) as camera:
        run = subprocess.Popen(live(command, camera.address, "-o", out, "--write", "mask"), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
        try:
            said = run.communicate(timeout=6)  # of a film of 67 seconds
            raise AssertionError(said)
        except subprocess.TimeoutExpired:
            pass
    data, said = run.communicate(timeout=60)
    assert run.returncode == 0, (run.returncode, said)
    result = json.loads(data)
    print(f"switched off: {result['frames']} frames, {result['dropped']} dropped, {result['status']}")
    assert result["frames"] > WARM_UP and result["status"] == "done"
    assert len(film.probe(f"{out}/mask.mkv")[4]) == result["frames"]
    assert set(os.listdir(out)) == {"mask.mkv", "background.png", "scores.json"}


def main(command, source):
    film.needs(command, "ffmpeg", "ffprobe")
    clip = f"{source}/clip.mkv"
    with tempfile.TemporaryDirectory() as folder:
        tried = [check_codec(command, clip, folder, *codec) for codec in CODECS]
        assert tried[0], "mjpeg needs no more than GStreamer's good plugins"
        check_gone(command, clip, folder)


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2])
    else:
        main(*sys.argv[1:])
