"""Find and replace fields by value or path."""
