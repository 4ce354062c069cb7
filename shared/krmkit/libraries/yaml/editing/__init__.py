"""Edits of a document's text: positions of its parts, and changes of block and flow collections."""
