"""Functions on hashes, keys, passwords and encrypted values."""
