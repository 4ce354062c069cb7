"""Migrate objects from v1beta1 to v1beta2 in their text; comments and order stay."""
