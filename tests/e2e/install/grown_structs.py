"""Settings and results can grow: programs of another version keep working.

    grown_structs.py COMPILER BUILD SOURCE

grown.c is built three times against the library of this build: with its headers; with headers of a future
version, in which every struct that begins with its own size has more fields; and with headers of a former
one, in which such structs lack their last field. All must print the same anchors and the same weights. A
field of the future that is set is refused: the library would ignore what was asked for."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

compiler, build, source = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
SIZED = re.compile(r"(typedef struct (ch_\w+_(?:settings|result|info)) \{\n    size_t size;.*?)(\n\} \2;)", re.S)


def longer(match):
    return match[1] + "\n    double of_the_future[7];" + match[3]


def shorter(match):
    body = re.sub(r"/\*.*?\*/", "", match[1], flags=re.S)
    kept, last = body.rstrip().rstrip(";").rsplit(";", 1)
    return match[0] if "{" in last or "," in last else kept + ";" + match[3]


def headers(folder, change):
    """A copy of the installed headers; how many structs were changed."""
    place = os.path.join(folder, "conehull")
    shutil.copytree(os.path.join(source, "include/conehull"), place)
    shutil.copy(os.path.join(build, "include/conehull/version.h"), place)
    changed = 0
    for name in os.listdir(place):
        path = os.path.join(place, name)
        with open(path, encoding="utf-8") as file:
            before = file.read()
        after = SIZED.sub(change, before)
        changed += sum(one != two for one, two in zip(SIZED.split(before), SIZED.split(after)))
        with open(path, "w", encoding="utf-8") as file:
            file.write(after)
    return changed


def run(folder, change, *more):
    changed = headers(folder, change)
    program = os.path.join(folder, "grown")
    subprocess.run([compiler, "-std=c11", "-I", folder, os.path.join(here, "grown.c"), "-o", program, "-L", build,
                    f"-Wl,-rpath,{build}", "-lconehull_io", "-lconehull"], check=True)
    done = subprocess.run([program, os.path.join(folder, "X.npy"), *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return changed, done


with tempfile.TemporaryDirectory(prefix="conehull-grown-") as place:
    now = run(os.path.join(place, "now"), lambda match: match[0])[1]
    assert now.returncode == 0, now.stderr
    sizes, answer = now.stdout.split("\n", 1)
    for name, change in (("future", longer), ("former", shorter)):
        changed, done = run(os.path.join(place, name), change)
        assert changed >= 4, f"{name}: only {changed} structs changed"
        assert done.returncode == 0, f"{name}: {done.stderr}"
        its_sizes, its_answer = done.stdout.split("\n", 1)
        assert its_sizes != sizes, f"{name}: {its_sizes} as now"
        assert its_answer == answer, f"{name}: another answer"
        print(f"{name}: {changed} structs changed, {its_sizes} (now {sizes}), the same answer")
    refused = run(os.path.join(place, "asked"), longer, "set")[1]
    assert refused.returncode == 1 and "built for a later version" in refused.stderr, refused.stderr
    print("a field of the future that is set:", refused.stderr.strip())
