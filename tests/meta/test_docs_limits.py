"""docs/limits.md names every limit, with its real value; what it says about raising them works."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from importlib import import_module

from krmkit.libraries.yaml.limits import Limits
from tests.meta.pages import ROOT, blocks

LIMIT = re.compile(
    r"^\|[^|]+\| `(?P<name>[\w.]+)` \| (?P<value>[0-9,]+)(?: (?P<unit>[KMG]i))? \|$", re.MULTILINE
)
UNITS = {"": 1, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}


def documented_limits() -> dict[str, int]:
    text = (ROOT / "docs/limits.md").read_text("utf-8")
    return {
        match["name"]: int(match["value"].replace(",", "")) * UNITS[match["unit"] or ""]
        for match in LIMIT.finditer(text)
    }


def actual_limit(name: str) -> object:
    """The value of `depth` (a limit of the input) or of `krmkit.module.NAME`, also of `krmkit.module.OBJECT.name`."""
    if "." not in name:
        return getattr(Limits(), name)
    module, found = name, None
    rest: list[str] = []
    while found is None:
        module, _, last = module.rpartition(".")
        rest.insert(0, last)
        assert module, name
        with contextlib.suppress(ModuleNotFoundError):
            found = import_module(module)
    value: object = found
    for attribute in rest:
        value = getattr(value, attribute)
    return value


def test_limits_are_those_of_the_code() -> None:
    """Every limit of docs/limits.md has the value that the page says."""
    documented = documented_limits()

    assert len(documented) > 25
    assert {name: actual_limit(name) for name in documented} == documented


def test_every_limit_is_documented() -> None:
    """Every limit of the input, and every constant MAX_... of the library, stands in docs/limits.md."""
    found = set(Limits.NAMES)
    for path in sorted((ROOT / "shared/krmkit").rglob("*.py")):
        module = path.relative_to(ROOT / "shared").with_suffix("").as_posix().replace("/", ".")
        for name in re.findall(r"^(MAX_[A-Z]+)(?:: int)? = ", path.read_text("utf-8"), re.MULTILINE):
            found.add(f"{module}.{name}")

    assert not found - documented_limits().keys()


def test_limits_of_the_input() -> None:
    """The page's first table has the limits that --limit raises."""
    text = (ROOT / "docs/limits.md").read_text("utf-8").partition("## Input")[2].partition("\n## ")[0]
    rows = re.findall(r"^\|[^|]+\| `([a-z_-]+)` \| ([0-9,]+)(?: ([KMG]i))?[^|]*\|$", text, re.MULTILINE)
    said = {name.replace("-", "_"): int(value.replace(",", "")) * UNITS[unit] for name, value, unit in rows}

    assert said == {name: getattr(Limits(), name) for name in Limits.NAMES}


def test_constants_can_be_raised() -> None:
    """The page's program sets a constant and runs a command."""
    [program] = blocks(ROOT / "docs/limits.md", "python")

    done = subprocess.run(
        [sys.executable, "-c", program, "render", "examples/edge-cluster-profile", "--dry-run"],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT / "shared")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "nothing was written" in done.stdout
