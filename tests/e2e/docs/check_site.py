#!/usr/bin/python3
"""Checks the built site: every link, anchor and picture leads to something, nothing is loaded from a network, and no mark
of a source text (backquotes, entities, names of pages) stands in the text that is read; of the Python reference, that
attributes and values are written as the program has them.

    tests/e2e/docs/check_site.py HTML"""
import glob
import html.parser
import os
import re
import sys
import urllib.parse

LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("source", "src"), ("video", "src"), ("iframe", "src"),
          ("object", "data"), ("use", "href")}
AS_IT_STANDS = ("code", "pre", "script", "style", "title")
top = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.names, self.links, self.titles = set(), [], 0
        self.words, self.strong, self.link_words = [], [], []  # text outside code; <strong>; <a>
        self.python = 'class="py class"' in text or 'class="py function"' in text
        self.inside = []
        self.feed(text)

    def handle_endtag(self, tag):
        if tag in self.inside:
            del self.inside[len(self.inside) - 1 - self.inside[::-1].index(tag):]

    def handle_data(self, data):
        if "a" in self.inside:
            self.link_words[-1] += data
        if "strong" in self.inside:
            self.strong.append(data)
        if not any(tag in self.inside for tag in AS_IT_STANDS):
            self.words.append(data)

    def handle_starttag(self, tag, attributes):
        if tag in AS_IT_STANDS + ("a", "strong"):
            self.inside.append(tag)
        if tag == "a":
            self.link_words.append("")
        values = dict(attributes)
        for key in ("id", "name"):
            if values.get(key):
                self.names.add(values[key])
        self.titles += tag == "h1"
        for key in ("href", "src", "data"):
            if key in values and (tag, key) != ("a", "data"):
                self.links.append((tag, key, values[key] or "", values.get("rel", "")))
        if tag == "img" and not values.get("alt") and "sidebar-logo" not in values.get("class", ""):
            self.links.append(("img", "alt", "missing for " + values.get("src", ""), ""))


def read_pages(root):
    pages = {}
    for folder, _, files in os.walk(root):
        for name in files:
            if name.endswith(".html"):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    pages[os.path.relpath(path, root)] = Page(file.read())
    return pages


def check_link(root, pages, page, link):
    """None, or what is wrong with it."""
    tag, key, target, rel = link
    if key == "alt":
        return "picture without words: " + target
    parts = urllib.parse.urlsplit(target)
    if parts.scheme in ("http", "https") or parts.netloc:
        canonical = tag == "link" and rel == "canonical"
        return f"loaded from the network: {target}" if (tag, key) in LOADED and not canonical else None
    if parts.scheme in ("data", "mailto", "javascript"):
        return None
    path = urllib.parse.unquote(parts.path)
    goal = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if goal.endswith(os.sep) or os.path.isdir(os.path.join(root, goal)):
        goal = os.path.join(goal, "index.html")
    if not os.path.exists(os.path.join(root, goal)):
        return f"leads nowhere: {target}"
    anchor = urllib.parse.unquote(parts.fragment)
    if anchor and goal in pages and anchor not in pages[goal].names:
        return f"no such place on {goal}: #{anchor}"
    return None


def check_words(page):
    """Marks that a reader should not see."""
    wrong = []
    text = "".join(page.words)
    for mark in re.finditer(r"`|&#?\w+;", text):
        wrong.append("a mark of the source in the text: ..." + " ".join(text[max(0, mark.start() - 20):mark.end() + 20].split()))
    for words in page.link_words:
        if words.strip().endswith(".md"):
            wrong.append(f"a link is called by a file's name: {words.strip()}")
    return wrong


def fitted_attributes():
    """Attributes with a _ at the end, as the docstrings of the Python package name them."""
    names = set()
    for path in glob.glob(os.path.join(top, "python/conehull/*.py")):
        with open(path, encoding="utf-8") as file:
            names.update(re.findall(r"^ +(\w+[a-z]_) : ", file.read(), re.M))
    return names


def check_python(pages):
    """anchors_ keeps its underscore and l1 its small letter."""
    reference = [page for page in pages.values() if page.python]
    if not reference:
        return []
    shown = {words for page in reference for words in page.strong}
    wrong = [f"attribute of no page of Python: {name}" for name in sorted(fitted_attributes() - shown)]
    for page in reference:
        text = "".join(page.words)
        values = set(re.findall(r"[\"'\u201c]([a-z][a-z0-9-]*)[\"'\u201d]", text))
        for word in re.findall(r"(?:\u2013|--) ([A-Z][A-Za-z0-9-]*)(?=[:,])", text):
            if word.lower() in values:
                wrong.append(f"a value of Python with a capital letter: {word}, which is {word.lower()}")
    return wrong


def check_styles(root):
    """Styles must not fetch fonts or pictures from elsewhere."""
    wrong = []
    for folder, _, files in os.walk(root):
        for name in files:
            if name.endswith(".css"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    text = file.read()
                if "url(/" in text or "url(http" in text or 'url("http' in text or "url('http" in text or "url(//" in text \
                        or "@import url(http" in text:
                    wrong.append(f"{os.path.relpath(os.path.join(folder, name), root)}: loads from the network")
    return wrong


def main():
    root = sys.argv[1]
    pages = read_pages(root)
    if "index.html" not in pages:
        print(f"{root}: no site there; run make docs")
        return 1
    wrong, counts = check_styles(root) + check_python(pages), {"links": 0, "places": 0, "pictures": 0}
    for name, page in sorted(pages.items()):
        wrong.extend(f"{name}: {fault}" for fault in check_words(page))
        for link in page.links:
            counts["pictures" if link[0] == "img" else "places" if "#" in link[2] else "links"] += 1
            fault = check_link(root, pages, name, link)
            if fault:
                wrong.append(f"{name}: {fault}")
    print("\n".join(sorted(set(wrong))))
    print(f"{len(pages)} pages, {counts['links']} links, {counts['places']} places on pages, "
          f"{counts['pictures']} pictures: {len(set(wrong))} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
