"""JSON documents: equality, RFC 6902 patches, diffs, strict reading, paths into data."""
