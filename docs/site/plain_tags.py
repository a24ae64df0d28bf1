#!/usr/bin/python3
"""A header for doxygen: `typedef struct x {..} x;` becomes `struct x {..};`, or it would list every x twice. Lines of a
comment that stand by themselves and are indented stay as they are; in the others `words` between backquotes are code,
and -- is no dash but begins an option."""
import re
import sys


def keep_lines(block):
    lines = re.sub(r"^ \* {5,6}", "", block.group(1), flags=re.M)
    return f"\n *\n * @verbatim\n{lines}\n@endverbatim\n *\n"


def plain_words(line):
    """Doxygen without Markdown would show the backquotes, and write --rank with an entity that breathe shows as such."""
    if re.match(r" \* {5,}", line):
        return line
    return re.sub(r"(?<![\w-])--(?=[a-z])", r"\\--", re.sub(r"`([^`]+)`", r"<tt>\1</tt>", line))


with open(sys.argv[1], encoding="utf-8") as header:
    text = re.sub(r"typedef (enum|struct) (\w+) (\{.*?\}) \2;", r"\1 \2 \3;", header.read(), flags=re.S)
text = "\n".join(map(plain_words, text.split("\n")))
print(re.sub(r"\n \*\n((?: \* {5,}\S.*\n)* \* {5,}\S.*)\n \*\n", keep_lines, text))
