"""Writes .expected of example packages: python -m tools.golden [FUNCTION]

An example is a kpt package, functions/<name>/examples/<case>; krmkit.fn.contract.expected describes .expected.
"""

from __future__ import annotations

import sys
from pathlib import Path

from krmkit.fn.contract.expected import write
from krmkit.krm.errors import Refused
from tools.definitions import ROOT


def examples(function: str | None = None, root: Path = ROOT) -> list[Path]:
    """The example packages of one function, or of all."""
    return sorted(path.parent for path in root.glob(f"functions/{function or '*'}/examples/*/Kptfile"))


def main(arguments: list[str]) -> int:
    if len(arguments) > 1:
        print("usage: python -m tools.golden [FUNCTION]", file=sys.stderr)
        return 2
    found = examples(arguments[0] if arguments else None)
    if not found:
        print(
            f"there is no example package in functions/{arguments[0] if arguments else '*'}/examples",
            file=sys.stderr,
        )
        return 1
    for example in found:
        try:
            files = write(example, example.parents[1])
        except Refused as error:
            print(error, file=sys.stderr)
            return 1
        changed = sum(line.startswith("+++ ") for line in files["diff.patch"].splitlines())
        print(f"{example.relative_to(ROOT)}: {changed} files changed")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
