"""`python -m krmkit.cli`."""

from __future__ import annotations

from krmkit.cli import main
from krmkit.process import buffer_streams

if __name__ == "__main__":
    buffer_streams()
    raise SystemExit(main())
