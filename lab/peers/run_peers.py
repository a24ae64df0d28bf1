#!/usr/bin/env python3
"""conehull beside what a user would pick instead: one run, one table, as text, CSV and JSON.

    run_peers.py CONEHULL [--data DIR] [-o DIR] [--turns N] [--threads N] [--quick] [--only TASK]

Every row is a task that both sides do on the same data with the same number of threads and the same BLAS kernel (the
command's choice is handed on). Sides take turns, each in a process of its own, so that peak memory is its own;
seconds are the least of the turns, without reading files. Peers are looked for at run time: what is not installed is
"not present", and no number is made up. Debian's packages: python3-sklearn python3-scipy python3-opencv r-cran-nnls
r-cran-quantreg octave.

    nmf         scikit-learn's NMF (KL by multiplicative updates, Frobenius by coordinate descent; else its defaults)
                against anchors and weights, rank 20. Its parts are free, ours are real columns: losses are shown
    columns     non-negative least squares and least absolute deviations per column, 200 x 20: SciPy nnls, SciPy's
                HiGHS, R nnls, R quantreg, Octave lsqnonneg, Octave glpk, against the projection of all columns
    xray        XRAY in l2 in NumPy (SciPy nnls inside) against the selection of the command
    rpca        robust PCA in NumPy, its SVD against ours
    background  OpenCV's MOG2 and KNN on three videos against RobustXray: frames a second, area under the ROC, best F.
                They see a frame at a time and adapt; ours sees the clip as a whole. Their ROC is traced by running
                them again at thresholds THRESHOLDS of background_opencv.py; speed is that of one run"""
import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from field.child import run_child  # noqa: E402

COLUMNS = ("task", "data", "peer", "peer_seconds", "our_seconds", "ratio", "peer_quality", "our_quality", "quality",
           "peer_peak_mb", "our_peak_mb", "note")


# program and script of a language that solves one column at a time
LANGUAGES = {"R": ("Rscript", os.path.join(HERE, "columns.R")),
             "Octave": ("octave-cli", "--no-init-file", os.path.join(HERE, "columns.m"))}


class Missing(Exception):
    """The peer is not installed."""


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.rows = options, folder, []
        self.environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(options.threads),
                                OMP_NUM_THREADS=str(options.threads))
        info = json.loads(subprocess.run([options.conehull, "info", "--json"], check=True, stdout=subprocess.PIPE).stdout)
        self.blas = info["blas"]
        self.environment.setdefault("OPENBLAS_CORETYPE", self.blas.split()[-1])

    def child(self, words, line=""):
        """Runs a process and sends it a line. Returns its exit code, output and peak memory (MB)."""
        done = run_child(words, line, self.environment)
        return done.code, done.out, done.peak / 2**20

    def ours(self, *words):
        code, out, peak = self.child([self.options.conehull, *words, "--json", "--quiet", "--threads",
                                      str(self.options.threads)])
        if code != 0:
            sys.exit(f"{' '.join(words)}: exit code {code}")
        return json.loads(out), peak

    def theirs(self, *words):
        """Runs the other side, which prints one JSON object or "missing WHAT"."""
        code, out, peak = self.child([str(word) for word in words])
        if code != 0 or not out.startswith("{"):
            raise Missing(out.strip() or f"{os.path.basename(str(words[1]))} failed")
        return json.loads(out), peak

    def python(self, script, *words):
        return self.theirs(sys.executable, os.path.join(HERE, script), *words)

    def compare(self, task, data, peer, our_side, their_side):
        """Compares two sides, which return ({"seconds", "quality", ..}, peak), by the smallest seconds of the turns."""
        own, other = [], []
        try:
            for _ in range(self.options.turns):
                other.append(their_side())
                own.append(our_side())
        except Missing as why:
            self.add(task=task, data=data, peer=peer, note=f"not present: {why}")
            return
        mine = min(side["seconds"] for side, _ in own)
        its = min(side["seconds"] for side, _ in other)
        first, second = other[0][0], own[0][0]
        self.add(task=task, data=data, peer=first.get("peer", peer), peer_seconds=its, our_seconds=mine,
                 ratio=its / mine, peer_quality=first.get("quality"), our_quality=second.get("quality"),
                 quality=first.get("what", ""), peer_peak_mb=max(peak for _, peak in other),
                 our_peak_mb=max(peak for _, peak in own), note=first.get("note", ""))

    def add(self, **row):
        self.rows.append(row)
        print(line_of(row), flush=True)


def number(value):
    return "" if value is None or isinstance(value, str) else f"{value:.4g}"


def line_of(row):
    if "peer_seconds" not in row:
        return f"{row['task']:11s} {row['data']:24s} {row['peer']:26s} {row['note']}"
    return (f"{row['task']:11s} {row['data']:24s} {row['peer']:26s} {row['peer_seconds']:9.4g} s  ours "
            f"{row['our_seconds']:9.4g} s  ratio {row['ratio']:7.3g}  {row['quality']} {number(row['peer_quality'])} "
            f"(ours {number(row['our_quality'])})  {row['peer_peak_mb']:.0f} MB (ours {row['our_peak_mb']:.0f})  {row['note']}")


# ---- tasks ---------------------------------------------------------------------------------------


def anchors_side(bench, path, loss, rank, *more):
    def run():
        result, peak = bench.ours("anchors", path, "-r", str(rank), "--loss", loss, *more)
        seconds = result["seconds"]["select"] + result["seconds"]["project"]
        return {"seconds": seconds, "quality": result["objective"]}, peak
    return run


def nmf(bench):
    data = bench.options.data
    if not data:
        bench.add(task="nmf", data="Reuters, BBC", peer="scikit-learn", note="not run: give --data")
        return
    for name in ("bbc",) if bench.options.quick else ("reuters10", "bbc"):
        path = os.path.join(data, "text", name, f"{name}.mtx.gz")
        for loss in ("kl", "l2"):
            first, _ = bench.ours("anchors", path, "-r", "20", "--loss", loss)
            bench.compare("nmf", f"{name}, {loss}, rank 20", "scikit-learn NMF",
                          anchors_side(bench, path, loss, 20),
                          lambda: bench.python("nmf_sklearn.py", path, loss, 20, first["floor"]))


def columns(bench):
    """Data of the paper's generator, delta 0.3: both sides project the same 210 columns onto the same 20 anchors."""
    base = os.path.join(bench.folder, "columns")
    made = bench.python("columns_scipy.py", "make", base)[0]
    for loss, peers in (("l2", ("nnls", "R-nnls", "Octave-lsqnonneg")),
                        ("l1", ("highs", "R-quantreg", "Octave-glpk"))):
        found = os.path.join(bench.folder, loss)

        def own():
            result, peak = bench.ours("anchors", f"{base}.npy", "-r", "20", "--loss", loss, "-o", found)
            return {"seconds": result["seconds"]["project"], "quality": result["objective"]}, peak
        own()
        for peer in peers:
            def other():
                language, _, name = peer.partition("-")
                if language in LANGUAGES:
                    program, *script = LANGUAGES[language]
                    if not shutil.which(program):
                        raise Missing(f"{program} is not here")
                    bench.python("columns_scipy.py", "text", base, found)
                    return bench.theirs(program, *script, name, f"{base}.W.csv", f"{base}.X.csv")
                return bench.python("columns_scipy.py", peer, base, found)
            bench.compare("columns", f"{made['data']}, {loss}", {"nnls": "SciPy nnls", "highs": "SciPy HiGHS"}.get(
                peer, peer.replace("-", " ")), own, other)


def xray(bench):
    base = os.path.join(bench.folder, "xray")
    bench.python("columns_scipy.py", "make", base)

    def own():
        result, peak = bench.ours("anchors", f"{base}.npy", "-r", "20", "--loss", "l2", "--select-only", "--first", "paper")
        return {"seconds": result["seconds"]["select"], "quality": ",".join(map(str, sorted(result["anchors"])))}, peak
    bench.compare("xray", "200 x 210, l2, 20 anchors", "NumPy XRAY", own,
                  lambda: bench.python("xray_numpy.py", f"{base}.npy", 20))
    row = bench.rows[-1]
    if "peer_seconds" in row:
        same = len(set(row["peer_quality"].split(",")) & set(row["our_quality"].split(",")))
        row.update(quality="", peer_quality=None, our_quality=None, note=f"{same} of 20 anchors the same")


def rpca(bench):
    frames = 60 if bench.options.quick else 200
    film, found = (os.path.join(bench.folder, name) for name in ("film", "rpca"))
    try:
        bench.python("columns_scipy.py", "film", film, frames)
    except Missing as why:
        bench.add(task="rpca", data="generated film", peer="NumPy", note=f"not present: {why}")
        return

    def own():
        result, peak = bench.ours("video", film, "--method", "rpca", "-o", found)
        return {"seconds": result["seconds"]["separate"], "quality": result["rank"], "what": "rank"}, peak
    for how in ("svd", "gram"):
        def other():
            code, out, peak = bench.child([sys.executable, os.path.join(HERE, "peer_rpca.py"), f"{film}.npy"], f"{how}\n")
            if code != 0 or not out.startswith("ready"):
                raise Missing("NumPy")
            seconds, _, rounds, rank = out.splitlines()[1].split()
            return {"seconds": float(seconds), "quality": float(rank), "what": "rank", "note": f"{rounds} rounds"}, peak
        bench.compare("rpca", f"generated film, {frames} frames", f"NumPy, {how}", own, other)


def background(bench):
    data = bench.options.data
    if not data:
        bench.add(task="background", data="three videos", peer="OpenCV", note="not run: give --data")
        return
    for name in ("lobby",) if bench.options.quick else ("restaurant", "airport_hall", "lobby"):
        clip, truth = (os.path.join(data, "video", name, part) for part in ("frames.mkv", "gt"))
        found = os.path.join(bench.folder, f"video-{name}")
        best = {}

        def own():
            result, peak = bench.ours("video", clip, "--truth", truth, "-o", found)
            best.update(result)
            return {"seconds": result["seconds"]["separate"], "quality": result["auc"], "frames": result["frames"]}, peak
        for method in ("MOG2", "KNN"):
            turns = iter(["curve"] + ["time"] * bench.options.turns)
            bench.compare("background", name, f"OpenCV {method}", own,
                          lambda: bench.python("background_opencv.py", method, clip, truth, bench.options.threads, next(turns)))
            row = bench.rows[-1]
            if "peer_seconds" in row:
                row["note"] = (f"{best['frames'] / row['peer_seconds']:.0f} frames/s (conehull "
                               f"{best['frames'] / row['our_seconds']:.0f}); {row['note']} (conehull {best['best_f']:.3f})")
                print(f"    {row['note']}", flush=True)


TASKS = {"nmf": nmf, "columns": columns, "xray": xray, "rpca": rpca, "background": background}


def write(bench):
    folder = bench.options.output
    os.makedirs(folder, exist_ok=True)
    machine = {"blas": bench.blas, "threads": bench.options.threads, "turns": bench.options.turns}
    with open(os.path.join(folder, "peers.json"), "w", encoding="utf-8") as file:
        json.dump({"machine": machine, "quick": bench.options.quick, "rows": bench.rows}, file, indent=1)
    with open(os.path.join(folder, "peers.csv"), "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        table.writerows(bench.rows)
    print(f"{folder}/peers.json and peers.csv")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("conehull")
    parser.add_argument("--data", help="folder with text/ and video/")
    parser.add_argument("-o", "--output", default="out/peers")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--quick", action="store_true", help="one text, one video")
    parser.add_argument("--only", choices=TASKS)
    options = parser.parse_args()
    options.conehull = os.path.abspath(options.conehull)
    with tempfile.TemporaryDirectory(prefix="conehull-peers-") as folder:
        bench = Bench(options, folder)
        print(f"{bench.blas}, {options.threads} threads, least of {options.turns} turns", flush=True)
        for name, task in TASKS.items():
            if options.only in (None, name):
                task(bench)
        write(bench)


if __name__ == "__main__":
    main()
