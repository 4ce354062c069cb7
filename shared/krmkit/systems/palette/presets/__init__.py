"""Presets: named sets of values that are removed from and merged into a pack's values."""
