"""Compares what a page says a command prints with what it printed."""
import re


def pattern_of(shown):
    """The lines shown, in a row; `...` stands for anything, alone on a line for any lines, and times may differ."""
    parts = []
    for line in shown.rstrip("\n").split("\n"):
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
            continue
        words = [r"[\d.]+" if i % 2 else r"\s+".join(re.escape(word).replace(r"\.\.\.", ".*?") for word in piece.split())
                 for i, piece in enumerate(re.split(r"(?<![\w.])(\d+(?:\.\d+)?)(?= m?s(?!\w))", line.strip()))]
        parts.append(r"[ \t]*" + r"\s*".join(words) + r"[ \t]*\n")
    return r"(?m)^" + "".join(parts)


def differs(shown, printed):
    """None, or the first line shown that is not there."""
    text = printed.rstrip("\n") + "\n"
    if re.search(pattern_of(shown), text):
        return None
    lines = shown.rstrip("\n").split("\n")
    for count in range(1, len(lines) + 1):
        if not re.search(pattern_of("\n".join(lines[:count])), text):
            return lines[count - 1]
    return lines[-1]
