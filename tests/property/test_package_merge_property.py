"""Random packages, changed upstream and here apart from each other: the merge has every change, or a conflict that names it.

The model is plain data: for each value, what base, upstream and local have. The texts are made from it, with comments, packs as
values inside of texts, resources renamed here and files that are no resources.
"""

from __future__ import annotations

from random import Random
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from krmkit.kpt.merge.packages import MergedPackage
from krmkit.kpt.merge.stamp import stamped_file
from krmkit.render.packagemerge import merge_packages

KPTFILE = b"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n"
IDENTIFIER = "internal.kpt.dev/upstream-identifier"
Values = dict[tuple[str, ...], str]
VALUES = ("one", "2", "true", "a: b", "x # y", "", "null", "two words", "0x1f")


class Model:
    """Values by path: (file, field) for plain ones, (file, field, key) for those of a pack's text; one version of a package."""

    def __init__(self, values: Values) -> None:
        self.values = values

    @classmethod
    def made(cls, source: Random) -> Model:
        values: Values = {}
        for number in range(source.randint(1, 4)):
            for field in range(source.randint(1, 5)):
                values[f"r{number}", f"k{field}"] = source.choice(VALUES)
            for key in range(source.randint(0, 4)):
                values[f"r{number}", "values.yaml", f"v{key}"] = source.choice(VALUES)
        return cls(values)

    def edited(self, source: Random, new: str) -> Model:
        """Some values set, some removed, some added; added ones have keys of their own on each side, and some in common."""
        values = dict(self.values)
        for path in list(values):
            if source.random() < 0.15:
                values[path] = source.choice(VALUES) + new
            elif source.random() < 0.08 and sum(other[0] == path[0] for other in values) > 1:
                del values[path]
        for path in list(values):
            if source.random() < 0.1:
                values[(*path[:-1], f"{new}{source.randint(0, 9)}")] = source.choice(VALUES)
            if source.random() < 0.05:
                values[(*path[:-1], "both")] = source.choice(VALUES)
        return Model(values)

    def files(self, comments: int) -> dict[str, bytes]:
        """The package's texts; comments stand above the fields that the number selects, the same ones in all versions."""
        found = {"Kptfile": KPTFILE}
        for name in sorted({path[0] for path in self.values}):
            plain = {
                path[1]: value for path, value in self.values.items() if path[0] == name and len(path) == 2
            }
            pack = {
                path[2]: value for path, value in self.values.items() if path[0] == name and len(path) == 3
            }
            lines = ["apiVersion: v1", "kind: ConfigMap", "metadata:", f"  name: {name}", "data:"]
            lines += _fields(plain, "  ", comments)
            if pack:
                lines += ["  values.yaml: |", "    # the pack's", *_fields(pack, "    ", comments)]
            found[f"{name}.yaml"] = "".join(f"{line}\n" for line in lines).encode()
        return found


def _fields(values: dict[str, str], indent: str, comments: int) -> list[str]:
    lines = []
    for key, value in sorted(values.items()):
        if Random(f"{comments} {key}").random() < 0.2:
            lines.append(f"{indent}# about {key}")
        lines.append(indent + yaml.safe_dump({key: value}, width=1000).rstrip("\n"))
    return lines


def read(merged: MergedPackage) -> Values:
    """The values of a merged package."""
    values: Values = {}
    for path, content in merged.files.items():
        if not path.endswith(".yaml"):
            continue
        data: dict[str, Any] = yaml.safe_load(content).get("data") or {}
        name = path.removesuffix(".yaml")
        for field, value in data.items():
            if field == "values.yaml":
                values.update({(name, field, key): one for key, one in (yaml.safe_load(value) or {}).items()})
            else:
                values[name, field] = value
    return values


@settings(max_examples=400, deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
def test_every_change_arrives_or_is_named(seed: int) -> None:
    """Nothing that nobody changed conflicts, and a second merge of the same changes nothing."""
    source = Random(seed)
    base = Model.made(source)
    upstream, local = base.edited(source, "u"), base.edited(source, "l")
    comments = source.randint(0, 2**32)
    old, new, here = (one.files(comments) for one in (base, upstream, local))
    if source.random() < 0.7:
        here = {name: stamped_file(name, text.decode()).encode() for name, text in here.items()}
        for name in [name for name in here if name.endswith(".yaml") and source.random() < 0.4]:
            # As a person or a pipeline renames.
            here[name] = here[name].replace(b"  name: ", b"  name: mine-", 1)

    merged = merge_packages(old, new, here)

    found = read(merged)
    named = {(one.file.removesuffix(".yaml"), *one.path[1:]) for one in merged.conflicts}
    known: set[tuple[str, ...]] = {*base.values, *upstream.values, *local.values}
    for path in known:
        before, theirs, ours = (one.values.get(path) for one in (base, upstream, local))
        # Both sides may have removed or added a pack's whole text: that is one value then.
        covered = any(path[: len(one)] == one for one in named)
        if theirs in (before, ours):
            assert found.get(path) == ours or covered, path
        elif ours == before:
            assert found.get(path) == theirs or covered, path
        else:
            assert covered, path
    for path in named:
        inside = [one for one in known if one[: len(path)] == path]
        sides = [[one.values.get(each) for each in inside] for one in (base, upstream, local)]
        assert sides[0] != sides[1] != sides[2] != sides[0], path

    again = merge_packages(new, new, merged.files)
    assert again.files == merged.files and not again.conflicts
    same = merge_packages(old, new, new)
    assert same.files == new and not same.conflicts
    assert merge_packages(old, old, here).files == here
