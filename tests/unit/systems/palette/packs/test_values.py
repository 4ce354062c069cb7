"""krmkit.systems.palette.packs.values: what a values text says, and two of them merged."""

from __future__ import annotations

import pytest

from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Scalar
from krmkit.systems.palette.packs.keypath import KeyPath
from krmkit.systems.palette.packs.values import PackValues, has_macro


def at(values: PackValues, path: str) -> str | None:
    """The text of the scalar at a path."""
    node = values.find(KeyPath.parse(path))[0].node
    return node.text if isinstance(node, Scalar) else None


@pytest.mark.parametrize(
    ("values", "defaults", "path", "expected"),
    [
        pytest.param("a: {x: 1}", "a: {x: 0, y: 2}", "a.x", "1", id="own-value"),
        pytest.param("a: {x: 1}", "a: {x: 0, y: 2}", "a.y", "2", id="default"),
        pytest.param("a: {z: 1}", "a: {x: 0}", "a.z", "1", id="new-key"),
        pytest.param("a: [1]", "a: [2, 3]", "a.$[]", "1", id="lists-are-replaced"),
        pytest.param("a:", "a: {x: 0}", "a.x", None, id="null-is-a-value"),
        pytest.param("", "a: 1", "a", "1", id="no-values"),
        pytest.param("a: 1", "", "a", "1", id="no-defaults"),
        pytest.param("a: 1", "a: {x: 0}", "a", "1", id="kind-changes"),
        pytest.param("b: &b {x: 1}\na: *b", "a: {y: 2}", "a.y", "2", id="through-an-alias"),
    ],
)
def test_over(values: str, defaults: str, path: str, expected: str | None) -> None:
    """Values lie over defaults: mappings key by key, everything else whole."""
    assert at(PackValues.parse(values).over(PackValues.parse(defaults)), path) == expected


def test_over_a_cycle() -> None:
    """Trees that hold themselves can be merged."""
    cycle = "a: &a\n  self: *a\n  x: 1\n"

    assert at(PackValues.parse(cycle).over(PackValues.parse(cycle)), "a.self.self.self.x") == "1"


@pytest.mark.parametrize("text", ["- a", "x", "a: 1\n---\nb: 1", "a: 1\na: 2", "a: *b"])
def test_refuses(text: str) -> None:
    """Values are one mapping, or nothing."""
    with pytest.raises(YamlError):
        PackValues.parse(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ .spectro.var.x }}", True),
        ("{{.spectro.system.cluster.name}}-x", True),
        ('{{ default "a" .spectro.var.x }}', True),
        ("{{ .Values.x }}", False),
        ("{{ .Values.x }} .spectro.var.x {{ .Values.y }}", False),
        (".spectro.var.x", False),
        ("{{ .spectro.var.x", False),
        ("{{ .Values.x }}{{ .spectro.var.x }}", True),
    ],
)
def test_has_macro(text: str, expected: bool) -> None:
    """An action with a field of ours is a macro, other templates are text."""
    assert has_macro(text) is expected
