"""Edits as Porch writes them: only values that differ, fields in kyaml's order."""
