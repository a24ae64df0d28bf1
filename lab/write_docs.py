#!/usr/bin/env python3
"""Writes the measured parts of docs/performance.md from the files of a bench run, and from nothing else.

    write_docs.py [--bench DIR] [--scaling DIR] [--threads DIR] [--peers DIR] [ROOT]        (out/bench, out/scaling, ...)

A part stands between `<!-- bench: NAME -->` and `<!-- end -->`; what lies between is replaced. A file that is missing
leaves its parts as they are, and is named."""
import argparse
import json
import os
import re
import shutil

# key: A and B of the ratio "A over B" in words, for the tables
SIDES = {"rpca_over_robust_xray": ("robust PCA", "RobustXray"),
         "rpca_over_robust_xray_full": ("robust PCA", "RobustXray"),
         "smrs_over_robust_xray": ("SMRS", "RobustXray"),
         "admm_over_exact": ("alternating directions", "exact projection"),
         "admm_loose_over_exact": ("alternating directions to a gap of 1e-3", "exact projection"),
         "select_over_read": ("selection of r anchors", "r plain reads"),
         "sklearn_over_conehull": ("scikit-learn's NMF under KL", "anchors and weights of conehull"),
         "sklearn_weights_over_conehull": ("weights alone of scikit-learn", "weights alone of conehull"),
         "two_threads": ("one thread", "two threads")}


def short(value):
    return "" if value is None else f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def load(path):
    if not os.path.exists(path):
        print(f"{path}: not here, its parts stay as they are")
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def machine_part(bench):
    machine = bench["machine"]
    return (f"{machine['processor']}, {machine['cores']} cores, {machine['threads']} threads; kernels {machine['kernel']}, "
            f"{machine['blas']}; version {machine['version']}, commit {machine['commit']}"
            + ("; `--quick`" if bench["quick"] else "") + "."
            + (f" **The machine was busy** (load {bench['load']:.0f} before the run): only ratios of processor time say much."
               if (bench.get("load") or 0) > 0.5 * machine["cores"] else ""))


def extra(name, row):
    details = row.get("details") or {}
    if name.startswith("rpca"):
        return f"AUC of A and B: {details['rpca_auc']:.3f} and {details['robust_xray_auc']:.3f}"
    if name.startswith("admm"):
        return f"gap of A and B: {details['admm']['gap']:.0e} and {details['exact']['gap']:.0e}"
    if name == "select_over_read":
        return f"{100 * details['projected_share']:.2g} % of the columns projected; plain read {details['read_gb_per_second']:.3g} GB/s"
    if name.startswith("sklearn"):
        return f"loss of A / loss of B: {details['sklearn_objective_over_ours']:.4g}; {details['sklearn_rounds']} rounds of A"
    return ""


def ratios_part(bench):
    lines = ["| ratio, A over B | ratio of processor times | ratio of elapsed times | elapsed ratios of single turns | "
             "elapsed seconds, A over B | data | quality and notes |", "|---|---|---|---|---|---|---|"]
    for name, (above, below) in SIDES.items():
        row = bench.get(name)
        if not row:
            continue
        if row["ratio"] is None:
            lines.append(f"| `{name}` | {row['status']} | | | | | {row['why']} |")
            continue
        noise = row["noise"]
        units = f"{row['units']:g} x " if row["units"] != 1 else ""
        processor = "" if name == "two_threads" else short(row["processor_ratio"])
        lines.append(f"| `{name}`: {above} over {below} | {processor} | {short(row['ratio'])} | {short(noise['min'])} to "
                     f"{short(noise['max'])}, median {short(noise['median'])} | {short(row['above']['min'])} over {units}"
                     f"{short(row['below']['min'])} | {row['data']} | {extra(name, row)} |")
    return "\n".join(lines)


def scaling_part(scaling):
    lines = ["| varied size and its range | data | slope, selection time | slope, projection time | slope, memory |",
             "|---|---|---|---|---|"]
    for sweep in scaling["sweeps"]:
        size = f"{sweep['size'][0]:,.0f} to {sweep['size'][-1]:,.0f}"
        project = f"{sweep['project_slope']:.2f}" if "project_slope" in sweep else ""
        lines.append(f"| {sweep['sweep']}, {size} | {sweep['about']}, {sweep['threads']} thread"
                     f"{'s' if sweep['threads'] > 1 else ''} | {sweep['select_slope']:.2f} | {project} | "
                     f"{sweep['memory_slope']:.2f} |")
    return "\n".join(lines)


PARTS = ("plain read", "selection", "projection", "whole job")


def threads_part(threads):
    """Returns the table of threads. A record is the ratio of one thread to several; a row is a case with a number of threads."""
    cases = {}
    for record in threads["records"]:
        if record["ratio"] is None:
            continue
        case = cases.setdefault(record["details"]["case"], {"data": record["data"], "rows": {}})
        part = record["details"]["part"]
        case["rows"].setdefault(1, {})[part] = f"{short(1e3 * record['above']['min'])} ms"
        case["rows"].setdefault(record["threads"], {})[part] = (f"{short(1e3 * record['below']['min'])} ms, "
                                                                f"{record['ratio']:.2f}")
    turns = max((record.get("turns", 0) for record in threads["records"]), default=0)
    lines = [f"The table shows elapsed times, each the shortest of {turns} runs (smaller is better). The number after a time is the "
             "speedup: the time of one thread divided by the time of several (larger is better).", "",
             "| data | threads | " + " | ".join(PARTS) + " |", "|---|---|---|---|---|---|"]
    for case in cases.values():
        for i, (count, row) in enumerate(sorted(case["rows"].items())):
            lines.append(f"| {case['data'] if i == 0 else ''} | {count} | {' | '.join(row[part] for part in PARTS)} |")
    return "\n".join(lines)


def peers_part(peers):
    machine = peers["machine"]
    lines = [f"Both sides used {machine['blas']} and {machine['threads']} threads; each time is the shortest of "
             f"{machine['turns']} runs, in seconds" + (", `--quick`." if peers["quick"] else ".") +
             " *Ratio* is the time of the peer divided by that of conehull: above 1, conehull is faster. *Quality* is the loss (smaller is "
             "better), the area under the ROC curve (AUC, larger is better) or the rank of the answer.", "",
             "| task | data | peer | seconds, peer | seconds, conehull | ratio | quality: peer, conehull | "
             "peak memory in MB: peer, conehull | notes |",
             "|---|---|---|---|---|---|---|---|---|"]
    for row in peers["rows"]:
        if "peer_seconds" not in row:
            lines.append(f"| {row['task']} | {row['data']} | {row['peer']} | | | | | | {row['note']} |")
            continue
        quality = "" if row["peer_quality"] is None else (f"{row['quality']} {row['peer_quality']:.6g}, "
                                                          f"{row['our_quality']:.6g}")
        lines.append(f"| {row['task']} | {row['data']} | {row['peer']} | {short(row['peer_seconds'])} | "
                     f"{short(row['our_seconds'])} | {short(row['ratio'])} | {quality} | {row['peer_peak_mb']:.0f}, "
                     f"{row['our_peak_mb']:.0f} | {row['note']} |")
    return "\n".join(lines)


def fill(path, parts):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for name, part in parts.items():
        mark = re.compile(rf"(<!-- bench: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text = mark.sub(lambda found: f"{found[1]}{part}\n{found[2]}", text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    print(f"{path}: {', '.join(parts)}")


def take_pictures(folder, root):
    for name in sorted(os.listdir(folder)):
        if name.endswith(".svg"):
            shutil.copy(os.path.join(folder, name), os.path.join(root, "docs/images", name))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", default=".")
    for name in ("bench", "scaling", "threads", "peers"):
        parser.add_argument(f"--{name}", default=f"out/{name}")
    options = parser.parse_args()
    bench, scaling, threads = (load(f"{folder}/bench.json") for folder in (options.bench, options.scaling, options.threads))
    peers = load(f"{options.peers}/peers.json")
    parts = {}
    if bench:
        parts.update(machine=machine_part(bench), ratios=ratios_part(bench))
    if scaling:
        parts["scaling"] = scaling_part(scaling["scaling"])
        take_pictures(options.scaling, options.root)
    if threads:
        parts["threads"] = threads_part(threads["threads"])
        take_pictures(options.threads, options.root)
    if peers:
        parts["peers"] = peers_part(peers)
    fill(os.path.join(options.root, "docs/performance.md"), parts)


if __name__ == "__main__":
    main()
