"""Parser of dynaml expressions."""
