"""Packs: metadata, values, key paths, findings."""
