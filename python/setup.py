"""Builds the library and the command with CMake and puts them into the package.

The build happens beside this file, or in ``CONEHULL_BUILD_DIR`` (which is kept, so that a second wheel takes
seconds), from the source tree around this file, or ``CONEHULL_SOURCE``. Video through libav stays out: a binary that is
linked to Debian's FFmpeg is under the GPL. Further options for CMake come from ``CMAKE_ARGS``.

``CONEHULL_PROGRAMS`` names a folder with a library, a command and a ``_version.py`` that were built elsewhere, by
packaging/wheels/build-old: nothing is compiled then.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
SOURCE = Path(os.environ.get("CONEHULL_SOURCE", HERE.parent)).resolve()
NOTICES = {"OpenBLAS": "libopenblas-pthread-dev", "xxHash": "libxxhash-dev", "utf8proc": "libutf8proc-dev",
           "zlib": "zlib1g-dev"}  # what is compiled into the library
OPTIONS = ["-DCMAKE_BUILD_TYPE=Release", "-DCONEHULL_TESTS=OFF", "-DCONEHULL_LAB=OFF", "-DCONEHULL_VIDEO=OFF"]


def version() -> str:
    """From its one source."""
    return re.search(r"project\(conehull VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]


def compile_library(folder: Path) -> None:
    generator = ["-GNinja"] if shutil.which("ninja") and "CMAKE_GENERATOR" not in os.environ else []
    arguments = shlex.split(os.environ.get("CMAKE_ARGS", ""))
    subprocess.run(["cmake", "-S", SOURCE, "-B", folder, *generator, *OPTIONS, *arguments], check=True)
    jobs = str(len(os.sched_getaffinity(0)))
    subprocess.run(["cmake", "--build", folder, "--parallel", jobs, "--target", "python_package", "conehull"], check=True)


def programs() -> dict:
    """name in the package -> file: built elsewhere, or now."""
    elsewhere = os.environ.get("CONEHULL_PROGRAMS")
    if elsewhere:
        return {name: Path(elsewhere, Path(name).name) for name in ("_version.py", "_lib/libconehull.so", "_lib/conehull")}
    folder = Path(os.environ.get("CONEHULL_BUILD_DIR", HERE / "build" / "cmake")).resolve()
    compile_library(folder)
    made = folder / "python" / "conehull"
    return {"_version.py": made / "_version.py", "_lib/libconehull.so": made / "_lib/libconehull.so", "_lib/conehull": folder / "conehull"}


class BuildWithLibrary(build_py):
    """The modules, the version that CMake wrote, the types, the library and the command."""

    def run(self):
        shutil.rmtree(self.build_lib, ignore_errors=True)  # modules that are gone stay out
        super().run()
        package = Path(self.build_lib) / "conehull"
        (package / "_lib").mkdir(parents=True, exist_ok=True)
        for name, made in programs().items():
            shutil.copy2(made, package / name)
        shutil.copy2(SOURCE / "LICENSE", package / "LICENSE.txt")
        for name, source in NOTICES.items():
            notice = Path("/usr/share/doc", source, "copyright")
            if notice.exists():
                shutil.copy2(notice, package / f"LICENSE-{name}.txt")
        built = dict(os.environ, PYTHONPATH=str(Path(self.build_lib).resolve()))
        subprocess.run([sys.executable, SOURCE / "python" / "stubs" / "write_stubs.py", package], check=True, env=built)
        shutil.rmtree(package / "__pycache__", ignore_errors=True)
        subprocess.run(["strip", package / "_lib" / "libconehull.so", package / "_lib" / "conehull"], check=True)


class PlatformWheel(bdist_wheel):
    """For any Python 3, but for this system: the library is loaded, not an extension module."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


setup(version=version(), distclass=WithLibrary, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
