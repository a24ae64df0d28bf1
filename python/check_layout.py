"""Do the declarations of conehull/_structs.py match the headers? The compiler decides.

    check_layout.py COMPILER INCLUDE_DIRECTORY...

Each struct, member, constant and function becomes a static assertion: size and offset as ctypes lays them
out, type as the header has it. A header that changed makes this fail, with the name of what changed.
"""
import ctypes
import importlib.util
import subprocess
import sys
from pathlib import Path


def declarations():
    """_structs.py alone; the package would load the library."""
    spec = importlib.util.spec_from_file_location("_structs", Path(__file__).parent / "conehull" / "_structs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def expect(condition: str, what: str) -> str:
    return f'_Static_assert({condition}, "{what}");'


def is_type(expression: str, words: str) -> str:
    return f"__builtin_types_compatible_p(__typeof__({expression}), {words})"


def source(structs) -> str:
    lines = ["#include <stddef.h>", *(f"#include <conehull/{header}>" for header in structs.HEADERS)]
    for name in structs.ENUMS:
        lines.append(expect(f"sizeof({name}) == sizeof(int)", f"{name} is an int"))
    for name, value in structs.CONSTANTS.items():
        lines.append(expect(f"{name} == {value}", f"{name} is {value}"))
    for name, members in structs.STRUCTS.items():
        tail = structs.TAILS.get(name)
        made, start = (tail, f"offsetof({name}, {next(iter(members))})") if tail else (getattr(structs, name), "0")
        lines.append(expect(f"sizeof({name}) == {start} + {ctypes.sizeof(made)}", f"size of {name}"))
        for member, words in members.items():
            lines.append(expect(f"offsetof({name}, {member}) == {start} + {getattr(made, member).offset}",
                                f"place of {name}.{member}"))
            lines.append(expect(is_type(f"(({name} *)0)->{member}", words), f"type of {name}.{member}"))
    lines.append(expect(is_type("(ch_progress_fn)0", structs.PROGRESS), "type of ch_progress_fn"))
    for name, words in structs.FUNCTIONS.items():
        lines.append(expect(is_type(name, words), f"type of {name}"))
    return "\n".join(lines) + "\n"


def main(compiler, *folders) -> int:
    text = source(declarations())
    command = [compiler, "-std=c11", "-fsyntax-only", *(f"-I{folder}" for folder in folders), "-x", "c", "-"]
    failed = subprocess.run(command, input=text, text=True).returncode
    print(f"{text.count('_Static_assert')} declarations compared: {'they differ' if failed else 'they fit'}")
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
