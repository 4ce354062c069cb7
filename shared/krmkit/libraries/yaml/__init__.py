"""Lossless YAML: text in, text out; unedited text stays byte for byte.

`__all__` lists the public modules; README.md describes them. Each is loaded on import only, because loading
all would take most of a small run's start.
"""

__all__ = ["data", "document", "editing", "emit", "errors", "limits", "scalars", "tree"]
