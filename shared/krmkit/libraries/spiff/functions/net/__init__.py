"""Functions on addresses, DNS names and URLs."""
