#!/usr/bin/python3
"""check_zsh.py FOLDER: types into zsh, on a terminal of its own, and looks at what the completion of cli/completion makes of it.
FOLDER holds the command. Without zsh it says so and ends with 77."""
import os
import pathlib
import pty
import select
import shutil
import sys
import time

# typed before the tab key, and what must then stand on the line or below it
CASES = [
    ("conehull anc", "conehull anchors "),
    ("conehull ", "verify     -- "),
    ("conehull anchors --exter", "conehull anchors --exterior "),
    ("conehull anchors --exterior d", "--exterior dist "),
    ("conehull anchors --loss ", "logistic"),
    ("conehull anchors -r ", "auto"),
    ("conehull video --write background,so", "background,soft"),
    ("conehull video --met", "conehull video --method "),
    ("conehull-lab rep", "conehull-lab reproduce "),
    ("conehull bench --tur", "conehull bench --turns "),
]


def read_until(terminal, wanted, seconds=30):
    seen = ""
    end = time.monotonic() + seconds
    while wanted not in seen and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            seen += os.read(terminal, 65536).decode(errors="replace")
    return seen


def main():
    if not shutil.which("zsh"):
        print("skipped: no zsh here")
        sys.exit(77)
    functions = pathlib.Path(__file__).resolve().parents[3] / "cli/completion"
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="dumb", PATH=os.path.abspath(sys.argv[1]) + ":" + os.environ["PATH"])
        os.execvp("zsh", ["zsh", "-f", "-i"])
    setup = f"fpath=({functions} $fpath); autoload -U compinit; compinit -u -D; LISTMAX=1000; setopt nobeep; print re''ady\n"
    os.write(terminal, setup.encode())
    read_until(terminal, "ready\r")
    failed = 0
    for typed, wanted in CASES:
        os.write(terminal, typed.encode() + b"\t")
        seen = read_until(terminal, wanted)
        if wanted not in seen:
            failed += 1
            print(f"{typed!r} and tab: {wanted!r} is not in {seen!r}")
        os.write(terminal, b"\x15print ne''xt\n")  # the line away; a mark behind what was listed
        read_until(terminal, "next\r")
    os.write(terminal, b"exit\n")
    os.waitpid(process, 0)
    print(f"zsh completion: {len(CASES) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
