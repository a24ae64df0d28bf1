"""Every command while its files fail: fault_commands.py PROGRAM IO_FAULTS.so

Each row of COMMANDS is run once in peace and then under each fault (io_faults.c), with a stdout that
is full and one that is closed. Short transfers and interrupted calls must change nothing; a full disk,
a read that breaks off and a rename that fails must end with the documented code and a message, and
leave no output, whole or half; inputs must keep their bytes. Exit code 77: cannot run here."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import scipy.io
    import scipy.sparse
except ImportError as missing:
    print(f"{missing.name} is not installed", file=sys.stderr)
    sys.exit(77)

# words of the command; inputs that it reads by calls (not mapped), so that a read can break off
COMMANDS = [
    ("anchors in/X.csv.gz -r 3 -o out", "in/X.csv.gz"),
    ("anchors in/X.npz -r 3 --loss l2 -o out", "in/X.npz"),
    ("anchors in/X.npy -r 3 -o out --checkpoint out-checkpoint", None),
    ("verify in/X.npy in/result", "certificate.npz"),
    ("project in/X.npy in/result -o out", None),
    ("exemplars in/X.mtx -r 2,3 --labels in/labels.txt --splits 2 -o out", "in/X.mtx"),
    ("topics in/X.npz -r 3 --terms in/terms.txt -o out", "in/X.npz"),
    ("text in/words.txt -o out", "in/words.txt"),
    ("video in/film -r 1 -o out", "in/film"),
    ("demo --runs 1 --frames 40 -o out", None),
    ("bench select_over_read --quick --turns 5 -o out", None),
    ("reproduce recovery-is --quick --runs 1 -o out", None),
]
# Of texts zlib reads, and stops at EINTR: that run ends, and says so (handlers of ours restart calls).
ZLIB = (".csv.gz", ".mtx", ".txt")
# What a run that failed may leave: the records that a second run goes on from.
RECORDS = ("./out-checkpoint", "./out/units.jsonl")
SLOW = ("demo", "bench", "reproduce")  # of these, only the faults that end a run


def inputs(program):
    os.mkdir("in")
    draw = np.random.default_rng(3)
    X = draw.integers(1, 9, (12, 20)) * (draw.random((12, 20)) < 0.35).astype(float)
    X[0, X.sum(axis=0) == 0] = 1
    S = scipy.sparse.csc_matrix(X)
    np.save("in/X.npy", X)
    np.savetxt("in/X.csv.gz", X, delimiter=",")
    scipy.sparse.save_npz("in/X.npz", S)
    scipy.io.mmwrite("in/X.mtx", S)
    for name, lines in (("labels", "ab" * 10), ("terms", "abcdefghijkl")):
        with open(f"in/{name}.txt", "w", encoding="utf-8") as file:
            file.writelines(letter + "\n" for letter in lines)
    with open("in/words.txt", "w", encoding="utf-8") as file:
        file.write("one fish two fish\nred fish blue fish\n" * 50)
    os.mkdir("in/film")
    for f in range(6):
        with open(f"in/film/{f}.pgm", "wb") as file:
            file.write(b"P5\n16 12\n255\n" + bytes((p * 5 + f * f) % 200 for p in range(192)))
    subprocess.run([program, "anchors", "in/X.npy", "-r", "3", "--quiet", "-o", "in/result"], check=True,
                   stdout=subprocess.DEVNULL)


def bytes_of(folder, skip=()):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            if name not in skip:
                with open(os.path.join(place, name), "rb") as file:
                    found[os.path.join(place, name)] = hashlib.sha1(file.read()).hexdigest()
    return found


def plain(text):
    """JSON without what differs from run to run."""
    def strip(value):
        if isinstance(value, dict):
            return {k: strip(v) for k, v in value.items() if k not in ("seconds", "machine", "date")}
        return [strip(v) for v in value] if isinstance(value, list) else value
    return strip(json.loads(text))


def run(program, words, shim=None, fault=None, path="", **streams):
    environment = dict(os.environ, LC_ALL="C", OPENBLAS_NUM_THREADS="1")
    if fault:
        environment.update(LD_PRELOAD=os.environ.get("LD_PRELOAD", "") + " " + shim, FAULT=fault, FAULT_PATH=path)
    streams.setdefault("stdout", subprocess.PIPE)
    done = subprocess.run([program] + words.split() + ["--quiet", "--json"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          env=environment, timeout=300, **streams)
    return done.returncode, (done.stdout or b"").decode(), done.stderr.decode(errors="replace")


def clear():
    for name in os.listdir("."):
        if name != "in":
            shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)


class Row:
    def __init__(self, program, shim, words, reads):
        self.program, self.shim, self.words, self.reads = program, shim, words, reads
        self.wrong = []

    def expect(self, fault, condition, what):
        if not condition:
            self.wrong.append(f"{self.words}: {fault}: {what}")

    def peace(self):
        clear()
        code, out, err = run(self.program, self.words)
        self.expect("in peace", code == 0, f"code {code}, {err}")
        self.files = set(bytes_of("."))
        return plain(out) if code == 0 else None

    def same(self, fault, path, answer):
        clear()
        code, out, err = run(self.program, self.words, self.shim, fault, path)
        self.expect(fault, code == 0, f"code {code}, {err}")
        if code == 0:
            self.expect(fault, plain(out) == answer, "another answer")
            self.expect(fault, set(bytes_of(".")) == self.files, "other files")

    def ends(self, fault, path, codes=(3,)):
        clear()
        code, out, err = run(self.program, self.words, self.shim, fault, path)
        self.expect(fault, code in codes, f"code {code}, {err or out}")
        self.expect(fault, "conehull: " in err, f"no word about it: {err!r}")
        left = [name for name in bytes_of(".") if not name.startswith("./in/") and name not in RECORDS]
        self.expect(fault, not left, f"left behind: {left}")

    def stdout(self, name, opened):
        clear()
        code, _, err = run(self.program, self.words, **opened)
        self.expect(name, code == 3 and "conehull: " in err, f"code {code}, {err!r}")


def close_stdout():
    os.close(1)


def check(program, shim, words, reads):
    row = Row(program, shim, words, reads)
    slow, writes = words.split()[0] in SLOW, " -o " in words
    if not slow:
        answer = row.peace()
        row.same("short", os.getcwd(), answer)
        if any(word.endswith(ZLIB) for word in words.split()):
            row.ends("interrupt", "/in/")
            row.same("interrupt", "/out", answer)
        else:
            row.same("interrupt", os.getcwd(), answer)
    if writes:
        row.ends("full 0", "/out")
    if writes and not slow:
        row.ends("full 100", "/out")
        row.ends("rename", "out")
    if reads:
        row.ends("broken 0", reads, (2, 3))
    with open("/dev/full", "wb") as full:
        if not slow:
            row.stdout("stdout full", {"stdout": full})
            row.stdout("stdout closed", {"stdout": None, "preexec_fn": close_stdout})
    return row.wrong


def main(program, shim):
    program, shim = os.path.abspath(program), os.path.abspath(shim)
    wrong = []
    with tempfile.TemporaryDirectory(prefix="conehull-fault-") as folder:
        os.chdir(folder)
        inputs(program)
        before = bytes_of("in")
        for words, reads in COMMANDS:
            wrong += check(program, shim, words, reads)
            if bytes_of("in") != before:
                wrong.append(f"{words}: an input was changed")
        os.chdir("/")
    print("\n".join(wrong) if wrong else f"{len(COMMANDS)} commands")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
