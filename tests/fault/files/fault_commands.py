"""Every command while its files fail: fault_commands.py PROGRAM IO_FAULTS.so [--long | --leaks LIBASAN.so LEAK]

Each row of COMMANDS is run once in peace and then under each fault (io_faults.c), with a stdout that
is full and one that is closed. Short transfers and interrupted calls must change nothing; a full disk,
a read that breaks off, a file that cannot be opened or closed, a rename that fails and Ctrl-C must end
with the documented code and a message that names the file, and leave no output, whole or half; inputs
must keep their bytes. A fault that has a turn comes at the first ones and some later ones, with --long
at each, until a run meets it no more. `live` finishes its files whatever ends it, and `stream` answers before
it keeps its state. With --leaks, for a program of the address sanitizer, whose runtime must be loaded first,
leaks and wrong addresses count as well, by a code that no row expects; LEAK, a program with a planted leak, must
end with it. Exit code 77: cannot run here."""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
    import scipy.io
    import scipy.sparse
except ImportError as missing:
    print(f"{missing.name} is not installed", file=sys.stderr)
    sys.exit(77)

COMMANDS = """
anchors in/X.csv.gz -r 3 -o out
anchors in/X.tsv -r 3
anchors in/X.npz -r 3 --loss l2
anchors in/X.mat -r 3
anchors in/X.h5 -r 3
anchors in/X.npy -r 3 -o out --checkpoint out-checkpoint
stream in/X.tsv -r 3 -o out --state out-state
verify in/X.npy in/result
project in/X.npy in/result -o out
exemplars in/X.mtx -r 2,3 --labels in/labels.txt --splits 2 -o out
topics in/X.npz -r 3 --terms in/terms.txt -o out
text in/words.txt -o out
video in/film -r 1 -o out
video in/clip.mkv -r 1 -o out
video in/film --model in/model.npz -o out
live in/clip.mkv --warm-up 20 -o out
info
demo --runs 1 --frames 40 -o out
bench select_over_read --quick --turns 5 -o out
reproduce recovery-is --quick --runs 1 -o out
""".strip().splitlines()
# A second run goes on from what a first one, ended by Ctrl-C at this write, left in this file, and meets these
# faults there: it must end and leave the file as it was. None: the first one ends by itself.
KEPT = [
    ("reproduce recovery-is --quick --runs 1 -o out", "out/units.jsonl", "signal 1",
     ("broken 0", "broken 1", "open 0", "truncate 0")),
    ("stream in/X.tsv -r 3 --state out-state", "out-state", None,
     ("broken 0", "broken 1", "broken 4", "open 0", "open 1", "full 0", "full 100", "rename")),
]
# These a stream of the C library reads, and stops at EINTR: that run ends, and says so (handlers of ours restart
# calls).
STREAMS = ("/result",)
# What a run that failed may leave: the records that a second run goes on from.
RECORDS = ("./out-checkpoint", "./out/units.jsonl")
ANSWERS = ("live", "stream")  # of these, what is whole may be left
# Turns of a fault: reads that break off, and the others. Later ones are for --long.
TURNS = {"broken": (0, 1, 2, 3, 4, 5, 13, 55)}
SOME = (0, 1, 6)
SLOW = ("demo", "bench", "reproduce")  # of these, only the faults that end a run


def inputs(program):
    os.mkdir("in")
    draw = np.random.default_rng(3)
    X = draw.integers(1, 9, (12, 20)) * (draw.random((12, 20)) < 0.35).astype(float)
    X[0, X.sum(axis=0) == 0] = 1
    S = scipy.sparse.csc_matrix(X)
    np.save("in/X.npy", X)
    np.savetxt("in/X.csv.gz", X, delimiter=",")
    np.savetxt("in/X.tsv", X, delimiter="\t")
    scipy.io.savemat("in/X.mat", {"X": X}, do_compression=True)
    with h5py.File("in/X.h5", "w") as file:
        file.create_dataset("X", data=X, chunks=(4, 5), compression="gzip")
    scipy.sparse.save_npz("in/X.npz", S)
    scipy.io.mmwrite("in/X.mtx", S)
    for name, lines in (("labels", "ab" * 10), ("terms", "abcdefghijkl")):
        with open(f"in/{name}.txt", "w", encoding="utf-8") as file:
            file.writelines(letter + "\n" for letter in lines)
    with open("in/words.txt", "w", encoding="utf-8") as file:
        file.write("one fish two fish\nred fish blue fish\n" * 50)
    os.mkdir("in/film")
    for f in range(24):
        with open(f"in/film/{f}.pgm", "wb") as file:
            file.write(b"P5\n16 12\n255\n" + bytes((p * 5 + f * f) % 200 for p in range(192)))
    for words in ("anchors in/X.npy -r 3 -o in/result", "video in/film -r 1 -o in/made --lossless --save in/model.npz"):
        subprocess.run([program] + words.split() + ["--quiet"], check=True, stdout=subprocess.DEVNULL)
    os.rename("in/made/background.mkv", "in/clip.mkv")
    shutil.rmtree("in/made")


def bytes_of(folder, skip=()):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            if name not in skip:
                with open(os.path.join(place, name), "rb") as file:
                    found[os.path.join(place, name)] = hashlib.sha1(file.read()).hexdigest()
    return found


TIMES = ("seconds", "machine", "date", "frames_per_second", "megapixels_per_second", "latency_ms")


def plain(text):
    """JSON without what differs from run to run."""
    def strip(value):
        if isinstance(value, dict):
            return {k: strip(v) for k, v in value.items() if k not in TIMES}
        return [strip(v) for v in value] if isinstance(value, list) else value
    return strip(json.loads(text))


SANITIZER = 99  # code of a program in which it found something
MET = "../met"  # beside the folder of a run; io_faults.c leaves a byte in it where a fault was met


def was_met():
    try:
        with open(MET, "rb") as file:
            return file.read() == b"\x01"
    except FileNotFoundError:
        return False


def run(program, words, shim=None, fault=None, path="", **streams):
    environment = dict(os.environ, LC_ALL="C", OPENBLAS_NUM_THREADS="1", ASAN_OPTIONS=f"detect_leaks=1:exitcode={SANITIZER}")
    if os.path.exists(MET):
        os.remove(MET)
    if fault:
        environment.update(LD_PRELOAD=os.environ.get("LD_PRELOAD", "") + " " + shim, FAULT=fault, FAULT_PATH=path,
                           FAULT_MET=os.path.abspath(MET))
    streams.setdefault("stdout", subprocess.PIPE)
    quiet = [] if words == "info" else ["--quiet"]
    done = subprocess.run([program] + words.split() + quiet + ["--json"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          env=environment, timeout=300, **streams)
    return done.returncode, (done.stdout or b"").decode(), done.stderr.decode(errors="replace")


def clear():
    for name in os.listdir("."):
        if name != "in":
            shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)


class Row:
    def __init__(self, program, shim, words, every):
        self.program, self.shim, self.words, self.every = program, shim, words, every
        self.wrong = []

    def expect(self, fault, condition, what):
        if not condition:
            self.wrong.append(f"{self.words}: {fault}: {what}")

    def peace(self):
        clear()
        code, out, err = run(self.program, self.words)
        self.expect("in peace", code == 0, f"code {code}, {err}")
        self.files = set(bytes_of("."))
        self.answer = plain(out) if code == 0 else None

    def is_same(self, fault, code, out, err):
        self.expect(fault, code == 0, f"code {code}, {err}")
        if code == 0:
            self.expect(fault, plain(out) == self.answer, "another answer")
            self.expect(fault, set(bytes_of(".")) == self.files, "other files")

    def same(self, fault, path):
        clear()
        self.is_same(fault, *run(self.program, self.words, self.shim, fault, path))

    def judge(self, fault, ended, codes, named):
        code, out, err = ended
        self.expect(fault, code in codes, f"code {code}, {err or out}")
        self.expect(fault, "conehull: " in err, f"no word about it: {err!r}")
        self.expect(fault, not named or any(word in err for word in named), f"which file? {err!r}")
        files = set(bytes_of("."))
        left = [name for name in files if not name.startswith("./in/") and name not in RECORDS]
        finished = self.words.split()[0] in ANSWERS and files <= self.files
        self.expect(fault, finished or not left, f"left behind: {left}")

    def ends(self, fault, path, codes=(3,), named=None):
        """named: one of these words must be in the message, if any are given."""
        clear()
        self.judge(fault, run(self.program, self.words, self.shim, fault, path), codes, named)

    def each_turn(self, word, path, codes=(3,), named=None, harmless=False):
        """The fault at one turn after the other, until it is met no more: then all is as in peace.
        harmless: a run that met it may also be as in peace. Returns how often it was met."""
        turns = range(400) if self.every else TURNS.get(word, SOME)
        for count, turn in enumerate(turns):
            clear()
            fault = f"{word} {turn}"
            ended = run(self.program, self.words, self.shim, fault, path)
            met = was_met()
            if not met or (harmless and ended[0] == 0):
                self.is_same(fault, *ended)
            else:
                self.judge(fault, ended, codes, named)
            if not met:
                return count
        return len(turns)

    def stdout(self, name, opened):
        clear()
        code, _, err = run(self.program, self.words, **opened)
        self.expect(name, code == 3 and "conehull: " in err, f"code {code}, {err!r}")


def close_stdout():
    os.close(1)


def check_inputs(row):
    named = [word for word in row.words.split() if word.startswith("in/")]
    if not named:
        return
    # readers of a format take what broke off for a file that is cut, or of another kind; behind the last
    # picture is nothing
    met = row.each_turn("broken", "/in/", (2, 3), named, harmless="in/film" in named)
    mapped = row.words.startswith("anchors in/X.npy")
    row.expect("broken", mapped or met > 0, "nothing is read by calls")
    row.each_turn("open", "/in/", (2, 3), named, harmless="in/film" in named)  # a frame read ahead that nobody wants
    row.each_turn("signal", "/in/", (130,), harmless=row.words.startswith("live"))  # with the last frame


def check_outputs(row):
    row.ends("full 100", "/out", named=("out",))
    row.ends("rename", "out", named=("out",))
    for fault in ("open", "close", "truncate"):  # some only make sure: of a folder's name, of a lock
        row.each_turn(fault, "/out", named=("out",), harmless=True)
    row.each_turn("signal", "/out", (130,), harmless=True)  # too late, when the answer is out


def is_first(words):
    """Of the rows of its command that write the same; what is behind the reading is alike in them."""
    def kind(row):
        return row.split()[0], " -o " in row, " out-" in row
    return next(row for row in COMMANDS if kind(row) == kind(words)) == words


def check(program, shim, words, every):
    row = Row(program, shim, words, every)
    slow, writes = words.split()[0] in SLOW, " -o " in words
    behind = not slow and (every or is_first(words))
    if not slow:
        row.peace()
        row.same("short", os.getcwd())
        if any(word.endswith(STREAMS) for word in words.split()):
            row.ends("interrupt", "/in/", (2, 3))
            row.same("interrupt", "/out")
        else:
            row.same("interrupt", os.getcwd())
        check_inputs(row)
    if writes:
        row.ends("full 0", "/out")
    if writes and behind:
        check_outputs(row)
    if behind:
        with open("/dev/full", "wb") as full:
            row.stdout("stdout full", {"stdout": full})
            row.stdout("stdout closed", {"stdout": None, "preexec_fn": close_stdout})
    return row.wrong


def check_kept(program, shim, words, record, first, faults):
    row = Row(program, shim, words, False)
    clear()
    code, _, err = run(program, words, shim, first, record)
    row.expect("first run", code == (130 if first else 0), f"code {code}, {err}")
    with open(record, "rb") as file:
        before = file.read()
    for fault in faults:
        code, out, err = run(program, words, shim, fault, record)
        row.expect(fault, os.path.exists(MET), "was not met")
        row.expect(fault, code == 3 and record in err, f"code {code}, {err or out}")
        with open(record, "rb") as file:
            row.expect(fault, file.read() == before, "the record was changed")
        with open(record, "wb") as file:
            file.write(before)
    return row.wrong


def check_half(program, shim):
    """A rename that fails in the middle: which files are new is said."""
    row = Row(program, shim, "anchors in/X.npy -r 2 -o out --checkpoint out-checkpoint", False)
    clear()
    run(program, "anchors in/X.npy -r 3 -o out")
    before = bytes_of("out")
    code, _, err = run(program, row.words, shim, "place 2", "/out")
    names = ("anchors.txt", "W.npy", "H.npy", "certificate.npz", "result.json")
    after = bytes_of("out")
    new = [name for name in names if after[f"out/{name}"] != before[f"out/{name}"]]
    row.expect("place 2", code == 3 and sorted(after) == sorted(before), f"code {code}, {err}")
    row.expect("place 2", new == ["anchors.txt", "W.npy"], f"new are {new}")
    row.expect("place 2", "out/H.npy: the file cannot be replaced" in err and "only these files are new: anchors.txt, W.npy" in err, err)
    code, _, err = run(program, row.words + " --resume", shim, "folder", "/out")
    row.expect("folder", code == 3 and "out: the folder cannot be flushed to disk" in err, f"code {code}, {err}")
    row.expect("folder", os.path.exists("out-checkpoint"), "the checkpoint went before the folder was on disk")
    return row.wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("shim", type=os.path.abspath)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--leaks", nargs=2, type=os.path.abspath, metavar=("LIBASAN.so", "LEAK"))
    given = parser.parse_args()
    program, shim = given.program, given.shim
    if given.leaks:  # loaded into the program alone, not into this Python
        shim = given.leaks[0] + " " + shim
    wrong = []
    with tempfile.TemporaryDirectory(prefix="conehull-fault-") as folder:
        os.mkdir(os.path.join(folder, "run"))
        os.chdir(os.path.join(folder, "run"))
        if given.leaks and run(given.leaks[1], "", shim, "broken 0", "/")[0] != SANITIZER:
            wrong.append("a planted leak was not found: the sanitizer is not on")
        inputs(program)
        before = bytes_of("in")
        for words in COMMANDS:
            wrong += check(program, shim, words, given.long)
            if bytes_of("in") != before:
                wrong.append(f"{words}: an input was changed")
        for kept in KEPT:
            wrong += check_kept(program, shim, *kept)
        wrong += check_half(program, shim)
        os.chdir("/")
    print("\n".join(wrong) if wrong else f"{len(COMMANDS)} commands")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
