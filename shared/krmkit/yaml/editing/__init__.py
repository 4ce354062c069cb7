"""Edits of a document's text: where its units stand, and how block and flow collections take a change."""
