"""Makes the folder of a new function of this catalog.

python -m tools.new NAME (krmkit.storage.disk.scaffold defines its content).
"""

from __future__ import annotations

import sys

from krmkit.fn.definition import GROUP_VERSION
from krmkit.storage.disk.scaffold import NAME, Place, files, make_folder
from tools import generate, golden
from tools.definitions import ROOT, Project

RESERVED = "test-"  # functions and images that exist in tests only


def main(arguments: list[str]) -> int:
    name = arguments[0] if len(arguments) == 1 else ""
    if not NAME.fullmatch(name) or name.startswith(RESERVED):
        print(
            "a function's name is at least two words, lower case with dashes, and does not begin with test-:"
            " make new NAME=set-colours",
            file=sys.stderr,
        )
        return 2
    folder = ROOT / "functions" / name
    if folder.exists():
        print(f"functions/{name} exists already", file=sys.stderr)
        return 1
    make_folder(folder, files(name, Place(Project().registry, GROUP_VERSION, inside=True)))
    code = generate.main([]) or golden.main([name])
    if not code:
        print(
            f"functions/{name} is made. Next: function.yaml, main.py, examples; then `make test FUNCTION={name}`."
        )
    return code


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
