"""krmkit: KRM functions for packaged configuration."""
