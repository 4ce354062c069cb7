"""Edits of a document's text: where its units are, and how block and flow collections take a change."""
