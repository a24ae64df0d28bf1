#!/usr/bin/python3
"""Pictures of a page, to look at: desktop, phone, dark, and its print.

    look.py PAGE.html FOLDER"""
import os
import shutil
import subprocess
import sys

from browser import DESKTOP, PHONE, Browser


def main(path, folder):
    os.makedirs(folder, exist_ok=True)
    views = {"desktop": (DESKTOP, False), "phone": (PHONE, False), "dark": (DESKTOP, True)}
    with Browser() as browser:
        for name, (size, dark) in views.items():
            page = browser.open(path, size, dark)
            page.screenshot(os.path.join(folder, f"{name}.png"))
            print(f"{name}: window {size[0]}, contents {page.width()} pixels wide")
        page.print_pdf(os.path.join(folder, "print.pdf"))
    if shutil.which("pdftoppm"):
        subprocess.run(["pdftoppm", "-r", "60", "-png", f"{folder}/print.pdf", f"{folder}/print"], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
