#!/usr/bin/python3
"""check_completion.py FOLDER: types into bash and zsh, on a terminal of its own, and looks at what the completion of cli/completion
makes of it. FOLDER holds the command. A shell that is not installed is reported; without any the exit code is 77."""
import os
import pathlib
import pty
import select
import shutil
import sys
import time

HERE = pathlib.Path(__file__).resolve().parents[3] / "cli/completion"

# typed before the tab key, and what must then stand on the line or below it
CASES = [
    ("conehull anc", "conehull anchors "),
    ("conehull anchors --exter", "conehull anchors --exterior "),
    ("conehull anchors --exterior d", "--exterior dist "),
    ("conehull anchors -r a", "-r auto "),
    ("conehull video --write background,so", "background,soft"),
    ("conehull video --write soft,objects,ba", "soft,objects,background"),
    ("conehull video --met", "conehull video --method "),
    ("conehull-lab rep", "conehull-lab reproduce "),
    ("conehull bench --tur", "conehull bench --turns "),
]
# bash lists what fits at the second tab and beeps where nothing fits; zsh lists at the first, with descriptions
BASH = [("conehull anchors --loss \t", "logistic"), ("conehull anchors /etc/pass", "/etc/pass\a")]  # passwd is no matrix
ZSH = [("conehull anchors --loss ", "logistic"), ("conehull ", "verify     -- ")]

SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], BASH,
             f"bind 'set enable-bracketed-paste off'; bind 'set bell-style audible'; . {HERE}/conehull.bash"),
    "zsh": (["zsh", "-f", "-i"], ZSH, f"fpath=({HERE} $fpath); autoload -U compinit; compinit -u -D; LISTMAX=1000"),
}


def read_until(terminal, wanted, seconds=30):
    seen = ""
    end = time.monotonic() + seconds
    while wanted not in seen and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            seen += os.read(terminal, 65536).decode(errors="replace")
    return seen


def check(name, folder) -> int:
    """How many cases failed."""
    words, cases, setup = SHELLS[name]
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="dumb", PATH=os.path.abspath(folder) + ":" + os.environ["PATH"])
        os.execvp(words[0], words)
    os.write(terminal, (setup + "; printf '%s\\n' re''ady\n").encode())
    read_until(terminal, "ready\r")
    failed = 0
    for typed, wanted in CASES + cases:
        os.write(terminal, typed.encode() + b"\t")
        seen = read_until(terminal, wanted)
        if wanted not in seen:
            failed += 1
            print(f"{name}: {typed!r} and tab: {wanted!r} is not in {seen!r}")
        os.write(terminal, b"\x15printf '%s\\n' ne''xt\n")  # the line away; a mark behind what was listed
        read_until(terminal, "next\r")
    os.write(terminal, b"exit\n")
    os.waitpid(process, 0)
    print(f"{name} completion: {len(CASES + cases) - failed} passed, {failed} failed")
    return failed


def main():
    here = [name for name in SHELLS if shutil.which(name)]
    for name in SHELLS:
        if name not in here:
            print(f"{name}: not installed, left out")
    sys.exit(77 if not here else sum(check(name, sys.argv[1]) for name in here) > 0)


main()
