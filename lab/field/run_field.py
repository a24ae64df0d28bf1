#!/usr/bin/env python3
"""The field bench: every selector of conehull and what Debian has beside it, on the same data, with quality, processor time and memory.

    run_field.py CONEHULL [--data DATA] [-o DIR] [--quick] [--only GROUP ...] [--jobs N] [--limit SECONDS] [--page]

Writes DIR/field.csv, field.json and index.html (one page, nothing is loaded from elsewhere). DIR/units.jsonl has every single run: what
is there is not run again, so an interrupted bench goes on where it was. Delete the folder to begin anew.

DATA holds spectra/, text/ and video/ (sources.py says where each set comes from); what is missing is named and skipped. Generated data
need nothing. Every run is a process of its own with one thread; N of them run at a time. A run is ended after SECONDS of processor time and
counts as "over the limit". The bench is planned for less than 45 minutes on two cores.

  --quick   small generated matrices and scenes alone, two draws, for a first look: seconds
  --only    planted, spectra, video, exemplars or topics
  --page    no runs: the files again from the runs that are there"""
import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
try:
    from field.page import write_page
    from field.sources import BY_GROUP, missing_line, present
    from field.table import Store, rows_of, write_files
    from field.tasks import DEFAULTS, Bench, Failure, all_units
except ImportError as missing:
    sys.exit(f"run_field.py: {missing}; 'tools/install-deps peers' installs it")


def run_unit(bench, unit):
    outcome = {"key": unit.key, "group": unit.group, "data": unit.data, "method": unit.method, "kind": unit.kind, "seed": unit.seed,
               "values": {}, "status": "done", "note": ""}
    try:
        outcome["values"], spent = unit.run(bench, unit)
        outcome.update(spent)
    except Failure as why:
        outcome.update(status=why.status, note=str(why))
    return outcome


class Progress:
    """Shows progress: on a terminal a line that is overwritten, elsewhere a new line from time to time."""

    def __init__(self, total, quiet):
        self.total, self.count, self.last, self.quiet = total, 0, 0.0, quiet
        self.start, self.terminal = time.monotonic(), sys.stderr.isatty()

    def show(self, outcome):
        self.count += 1
        now = time.monotonic()
        if self.quiet or (not self.terminal and now - self.last < 10 and self.count < self.total):
            return
        self.last = now
        text = (f"{self.count} of {self.total}, {(now - self.start) / 60:.1f} min: {outcome['data']}, {outcome['method']}"
                + (f" ({outcome['status']})" if outcome["status"] != "done" else ""))
        sys.stderr.write(f"\r\033[K{text}" if self.terminal else f"{text}\n")
        sys.stderr.flush()

    def end(self):
        if self.terminal and not self.quiet and self.count:
            sys.stderr.write("\n")


def run_all(bench, store, units, given):
    """Runs the units that are not stored yet. A method without a result on a data set is not tried on further draws of it."""
    lost = {(one["group"], one["data"], one["method"]) for one in store.done.values() if one["status"] != "done"}
    left = [unit for unit in units if unit.key not in store.done]
    if len(left) < len(units):
        print(f"{len(units) - len(left)} of {len(units)} runs were there already", file=sys.stderr)
    progress, stop = Progress(len(left), given.quiet), threading.Event()

    def one(unit):
        place = unit.group, unit.data, unit.method
        if stop.is_set() or place in lost:
            return
        outcome = run_unit(bench, unit)
        with bench.lock:
            if stop.is_set():
                return
            if outcome["status"] != "done":
                lost.add(place)
            store.add(outcome)
            progress.show(outcome)
    with ThreadPoolExecutor(given.jobs) as pool:
        try:
            for _ in pool.map(one, left):
                pass
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
        finally:
            progress.end()


def statuses_of(store, units):
    """Returns the number of runs by status. "not repeated": a further draw for a method that had no result on the first draw."""
    first = {(one["group"], one["data"], one["method"]) for one in store.done.values() if one["status"] != "done"}
    known = [store.done[unit.key]["status"] for unit in units if unit.key in store.done]
    repeated = sum(unit.key not in store.done and (unit.group, unit.data, unit.method) in first for unit in units)
    return {**Counter(known), "not repeated": repeated}


def machine(given):
    info = json.loads(subprocess.run([given.conehull, "info", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return {"version": info.get("version"), "commit": info.get("commit"), "blas": info.get("blas"), "cores": os.cpu_count(),
            "processor": names[0] if names else platform.machine(), "load": os.getloadavg()[0],
            "date": datetime.date.today().isoformat(), "quick": given.quick, "limit": given.limit, "threads": 1}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("conehull")
    parser.add_argument("--data", help="folder with spectra/, text/ and video/")
    parser.add_argument("-o", "--output", default="out/field")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", choices=list(DEFAULTS), default=list(DEFAULTS))
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 2))
    parser.add_argument("--limit", type=int, default=45)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    given = parser.parse_args()
    given.conehull = os.path.abspath(given.conehull)
    return given


def main():
    given = arguments()
    os.makedirs(given.output, exist_ok=True)
    wanted = dict.fromkeys(source for group, sources in BY_GROUP.items() if group in given.only for source in sources)
    skipped = [missing_line(given.data, source) for source in wanted if not present(given.data, source)]
    for line in skipped:
        print(line, file=sys.stderr)
    store, units, about = Store(given.output), [], machine(given)
    units = [unit for unit in all_units(given.data, given.quick) if unit.group in given.only]
    code = 0
    if not given.page:
        with tempfile.TemporaryDirectory(prefix="conehull-field-") as folder:
            bench = Bench(given.conehull, given.data, folder, given.limit, threading.RLock())
            try:
                run_all(bench, store, units, given)
            except KeyboardInterrupt:
                code = 130
    known = [store.done[unit.key] for unit in units if unit.key in store.done]
    about.update(runs=len(known), of=len(units), statuses=statuses_of(store, units), skipped=skipped,
                 spent=sum(one.get("processor", 0) for one in known))
    rows = rows_of(known)
    write_files(given.output, rows, about)
    write_page(os.path.join(given.output, "index.html"), rows, about)
    print(f"{given.output}/index.html: {len(rows)} rows from {len(known)} of {len(units)} runs")
    return code


if __name__ == "__main__":
    sys.exit(main())
