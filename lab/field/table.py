"""Outcomes of units, and the rows that a table has of them: mean, spread, processor time, peak memory."""
import csv
import json
import os
import statistics

from field.tasks import MEASURES

COLUMNS = ("group", "data", "method", "kind", "measure", "mean", "sd", "values", "runs", "processor_seconds", "peak_mb", "status",
           "note")


class Store:
    """The file units.jsonl: one line per finished unit. An incomplete last line was left by a crash and is ignored."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "units.jsonl")
        self.done = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                lines = file.readlines()
            if lines and not lines[-1].endswith("\n"):
                lines.pop()
                with open(self.path, "w", encoding="utf-8") as file:
                    file.writelines(lines)
            self.done = {unit["key"]: unit for unit in map(json.loads, lines)}

    def add(self, outcome):
        self.done[outcome["key"]] = outcome
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(outcome) + "\n")


def row_of(outcomes, measure):
    """One row of all outcomes of a method on a data set. The mean is that of the whole answers; the spread is over their parts:
    draws of the data, seeds of the method, splits, or quarters of the masks."""
    first, good = outcomes[0], [one for one in outcomes if one["status"] == "done" and measure in one["values"]]
    row = dict.fromkeys(COLUMNS)
    row.update({key: first[key] for key in ("group", "data", "method", "kind")}, measure=measure, runs=len(good),
               status="done" if good else first["status"], note=first["note"] if not good else "")
    if good:
        values = [value for one in good for value in one["values"][measure]]
        whole = [one["whole"][measure] for one in good if measure in one.get("whole", {})]
        early = sum(one.get("early", False) for one in good)
        row.update(mean=statistics.fmean(whole or values), sd=statistics.stdev(values) if len(values) > 1 else None,
                   values=len(values), processor_seconds=statistics.median(one["processor"] for one in good),
                   peak_mb=max(one["peak"] for one in good) / 2**20,
                   note=f"{early} of {len(good)} runs stopped at their limit of steps" if early else "")
        if len(good) < len(outcomes):
            row["note"] = f"{len(outcomes) - len(good)} of {len(outcomes)} runs gave no answer"
    return row


def rows_of(outcomes):
    together, order = {}, []
    for one in outcomes:
        place = one["group"], one["data"], one["method"]
        if place not in together:
            order.append(place)
        together.setdefault(place, []).append(one)
    rows = []
    for place in order:
        group = [one for one in outcomes if (one["group"], one["data"]) == place[:2]]
        measures = [name for name in MEASURES if any(name in one["values"] for one in group)]
        mine = together[place]
        free = any(one["values"] for one in mine)  # a method with free parts has no share of planted columns
        rows += [row_of(mine, name) for name in measures if not free or any(name in one["values"] for one in mine)]
    return rows


def write_files(folder, rows, run):
    with open(os.path.join(folder, "field.json"), "w", encoding="utf-8") as file:
        json.dump({"run": run, "rows": rows}, file, indent=1)
        file.write("\n")
    with open(os.path.join(folder, "field.csv"), "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        for row in rows:
            table.writerow({key: f"{value:.6g}" if isinstance(value, float) else value for key, value in row.items()})
