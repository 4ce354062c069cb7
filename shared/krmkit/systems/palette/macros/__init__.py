"""Macros: references in values that are replaced by system, pack, profile and user values."""
