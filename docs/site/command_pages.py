"""A page per command, from its --help: one source, the tables of the program."""
import os
import re
import subprocess

from plain_text import escape, link_pages, to_markdown


def ask(program, *words):
    return subprocess.run([program, *words], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def option_rows(lines):
    """(names, description) of rows such as `  -r, --rank N|auto       anchors wanted`."""
    rows = []
    for line in lines:
        head = re.match(r"  (-.*?)(?:\s{2,}(\S.*))?$", line)
        if head:
            rows.append((head.group(1), [head.group(2)] if head.group(2) else []))
        else:
            rows[-1][1].append(line.strip())
    return [(names, " ".join(words)) for names, words in rows]


def is_option_group(block):
    return re.fullmatch(r"\S.*:", block[0]) and len(block) > 1 and re.match(r"  --?\w", block[1])


def command_page(name, text):
    blocks = [block.split("\n") for block in text.rstrip("\n").split("\n\n")]
    summary = blocks[0][0].split(" - ", 1)[1]
    usage = blocks[1][0].removeprefix("usage: ")
    out = [f"# conehull {name}\n", f"{escape(summary[0].upper() + summary[1:])}.\n",
           f"```{{program}} conehull {name}\n```\n", f"```none\n{usage}\n```\n"]
    for block in blocks[2:]:
        heading = re.fullmatch(r"(\S.*):", block[0])
        if block[0].startswith("Exit codes:"):
            continue  # the same for all: the page before these
        if is_option_group(block):
            out.append(f"## {escape(heading.group(1))}\n")
            for names, words in option_rows(block[1:]):
                out.append(f"```{{option}} {names}\n{escape(words)}\n```\n")
        elif heading and len(block) > 1 and all(line.startswith("  ") for line in block[1:]):
            out.append(f"## {escape(heading.group(1))}\n")
            literal = heading.group(1) == "Examples"
            body = [line[2:] for line in block[1:]] if not literal else block[1:]
            out.append("```sh\n" + "\n".join(line.strip() for line in body) + "\n```\n" if literal
                       else to_markdown(body))
        else:
            out.append(to_markdown(block))
    return link_pages("\n".join(out))


def write_pages(folder, program):
    overview = ask(program, "--help")
    commands = re.search(r"Commands:\n(.*?)\n\n", overview, re.S).group(1)
    rows = [line.split(None, 1) for line in commands.splitlines()]
    codes = re.search(r"Exit codes:\n(.*)", overview, re.S).group(1)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "index.md"), "w", encoding="utf-8") as file:
        file.write("# The command\n\nThese pages are made from `conehull COMMAND --help`; the man pages "
                   "(`man conehull-anchors`) are too. Results go to stdout, messages and progress to stderr.\n\n"
                   "| Command | What it does |\n|---|---|\n")
        file.writelines(f"| [`{name}`]({name}.md) | {escape(what)} |\n" for name, what in rows)
        file.write("\n## Exit codes\n\n```none\n" + codes + "```\n\n```{toctree}\n:hidden:\n\n")
        file.writelines(f"{name}\n" for name, _ in rows)
        file.write("```\n")
    for name, _ in rows:
        with open(os.path.join(folder, f"{name}.md"), "w", encoding="utf-8") as file:
            file.write(command_page(name, ask(program, name, "--help-all")))
