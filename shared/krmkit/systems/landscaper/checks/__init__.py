"""Checks of Installations and blueprints before they are rendered."""
