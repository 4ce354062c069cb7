"""Lossless YAML: text in, text out; what is not edited stays byte for byte.

The public modules are listed in `__all__` and described in README.md. None is loaded before it is imported: what a run does
not need would be most of its start.
"""

__all__ = ["data", "document", "editing", "emit", "errors", "limits", "scalars", "tree"]
