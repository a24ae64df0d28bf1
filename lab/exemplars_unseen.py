#!/usr/bin/env python3
"""The default of `conehull exemplars` on texts that it was not chosen on, beside other weights and methods.

    exemplars_unseen.py CONEHULL [--set NAME] [--splits N] [--keep DIR]

The texts are those that a Debian machine with SciPy has:

    docstrings  of the functions and classes of NumPy, SciPy, scikit-learn and pandas; the class is the subpackage
    packages    one line about each package of Debian's list (12,000 drawn); the class is the section
    posts       20 groups of news posts made from the docstrings: headers, signatures, quotations of posts that are
                answered (a third of them from another group), Latin 1, a folder per group, files without suffix
    manual      pages of the system's manual, up to 500 of each section; the class is the section
    modules     docstrings and comments of the files of Python packages, up to 300 of each; the class is the package

Accuracy in % of a linear SVM that knows only the exemplars of a random half (docs/exemplars.md), mean over the splits."""
import argparse
import glob
import gzip
import importlib
import inspect
import io
import json
import os
import pkgutil
import random
import re
import subprocess
import tempfile
import tokenize
import warnings

RANKS = (10, 20, 50, 150)
ROWS = [("random", "--method random"),
        ("robust-xray", "--method robust-xray"),
        ("k-means, nearest document", "--method kmeans"),
        ("central (default)", ""),
        ("facility", "--method facility"),
        ("facility, log", "--method facility --weight log+l2"),
        ("facility, log tf-idf", "--method facility --weight logtfidf+l2")]


def documented(package):
    """Returns (name, docstring) of every public function and class, each once, under the module that defines it."""
    seen = {}
    warnings.simplefilter("ignore")
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if "test" in module.name or "._" in module.name or "setup" in module.name:
            continue
        try:
            loaded = importlib.import_module(module.name)
        except Exception:  # an optional part of a package has a missing dependency
            continue
        for name, thing in inspect.getmembers(loaded):
            if name.startswith("_") or not callable(thing):
                continue
            text = inspect.getdoc(thing) or ""
            if len(text) > 200:
                seen.setdefault(text, f"{module.name}.{name}")
    return [(name, text) for text, name in seen.items()]


def prose(text):
    """Returns a docstring without its examples, which are code, and without the underlines of its headings."""
    text = re.split(r"\n\s*Examples?\s*\n", text)[0]
    return re.sub(r"-{3,}|={3,}", " ", text)


def docstrings(least=40):
    """Returns (class, name, text) of the subpackages with at least `least` docstrings."""
    rows = []
    for package in ("numpy", "scipy", "sklearn", "pandas"):
        for name, text in documented(importlib.import_module(package)):
            rows.append((".".join(name.split(".")[:2]), name, prose(text)))
    counts = {}
    for kind, _, _ in rows:
        counts[kind] = counts.get(kind, 0) + 1
    return sorted(row for row in rows if counts[row[0]] >= least)


def packages(count=12000, least=200):
    """Returns (section, package, one line of description) of the packages of Debian."""
    listed = subprocess.run(["apt-cache", "dumpavail"], stdout=subprocess.PIPE, text=True, check=True).stdout
    rows, counts = {}, {}
    for record in listed.split("\n\n"):
        field = dict(re.findall(r"^(Package|Section|Description(?:-en)?): (.*)$", record, re.M))
        text = field.get("Description-en", field.get("Description"))
        if text and "Section" in field:
            rows.setdefault(text, (field["Section"], field["Package"], text))
    for kind, _, _ in rows.values():
        counts[kind] = counts.get(kind, 0) + 1
    chosen = sorted(row for row in rows.values() if counts[row[0]] >= least)
    random.Random(1).shuffle(chosen)
    return chosen[:count]


def posts(folder, groups=20, each=300):
    """Writes news posts in the form of the collection 20 Newsgroups. Returns the number of posts."""
    by_kind, rng = {}, random.Random(2)
    for kind, name, text in docstrings():
        sentences = [re.sub(r"\s+", " ", one).strip() for one in re.split(r"(?<=[.:])\s+|\n\n", text)]
        by_kind.setdefault(kind, []).extend((name, one) for one in sentences if len(one.split()) > 5)
    largest = sorted(by_kind, key=lambda kind: -len(by_kind[kind]))[:groups]
    written = {kind: [] for kind in largest}
    number = 51060
    for turn in range(each):
        for kind in largest:
            start = rng.randrange(len(by_kind[kind]))
            some = by_kind[kind][start:start + rng.randint(1, 6)]
            written[kind].append("\n".join(text for _, text in some))
            answered = rng.choice(written[rng.choice(largest) if turn and rng.random() < 1 / 3 else kind])
            writer = f"user{rng.randrange(400)}"
            post = (f"Path: cantaloupe!magnesium!news\nFrom: {writer}@site{rng.randrange(40)}.edu (J\xf6rg M\xfcller)\n"
                    f"Newsgroups: comp.{kind}\nSubject: Re: {some[0][0].rsplit('.', 1)[1]}\n"
                    f"Organization: University of Somewhere, Department of Signatures\nLines: {len(some) + 8}\n\n"
                    f"In article <{number}@site.edu> other@site.edu (A. Writer) writes:\n")
            post += "".join(f"> {line}\n" for line in answered.split("\n")) + "\n" + written[kind][-1]
            post += f"\n\n-- \n{writer}  \xa9 1993  My opinions are not those of my employer, the caf\xe9.\n"
            os.makedirs(f"{folder}/{kind}", exist_ok=True)
            with open(f"{folder}/{kind}/{number}", "wb") as file:
                file.write(post.encode("latin-1", "replace"))
            number += 1
    return number - 51060


def manual(folder, each=500):
    """Writes manual pages as plain text, one folder per section."""
    rng = random.Random(7)
    for section in "123578":
        files, seen = sorted(glob.glob(f"/usr/share/man/man{section}/*.gz")), set()
        rng.shuffle(files)
        os.makedirs(f"{folder}/man{section}", exist_ok=True)
        for file in files:
            with gzip.open(file) as packed:
                page = packed.read().decode("utf-8", "replace")
            text = re.sub(r"\\f.|\\[-&(]\w*|\\", "", re.sub(r"^[.'].*$", "", page, flags=re.M))
            if page[200:800] in seen or len(text.split()) < 60:
                continue
            seen.add(page[200:800])
            with open(f"{folder}/man{section}/{len(seen)}", "w", encoding="utf-8") as made:
                made.write(text)
            if len(seen) == each:
                break


def words_of(source):
    """The comments and long strings of a Python program."""
    parts = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            parts.append(token.string.lstrip("# "))
        elif token.type == tokenize.STRING and token.string.startswith(('"""', 'r"""', "'''")):
            parts.append(token.string.strip("r\"'"))
    return "\n".join(parts)


def modules(least=40, most=300):
    """(package, file, text) of the packages with at least that many files."""
    rng, rows = random.Random(3), {}
    for root in ("/usr/lib/python3/dist-packages", os.path.dirname(os.__file__)):
        for file in sorted(glob.glob(root + "/**/*.py", recursive=True)):
            package = os.path.relpath(file, root).split("/")[0]
            try:
                with open(file, encoding="utf-8") as program:
                    source = program.read()
                text = words_of(source) if len(source) <= 400000 else ""
            except (OSError, SyntaxError, UnicodeDecodeError, tokenize.TokenError):
                continue
            if len(text.split()) > 40:
                rows.setdefault(package, []).append((package, file, text))
    chosen = []
    for _, some in sorted(rows.items()):
        if len(some) >= least:
            rng.shuffle(some)
            chosen += some[:most]
    return chosen


def prepare(folder, name):
    """Writes a collection. Returns the arguments with which the command reads it."""
    if name in ("posts", "manual"):
        (posts if name == "posts" else manual)(f"{folder}/{name}")
        return [f"{folder}/{name}", "--labels", "folders", "--encoding", "auto"]
    with open(f"{folder}/{name}.jsonl", "w", encoding="utf-8") as file:
        for kind, title, text in {"docstrings": docstrings, "packages": packages, "modules": modules}[name]():
            file.write(json.dumps({"class": kind, "title": title, "text": text}) + "\n")
    return [f"{folder}/{name}.jsonl", "--text-column", "text", "--name-column", "title", "--labels", "column:class"]


STOP = ["--stop-words", "english"]
SETS = {"docstrings": ("docstrings", []), "docstrings, stop words left out": ("docstrings", STOP),
        "packages": ("packages", []), "packages, stop words left out": ("packages", STOP),
        "posts": ("posts", []), "posts, --mail": ("posts", ["--mail"]),
        "manual": ("manual", []), "manual, stop words left out": ("manual", STOP),
        "modules": ("modules", []), "modules, stop words left out": ("modules", STOP)}


def measure(command, words, how, splits):
    ranks = ",".join(map(str, RANKS))
    done = subprocess.run([command, "exemplars", *words, "-r", ranks, "--splits", str(splits), "--json", "--quiet", *how.split()],
                          stdout=subprocess.PIPE, check=True)
    result = json.loads(done.stdout)
    return result["shape"], [100 * result["accuracy"][str(r)]["mean"] for r in RANKS], 100 * result["full"]["mean"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("command")
    parser.add_argument("--set", choices=["docstrings", "packages", "posts", "manual", "modules"], help="this one alone")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--keep", help="folder for the collections, which are removed otherwise")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder, ready = given.keep or scratch, {}
        os.makedirs(folder, exist_ok=True)
        for title, (name, more) in SETS.items():
            if given.set and name != given.set:
                continue
            if name not in ready:
                ready[name] = prepare(folder, name)
            for row, how in ROWS:
                shape, means, full = measure(given.command, ready[name] + more, how, given.splits)
                if row == ROWS[0][0]:
                    print(f"{title}: {shape[1]} x {shape[0]}, whole half {full:.1f}".ljust(64) + "".join(f"{r:>7}" for r in RANKS))
                print(f"  {row}".ljust(64) + "".join(f"{mean:7.1f}" for mean in means), flush=True)


if __name__ == "__main__":
    main()
