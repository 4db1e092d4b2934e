"""Settings of the documentation; `make docs` builds it."""

import sys
from pathlib import Path

from shallows import __version__

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "shallows"
author = "the shallows developers"
copyright = f"2026, {author}"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "reference",
    "gallery",
    "mathml",
    "house",
]
smartquotes = False  # a string in a parameter's type keeps its quotes
exclude_patterns = ["_build", "_templates"]

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
autodoc_typehints = "none"  # ranges stand beside the parameters, see _ext/reference.py
autodoc_member_order = "bysource"
autosummary_generate = False  # _ext/reference.py writes the pages
numpydoc_show_class_members = False
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "shallows"
html_static_path = ["_static"]
html_css_files = ["shallows.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "shallows"},
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "benchmarks": []}


def setup(app):
    """Drop the blank line by which doctest knows where the output of an example ends."""

    def trim(app, docname, source):
        source[0] = source[0].replace("\n\n```\n", "\n```\n")

    app.connect("source-read", trim)
