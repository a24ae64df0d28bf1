#!/usr/bin/env python3
"""Background separation on the paper's sequences through the command itself: area under ROC and time.

    video_grid.py CONEHULL DATA -o DIR [--windows restaurant,hall,lobby-a,lobby-b] [--threads N] [--whole]

DATA holds restaurant, airport_hall and lobby, each with frames.mkv and gt/. Every run is one `conehull video` with
default settings apart from the rank and lambda: robust-xray at ranks 1 to 5 and auto, each beside robust PCA at one
lambda, xray-l2 at the same rank; the median once. Their JSON is kept in DIR, one file a run, and runs that are there
already are not made again. Prints the tables of docs/video-methods.md, and how many times faster robust-xray is than
robust PCA, by seconds.separate of one run. --whole: the time on whole sequences too."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

WINDOWS = {"restaurant": ("restaurant", "--from 243 --frames 600"),
           "hall": ("airport_hall", "--from 2189 --frames 600"),
           "lobby-a": ("lobby", "--step 5"),
           "lobby-b": ("lobby", "--from 1315 --frames 200")}
WHOLE = {"restaurant-whole": ("restaurant", ""), "hall-whole": ("airport_hall", ""), "lobby-whole": ("lobby", "")}
RANKS = ("1", "2", "3", "4", "5", "auto")
LAMBDAS = ("0.2", "0.3", "0.5", "0.7", "1")
METHODS = "robust-xray,xray-l2,rpca"


def run(given, window, name, words):
    """Returns the results of one run by method, from DIR if they are there, else computed now."""
    place = os.path.join(given.output, f"{window}-{name}.json")
    if not os.path.exists(place):
        sequence, part = {**WINDOWS, **WHOLE}[window]
        folder = os.path.join(given.data, sequence)
        with tempfile.TemporaryDirectory() as scratch:
            command = [given.command, "video", f"{folder}/frames.mkv", "--truth", f"{folder}/gt", "--json", "--quiet",
                       "--threads", str(given.threads), "-o", scratch, *part.split(), *words.split()]
            done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"video_grid: conehull has ended with {done.returncode}")
        with open(place, "wb") as file:
            file.write(done.stdout)
    with open(place, encoding="utf-8") as file:
        answer = json.load(file)
    return {result["method"]: {**answer, **result} for result in answer.get("results", [answer])}


def measure(given, window):
    """Returns AUC and F of every row of the table, and the seconds of the runs."""
    rows = {}
    for number, rank in enumerate(RANKS):
        methods = METHODS if number < len(LAMBDAS) else "robust-xray,median"
        words = f"-r {rank} --method {methods}"
        if number < len(LAMBDAS):
            words += f" --lambda {LAMBDAS[number]}"
        for method, result in run(given, window, f"rank-{rank}", words).items():
            row = {"rpca": f"rpca {LAMBDAS[number % len(LAMBDAS)]}", "median": "median"}.get(method, f"{method} {rank}")
            rows[row] = {key: result[key] for key in ("auc", "f_measure", "rank", "ghosts")}
            rows[row]["separate"] = result["seconds"]["separate"]
    return rows


def best(rows, method):
    return max((name for name in rows if name.startswith(method) and not name.endswith("auto")),
               key=lambda name: rows[name]["auc"])


def speed(given, window, rank, value):
    """Returns the smallest seconds of robust-xray and of rpca, over runs of both with their best parameters."""
    least = {}
    for number in range(given.repeat):
        words = f"-r {rank} --lambda {value} --method robust-xray,rpca"
        for method, result in run(given, window, f"speed-{rank}-{value}-{number}", words).items():
            seconds = result["seconds"]["separate"]
            least[method] = min(seconds, least.get(method, seconds))
    return least["robust-xray"], least["rpca"]


def figure(value):
    return f"{value:.4f}".lstrip("0")


def table(windows, names, cell):
    print("| | " + " | ".join(windows) + " |\n|---|" + "---|" * len(windows))
    for name in names:
        print(f"| {name} | " + " | ".join(cell(window, name) for window in windows) + " |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("command")
    parser.add_argument("data")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--windows", default=",".join(WINDOWS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3, help="runs that times are the least of")
    parser.add_argument("--whole", action="store_true")
    given = parser.parse_args()
    os.makedirs(given.output, exist_ok=True)
    windows = given.windows.split(",")
    rows = {window: measure(given, window) for window in windows}
    names = list(rows[windows[0]])

    print("Area under ROC\n")
    table(windows, names, lambda window, name: figure(rows[window][name]["auc"]) +
          (f" (rank {rows[window][name]['rank']})" if name.endswith("auto") else ""))
    print("F-measure of the masks at the automatic threshold\n")
    table(windows, names, lambda window, name: figure(rows[window][name]["f_measure"]))
    print("window, best rank and its margin over the best robust PCA, margin of auto, seconds, times faster")
    pairs = [(window, window) for window in windows]
    if given.whole:
        pairs += [(window, {"restaurant": "restaurant", "hall": "hall", "lobby": "lobby-a"}[window.split("-")[0]])
                  for window in WHOLE]
    for window, source in pairs:
        ours, theirs = best(rows[source], "robust-xray"), best(rows[source], "rpca")
        margin = rows[source][ours]["auc"] - rows[source][theirs]["auc"]
        auto = rows[source]["robust-xray auto"]["auc"] - rows[source][theirs]["auc"]
        fast, slow = speed(given, window, ours.split()[1], theirs.split()[1])
        print(f"{window:18} {ours:14} {margin:+.4f} {theirs:10} {auto:+.4f} {fast:8.3f} {slow:8.3f} {slow / fast:7.1f}",
              flush=True)


if __name__ == "__main__":
    main()
