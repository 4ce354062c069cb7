"""Render packages on disk as kpt does: read them, run their pipelines, merge, write."""
