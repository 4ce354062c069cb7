"""Setters: values and comments of apply-setters, create-setters and list-setters."""
