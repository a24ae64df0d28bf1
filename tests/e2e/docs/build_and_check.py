#!/usr/bin/python3
"""Builds the site, warnings being errors, and checks its links; ends as skipped (77) where Sphinx is not installed.

    tests/e2e/docs/build_and_check.py BUILD"""
import importlib.util
import os
import shutil
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
top = os.path.abspath(os.path.join(here, "..", "..", ".."))


def missing():
    modules = [name for name in ("sphinx", "myst_parser", "breathe", "furo") if not importlib.util.find_spec(name)]
    return modules + [name for name in ("doxygen",) if not shutil.which(name)]


def main():
    lacking = missing()
    if lacking:
        print(f"skipped: {', '.join(lacking)} not installed; tools/install-deps docs")
        return 77
    html = os.path.join(sys.argv[1], "docs")
    for command in ([os.path.join(top, "docs/site/build_site"), sys.argv[1], "-o", html],
                    [os.path.join(here, "check_site.py"), html]):
        code = subprocess.run([sys.executable, *command]).returncode
        if code != 0:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
