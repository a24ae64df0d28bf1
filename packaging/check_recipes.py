#!/usr/bin/env python3
"""Compares the recipes, which nobody has run here, with the tree: version, options of CMake, libraries, names of packages.

    check_recipes.py SOURCE"""
import re
import subprocess
import sys
from pathlib import Path

# Debian's package of a library -> its name on conda-forge and in Homebrew.
LIBRARIES = {"libopenblas-pthread-dev": ("libcblas", "openblas"), "libarchive-dev": ("libarchive", "libarchive"),
             "zlib1g-dev": ("zlib", "zlib"), "libxxhash-dev": ("xxhash", "xxhash"),
             "libutf8proc-dev": ("libutf8proc", "utf8proc"), "libhdf5-dev": ("hdf5", "hdf5"),
             "libpng-dev": ("libpng", "libpng"), "libjansson-dev": ("jansson", "jansson"),
             "libtiff-dev": ("libtiff", "libtiff"), "libturbojpeg0-dev": ("libjpeg-turbo", "jpeg-turbo"),
             "liblinear-dev": ("liblinear", "liblinear")}
LEFT_OUT = re.compile(r"lib(c6|av\w+|swscale|openmpi|stemmer)-dev$")  # video, MPI; stems are optional


def problems(source):
    cmake = "".join(path.read_text() for path in (source / "CMakeLists.txt", *sorted((source / "cmake").glob("*.cmake"))))
    major, minor, patch = re.search(r"project\(conehull VERSION (\d+)\.(\d+)\.(\d+)", cmake).groups()
    conda, brew, container = ((source / "packaging" / name).read_text() for name in ("conda/meta.yaml", "conehull.rb", "Containerfile"))
    version = f"{major}.{minor}.{patch}"
    if f'version = "{version}"' not in conda:
        yield f"conda/meta.yaml is not of version {version}"
    if f"conehull-{version}.tar.gz" not in brew:
        yield f"conehull.rb is not of version {version}"
    if f"libconehull{major}.{minor}_*.deb" not in container:
        yield f"Containerfile does not take libconehull{major}.{minor}"
    for option in sorted(set(re.findall(r"-D(CONEHULL_\w+)=", conda + brew))):
        if not re.search(rf"(option|ch_auto)\({option}\b", cmake):
            yield f"there is no option {option}"
    listed = subprocess.run([source / "tools/install-deps", "--list", "build"], check=True, capture_output=True, text=True).stdout
    for package in sorted({line.split()[1] for line in listed.splitlines()}):
        if not package.endswith("-dev") or LEFT_OUT.match(package):
            continue
        if package not in LIBRARIES:
            yield f"{package} has no name for conda-forge and Homebrew in check_recipes.py"
            continue
        names = LIBRARIES[package]
        if f"    - {names[0]}\n" not in conda:
            yield f"conda/meta.yaml lacks {names[0]} ({package})"
        if f'depends_on "{names[1]}"\n' not in brew:
            yield f"conehull.rb lacks {names[1]} ({package})"


found = list(problems(Path(sys.argv[1])))
print("\n".join(found) or "recipes: version, options, libraries and packages are those of the tree")
sys.exit(bool(found))
