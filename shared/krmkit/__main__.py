"""`python -m krmkit`."""

from __future__ import annotations

from krmkit.start import command

if __name__ == "__main__":
    command()
