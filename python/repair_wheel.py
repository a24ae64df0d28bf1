#!/usr/bin/env python3
"""Makes a wheel that runs elsewhere, and names it by what it needs.

    repair_wheel.py [--root ROOT] [--programs PROGRAMS] WHEEL FOLDER     the repaired wheel goes into FOLDER
    repair_wheel.py --check WHEEL       only looks: which glibc, which libraries; fails if one is not allowed

Libraries that are not on the list of those which every Linux has (ALLOWED: those of manylinux) are copied into the package,
beside the programs that need them, with their licences; patchelf makes the loader look there ($ORIGIN). They are those of
ROOT, a Debian root such as a folder of debootstrap (default: /). PROGRAMS is a folder with the library and the command as
another Debian or a cross compiler made them: they replace those of the wheel. The processor and the glibc of the tag are
read from the programs: the newest version of a symbol that any file of the wheel asks for decides, so manylinux_2_31 is
never claimed, but found."""
import argparse
import base64
import csv
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ALLOWED = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1", "libstdc++.so.6",
           "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine of an ELF header
PROGRAMS = ("libconehull.so", "conehull")


def output(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def programs(folder):
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink() and is_elf(path)]


def machine(path):
    with open(path, "rb") as file:
        number = int.from_bytes(file.read(20)[18:20], "little")
    return MACHINES.get(number) or sys.exit(f"{path.name}: for a processor that is not known here ({number})")


def needed(path):
    return re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", path))


def glibc(path):
    """The newest version of glibc that a symbol of the file asks for."""
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", output("readelf", "--version-info", path))
    return max(((int(major), int(minor)) for major, minor in versions), default=(2, 0))


class Root:
    """The libraries of a Debian root, and which package each belongs to."""

    def __init__(self, folder, processor):
        self.folder = Path(folder).resolve()
        triplet = f"{processor}-linux-gnu"
        self.search = [f"usr/lib/{triplet}", f"lib/{triplet}", "usr/lib", "lib", "usr/local/lib"]

    def file(self, path):
        """Where a path of the root leads: absolute links stay inside it."""
        for _ in range(20):
            if not path.is_symlink():
                return path
            target = os.readlink(path)
            path = self.folder / target.lstrip("/") if target.startswith("/") else path.parent / target
        sys.exit(f"{path}: links without an end")

    def find(self, name):
        for folder in self.search:
            path = self.file(self.folder / folder / name)
            if path.is_file():
                return path
        sys.exit(f"{name}: not found in {self.folder}")

    def notice(self, library):
        """The copyright file of the package that a library belongs to, and the package's name."""
        for listed in sorted((self.folder / "var/lib/dpkg/info").glob("*.list")):
            if any(line.endswith("/" + library.name) for line in listed.read_text().splitlines()):
                owner = listed.stem.split(":")[0]
                path = self.file(self.folder / "usr/share/doc" / owner / "copyright")
                if path.is_file():
                    return path, owner
        sys.exit(f"{library}: its licence was not found; nothing is bundled without it")


def bundle(package, root):
    """Copies what is missing elsewhere, and points every file of the package at its own folder. Returns the names."""
    inside = package / "_lib"
    waiting = programs(package)
    copied = []
    while waiting:
        for name in needed(waiting.pop()):
            if name in ALLOWED or (inside / name).exists():
                continue
            library = root.find(name)
            shutil.copy2(library, inside / name)
            os.chmod(inside / name, 0o755)
            notice, owner = root.notice(library)
            shutil.copy(notice, package / f"LICENSE-{owner}.txt")
            waiting.append(inside / name)
            copied.append(name)
    for path in programs(package):
        subprocess.run(["patchelf", "--force-rpath", "--set-rpath", "$ORIGIN", str(path)], check=True)
    return sorted(copied)


def problems(package):
    """Libraries that the wheel needs and neither has nor may expect."""
    own = {path.name for path in programs(package)}
    return sorted({f"{path.name} needs {name}" for path in programs(package) for name in needed(path)
                   if name not in ALLOWED and name not in own})


def outside(package):
    """Libraries of the machine that the wheel uses."""
    return sorted({name for path in programs(package) for name in needed(path)} & ALLOWED)


def newest(package):
    """The newest glibc that a program asks for, and which program that is."""
    return max((glibc(path), path.name) for path in programs(package))


def tag_of(package):
    major, minor = newest(package)[0]
    processors = {machine(path) for path in programs(package)}
    if len(processors) != 1:
        sys.exit(f"programs for several processors: {', '.join(sorted(processors))}")
    return f"py3-none-manylinux_{major}_{minor}_{processors.pop()}"


def write_record(root, info):
    lines = io.StringIO()
    rows = csv.writer(lines, lineterminator="\n")
    for path in sorted(path for path in root.rglob("*") if path.is_file() and path.name != "RECORD"):
        digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
        rows.writerow([path.relative_to(root), f"sha256={digest}", path.stat().st_size])
    rows.writerow([(info / "RECORD").relative_to(root), "", ""])
    (info / "RECORD").write_text(lines.getvalue())


def pack(root, wheel):
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in root.rglob("*") if path.is_file()):
            archive.write(path, path.relative_to(root))


def unpack(wheel, root):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(root)
        for entry in archive.infolist(): # extractall() drops the permissions
            mode = entry.external_attr >> 16 & 0o777
            if mode:
                os.chmod(root / entry.filename, mode)


def repair(package, given):
    for name in PROGRAMS if given.programs else ():
        shutil.copy2(given.programs / name, package / "_lib" / name)
    copied = bundle(package, Root(given.root, machine(package / "_lib" / PROGRAMS[0])))
    print(f"bundled, each with its licence: {' '.join(copied) or 'nothing'}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", type=Path, default=Path("/"))
    parser.add_argument("--programs", type=Path)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("folder", type=Path, nargs="?")
    given = parser.parse_args()
    if not given.check and not given.folder:
        parser.error("a folder for the repaired wheel is missing")
    with tempfile.TemporaryDirectory() as work:
        root = Path(work)
        unpack(given.wheel, root)
        package, info = root / "conehull", next(root.glob("*.dist-info"))
        if not given.check:
            repair(package, given)
        missing, tag = problems(package), tag_of(package)
        (major, minor), file = newest(package)
        print(f"{given.wheel.name}: {len(programs(package))} programs and libraries; "
              f"the newest glibc asked for is {major}.{minor} (by {file}): {tag}"
              + "".join(f"\n  {line}, which is not in it" for line in missing))
        if missing:
            sys.exit(1)
        if given.check:
            claimed = given.wheel.stem.split("-", 2)[2]
            if claimed != tag:
                sys.exit(f"{given.wheel.name}: claims {claimed}, needs {tag}")
            print("all that they need is inside, or on every Linux: " + " ".join(outside(package)))
            sys.exit()
        facts = (info / "WHEEL").read_text()
        (info / "WHEEL").write_text(re.sub(r"^Tag: .*$", f"Tag: {tag}", facts, flags=re.M))
        write_record(root, info)
        given.folder.mkdir(parents=True, exist_ok=True)
        made = given.folder / f"{'-'.join(given.wheel.name.split('-')[:2])}-{tag}.whl"
        pack(root, made)
        print(made)


if __name__ == "__main__":
    main()
