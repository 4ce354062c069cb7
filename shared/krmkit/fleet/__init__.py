"""Package variants of a fleet: planned, built, rendered into a folder or synced over git."""
