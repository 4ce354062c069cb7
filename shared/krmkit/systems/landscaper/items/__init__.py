"""Installations among the items of a list, and the objects that are written back."""
