"""The expressions of dynaml: a class for each form, with its value and its canonical text."""
