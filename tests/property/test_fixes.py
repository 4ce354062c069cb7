"""Random slips in the catalog's examples: a safe fix leaves its finding gone, no error new, and every other byte."""

from __future__ import annotations

import random
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from krmkit.analysis.mending import mend
from krmkit.analysis.package import judge
from krmkit.fn.run import RunOptions
from krmkit.krm.errors import Refused
from krmkit.render.findings.model import PackageReport
from krmkit.render.package import read
from krmkit.render.resolve import ProgramResolver

FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"
EXAMPLES = (
    "apply-presets/examples/select",
    "default-cluster-topology/examples/variables",
    "render-cluster-topology/examples/quick-start",
    "render-installation/examples/greeter",
    "validate-cluster-topology/examples/fits",
    "validate-installation/examples/sound",
    "validate-pack-constraints/examples/fits",
)
ROUNDS = 12
COUNTS: Counter[str] = Counter()  # fixes by example
_KEY = re.compile(r"^(?P<before> *(?:- )?)(?P<key>[a-z][A-Za-z]{3,}):(?P<after>.*)$")
_VALUE = re.compile(r"^(?P<before> *(?:- )?[A-Za-z]+: )(?P<value>[A-Za-z]{3,}|[0-9]+|true|false)$")


def swapped(word: str, chance: random.Random) -> str:
    """Return a word with a letter doubled, left out, in another case, or changed places with the next."""
    at = chance.randrange(len(word) - 1)
    return chance.choice(
        [
            word[:at] + word[at] + word[at:],
            word[:at] + word[at + 1 :],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word.lower() if word != word.lower() else word.capitalize(),
        ]
    )


def slip(text: str, chance: random.Random) -> str:
    """Return a text with one slip in the name of a field, in a value, or in the type of a value."""
    lines = text.split("\n")
    places = [number for number, line in enumerate(lines) if _KEY.match(line) or _VALUE.match(line)]
    if not places:
        return text
    number = chance.choice(places)
    key, value = _KEY.match(lines[number]), _VALUE.match(lines[number])
    if value is not None and (key is None or chance.random() < 0.5):
        word = value["value"]
        wrong = swapped(word, chance) if word.isalpha() and word not in ("true", "false") else f'"{word}"'
        lines[number] = value["before"] + wrong
    elif key is not None:
        lines[number] = f"{key['before']}{swapped(key['key'], chance)}:{key['after']}"
    return "\n".join(lines)


def errors(report: PackageReport) -> Counter[tuple[str, str, str]]:
    return Counter((one.rule, one.subject, one.message) for one in report.results if one.severity == "error")


def slipped(package: Path, example: str, chance: random.Random) -> Path:
    """Copy an example to a folder, and make one or two slips in one of its files."""
    shutil.copytree(FUNCTIONS / example, package)
    shutil.rmtree(package / ".expected")
    file = chance.choice(sorted(package.rglob("*.yaml")))
    text = file.read_text("utf-8")
    for _ in range(chance.choice((1, 1, 2))):
        text = slip(text, chance)
    file.write_text(text, "utf-8")
    return package


def mended(package: Path, resolver: ProgramResolver) -> int:
    """Apply the safe fixes of a package, and return how many there were; checks what must hold."""
    made = mend(str(package), resolver)
    ran = {step.name for step in made.found.steps}
    new = errors(made.left) - errors(made.found)
    brought = {one.function for one in made.left.results if (one.rule, one.subject, one.message) in new}
    assert brought & ran == set()
    for edit in made.edits:
        assert edit.before is not None and edit.after is not None
        (package / edit.path).write_text(edit.after, "utf-8")
        before, after = edit.before.split("\n"), edit.after.split("\n")
        if len(before) == len(after):
            assert 0 < sum(a != b for a, b in zip(before, after, strict=True)) <= made.count
    left = judge(read(str(package)), resolver)[0]
    assert errors(left) == errors(made.left)
    if made.count:
        findings = [sum(one.severity != "info" for one in each.results) for each in (made.found, left)]
        assert errors(left) != errors(made.found) or findings[1] < findings[0]
    assert mend(str(package), resolver).count == 0
    return made.count


@pytest.mark.parametrize("example", EXAMPLES)
def test_safe_fixes(example: str, tmp_path: Path) -> None:
    """Applied once they mend, and the second time they change nothing."""
    chance = random.Random(example)
    resolver = ProgramResolver(RunOptions())
    for number in range(ROUNDS):
        package = slipped(tmp_path / str(number), example, chance)
        try:
            read(str(package))
        except Refused:
            continue
        COUNTS[example] += mended(package, resolver)


def test_there_were_fixes() -> None:
    """The rounds above mended something."""
    assert COUNTS.total() > 10
