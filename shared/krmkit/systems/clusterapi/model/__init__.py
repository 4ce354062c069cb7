"""Shared models: objects of a topology, extensions as the engine sees them, and causes."""
