"""Folders of other kinds as packages: packs, components, values of variables."""
