#!/usr/bin/env python3
"""repair_wheel.py on a wheel and a root that are made here: a command that needs a library, which needs another one.

    test_repair.py COMPILER

Skipped (77) where patchelf, readelf or objdump is missing."""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

REPAIR = Path(__file__).with_name("repair_wheel.py")
TAG = f"linux_{os.uname().machine}"
NAME = f"conehull-0.1-py3-none-{TAG}.whl"


def compile_c(compiler, source, target, *more):
    subprocess.run([compiler, "-x", "c", "-", "-x", "none", "-o", target, *more], input=source, text=True, check=True)


def make_root(folder, compiler):
    """A Debian root with two libraries of one package each; one of them behind an absolute link."""
    libraries = folder / f"usr/lib/{os.uname().machine}-linux-gnu"
    (libraries / "inner").mkdir(parents=True)
    shared = ["-shared", "-fPIC"]
    compile_c(compiler, "int inner(void) { return 40; }", libraries / "inner/libinner_test.so.3", *shared,
              "-Wl,-soname,libinner_test.so.3")
    (libraries / "libinner_test.so.3").symlink_to(f"/usr/lib/{os.uname().machine}-linux-gnu/inner/libinner_test.so.3")
    compile_c(compiler, "int inner(void); int outer(void) { return inner() + 2; }", libraries / "libouter_test.so.1", *shared,
              "-Wl,-soname,libouter_test.so.1", libraries / "inner/libinner_test.so.3")
    (folder / "var/lib/dpkg/info").mkdir(parents=True)
    for name, path in (("inner", "inner/libinner_test.so.3"), ("outer", "libouter_test.so.1")):
        (folder / f"var/lib/dpkg/info/lib{name}:any.list").write_text(f"/.\n/usr\n/usr/lib/somewhere/{path}\n")
        (folder / f"usr/share/doc/lib{name}").mkdir(parents=True)
        (folder / f"usr/share/doc/lib{name}/copyright").write_text(f"the terms of {name}\n")
    return libraries


def make_wheel(folder, compiler, libraries):
    work = folder / "wheel"
    (work / "conehull/_lib").mkdir(parents=True)
    info = work / "conehull-0.1.dist-info"
    info.mkdir()
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nTag: py3-none-{TAG}\n")
    (info / "RECORD").write_text("")
    (work / "conehull/__init__.py").write_text("")
    compile_c(compiler, '#include <stdio.h>\nint outer(void); int main(void) { printf("%d\\n", outer()); }',
              work / "conehull/_lib/conehull", libraries / "libouter_test.so.1", "-Wl,--allow-shlib-undefined")
    compile_c(compiler, "int nothing(void) { return 0; }", work / "conehull/_lib/libconehull.so", "-shared", "-fPIC")
    wheel = folder / NAME
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in sorted(work.rglob("*")):
            archive.write(path, path.relative_to(work))
    return wheel


def run(*words):
    return subprocess.run([sys.executable, str(REPAIR), *map(str, words)], capture_output=True, text=True)


def unpacked(wheel, folder):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def check_record(folder):
    rows = dict(line.split(",")[:2] for line in (folder / "conehull-0.1.dist-info/RECORD").read_text().splitlines())
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert set(rows) == files, set(rows) ^ files
    for name, digest in rows.items():
        if not name.endswith("RECORD"):
            wanted = base64.urlsafe_b64encode(hashlib.sha256((folder / name).read_bytes()).digest()).rstrip(b"=").decode()
            assert digest == f"sha256={wanted}", name


def newest_glibc(folder):
    """By another program than repair_wheel.py asks: the newest version of a dynamic symbol."""
    versions = []
    for path in (folder / "conehull/_lib").iterdir():
        listed = subprocess.run(["objdump", "-T", path], capture_output=True, text=True, check=True).stdout
        versions += [tuple(map(int, version)) for version in re.findall(r"GLIBC_(\d+)\.(\d+)", listed)]
    return max(versions)


def check_repaired(folder, wheel, root):
    """The command runs once the libraries of the root are gone; tag, licences and list of files are right."""
    done = run("--root", root, wheel, folder / "out")
    assert done.returncode == 0, done.stdout + done.stderr
    made = Path(done.stdout.splitlines()[-1])
    assert "-py3-none-manylinux_2_" in made.name and made.name.endswith(f"_{os.uname().machine}.whl"), made.name
    assert "bundled, each with its licence: libinner_test.so.3 libouter_test.so.1\n" in done.stdout, done.stdout
    looked = run("--check", made)
    assert looked.returncode == 0 and "libc.so.6" in looked.stdout, looked
    inside = unpacked(made, folder / "inside")
    tag = made.stem.split("-", 2)[2]
    assert tag == "py3-none-manylinux_%d_%d_%s" % (*newest_glibc(inside), os.uname().machine), tag
    assert f"Tag: {tag}\n" in (inside / "conehull-0.1.dist-info/WHEEL").read_text()
    for name in ("inner", "outer"):
        assert (inside / f"conehull/LICENSE-lib{name}.txt").read_text() == f"the terms of {name}\n"
    check_record(inside)
    shutil.rmtree(root / "usr/lib")
    command = inside / "conehull/_lib/conehull"
    os.chmod(command, 0o755)
    answer = subprocess.run([command], capture_output=True, text=True, env={})
    assert answer.stdout == "42\n", answer
    return made


def main(compiler):
    for tool in ("patchelf", "readelf", "objdump"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is missing")
            return 77
    with tempfile.TemporaryDirectory() as work:
        folder, root = Path(work), Path(work) / "root"
        wheel = make_wheel(folder, compiler, make_root(root, compiler))
        unfinished = run("--check", wheel)
        assert unfinished.returncode == 1 and "conehull needs libouter_test.so.1, which is not in it" in unfinished.stdout, unfinished
        notice = root / "usr/share/doc/libinner/copyright"
        notice.rename(folder / "notice")
        refused = run("--root", root, wheel, folder / "out")
        assert refused.returncode == 1 and "its licence was not found" in refused.stderr, refused
        assert not (folder / "out").exists()
        (folder / "notice").rename(notice)
        made = check_repaired(folder, wheel, root)
        boast = made.with_name(made.name.replace("manylinux_2_", "manylinux_2_0"))
        shutil.copy(made, boast)
        claimed = run("--check", boast)
        assert claimed.returncode == 1 and "claims" in claimed.stderr, claimed
        lost = run("--root", root, wheel, folder / "again")
        assert lost.returncode == 1 and "libouter_test.so.1: not found" in lost.stderr, lost
    print("a wheel was repaired, and four that are not good were refused")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
