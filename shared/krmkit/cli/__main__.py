"""`python -m krmkit.cli`."""

from __future__ import annotations

from krmkit.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
