"""Run functions outside of this process: programs and containers."""
