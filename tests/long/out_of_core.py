#!/usr/bin/env python3
"""A file of 6.4 GB under a limit of 1 GB, which a memory group enforces where one can be made (it counts the system's
cache of the file too), else the limit on a process's data.

    out_of_core.py CONEHULL FOLDER KIND [COLUMNS] [COMMAND]    KIND: npy, h5, bip, bsq or bil; FOLDER: where the file goes for the while

The last three are ENVI cubes of f4, 1000 bands, lines of 8000 pixels. COMMAND is anchors (l2, ten anchors) or, for cubes, unmix with its
defaults (a hull, negative values clipped, five endmembers, maps and page), on a scene with shade and noise.
What it takes is compared with reading the file, under the same limit, as many times as the run says that it went over the
data: at most 1.5 times as long. A .h5, in chunks, BIL and BSQ go through a scratch file once, which is reading it and writing as
much; the scratch is read and written by a plain copy for comparison. Least squares of anchors take less time than reading; the exact
l1 projection and the proof of every pixel by unmix take far more, and that is not reading. So unmix also runs on the first lines of
the same scene, all in memory, and what the whole scene takes beyond that time, by the pixel, is compared with reading. Peak memory
stays under the limit, and the answer is that of a run that has all the memory (skipped for want of memory). Exit 77 (skipped) without
NumPy, h5py or space on the disk."""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

BLOCK, SEED = 8000, 7
SHAPES = {"npy": (2000, 400000, 8), "h5": (2000, 400000, 8)}  # rows, columns, bytes of a value
CUBE = (1000, 1600000, 4)
LIMIT, TIMES = 1 << 30, 1.5
PART = 16  # the part of a scene that is also unmixed in memory
READER = ("import mmap,os,sys\nf=os.open(sys.argv[1],0)\nb=mmap.mmap(-1,8<<20)\nwhile os.readv(f,[b]): pass")
COPIER = ("import os,sys\nf=os.open(sys.argv[1],0)\nt=os.open(os.path.dirname(sys.argv[1]),os.O_TMPFILE|os.O_RDWR)\n"
          "while True:\n b=os.read(f,8<<20)\n if not b: break\n os.write(t,b)")


def blocks(rows, columns, scene=False):
    """W (I, H') + sparse noise, block by block; a scene has fewer anchors, shade, and noise on either side of 0."""
    random = np.random.default_rng(SEED)
    count = 5 if scene else 20
    W = random.random((rows, count))
    noise = 0.01 * random.standard_normal((rows, BLOCK if scene else 0), np.float32)  # drawn once: most of the time
    for start in range(0, columns, BLOCK):
        H = random.dirichlet(np.full(count, 0.5), min(BLOCK, columns - start)).T
        if scene:
            H *= random.uniform(0.05, 1, H.shape[1])
        if start == 0:
            H[:, :count] = np.eye(count)
        if scene:
            X = W.astype(np.float32) @ H.astype(np.float32)
            X += np.roll(noise, start // BLOCK, 0)[:, :X.shape[1]]
        else:
            X = W @ H
            X[:rows // 10] += 0.05 * random.random((rows // 10, X.shape[1]))
        yield start, X


def write(path, kind, rows, columns, scene):
    """The file of the values; of a cube with its header beside it."""
    if kind == "npy":
        X = np.lib.format.open_memmap(path, "w+", np.float64, (rows, columns), fortran_order=True)
        for start, block in blocks(rows, columns):
            X[:, start:start + block.shape[1]] = block
        X.flush()
        return
    if kind == "h5":
        with h5py.File(path, "w") as file:
            X = file.create_dataset("X", (rows, columns), "f8", chunks=(rows // 4, 100))
            for start, block in blocks(rows, columns):
                X[:, start:start + block.shape[1]] = block
        return
    with open(path.replace(".img", ".hdr"), "w") as file:
        file.write(f"ENVI\nsamples = {BLOCK}\nlines = {columns // BLOCK}\nbands = {rows}\ndata type = 4\n"
                   f"interleave = {kind}\nbyte order = 0\n")
    if kind == "bsq":
        X = np.memmap(path, np.float32, "w+", shape=(rows, columns))
        for start, block in blocks(rows, columns, scene):
            X[:, start:start + block.shape[1]] = block
        X.flush()
        return
    with open(path, "wb") as file:
        for _, block in blocks(rows, columns, scene):
            np.ascontiguousarray(block if kind == "bil" else block.T, np.float32).tofile(file)


class Group:
    """A memory group of version 1 or 2, or the limit on data."""
    places = (("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes"),
              ("/sys/fs/cgroup", "memory.max", "memory.peak"))

    def __init__(self):
        self.folder = None
        for root, limit, peak in self.places:
            folder = os.path.join(root, f"conehull-test-{os.getpid()}")
            try:
                os.mkdir(folder)
                with open(os.path.join(folder, limit), "w") as file:
                    file.write(str(LIMIT))
                self.folder, self.peak_name = folder, os.path.join(folder, peak)
                return
            except OSError:
                if os.path.isdir(folder):
                    os.rmdir(folder)

    def enter(self):
        if self.folder:
            with open(os.path.join(self.folder, "cgroup.procs"), "w") as file:
                file.write(str(os.getpid()))
        else:
            resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))

    def remove(self):
        for _ in range(50 if self.folder else 0):
            try:
                return os.rmdir(self.folder)
            except OSError:
                time.sleep(0.1)


work = []  # seconds of processor time, run by run


def run(group, path, *words):
    """Standard output, seconds and peak resident size, the file not being in the system's cache at first."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    start = time.monotonic()
    child = subprocess.Popen(words, stdout=subprocess.PIPE, preexec_fn=group.enter if group else None)
    text = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, f"exit code {child.returncode}: {text}"
    work.append(usage.ru_utime + usage.ru_stime)
    return text, time.monotonic() - start, usage.ru_maxrss * 1024


def call(command, path, job):
    """The run, and where it leaves files."""
    if job == "anchors":
        return [command, job, path, "--loss", "l2", "-r", "10", "--json", "--quiet"]
    return [command, job, path, "-r", "5", "--json", "--quiet", "-o", os.path.join(os.path.dirname(path), "found")]


def in_memory(command, path, kind, job, columns):
    """Seconds that the first lines of the scene take, read from the system's cache, for as many pixels as the whole scene has; 0 for other
    jobs. The shorter of two runs."""
    if job != "unmix":
        return 0
    part = os.path.join(os.path.dirname(path), "part.img")
    count = max(1, columns // BLOCK // PART) * BLOCK
    subprocess.run([sys.executable, __file__, "--write", part, kind, str(CUBE[0]), str(count), job], check=True)
    words = call(command, part, job)
    seconds = []
    for _ in range(2):
        start = time.monotonic()
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.monotonic() - start)
    os.remove(part)
    return min(seconds) * columns / count


def measure(command, path, kind, job, columns):
    words = call(command, path, job)
    arithmetic = in_memory(command, path, kind, job, columns)
    group = Group()
    plain = COPIER if kind in ("h5", "bil", "bsq") else READER
    try:
        _, before, _ = run(group, path, sys.executable, "-c", READER, path)
        _, through, _ = run(group, path, sys.executable, "-c", plain, path)
        text, seconds, peak = run(group, path, *words, "--memory", str(LIMIT))
        busy = work[-1]
        before = min(before, run(group, path, sys.executable, "-c", READER, path)[1])  # single ones may be slow
    finally:
        group.remove()
    result = json.loads(text)
    reading = result["passes"] * before + max(0, through - before)
    print(f"{os.path.getsize(path) / 1e9:.2f} GB under {LIMIT / 1e9:.2f} GB"
          f" ({'a memory group' if group.folder else 'limit on data'}): {result['passes']:.2f} passes, {seconds:.1f} s;"
          f" one plain reading {before:.1f} s" + (f", copying {through:.1f} s" if plain is COPIER else "") +
          f"; ratio {seconds / reading:.2f}" +
          (f", {(seconds - arithmetic) / reading:.2f} without the {arithmetic:.1f} s that it takes in memory" if arithmetic else "") +
          f"; peak {peak / 1e6:.0f} MB; processor {busy:.1f} s", flush=True)
    print("seconds: " + ", ".join(f"{phase} {value:.1f}" for phase, value in result["seconds"].items()), flush=True)
    assert seconds - arithmetic <= TIMES * reading, "too slow"
    assert peak <= LIMIT, "too large"
    return result


def main(command, folder, kind, columns=None, job="anchors"):
    rows, all_columns, size = SHAPES.get(kind, CUBE)
    columns = int(columns or all_columns)
    need = (2 if kind in ("h5", "bil", "bsq") else 1) * size * rows * columns * 1.05
    if shutil.disk_usage(folder).free < need:
        print(f"skipped: no room in {folder}")
        sys.exit(77)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        os.environ["TMPDIR"] = place
        path = os.path.join(place, "X." + (kind if kind in SHAPES else "img"))
        # In a process of its own: a child's peak begins with what its parent holds.
        subprocess.run([sys.executable, __file__, "--write", path, kind, str(rows), str(columns), job], check=True)
        small = measure(command, path, kind, job, columns)
        if os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES") < 1.5 * size * rows * columns:
            print("not compared with a run in memory, which there is not enough of")
            return
        text, _, _ = run(None, path, *call(command, path, job))
        large = json.loads(text)
        for key in "anchors", "max_residual", "objective", "certificate":
            assert small[key] == large[key], f"{key} differs"
        print("the same answer in memory")


if __name__ == "__main__":
    if sys.argv[1] == "--write":
        write(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), sys.argv[6] == "unmix")
    else:
        main(*sys.argv[1:])
