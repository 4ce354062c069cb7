"""Starlark programs on the list."""
