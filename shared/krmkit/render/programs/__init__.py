"""Functions outside of this process: programs and containers."""
