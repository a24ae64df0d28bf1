#!/usr/bin/python3
"""A header for doxygen: `typedef struct x {..} x;` becomes `struct x {..};`, or it would list every x twice. Lines of a
comment that stand by themselves and are indented stay as they are."""
import re
import sys


def keep_lines(block):
    lines = re.sub(r"^ \* {5,6}", "", block.group(1), flags=re.M)
    return f"\n *\n * @verbatim\n{lines}\n@endverbatim\n *\n"


with open(sys.argv[1], encoding="utf-8") as header:
    text = re.sub(r"typedef (enum|struct) (\w+) (\{.*?\}) \2;", r"\1 \2 \3;", header.read(), flags=re.S)
print(re.sub(r"\n \*\n((?: \* {5,}\S.*\n)* \* {5,}\S.*)\n \*\n", keep_lines, text))
