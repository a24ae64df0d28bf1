"""C samples: programs are built and run, statements are compiled; those of the headers' comments too.

Statements stand in the body of a function. What a reader has by then is declared before it: see GIVEN."""
import glob
import os
import re
import shutil
import subprocess
import sys

top = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
sys.path.insert(0, os.path.join(top, "docs/site"))
import c_pages  # noqa: E402  what the site shows as C

HEAD = "".join(f"#include <{name}>\n" for name in (
    "stdio.h", "sys/param.h", "conehull/conehull.h", "conehull/io.h", "conehull/clip.h", "conehull/cube.h", "conehull/feed.h",
    "conehull/video.h", "conehull/text.h", "conehull/spectra.h"))
GIVEN = """
extern ch_context *context;
extern ch_matrix X, chunk;
extern ch_anchors_result result;
extern ch_anchors_settings anchors;
extern ch_separate_settings set;
extern ch_separation parts;
extern ch_checkpoint_file *file;
extern ch_mask_plane *clip;
extern int argc, process, planes;
extern char **argv;
extern int64_t rows, width, height, count, pixels;
extern double bound, threshold, *E;
extern uint8_t *gray, *masks, *truth, *region;
extern float *block, *scores;
int next_frame(), next_block(), next_chunk();
void use(const void *it);
"""
# Headers whose sample needs a context and a matrix only: it is run, and what it prints is its complaint.
WHOLE = {"anchors": "X.npy", "corpus": "X.npy", "decompose": "X.npy", "exemplars": "X.npy", "topics": "counts.mtx"}


def header_samples(path):
    """(line, text) of the C in the comments of a header."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for comment in re.finditer(r"/\*.*?\*/", text, re.S):
        lines = [re.sub(r"^ *\* ?", "", line) for line in comment.group()[2:-2].split("\n")]
        line = text.count("\n", 0, comment.start()) + 1
        for sample in re.findall(r"```c\n(.*?\n)```", c_pages.code_of(lines), re.S):
            yield line, sample


def headers():
    return sorted(glob.glob("include/conehull/*.h", root_dir=top))


def flags_of(page, text, build):
    """Where this page's headers are; None where MPI's are wanted and not installed."""
    folders = [os.path.join(top, "include"), os.path.join(build, "include")]
    folders += [os.path.join(top, name) for name in ("report", "cli")] if page.startswith("report/") else []
    flags = ["-std=gnu11", "-Wall", "-Werror"] + [word for folder in folders for word in ("-I", folder)]
    if "MPI_" in text:
        if not shutil.which("mpicc"):
            return None
        shown = subprocess.run(["mpicc", "-show"], stdout=subprocess.PIPE, encoding="utf-8").stdout
        flags += [word for word in shown.split() if word.startswith("-I")]
    return flags


def compile_only(text, flags):
    return subprocess.run(["cc", *flags, "-Wno-unused", "-fsyntax-only", "-x", "c", "-"], input=text.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def build_and_run(text, flags, settings):
    with open("first.c", "w", encoding="utf-8") as file:
        file.write(text)
    link = ["-L", settings.build, f"-Wl,-rpath,{settings.build}", "-lconehull_video", "-lconehull_text", "-lconehull_spectra",
            "-lconehull_io", "-lconehull"]
    command = f"cc {' '.join(flags)} -Wno-unused first.c -o first_built {' '.join(link)} && ./first_built"
    return subprocess.run(["bash", "-c", command], env=settings.environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=settings.timeout)


def as_program(text, matrix):
    return (HEAD + "int main(void) {\nch_context *context;\nch_matrix X;\n"
            "setvbuf(stdout, NULL, _IONBF, 0);\n"
            f"if (ch_context_create(&context, NULL) < 0 || ch_matrix_read(context, &X, \"{matrix}\", NULL) < 0) return 1;\n"
            "{\n" + text + "}\nch_matrix_free(context, &X);\nch_context_destroy(context);\nreturn 0;\n}\n")


def run(sample, settings):
    """(exit code, what was said), or None when it cannot be tried here."""
    text = sample.text
    flags = flags_of(sample.page, text, settings.build)
    if flags is None:
        return None
    header = re.fullmatch(r"include/conehull/(\w+)\.h", sample.page)
    whole = WHOLE.get(header.group(1)) if header else None
    if whole or "int main(" in text:
        done = build_and_run(as_program(text, whole) if whole else text, flags, settings)
        return (1 if whole and done.stdout else done.returncode), done.stdout.decode(errors="replace")
    at_top = re.match(r"\s*(#include|static|typedef|/\*)", text)
    if at_top:
        settings.c_before.append(text)
        done = compile_only(HEAD + "".join(settings.c_before), flags)
    else:
        kind = "stream" if "ch_stream_" in text else "anchors"
        before = "#include <conehull/mpi.h>\n" if "MPI_" in text else ""
        done = compile_only(HEAD + before + GIVEN + f"extern ch_{kind}_settings settings;\n" + "".join(settings.c_before) +
                            "void sample(void);\nvoid sample(void) {\n" + text + "}\n", flags)
    return done.returncode, done.stdout.decode(errors="replace")
