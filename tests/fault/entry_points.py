"""Is every public function met by a test that makes its allocations fail?  entry_points.py ROOT

Each function of include/conehull must be called in tests/fault, or stand below with the reason why
it cannot run out of memory."""

import glob
import os
import re
import sys

EXEMPT = {
    "only reads, or writes into what the caller owns": """
        ch_activity_runs ch_checkpoint_records ch_comm_part ch_context_comm ch_context_comm_cost ch_context_threads
        ch_counts_add ch_counts_f_measure ch_counts_precision ch_counts_recall ch_exemplars_split ch_is_corpus
        ch_live_get_info ch_live_model ch_live_replay ch_live_state_name ch_masker_noise ch_matrix_at ch_matrix_nonzeros
        ch_matrix_stored ch_read_formats ch_roc_at ch_roc_thin ch_settings_check ch_settings_find ch_settings_set
        ch_status_name ch_status_sentence ch_stream_kept ch_stream_look ch_topics_listed ch_type_name ch_type_size
        ch_weighting_name ch_weighting_parse ch_video_library ch_classifier_name""",
    "sets a field": "ch_context_set_comm ch_context_set_log ch_context_set_progress ch_context_set_memory_limit ch_matrix_limit",
    "draws numbers": """
        ch_random_seed ch_random_split ch_random_uniform ch_random_below ch_random_normal ch_random_exponential
        ch_random_gamma ch_random_laplace ch_random_poisson ch_random_dirichlet ch_random_shuffle""",
    "names what was found at the start of the process": "ch_kernel_name ch_blas_name ch_blas_core_wanted",
    "exchanges between ranks; tests/mpi and tests/unit have them": """
        ch_comm_agree ch_comm_count ch_result_collect ch_mpi_comm_create ch_mpi_comm_destroy""",
    "called by every test, through tests/support": """
        ch_context_create ch_context_destroy ch_context_message ch_context_set_threads ch_matrix_borrow_dense
        ch_matrix_borrow_csc""",
}


def main(root):
    declared = set()
    for path in glob.glob(os.path.join(root, "include/conehull/*.h")):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        for statement in re.findall(r"CH_API\b([^;]*);", text):
            declared.update(re.findall(r"\b(ch_\w+)\s*\(", statement)[:1])
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
    print(f"{len(declared)} public functions, {len(declared - exempt)} of them with failing memory")
    return int(bool(missing or stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
