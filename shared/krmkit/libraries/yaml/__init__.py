"""Lossless YAML: text in, text out; what is not edited stays byte for byte.

The public modules are listed in `__all__` and described in README.md. Each is loaded on import only: a run
that needs few of them would spend most of its start on the others.
"""

__all__ = ["data", "document", "editing", "emit", "errors", "limits", "scalars", "tree"]
