"""The structs, constants and functions of the installed headers, in C's own words, and what ctypes makes of them.

Nothing here is taken on trust: ``python/check_layout.py`` (a test) writes every line out as C and lets the
compiler compare it with the headers, type by type. Settings are not here: their values are put where the
library's tables say, so a new one needs nothing in Python.
"""
import ctypes
import re
from ctypes import CFUNCTYPE, POINTER, Structure

#: What a C program includes to have all of it.
HEADERS = ("conehull.h", "io.h", "separate.h", "mask.h", "stream.h", "live.h", "text.h", "spectra.h")

CONSTANTS = {
    "CH_OK": 0, "CH_STOP_COMPLETE": 1, "CH_STOP_ITER": 2, "CH_STOP_TIME": 3, "CH_STOP_CANCELLED": 4,
    "CH_STOP_INACCURATE": 5,
    "CH_ERR_ARGUMENT": -1, "CH_ERR_SETTING": -2, "CH_ERR_DATA": -3, "CH_ERR_MEMORY": -4, "CH_ERR_IO": -5,
    "CH_ERR_FORMAT": -6, "CH_ERR_UNSUPPORTED": -7, "CH_ERR_INTERNAL": -8,
    "CH_F64": 0, "CH_F32": 1, "CH_U8": 2, "CH_U16": 3,
    "CH_COLUMN_MAJOR": 0, "CH_ROW_MAJOR": 1, "CH_CSC": 2,
    "CH_LIVE_WARM_UP": 0, "CH_LIVE_STEADY": 1, "CH_LIVE_ADAPTING": 2, "CH_LIVE_FROZEN": 3,
    "CH_LIVE_SCORES": 1, "CH_LIVE_DAMAGED": 2, "CH_LIVE_MASK_ALONE": 4, "CH_LIVE_PACKED": 8, "CH_LIVE_PLANES_MAX": 3,
    "CH_LIVE_RANK_MAX": 8, "CH_WARN_ZERO_WEIGHTS": 1, "CH_WARN_EMPTY_ANCHORS": 2, "CH_WARN_UNEXPLAINED": 4,
    "CH_WARN_LONELY_ANCHORS": 8,
    "CH_SETTING_INT": 0, "CH_SETTING_REAL": 1, "CH_SETTING_FLAG": 2, "CH_SETTING_CHOICE": 3,
}
globals().update(CONSTANTS)

# ---- from C types to ctypes -------------------------------------------------------------------

ENUMS = ("ch_status", "ch_value_type", "ch_matrix_layout", "ch_setting_kind", "ch_live_state",
         "ch_value_weight", "ch_column_scale", "ch_topics_objective", "ch_spectra_average")
_KNOWN = {"void": None, "int": ctypes.c_int, "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64,
          "uint64_t": ctypes.c_uint64, "size_t": ctypes.c_size_t, "float": ctypes.c_float, "double": ctypes.c_double,
          "uint8_t": ctypes.c_uint8, "unsigned char": ctypes.c_uint8, "char *": ctypes.c_char_p,
          "void *": ctypes.c_void_p, **dict.fromkeys(ENUMS, ctypes.c_int)}


def c_type(words: str):
    """What ctypes calls a type: ``const double *`` is ``POINTER(c_double)``. Structs that are not declared
    below are known by their address alone."""
    words = re.sub(r"\bconst\b\s*", "", words).strip()
    if words in _KNOWN:
        return _KNOWN[words]
    if words.endswith("]"):
        element, count = re.fullmatch(r"(.+)\[(\d+)\]", words).groups()
        return (ctypes.c_char if element == "char" else c_type(element)) * int(count)
    if "(*)" in words:
        return CFUNCTYPE(*prototype(words.replace("(*)", "")))
    inner = words[:-1].strip()
    return POINTER(c_type(inner)) if inner in _KNOWN or inner.endswith("*") else ctypes.c_void_p


def prototype(words: str) -> list:
    """Result and arguments of ``int (const char *, double)``."""
    result, arguments = re.fullmatch(r"(.+?)\s*\((.*)\)", words).groups()
    return [c_type(result)] + [c_type(a) for a in arguments.split(",") if a.strip() != "void"]


STRUCTS = {}
TAILS = {}


class _Sized(Structure):
    """A struct that begins with its own size."""

    def __init__(self, **members):
        super().__init__(size=ctypes.sizeof(self), **members)


def _declare(name: str, members: dict) -> type:
    STRUCTS[name] = members
    sized = next(iter(members)) == "size"
    return type(name, (_Sized if sized else Structure,), {"_fields_": [(member, c_type(words)) for member, words in members.items()]})


def _struct(name: str, /, **members: str) -> type:
    _KNOWN[name] = _declare(name, members)
    return _KNOWN[name]


def _tail(name: str, /, **members: str) -> None:
    """The end of a settings struct: what its table does not describe."""
    TAILS[name] = _declare(name, members)


# ---- structs -----------------------------------------------------------------------------------

ch_progress_event = _struct("ch_progress_event", size="size_t", phase="const char *", done="int64_t", total="int64_t", column="int64_t",
                   value="double")
ch_setting = _struct("ch_setting", name="const char *", kind="ch_setting_kind", offset="size_t", initial="double",
                     low="double", high="double", choices="const char *const *", value="const char *",
                     help="const char *")
ch_settings_table = _struct("ch_settings_table", name="const char *", rows="const ch_setting *", count="int",
                            size="size_t")
ch_matrix = _struct("ch_matrix", rows="int64_t", cols="int64_t", layout="ch_matrix_layout", type="ch_value_type",
                    values="const void *", stride="int64_t", column_start="const int64_t *",
                    row_index="const int32_t *", owner="void *", release="void (*)(ch_context *, void *)",
                    first="int64_t")

_REAL_FUNCTION = "double (*)(double, void *)"
ch_bregman = _struct("ch_bregman", phi=_REAL_FUNCTION, slope=_REAL_FUNCTION, curvature=_REAL_FUNCTION,
                     user="void *", convex="int")
_ARRAY_FUNCTION = "void (*)(double *, const double *, int64_t, void *)"
ch_bregman_arrays = _struct("ch_bregman_arrays", phi=_ARRAY_FUNCTION, slope=_ARRAY_FUNCTION, curvature=_ARRAY_FUNCTION,
                            user="void *")
ch_certificate = _struct("ch_certificate", gap="double", dual_infeasibility="double", stationarity="double")
ch_anchors_result = _struct(
    "ch_anchors_result", size="size_t", status="ch_status", rows="int64_t", cols="int64_t", rank="int64_t", anchors="int64_t *",
    max_residual="double *", objective_path="double *", weights="double *", select_objective="double",
    select_gap="double", iterations="int64_t", objective="double", W="double *", H="double *",
    projections="int64_t", pivots="int64_t", unproven="int64_t", duals_checked="int64_t", duals_valid="int64_t",
    floor="double", certificate="ch_certificate", seconds_select="double", seconds_project="double",
    exchange_select="double", exchange_project="double",
    steps="int64_t", step_exterior="int64_t *", step_anchor="int64_t *", step_dual="double *", p_seed="uint64_t",
    dual_start="int64_t *", dual_row="int32_t *", dual_value="double *", nonzeros="int64_t", faint="int64_t",
    clipped="int64_t", clipped_mass="double", dual_rows="int64_t", library="int64_t", unknown="int64_t", incomplete="int64_t",
    completed="int64_t", completed_entries="unsigned char *", measured="int", warnings="int",
    zero_weights="int64_t", empty_anchors="int64_t", unexplained="double", refined_W="double *", refined_H="double *",
    refined_rounds="int64_t", refined_path="double *", refined_objective="double",
    refined_angle="double *", refined_certificate="ch_certificate", refined_unproven="int64_t",
    barred="int64_t[10]", lonely_anchors="int64_t", lonely_column="int64_t", mean_shared="double")
ch_loss_advice = _struct("ch_loss_advice", size="size_t", settings="char[100]", because="char[1200]", columns="int64_t",
                         entries="int64_t", zeros="double", above="double", growth="double", tail="double", dark="double", cut="double",
                         deep="double", whole="int")
ch_project_info = _struct("ch_project_info", size="size_t", objective="double", pivots="int64_t", unproven="int64_t",
                          certificate="ch_certificate", seconds="double", nonzeros="int64_t", clipped="int64_t",
                          clipped_mass="double", unknown="int64_t")
ch_verification = _struct("ch_verification", size="size_t", ok="int", gap="double", dual_infeasibility="double",
                          stationarity="double", objective="double", why="char[256]")
ch_decomposition = _struct(
    "ch_decomposition", size="size_t", status="ch_status", rows="int64_t", cols="int64_t", rank="int64_t", W="double *",
    H="double *", singular="double *", S="double *", S_layout="ch_matrix_layout", objective="double", residual="double",
    nonzeros="int64_t", iterations="int64_t", restart="int64_t", seconds="double")

ch_separation = _struct(
    "ch_separation", size="size_t", status="ch_status", frames="int64_t", pixels="int64_t", rank="int64_t", W="double *",
    H="double *", filtered="ch_matrix", anchors="int64_t *", max_residual="double *", objective="double *",
    refits="int64_t", gap="double", unproven="int64_t", reason="char[256]", seconds_select="double",
    seconds_project="double", seconds_refit="double", sampled="int64_t")
ch_frame_shape = _struct("ch_frame_shape", width="int64_t", height="int64_t", planes="int")
ch_mask_plane = _struct("ch_mask_plane", pixels="const uint8_t *", stride="int64_t", background="const float *")
ch_mask_info = _struct("ch_mask_info", size="size_t", noise="double", threshold="double", reason="char[200]",
                       camera_noise="double", warnings="int")

ch_mask_object = _struct("ch_mask_object", left="int64_t", top="int64_t", right="int64_t", bottom="int64_t", area="int64_t",
                         x="double", y="double")
ch_activity = _struct("ch_activity", foreground="int64_t", share="double", objects="int64_t", left="int64_t", top="int64_t",
                      right="int64_t", bottom="int64_t")
ch_event = _struct(
    "ch_event", **{"size": "size_t", "start": "double", "end": "double", "from": "double", "to": "double", "moving": "double",
                   "first": "int64_t", "last": "int64_t", "frames": "int64_t", "peak": "int64_t", "peak_time": "double",
                   "share": "double", "objects": "int64_t"})

ch_stream_info = _struct("ch_stream_info", size="size_t", rows="int64_t", seen="int64_t", zeros="int64_t", kept="int64_t",
                         most="int64_t", reduced="int64_t", thinned="int64_t", tolerance="double", bound="double")
ch_record_piece = _struct("ch_record_piece", bytes="const void *", count="int64_t")
ch_checkpoint = _struct("ch_checkpoint", size="size_t", user="void *", name="const char *", has="int (*)(void *, int)",
                        take="ch_status (*)(void *, const void **, int64_t *, int)",
                        add="ch_status (*)(void *, const ch_record_piece *, int, int)", seconds="double")

ch_live_result = _struct(
    "ch_live_result", size="size_t", frame="int64_t", state="ch_live_state", mask="const uint8_t *", score="const float *",
    background="const float *[3]", rank="int64_t", weights="double[8]", gap="double", off="double", learned_anew="int")
ch_live_info = _struct(
    "ch_live_info", size="size_t", frames="int64_t", state="ch_live_state", rank="int64_t", anchors="int64_t[8]",
    rank_reason="char[256]", ghosts_reason="char[200]", noise="double", threshold="double", mask_reason="char[200]",
    lessons="int64_t", absorbed="int64_t", switches="int64_t", adaptations="int64_t", switch_frame="int64_t",
    adapted_frame="int64_t", worst_gap="double", unproven="int64_t", skipped="int64_t", implausible="int64_t", warnings="int")

ch_text_list = _struct("ch_text_list", count="int64_t", text="const char **", bytes="char *")
ch_corpus = _struct("ch_corpus", size="size_t", X="ch_matrix", terms="ch_text_list", names="ch_text_list", words="int64_t",
                    dropped="int64_t", empty="int64_t", labels="ch_text_list", excerpts="ch_text_list",
                    lengths="int64_t *", others="int64_t", skipped="ch_text_list", bad="ch_text_list", looks_utf8="int")
ch_weighting = _struct("ch_weighting", values="ch_value_weight", columns="ch_column_scale")
ch_topics = _struct(
    "ch_topics", size="size_t", status="ch_status", terms="int64_t", documents="int64_t", rank="int64_t", words="int64_t",
    candidates="int64_t", empty="int64_t", anchors="int64_t *", name="int64_t *", share="double *", topic_word="double *",
    document_topic="double *", top="int64_t", top_word="int64_t *", relevant_word="int64_t *", umass="double *",
    npmi="double *", refits="int64_t", divergence="double", objective="ch_topics_objective", weight="ch_value_weight", idf="double *",
    seconds_anchors="double", seconds_fit="double")
ch_exemplars = _struct(
    "ch_exemplars", size="size_t", status="ch_status", cols="int64_t", rank="int64_t", columns="int64_t *",
    stand_in="int64_t *", stands_for="int64_t *", explained="double", seconds_select="double", seconds_project="double",
    value="double", optimum="double", gains="int64_t", sample="int64_t")

ch_spectra_set = _struct("ch_spectra_set", bands="int64_t", pixels="int64_t", count="int64_t", endmembers="const double *",
                         abundances="const double *")
ch_spectra_score = _struct("ch_spectra_score", size="size_t", count="int64_t", match="int64_t *", angle="double *",
                           mean_angle="double", rmse="double *", mean_rmse="double")
ch_spectra_noise = _struct("ch_spectra_noise", size="size_t", bands="int64_t", rank="int64_t", deviation="double *", snr="double")
ch_spectra_smoothing = _struct("ch_spectra_smoothing", neighbours="int64_t", average="ch_spectra_average")
ch_unmix_rank = _struct("ch_unmix_rank", size="size_t", rank="int64_t", by_noise="int64_t", by_residual="int64_t", snr="double")

_tail("ch_corpus_settings", stop_words="const char *", stem="const char *", text_column="const char *",
      name_column="const char *", label_column="const char *", vocabulary="const ch_text_list *",
      stop_list="const ch_text_list *")
_tail("ch_exemplars_settings", weight="ch_weighting", features="ch_weighting", select="const ch_anchors_settings *")
_tail("ch_anchors_settings", keep="const int64_t *", keep_count="int64_t", custom="ch_bregman", keep_duals="int",
      row_weights="const double *", row_weight_count="int64_t", column_weights="const double *", column_weight_count="int64_t",
      observed="const ch_matrix *", weights="const ch_matrix *", checkpoint="const ch_checkpoint *", library="const ch_matrix *",
      selected="ch_selected_fn", selected_user="void *", take_weights="ch_weights_fn", take_weights_user="void *",
      custom_arrays="const ch_bregman_arrays *")
_tail("ch_separate_settings", ignore="const unsigned char *", busy="const int64_t *", busy_count="int64_t",
      checkpoint="const ch_checkpoint *")
_tail("ch_mask_settings", halves="int")
_tail("ch_live_settings", mask="const ch_mask_settings *", watch="const uint8_t *", halves="int", start="const ch_live_start *")

PROGRESS = "int (*)(const ch_progress_event *, void *)"
ch_progress_fn = c_type(PROGRESS)
bregman_fn = c_type(_REAL_FUNCTION)
bregman_array_fn = c_type(_ARRAY_FUNCTION)

# ---- functions and tables ----------------------------------------------------------------------

FUNCTIONS = {
    "ch_version": "const char *(void)",
    "ch_kernel_name": "const char *(int)",
    "ch_kernel_usable": "int (int)",
    "ch_blas_name": "const char *(void)",
    "ch_blas_core_wanted": "const char *(void)",
    "ch_status_name": "const char *(ch_status)",
    "ch_status_sentence": "const char *(ch_status)",
    "ch_context_create": "ch_status (ch_context **, const ch_memory_hooks *)",
    "ch_context_destroy": "void (ch_context *)",
    "ch_context_set_progress": "void (ch_context *, ch_progress_fn, void *)",
    "ch_context_set_threads": "ch_status (ch_context *, int)",
    "ch_context_threads": "int (const ch_context *)",
    "ch_context_set_kernel": "ch_status (ch_context *, const char *)",
    "ch_context_kernel": "const char *(const ch_context *)",
    "ch_context_message": "const char *(const ch_context *)",
    "ch_settings_defaults": "void (const ch_settings_table *, void *, size_t)",
    "ch_matrix_free": "void (ch_context *, ch_matrix *)",
    "ch_anchors": "ch_status (ch_context *, ch_anchors_result *, const ch_matrix *, const ch_anchors_settings *)",
    "ch_anchors_result_free": "void (ch_context *, ch_anchors_result *)",
    "ch_project": "ch_status (ch_context *, double *, ch_project_info *, const ch_matrix *, const double *, int64_t, "
                  "const ch_anchors_settings *)",
    "ch_verify": "ch_status (ch_context *, ch_verification *, const ch_matrix *, const ch_anchors_result *, "
                 "const ch_anchors_settings *)",
    "ch_advise_loss": "ch_status (ch_context *, ch_loss_advice *, const ch_matrix *, const ch_anchors_result *)",
    "ch_anchors_warning": "int (char *, size_t, const ch_anchors_result *, int)",
    "ch_anchors_rank_clear": "int (const ch_anchors_result *)",
    "ch_column_proofs": "ch_status (ch_context *, double *, double *, const ch_matrix *, const ch_anchors_result *, "
                        "const ch_anchors_settings *)",
    "ch_spectral_angle": "double (const double *, const double *, int64_t)",
    "ch_spectra_match": "ch_status (ch_context *, int64_t *, double *, const double *, int64_t, int64_t)",
    "ch_spectra_compare": "ch_status (ch_context *, ch_spectra_score *, const ch_spectra_set *, const ch_spectra_set *)",
    "ch_spectra_score_free": "void (ch_context *, ch_spectra_score *)",
    "ch_spectra_estimate_noise": "ch_status (ch_context *, ch_spectra_noise *, const ch_matrix *)",
    "ch_spectra_noise_free": "void (ch_context *, ch_spectra_noise *)",
    "ch_spectra_smooth": "ch_status (ch_context *, double *, int64_t *, const ch_matrix *, const double *, int64_t, "
                         "const ch_spectra_smoothing *)",
    "ch_unmix_choose_rank": "ch_status (ch_context *, ch_unmix_rank *, const ch_matrix *, const ch_unmix_settings *)",
    "ch_robust_pca": "ch_status (ch_context *, ch_decomposition *, const ch_matrix *, const ch_rpca_settings *)",
    "ch_robust_nmf": "ch_status (ch_context *, ch_decomposition *, const ch_matrix *, const ch_factor_settings *)",
    "ch_robust_lowrank": "ch_status (ch_context *, ch_decomposition *, const ch_matrix *, "
                         "const ch_factor_settings *)",
    "ch_decomposition_free": "void (ch_context *, ch_decomposition *)",
    "ch_median_filter": "ch_status (ch_context *, ch_matrix *, const ch_matrix *, const ch_median_settings *)",
    "ch_separate": "ch_status (ch_context *, ch_separation *, const ch_matrix *, const ch_separate_settings *)",
    "ch_separate_plane": "ch_status (ch_context *, ch_separation *, const ch_matrix *, const ch_separation *, "
                         "const ch_separate_settings *)",
    "ch_separate_apply": "ch_status (ch_context *, ch_separation *, const ch_matrix *, const double *, int64_t, "
                         "const ch_separate_settings *)",
    "ch_separation_background": "ch_status (ch_context *, float *, const ch_separation *, int64_t, int64_t)",
    "ch_separation_residual": "ch_status (ch_context *, float *, const ch_separation *, const ch_matrix *, int64_t, "
                              "int64_t)",
    "ch_separation_free": "void (ch_context *, ch_separation *)",
    "ch_masker_create": "ch_status (ch_context *, ch_masker **, const ch_frame_shape *, const ch_mask_settings *)",
    "ch_masker_destroy": "void (ch_masker *)",
    "ch_masker_set_region": "ch_status (ch_masker *, const uint8_t *)",
    "ch_masker_learn": "ch_status (ch_masker *, const ch_mask_plane *, int64_t)",
    "ch_masker_settle": "ch_status (ch_masker *, ch_mask_info *)",
    "ch_masker_apply": "ch_status (ch_masker *, uint8_t *, float *, const ch_mask_plane *, int64_t)",
    "ch_stream_create": "ch_status (ch_context *, ch_stream **, int64_t, const ch_anchors_settings *, "
                        "const ch_stream_settings *)",
    "ch_stream_destroy": "void (ch_stream *)",
    "ch_stream_push": "ch_status (ch_stream *, const ch_matrix *)",
    "ch_stream_get_info": "ch_status (const ch_stream *, ch_stream_info *)",
    "ch_stream_anchors": "ch_status (ch_stream *, ch_anchors_result *, double *)",
    "ch_stream_kept": "void (const ch_stream *, ch_matrix *, const int64_t **)",
    "ch_stream_save": "ch_status (ch_stream *, const ch_checkpoint *)",
    "ch_stream_restore": "ch_status (ch_context *, ch_stream **, const ch_anchors_settings *, const ch_checkpoint *)",
    "ch_checkpoint_file_open": "ch_status (ch_context *, ch_checkpoint_file **, const char *, int)",
    "ch_checkpoint_file_interface": "const ch_checkpoint *(const ch_checkpoint_file *)",
    "ch_checkpoint_file_close": "ch_status (ch_checkpoint_file *, int)",
    "ch_mask_warning": "const char *(int)",
    "ch_mask_activity": "ch_status (ch_context *, ch_activity *, ch_mask_object *, int64_t, const uint8_t *, const uint8_t *, "
                        "const ch_frame_shape *)",
    "ch_event_finder_create": "ch_status (ch_context *, ch_event_finder **, const ch_event_settings *)",
    "ch_event_finder_add": "ch_status (ch_event_finder *, ch_event *, int *, const ch_activity *, int64_t, double)",
    "ch_event_finder_finish": "ch_status (ch_event_finder *, ch_event *, int *, double)",
    "ch_event_finder_destroy": "void (ch_event_finder *)",
    "ch_corpus_count": "ch_status (ch_context *, ch_corpus *, const ch_text_list *, const ch_corpus_settings *)",
    "ch_corpus_free": "void (ch_context *, ch_corpus *)",
    "ch_topics_find": "ch_status (ch_context *, ch_topics *, const ch_matrix *, const ch_topics_settings *)",
    "ch_topics_project": "ch_status (ch_context *, double *, const ch_matrix *, const ch_topics *)",
    "ch_topics_free": "void (ch_context *, ch_topics *)",
    "ch_exemplars_find": "ch_status (ch_context *, ch_exemplars *, const ch_matrix *, int64_t, "
                         "const ch_exemplars_settings *)",
    "ch_exemplars_free": "void (ch_context *, ch_exemplars *)",
    "ch_live_state_name": "const char *(ch_live_state)",
    "ch_live_create": "ch_status (ch_context *, ch_live **, const ch_frame_shape *, const ch_live_settings *)",
    "ch_live_destroy": "void (ch_live *)",
    "ch_live_process": "ch_status (ch_live *, ch_live_result *, const uint8_t *const *, int)",
    "ch_live_replay": "ch_status (ch_live *, ch_live_result *, const uint8_t **, int64_t, int)",
    "ch_live_freeze": "ch_status (ch_live *, int)",
    "ch_live_get_info": "ch_status (const ch_live *, ch_live_info *)",
    "ch_live_model": "const float *(const ch_live *, int, int64_t *)",
}
_KNOWN["ch_progress_fn"] = ch_progress_fn

TABLES = ("ch_anchors_table", "ch_rpca_table", "ch_factor_table", "ch_median_table", "ch_separate_table",
          "ch_mask_table", "ch_event_table", "ch_stream_table", "ch_live_table", "ch_topics_table", "ch_exemplars_table", "ch_corpus_table",
          "ch_unmix_table")
FUNCTIONS.update(dict.fromkeys(TABLES, "const ch_settings_table *(void)"))


def declare(library: ctypes.CDLL) -> None:
    """Gives every function of the library its types."""
    for name, words in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, *function.argtypes = prototype(words)
