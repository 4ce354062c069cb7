"""The objects that a set selects: their metadata is what the parser says, however they are read."""

from __future__ import annotations

import pytest

from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.porch.sets.targets import TargetObject

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"


def read(metadata: str, indent: str = "  ") -> TargetObject:
    text = f"- apiVersion: v1\n  kind: X\n  metadata:\n{metadata}  spec:\n    labels:\n      not: these\n"
    [item] = ResourceList.parse(HEAD + text.replace("\n  ", "\n" + indent)).items
    return TargetObject.of(item)


@pytest.mark.parametrize(
    ("metadata", "name", "namespace", "labels", "annotations"),
    [
        pytest.param("    name: a\n    namespace: b\n", "a", "b", {}, {}, id="names"),
        pytest.param(
            "    labels:\n      x: \"1\"\n      y.z/w: 'it'\n    name: a\n    annotations:\n      p: q r\n",
            *("a", "", {"x": "1", "y.z/w": "it"}, {"p": "q r"}),
            id="maps",
        ),
        pytest.param(
            "    # why\n    name: a # b\n\n    labels: {x: y}\n", "a", "", {"x": "y"}, {}, id="comments, flow"
        ),
        pytest.param(
            "    name: a\n  # between\n    labels:\n# at the margin\n      x: y\n",
            *("a", "", {"x": "y"}, {}),
            id="comments further left",
        ),
        pytest.param(
            "    name:\n      a\n    namespace:\n      b\n",
            "a",
            "b",
            {},
            {},
            id="names on lines of their own",
        ),
        pytest.param(
            "    labels:\n      x: |\n        name: b\n    name: a\n",
            "a",
            "",
            {"x": "name: b\n"},
            {},
            id="block",
        ),
        pytest.param(
            "    name: a\n    labels:\n      x: y\n        z\n", "a", "", {"x": "y z"}, {}, id="continued"
        ),
        pytest.param('    name: "a\\x62"\n    labels:\n', "ab", "", {}, {}, id="escape, null"),
        pytest.param(
            "    name: a\n    labels: &l\n      x: y\n    annotations: *l\n",
            "a",
            "",
            {"x": "y"},
            {"x": "y"},
            id="alias",
        ),
        pytest.param(
            "    name: a\n    labels:\n      x:\n      y: z\n",
            "a",
            "",
            {"x": "", "y": "z"},
            {},
            id="null value",
        ),
        pytest.param(
            "    name: a\n    labels:\n      'x': y\n      \"p q\": r\n",
            "a",
            "",
            {"x": "y", "p q": "r"},
            {},
            id="quoted",
        ),
        pytest.param(
            "    ownerReferences:\n    - name: b\n      labels: c\n    name: a\n",
            "a",
            "",
            {},
            {},
            id="list at the key's column",
        ),
        pytest.param(
            "    managedFields:\n      - name: b\n        labels:\n          c: d\n    name: a\n",
            "a",
            "",
            {},
            {},
            id="deeper maps",
        ),
        pytest.param("    {name: a, labels: {x: y}}\n", "a", "", {"x": "y"}, {}, id="all in flow"),
        pytest.param(
            "    name: a\n    labels:\n        x: y\n", "a", "", {"x": "y"}, {}, id="other indentation"
        ),
    ],
)
def test_reading(
    metadata: str, name: str, namespace: str, labels: dict[str, str], annotations: dict[str, str]
) -> None:
    """Plain lines are read as they stand, and everything else as the parser reads it."""
    found = read(metadata)

    assert (found.name, found.namespace) == (name, namespace)
    assert (found.labels, found.annotations) == (labels, annotations)


def test_windows_line_ends() -> None:
    """CRLF is the parser's."""
    text = HEAD + "- apiVersion: v1\n  kind: X\n  metadata:\n    name: a\n    labels:\n      x: y\n"
    [item] = ResourceList.parse(text.replace("\n", "\r\n")).items

    assert TargetObject.of(item).labels == {"x": "y"}


def test_repeated_key() -> None:
    """A key that occurs twice is an error, however it is read."""
    with pytest.raises(ValueError, match="occurs twice"):
        read("    name: a\n    labels:\n      x: y\n      x: z\n")
