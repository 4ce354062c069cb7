"""Sphinx's settings for the site of these pages; `make docs` builds it (tools/docsite.py)."""

project = "krmkit"
project_copyright = "the authors of krmkit"
extensions = ["myst_parser"]
root_doc = "index"
smartquotes = False  # `--flag` in a text stays what it is
html_theme = "furo"
html_title = "krmkit"
html_copy_source = False
html_show_sphinx = False
# Links to headings, named as code hosts name them.
myst_heading_anchors = 6
nitpicky = True
