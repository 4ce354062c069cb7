"""Renders the kpt packages of a checkout without any container, and count how many render: python -m tools.renderable
DIR

Each package that is not inside another one is copied and rendered for itself. What is printed: the share that renders with all
functions of this catalog, the share without the everyday functions, and for the packages that do not, which images they still
need, or what stopped them. The checkout is not written to.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from krmkit.fn.knownfunctions import catalog
from krmkit.fn.loader import Function
from krmkit.fn.run import RunOptions
from krmkit.kpt.kptfile import image_name
from krmkit.krm.errors import Refused
from krmkit.render.package import Package, read
from krmkit.render.pipeline import render
from krmkit.render.resolve import ProgramResolver
from tools.definitions import definitions

KPTFILE = "Kptfile"


def packages(root: Path) -> Iterator[Path]:
    """The folders of packages that are inside no other package, sorted."""
    for folder, folders, files in os.walk(root):
        if KPTFILE in files:
            yield Path(folder)
            folders.clear()
        else:
            folders[:] = sorted(name for name in folders if not name.startswith("."))


def outcome(folder: Path, known: dict[str, Function]) -> str:
    """Render a copy of a package: "" if it renders fully, else what is missing or what stopped it."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place, folder.name)
        shutil.copytree(folder, copy, symlinks=True)
        try:
            package = read(str(copy))
            missing = sorted(set(_missing(package, known)))
            if missing:
                return f"needs {', '.join(missing)}"
            return render(package, ProgramResolver(RunOptions(), catalog=known)).failure.replace(place, "")
        except (Refused, OSError, ValueError) as error:
            return str(error).replace(place, "")


def _missing(package: Package, known: dict[str, Function]) -> Iterator[str]:
    for each in package.walk():
        for function in each.functions:
            name = image_name(function.image) if function.image else function.exec
            if name not in known:
                yield name


def main() -> int:
    """Print the shares; the exit code is 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkout", type=Path, metavar="DIR", help="a folder with packages at any depth")
    parser.add_argument("--list", action="store_true", help="print each package, too")
    words = parser.parse_args()
    found = list(packages(words.checkout))
    known = catalog()
    everyday = {function.name for function in definitions() if function.system == "everyday"}
    for title, functions in (
        (
            "without the everyday functions",
            {name: one for name, one in known.items() if name not in everyday},
        ),
        ("with all functions of this catalog", known),
    ):
        start = perf_counter()
        outcomes = {folder: outcome(folder, functions) for folder in found}
        done = sum(not said for said in outcomes.values())
        print(f"{title}: {done} of {len(found)} packages render, in {perf_counter() - start:.1f} s")
    needs: Counter[str] = Counter()
    for folder, said in outcomes.items():
        names = said.removeprefix("needs ").split(", ") if said.startswith("needs ") else [said]
        needs.update(names if said else ())
        if words.list:
            print(f"  {folder.relative_to(words.checkout)}: {said or 'renders'}")
    for name, count in needs.most_common():
        print(f"  {count} x {name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
