#!/usr/bin/python3
"""Checks the built site: every link, anchor and picture leads to something, and nothing is loaded from a network.

    tests/docs/check_site.py HTML"""
import html.parser
import os
import sys
import urllib.parse

LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("source", "src"), ("video", "src"), ("iframe", "src"),
          ("object", "data"), ("use", "href")}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.names, self.links, self.titles = set(), [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
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
    wrong, counts = check_styles(root), {"links": 0, "places": 0, "pictures": 0}
    for name, page in sorted(pages.items()):
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
