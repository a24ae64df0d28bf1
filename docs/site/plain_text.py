"""Plain text as our help and our header comments have it (paragraphs, indented lines as they stand), as Markdown."""
import re


def escape(text):
    return re.sub(r"([\\`*_{}<>\[\]|#$~])", r"\\\1", text)


def to_markdown(lines):
    """Lines that are indented, and what stands between two of them, stay as they are; the rest are paragraphs."""
    out, literal = [], []

    def flush():
        while literal and not literal[-1].strip():
            literal.pop()
        if literal:
            least = min(len(line) - len(line.lstrip()) for line in literal if line.strip())
            out.extend(["", "```none", *(line[least:] for line in literal), "```", ""])
        literal.clear()

    for line in lines:
        if line.startswith("  ") or (literal and not line.strip()):
            literal.append(line)
        else:
            flush()
            start = re.match(r"(\d+\.|[-+]) ", line)
            out.append(escape(line) if not start else "\\" + escape(line))
    flush()
    return "\n".join(out) + "\n"
