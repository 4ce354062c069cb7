"""Find and mask the secret values of a package and of its render."""
