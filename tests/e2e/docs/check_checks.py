#!/usr/bin/python3
"""Pages, outputs and sites with faults in them: every one must be found, and what is right must pass."""
import os
import subprocess
import sys
import tempfile

import c_samples
import check_site as site
import printed
import run_samples

here = os.path.dirname(os.path.abspath(__file__))
FAULTY = {
    "a command in a block of no kind": "```\nconehull anchors X.npy -r 3\n```\n",
    "a command in a block marked none": "```none\n$ build/conehull info --json\n```\n",
    "a command in an indented block": "    make test\n",
    "a block of a kind that nobody runs": "```bash\nls\n```\n",
    "an indented block": "- item\n\n  ```sh\n  ls\n  ```\n",
    "a mark without a reason": "<!-- sample: shown -->\n```sh\nls\n```\n",
    "a mark that is unknown": "<!-- sample: later -->\n```sh\nls\n```\n",
}
PRINTED = "X.npy: 12 x 40\n\nxray: 3 anchors, 0.002 s\n  1   4\n  2   5\n  3   6\n"
SAME = ["X.npy: 12 x 40\n\nxray: 3 anchors, 0.5 s", "X.npy: ... x 40", "  1   4\n  ...\n  3   6", " 2 5\n 3 6"]
OTHER = ["X.npy: 13 x 40", "xray: 4 anchors, 0.002 s", "  1   4\n  3   6", "  3   6\n  4   7"]
HEADER = ("/* What it is.\n *\n *     ch_thing thing;\n *     ch_thing_make(&thing);\n *\n * More. */\n"
          "/** Words alone. */\n/** Again:\n *\n *     thing.size = 3;\n */\n")


# A Python reference as Sphinx makes it.
PYTHON = ('<dl class="py class"><dd>' + "".join(f"<strong>{name}</strong>" for name in sorted(site.fitted_attributes())) +
          '<strong>loss</strong> (<em>"l1" or "l2"</em>) -- l1: absolute deviations</dd></dl>')


def check_site(pages):
    with tempfile.TemporaryDirectory(prefix="conehull-site-") as folder:
        for name, text in pages.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        return subprocess.run([sys.executable, os.path.join(here, "check_site.py"), folder],
                              stdout=subprocess.DEVNULL).returncode


def check_headers():
    with tempfile.NamedTemporaryFile("w", suffix=".h", encoding="utf-8") as file:
        file.write(HEADER)
        file.flush()
        return list(c_samples.header_samples(file.name))


def main():
    for fault, text in FAULTY.items():
        assert run_samples.read_samples("page.md", text)[1], f"not found: {fault}"
    samples, stray = run_samples.read_samples("page.md", "```sh\nls\n```\n\n```none\na.txt\n```\n")
    assert not stray and len(samples) == 1 and samples[0].prints.text == "a.txt\n"
    assert run_samples.judge(samples[0], 0, "a.txt\n") is None
    assert run_samples.judge(samples[0], 0, "b.txt\n") and run_samples.judge(samples[0], 1, "a.txt\n")
    for shown in SAME:
        assert printed.differs(shown, PRINTED) is None, f"should pass: {shown}"
    for shown in OTHER:
        assert printed.differs(shown, PRINTED), f"not found: {shown}"
    found = check_headers()
    assert found == [(1, "ch_thing thing;\nch_thing_make(&thing);\n"), (8, "thing.size = 3;\n")], found
    good = {"index.html": '<h1 id="a">A</h1><a href="other.html#b">b</a>', "other.html": '<h1 id="b">B</h1>'}
    good["python.html"] = PYTHON
    good["code.html"] = "<p>as it stands: <code>`x`</code></p><pre>&amp;#8212;</pre>"
    assert "anchors_" in site.fitted_attributes() and check_site(good) == 0
    for right, fault in (("anchors_<", "anchors<"), ("-- l1:", "-- L1:")):
        assert check_site(dict(good, **{"python.html": PYTHON.replace(right, fault)})) == 1, f"not found: {fault}"
    for fault in ("<p>rank `from` to all</p>", "<p>(&amp;#8212;rank auto)</p>", '<a href="other.html">other.md</a>',
                  '<a href="gone.html">x</a>', '<a href="other.html#gone">x</a>', '<img src="other.html">',
                  '<script src="https://example.org/x.js"></script>'):
        assert check_site(dict(good, **{"third.html": fault})) == 1, f"not found: {fault}"
    print("every fault was found")


if __name__ == "__main__":
    main()
