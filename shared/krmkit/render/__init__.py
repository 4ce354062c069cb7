"""Packages on disk, rendered as kpt renders them: read, run through their pipelines, merged, written."""
