"""Versions: semantic versions and constraints as the Go libraries of the real systems read them."""
