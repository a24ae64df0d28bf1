"""Plain text as our help and our header comments have it (paragraphs, indented lines as they stand), as Markdown."""
import os
import re

top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def escape(text):
    """Nothing in it means anything to Markdown, but for `words` between backquotes, which are code."""
    return "".join(part if re.fullmatch(r"`[^`]+`", part) else re.sub(r"([\\`*_{}<>\[\]|#$~])", r"\\\1", part)
                   for part in re.split(r"(`[^`]+`)", text))


def link_pages(text):
    """docs/live.md, which a reader of the site does not have, becomes a link called by that page's title. For pages two
    folders down; blocks that stay as they are do."""
    def link(name):
        with open(os.path.join(top, "docs", name.group(1) + ".md"), encoding="utf-8") as file:
            title = file.readline().lstrip("# ").strip()
        return f"[{title}](../../{name.group(1)}.md)"
    parts = re.split(r"(^```(?:none|c|sh)$.*?^```$)", text, flags=re.M | re.S)
    return "".join(part if i % 2 else re.sub(r"\bdocs/([a-z/-]+)\.md", link, part) for i, part in enumerate(parts))


def to_markdown(lines):
    """Lines that are indented, and what stands between two of them, stay as they are, but for lists, whose items begin
    with a dash behind one to three spaces; the rest are paragraphs."""
    out, literal, dash = [], [], None

    def flush():
        while literal and not literal[-1].strip():
            literal.pop()
        if literal:
            least = min(len(line) - len(line.lstrip()) for line in literal if line.strip())
            out.extend(["", "```none", *(line[least:] for line in literal), "```", ""])
        literal.clear()

    for line in lines:
        item = None if literal else re.match(r"( {1,3})- (?=\S)", line)
        if item or (dash is not None and re.match(" " * (dash + 1) + r" *\S", line)):
            if item:
                out.extend([""] if dash is None else [])
                dash = len(item.group(1))
            out.append(("- " if item else "  ") + escape(line[item.end():] if item else line.strip()))
            continue
        if dash is not None:
            out.append("")
            dash = None
        if line.startswith("  ") or (literal and not line.strip()):
            literal.append(line)
        else:
            flush()
            start = re.match(r"(\d+\.|[-+]) ", line)
            out.append(escape(line) if not start else "\\" + escape(line))
    flush()
    return "\n".join(out) + "\n"
