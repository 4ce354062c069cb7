"""Render Installations into items: their objects, status and findings."""
