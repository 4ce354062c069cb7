"""Structural OpenAPI v3 schemas: reading, walking a value, violations."""
