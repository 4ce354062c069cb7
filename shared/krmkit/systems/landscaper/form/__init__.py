"""The form of an Installation: its fields and their types."""
