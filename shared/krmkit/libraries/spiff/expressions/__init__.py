"""The expressions of dynaml: one class per form, with its value and its canonical text."""
