"""Sphinx settings of the site. build_site stages the sources and runs Sphinx with this file."""
import os
import re
import sys

top = os.environ["CONEHULL_SOURCE"]
built = os.environ["CONEHULL_BUILD"]
sys.path.insert(0, os.path.join(built, "python"))

project = "conehull"
author = "the conehull authors"
copyright = "the conehull authors, MIT licence"
with open(os.path.join(top, "CMakeLists.txt"), encoding="utf-8") as file:
    version = release = re.search(r"VERSION ([0-9.]+)", file.read()).group(1)

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["site"]
nitpicky = False

myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "attrs_image", "deflist"]
smartquotes = False  # words of the command are shown as it prints them: --var, not a dash and a half
suppress_warnings = ["myst.header"]  # pages of the headers begin below their own title

breathe_projects = {"conehull": os.path.join(os.environ["CONEHULL_STAGE"], "xml")}
breathe_default_project = "conehull"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_use_ivar = True
napoleon_use_rtype = False
strip_signature_backslash = True  # napoleon then escapes the last _ of attributes; anchors_ is a link to "anchors" else

highlight_language = "none"

html_theme = "furo"
html_title = "conehull"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0b4f9c", "color-brand-content": "#0b4f9c",
        "font-stack": "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif",
        "font-stack--monospace": "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
    },
    # All of them: the style sheet that Debian makes of Furo has no dark colours of its own.
    "dark_css_variables": {
        "color-brand-primary": "#7fb3f0", "color-brand-content": "#7fb3f0", "color-problematic": "#f0a060",
        "color-foreground-primary": "#e8eaed", "color-foreground-secondary": "#b4bcc5",
        "color-foreground-muted": "#a3acb6", "color-foreground-border": "#7a828b",
        "color-background-primary": "#14171b", "color-background-secondary": "#1e2329",
        "color-background-hover": "#262c33", "color-background-hover--transparent": "#262c3300",
        "color-background-border": "#363d45", "color-background-item": "#363d45",
        "color-inline-code-background": "#1e2329", "color-api-background": "#1e2329",
        "color-api-background-hover": "#262c33", "color-admonition-background": "#1e2329",
        "color-card-background": "#1e2329", "color-highlighted-background": "#083563",
    },
}


def escape_bars(app, what, name, obj, options, lines):
    """|x| is a size in our docstrings, not a substitution of reStructuredText."""
    for i, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            parts = re.split(r"(``.*?``)", line)
            lines[i] = "".join(part if part.startswith("``") else part.replace("|", r"\|") for part in parts)


def setup(app):
    app.connect("autodoc-process-docstring", escape_bars, priority=900)  # after napoleon
