"""A page per installed header: its head comment as text, then what doxygen finds in it (through breathe)."""
import glob
import os
import re
import subprocess

from plain_text import escape, link_pages, to_markdown

# The order a newcomer reads them in; headers that are not named here follow.
ORDER = ["conehull", "context", "status", "matrix", "io", "settings", "anchors", "loss", "checkpoint", "comm", "mpi",
         "decompose", "separate", "ghosts", "mask", "metrics", "clip", "picture", "exemplars", "corpus", "topics",
         "synthetic", "random", "version", "export"]


def head_comment(text):
    body = re.match(r"\s*/\*+(.*?)\*/", text, re.S)
    if not body:
        return []
    return [re.sub(r"^ ?\* ?", "", line) if i else line.strip()
            for i, line in enumerate(body.group(1).rstrip().split("\n"))]


def code_of(lines):
    """Head comments hold C in indented lines; such blocks are shown as C."""
    return re.sub(r"```none\n(?=.*;\n)", "```c\n", to_markdown(lines))


def run_doxygen(stage, folders, top):
    with open(os.path.join(top, "docs/site/Doxyfile"), encoding="utf-8") as file:
        settings = file.read()
    settings += f"INPUT = {' '.join(folders)}\nOUTPUT_DIRECTORY = {stage}\nSTRIP_FROM_PATH = {top}\n"
    settings += f"INPUT_FILTER = {os.path.join(top, 'docs/site/plain_tags.py')}\nFILTER_SOURCE_FILES = YES\n"
    subprocess.run(["doxygen", "-"], input=settings, check=True, encoding="utf-8")


def write_pages(stage, top, build):
    folders = [os.path.join(top, "include/conehull"), os.path.join(build, "include/conehull")]
    headers = {os.path.basename(path)[:-2]: path
               for folder in folders for path in glob.glob(os.path.join(folder, "*.h"))}
    run_doxygen(stage, folders, top)
    names = sorted(headers, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))
    folder = os.path.join(stage, "reference/c")
    os.makedirs(folder, exist_ok=True)
    rows = []
    for name in names:
        with open(headers[name], encoding="utf-8") as file:
            text = file.read()
        head = head_comment(text)
        first = " ".join(head).split(". ")[0].split("  ")[0].split(":\n")[0].strip().rstrip(".:")
        rows.append((name, first))
        entities = re.search(r"\b(typedef|enum|CH_API|define CH_)\b", text)
        with open(os.path.join(folder, f"{name}.md"), "w", encoding="utf-8") as file:
            file.write(f"# conehull/{name}.h\n\n{link_pages(code_of(head))}\n")
            if name == "conehull":
                file.write("It includes\n\n")
                file.writelines(f"- [`conehull/{other}.h`]({other}.md)\n"
                                for other in re.findall(r"#include <conehull/(\w+)\.h>", text))
            elif entities:
                file.write(f"```{{doxygenfile}} {name}.h\n:sections: func typedef enum innerclass var define "
                           "user-defined public-attrib\n```\n")
    with open(os.path.join(folder, "index.md"), "w", encoding="utf-8") as file:
        file.write("# C\n\nMade from the installed headers. `#include <conehull/conehull.h>` gives the stable core; "
                   "files, MPI, videos and documents have headers of their own.\n\n| Header | What is in it |\n|---|---|\n")
        file.writelines(f"| [`conehull/{name}.h`]({name}.md) | {escape(first)} |\n" for name, first in rows)
        file.write("\n```{toctree}\n:hidden:\n\n" + "".join(f"{name}\n" for name in names) + "```\n")
