#!/usr/bin/python3
"""Runs every sample of the site, README.md, the help and the headers' comments: blocks marked sh, python and c.

    tests/e2e/docs/run_samples.py BUILD [--full] [--page NAME ...] [--jobs N] [-v]

Each page has a folder of its own with the files of make_fixtures.py, `conehull` in its PATH, and BUILD as `build`; its
blocks run there in order. A line before a block may say otherwise, for all readers of the source to see:

    <!-- sample: long -->             only with --full (make docs-check), which is also where real data are used
    <!-- sample: data -->             the same, and only where ../shared/data or $CONEHULL_DATA is
    <!-- sample: installed -->        only with --full, after an installation into a folder
    <!-- sample: shown, REASON -->    not run at all

`make`, `ctest --preset`, tools/install-deps and .ci/run are not run, but what they name must exist, and sudo gives nobody
rights. `! command` must fail. Python blocks of a page share their names. C with main() is compiled and run, other C is
compiled only (c_samples.py). A block marked none after a sample is what that sample prints, and is compared with it
(printed.py); `shown, REASON` leaves that out too. A command in any other block, a block of another kind and one that is
indented are errors."""
import argparse
import contextlib
import glob
import io
import multiprocessing
import multiprocessing.connection
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

import c_samples
import make_fixtures
import printed

top = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
LONG_COMMANDS = ("demo", "bench", "reproduce")  # whose examples in the help take minutes
KINDS = ("sh", "python", "c")
OUTSIDE = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "report/README.md")  # pages outside docs/
COMMAND = re.compile(r"\s*(\$ )?((build/)?conehull(-mpi)? [a-z]+ |make [a-z]|sudo |(\S*/)?pip3? install|python3 \S|"
                     r"(cmake|ctest) -|tools/\w|\.ci/)")
SKIPPED = 77  # a sample's own word for what is not installed


class Sample:
    def __init__(self, page, line, kind, text, mark):
        self.page, self.line, self.kind, self.text, self.mark = page, line, kind, text, mark
        self.prints = None


def take_block(samples, stray, block):
    """One block of a page: a sample, what the sample before it prints, or neither."""
    where = f"{block.page}:{block.line}"
    commands = [line for line in block.text.split("\n") if COMMAND.match(line)]
    if block.mark and not re.match(r"(long|data|installed|shown, \S.*)$", block.mark):
        stray.append(f"{where}: unknown mark, or no reason: {block.mark}")
    elif block.kind in KINDS:
        samples.append(block)
    elif block.kind == "none" and not block.mark and samples and not commands:
        samples[-1].prints = block
    elif block.kind not in ("none", "{toctree}", "{eval-rst}"):
        stray.append(f"{where}: a block of kind '{block.kind}' is never run; there are sh, python, c and none")
    elif commands:
        stray.append(f"{where}: a command outside of a ```sh block is never run: {commands[0].strip()}")


def read_samples(page, text):
    """Samples of a page, and places where a command stands in a block that is none."""
    samples, stray = [], []
    mark, kind, body, start = "", None, [], 0
    for number, line in enumerate(text.split("\n"), 1):
        if kind is not None:
            if re.match(r"```\s*$", line):
                take_block(samples, stray, Sample(page, start, kind, "\n".join(body) + "\n", mark))
                kind, mark = None, ""
            else:
                body.append(line)
        elif line.startswith("```"):
            kind, body, start = line.strip("`").strip(), [], number
        elif re.match(r"<!-- sample: .* -->$", line):
            mark = line[len("<!-- sample: "):-len(" -->")]
        elif re.match(r"\s+(```|~~~)|~~~", line):
            stray.append(f"{page}:{number}: an indented block, or one of ~~~, is never run")
        elif line.startswith("    ") and COMMAND.match(line):
            stray.append(f"{page}:{number}: a command outside of a ```sh block is never run: {line.strip()}")
    return samples, stray


def headings(path):
    """Places of a page as GitHub and the site name them."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^```.*?^```", "", file.read(), flags=re.M | re.S)
    return {re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") for title in re.findall(r"^#+ (.*)", text, re.M)}


def check_links(page, text):
    """Links to files and places that are not there."""
    wrong = []
    for target in re.findall(r"!?\[[^][]*\]\(([^()\s]+)\)", text):
        name, _, place = target.partition("#")
        if re.match(r"[a-z]+:", target) or "reference/c/" in name or "reference/command/" in name:
            continue  # elsewhere, or made with the site
        path = os.path.join(top, os.path.dirname(page), name) if name else os.path.join(top, page)
        if not os.path.exists(path):
            wrong.append(f"{page}: the link {target} leads nowhere")
        elif place and path.endswith(".md") and place not in headings(path):
            wrong.append(f"{page}: the link {target} leads to no heading")
    return wrong


def read_help(program):
    """The examples of every command's help."""
    def ask(*words):
        return subprocess.run([program, *words], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    names = re.findall(r"^  (\w+) ", re.search(r"Commands:\n(.*?)\n\n", ask("--help"), re.S).group(1), re.M)
    samples = []
    for name in names:
        examples = re.search(r"\nExamples:\n(.*?)\n\n", ask(name, "--help"), re.S).group(1)
        mark = "long" if name in LONG_COMMANDS else ""
        samples.append(Sample("help", name, "sh", re.sub(r"^ {2}", "", examples, flags=re.M) + "\n", mark))
    return samples


# ---- what is run, within a page's folder --------------------------------------------------------

def run_shell(sample, settings):
    script = ["set -eu", 'make() { "$CHECK_MAKE" "$@"; }', 'sudo() { case $1 in make) "$@" ;; esac; }',
              f'tools/install-deps() {{ {top}/tools/install-deps --list "$@" > /dev/null; }}',
              f'ctest() {{ test "$1" = --preset && grep -q "\\"name\\": \\"$2\\"" {top}/CMakePresets.json; }}',
              f'.ci/run() {{ test -x {top}/.ci/run; }}',
              f'python3() {{ {sys.executable} "$@"; }}']
    for line in sample.text.split("\n"):
        wrong = re.match(r"! ([^#]*)", line)
        script.append(f"if {wrong.group(1)}; then echo 'this should have failed'; exit 99; fi" if wrong else line)
    return subprocess.run(["bash", "-c", "\n".join(script)], env=settings.environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=settings.timeout)


def run_python(sample, names):
    out = io.StringIO()
    try:
        code = compile(sample.text, f"{sample.page}:{sample.line}", "exec")
        with contextlib.redirect_stdout(out):
            exec(code, names)
        return 0, out.getvalue()
    except SystemExit as ended:
        return ended.code or 0, out.getvalue()
    except BaseException:
        return 1, traceback.format_exc()


def run_sample(sample, names, settings):
    """(exit code, what it printed)"""
    try:
        if sample.kind == "python":
            return run_python(sample, names)
        if sample.kind == "c":
            return c_samples.run(sample, settings) or (SKIPPED, "no MPI")
        done = run_shell(sample, settings)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        return 1, f"not done after {late.timeout} s"


def judge(sample, code, words):
    """None, or what is wrong with it."""
    if code != 0:
        return f"{sample.page}:{sample.line}: {sample.kind} sample failed ({code})\n{sample.text}{words[-2500:]}"
    line = sample.prints and printed.differs(sample.prints.text, words)
    if line:
        return f"{sample.page}:{sample.prints.line}: not what is printed: {line}\n{words[-2500:]}"
    return None


class Settings:
    def __init__(self, options, folder, data):
        self.build, self.full, self.data = os.path.abspath(options.build), options.full, data
        self.timeout = 3600 if options.full else 300
        self.folder, self.fixtures = folder, os.path.join(folder, "fixtures")
        self.c_before = []
        check = os.path.join(folder, "check_make")
        with open(os.path.join(top, "Makefile"), encoding="utf-8") as file:
            targets = set(" ".join(re.findall(r"^([a-z][\w -]*):", file.read(), re.M)).split())
        with open(check, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nfor word; do case $word in *=*|" + "|".join(sorted(targets)) +
                       ") ;; *) echo \"make has no target $word\"; exit 2;; esac; done\n")
        os.chmod(check, 0o755)
        self.environment = dict(os.environ, PATH=self.build + os.pathsep + os.environ["PATH"], CHECK_MAKE=check,
                                PYTHONPATH=os.pathsep.join(python_folders(self.build)), OMPI_ALLOW_RUN_AS_ROOT="1",
                                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                                PREFIX=os.path.join(folder, "prefix"))
        if options.full:
            self.install()

    def install(self):
        prefix = self.environment["PREFIX"]
        subprocess.run(["cmake", "--install", self.build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        library = os.path.dirname(glob.glob(os.path.join(prefix, "lib*", "**", "libconehull.so"), recursive=True)[0])
        self.environment.update(PKG_CONFIG_PATH=os.path.join(library, "pkgconfig"), LD_LIBRARY_PATH=library)

    def leaves_out(self, sample):
        """Why a sample is not run now, or None."""
        if sample.mark.startswith("shown"):
            return "shown"
        if sample.mark == "data":
            return None if self.full and self.data else "data"
        if sample.mark in ("long", "installed"):
            return None if self.full else sample.mark
        return None


def run_page(job):
    """One page in a process of its own: (page, counts by kind, left out, failures, processor time)."""
    page, samples, settings = job
    folder = os.path.join(settings.folder, re.sub(r"\W", "_", page))
    before = sum(os.times()[:4])
    shutil.copytree(settings.fixtures, folder, symlinks=True, copy_function=os.link)
    os.chdir(folder)
    os.symlink(settings.build, "build")
    if settings.data:
        os.makedirs("../shared", exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.symlink(settings.data, "../shared/data")
            os.symlink(settings.data, "DIR")
    names, ran, left, failures = {"__name__": "sample"}, {}, {}, []
    for sample in samples:
        why = settings.leaves_out(sample)
        if why:
            left[why] = left.get(why, 0) + 1
            continue
        code, words = run_sample(sample, names, settings)
        if code == SKIPPED:
            left["not installed"] = left.get("not installed", 0) + 1
            continue
        ran[sample.kind] = ran.get(sample.kind, 0) + 1
        fault = judge(sample, code, words)
        if fault:
            failures.append(fault)
        elif sample.prints:
            ran["outputs"] = ran.get("outputs", 0) + 1
    used = os.times()
    return page, ran, left, failures, sum(used[:4]) - before


def run_apart(jobs, most):
    """Runs each page in a process of its own, `most` at a time, and yields what run_page() returns. A page whose process dies, for
    example by a crash of the library, is a failure."""
    context = multiprocessing.get_context("fork")
    waiting, running = list(jobs), {}
    while waiting or running:
        while waiting and len(running) < most:
            job = waiting.pop(0)
            receive, send = context.Pipe(duplex=False)
            process = context.Process(target=lambda: send.send(run_page(job)))
            process.start()
            send.close()
            running[receive] = (job[0], process)
        for receive in multiprocessing.connection.wait(running):
            page, process = running.pop(receive)
            try:
                yield receive.recv()
            except EOFError:
                process.join()
                yield page, {}, {}, [f"{page}: the process that ran its samples ended with code {process.exitcode}"], 0
            process.join()


def python_folders(build):
    return [os.path.join(build, "python"), os.path.join(top, "tests/e2e/browser")]


def collect(options, build):
    pages = list(OUTSIDE) + sorted(glob.glob("docs/**/*.md", root_dir=top, recursive=True))
    jobs, stray = [], []
    for page in pages:
        with open(os.path.join(top, page), encoding="utf-8") as file:
            text = file.read()
        samples, found = read_samples(page, text)
        stray += found + check_links(page, text)
        if samples:
            jobs.append((page, samples))
    for header in c_samples.headers():
        found = [Sample(header, line, "c", text, "") for line, text in c_samples.header_samples(os.path.join(top, header))]
        if found:
            jobs.append((header, found))
    jobs.append(("help", read_help(os.path.join(build, "conehull"))))
    if options.page:
        jobs = [job for job in jobs if any(name in job[0] for name in options.page)]
    return jobs, stray


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--full", action="store_true", help="long samples, and those that need data, too")
    parser.add_argument("--page", action="append", help="pages with this in their names alone")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    data = os.environ.get("CONEHULL_DATA") or os.path.join(top, "../shared/data")
    data = os.path.abspath(data) if os.path.isdir(data) else None
    jobs, stray = collect(options, build)
    sys.path[:0] = python_folders(build)
    import conehull  # noqa: F401  once, before pages fork
    totals, left_out, failures = {}, {}, list(stray)
    with tempfile.TemporaryDirectory(prefix="conehull-samples-") as folder:
        settings = Settings(options, folder, data if options.full else None)
        make_fixtures.make(settings.fixtures, settings.data)
        for page, ran, left, failed, seconds in run_apart([(*job, settings) for job in jobs], options.jobs):
            if options.verbose:
                print(f"{seconds:6.2f} s  {page}: {ran}, left out {left}", flush=True)
            failures += failed
            for total, part in ((totals, ran), (left_out, left)):
                for kind, count in part.items():
                    total[kind] = total.get(kind, 0) + count
    for failure in failures:
        print(failure)
    print(f"{len(jobs)} pages, samples run: " + (", ".join(f"{n} {k}" for k, n in sorted(totals.items())) or "none")
          + "; left out: " + (", ".join(f"{n} {k}" for k, n in sorted(left_out.items())) or "none")
          + f"; {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
