"""Lossless YAML: text in, text out; what is not edited stays byte for byte."""
