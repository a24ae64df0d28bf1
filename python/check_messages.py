#!/usr/bin/env python3
"""Checks that every message of the library that can reach Python uses the words of Python.

    check_messages.py SOURCE_TREE PACKAGE_FOLDER

Reads all string literals of the C sources behind ``anchors``, ``project``, ``verify`` and ``Stream``, translates them as the package
does, and refuses names of C, options of the command, and rows and columns. Skipped (77) if the package cannot be imported.
"""
import re
import sys
from pathlib import Path

FOLDERS = ("anchors", "baseline", "base", "checkpoint", "linalg", "loss", "project", "stream", "xray")
#: Names that no user of Python knows. In Python W are the weights, in C they are the anchors.
FOREIGN = re.compile(r"(?<![-\w])--?[a-z][a-z-]+|\b(row|column)(s|_weights?|_start)?\b(?!-sparse| of X'X)|\bch_\w+"
                     r"|\brank\b|\(setting|data point|text table"
                     r"|\b(library-only|max-missing|select-only|take_weights)\b|(?<!W )\bH\b|\bW\b(?! H)|\bweights of entries")
#: Messages about what the package itself passes to the library, or about several processes, which Python has not.
INTERNAL = re.compile(r"NULL|[Pp]rocess|take_weights|ch_comm|needs anchors, W and H|proofs of|row index|column starts|stride|sparse matrix"
                      r"|column_start|row_index|settings\.custom|is at byte|field at byte|a view|layout|of the view")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


def messages(path):
    """Yields line and text of the string literals of a C source that have more than one word."""
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), path.read_text(), flags=re.S)
    for found in re.finditer(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+', text):
        literal = "".join(LITERAL.findall(found[0]))
        if literal.count(" ") > 1:
            yield text.count("\n", 0, found.start()) + 1, literal


def main(tree, package) -> int:
    sys.path.insert(0, package)
    try:
        from conehull import _errors, _settings
    except ImportError as error:
        print(f"skipped: {error}")
        return 77
    assert _settings.tables  # adds its names to the translation
    planted = _errors.ACROSS.translate("column_weights and select-only are for column 3; use --some-option")
    assert FOREIGN.findall(planted) and "sample_weight and select_only" in planted, planted
    count = bad = 0
    for path in sorted(path for folder in FOLDERS for path in Path(tree, "src", folder).rglob("*.c")):
        if path.name.endswith("_settings.c") or path.name == "column_proofs.c":
            continue  # names and help, which test_manners.py reads in the docstrings; gets results of the library only
        words = _errors.ACROSS.explain if path.name.startswith("verify") else _errors.ACROSS.translate
        for line, text in messages(path):
            said = words(re.sub(r"%lld|%d|%zu", "7", text))
            count += 1
            if FOREIGN.search(said) and not INTERNAL.search(text):
                print(f"{path.relative_to(tree)}:{line}: {FOREIGN.search(said)[0]!r} in: {said}")
                bad += 1
    print(f"{count} messages, {bad} with words that Python does not have")
    return 1 if bad or count < 200 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
