"""Is every public function met by a test that makes its allocations fail?  entry_points.py ROOT

Each function of include/conehull that returns a status must be called in tests/fault, or stand below
with the reason why it cannot run out of memory. The others have no way to say so, and allocate nothing."""

import glob
import os
import re
import sys

EXEMPT = {
    "writes into what the caller owns": "ch_live_replay ch_settings_check ch_settings_set ch_weighting_parse",
    "sets a field": "ch_context_set_comm ch_matrix_limit",
    "exchanges between ranks; tests/mpi and tests/unit have them": """
        ch_comm_agree ch_comm_count ch_project_collect ch_result_collect""",
    "called by every test, through tests/support": """
        ch_context_create ch_context_set_threads ch_matrix_borrow_dense ch_matrix_borrow_csc""",
}


def main(root):
    declared = set()
    for path in glob.glob(os.path.join(root, "include/conehull/*.h")):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        declared.update(re.findall(r"CH_API\s+ch_status\s+(ch_\w+)\s*\(", text))
    tests = ""
    for path in glob.glob(os.path.join(root, "tests/fault/*.c")):
        with open(path, encoding="utf-8") as file:
            tests += file.read()
    called = set(re.findall(r"\bch_\w+", tests))
    exempt = {name for names in EXEMPT.values() for name in names.split()}
    missing, stale = sorted(declared - called - exempt), sorted(exempt - declared)
    for name in missing:
        print(f"{name}: no test of tests/fault makes its allocations fail")
    for name in stale:
        print(f"{name}: is exempt in entry_points.py, and is no public function")
    print(f"{len(declared)} public functions that can fail, {len(declared - exempt)} of them with failing memory")
    return int(bool(missing or stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
