#!/usr/bin/python3
"""A header for doxygen: `typedef struct x {..} x;` becomes `struct x {..};`, or it would list every x twice."""
import re
import sys

with open(sys.argv[1], encoding="utf-8") as header:
    print(re.sub(r"typedef (enum|struct) (\w+) (\{.*?\}) \2;", r"\1 \2 \3;", header.read(), flags=re.S))
