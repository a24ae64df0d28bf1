"""Is every public function met by a test that makes its allocations fail?  entry_points.py ROOT

Each function of include/conehull that returns a status must be called by a row of a table of tests/fault
(`faults[] = {...}`, `rank_faults[] = {...}`), or stand below with the reason why it
cannot run out of memory. A row calls what the functions call that it names; neither a comment nor a string
nor a function that no row reaches counts. Of the functions that return no status, two allocate, and stand below
with the test that refuses it; the others allocate nothing."""

import glob
import os
import re
import sys

EXEMPT = {
    "writes into what the caller owns": """
        ch_context_comm_cost ch_feed_get_info ch_live_get_info ch_live_replay ch_settings_check ch_settings_set
        ch_stream_get_info ch_weighting_parse""",
    "chooses among tables that are part of the program": "ch_context_set_kernel",
    "called by every test, through tests/support": """
        ch_context_create ch_context_set_threads ch_matrix_borrow""",
}
OTHERS = {
    "ch_matrix_nonzeros": "tests/fault/memory/test_fault_matrix.c",  # threads, without which it works alone
    "ch_mpi_comm_create": "tests/e2e/mpi/comm_fails.c",  # returns a code of MPI
}
COMMENT_OR_STRING = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"", re.S)
TABLE = re.compile(r"\b\w*faults\[\] = \{(.*?)^\};", re.S | re.M)
FUNCTION = re.compile(r"^\w[\w \*]*?\b(\w+)\([^;{}]*?\) \{\n(.*?)^\}", re.S | re.M)
MACRO = re.compile(r"^#define (\w+)\b(.*?[^\\])\n", re.S | re.M)


def called_by_rows(text):
    """Names that the tables of a file lead to, through its functions and macros."""
    text = COMMENT_OR_STRING.sub(" ", text)
    bodies = dict(FUNCTION.findall(text) + MACRO.findall(text))
    waiting = [word for table in TABLE.findall(text) for word in re.findall(r"\w+", table)]
    reached, called = set(), set()
    while waiting:
        word = waiting.pop()
        if word in bodies and word not in reached:
            reached.add(word)
            called.update(re.findall(r"\bch_\w+", bodies[word]))
            waiting += re.findall(r"\w+", bodies[word])
    return called


def main(root):
    declared, called = set(), set()
    for path in glob.glob(os.path.join(root, "include/conehull/*.h")):
        with open(path, encoding="utf-8") as file:
            declared.update(re.findall(r"CH_API\s+ch_status\s+(ch_\w+)\s*\(", COMMENT_OR_STRING.sub(" ", file.read())))
    for path in glob.glob(os.path.join(root, "tests/fault/*/test_*.c")):
        with open(path, encoding="utf-8") as file:
            called |= called_by_rows(file.read())
    untested = []
    for name, path in OTHERS.items():
        with open(os.path.join(root, path), encoding="utf-8") as file:
            if name + "(" not in COMMENT_OR_STRING.sub(" ", file.read()):
                untested.append(f"{name}: is not called by {path}")
    exempt = {name for names in EXEMPT.values() for name in names.split()}
    missing, stale = sorted(declared - called - exempt), sorted(exempt - declared)
    for name in missing:
        print(f"{name}: no row of tests/fault makes its allocations fail")
    for name in stale:
        print(f"{name}: is exempt in entry_points.py, and is no public function")
    print("\n".join(untested), end="\n" if untested else "")
    print(f"{len(declared)} public functions that can fail, {len(declared - exempt)} of them with failing memory")
    return int(bool(missing or stale or untested))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
