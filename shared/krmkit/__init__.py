"""krmkit: KRM functions for packaged configuration."""

__version__ = "0.1.0"
