"""Replacements: a field of one resource copied into fields of others."""
