"""Cluster profiles of Palette: their forms, their layers and their variables."""
