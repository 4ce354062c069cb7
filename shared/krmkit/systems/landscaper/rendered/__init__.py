"""Installations rendered into items: their objects, status and findings."""
