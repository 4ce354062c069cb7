"""Check the form of an Installation: its fields and their types."""
