"""Resources: reading and editing by path, with and without a parse."""

from __future__ import annotations

import pytest

from krmkit.krm.errors import Refused
from krmkit.krm.itemlines import ItemLines
from krmkit.krm.plaintext import plain_text
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json.paths import dotted
from krmkit.libraries.yaml.errors import LimitError
from krmkit.libraries.yaml.limits import Limits
from krmkit.libraries.yaml.tree import Map

TEXT = """\
# head
apiVersion: apps/v1
kind: Deployment
metadata:
  name: 'web' # eol
  namespace: shop
  labels: &l
    app: web
  annotations:
    internal.config.kubernetes.io/path: 'a/b.yaml'
    internal.config.kubernetes.io/index: '3'
    internal.config.kubernetes.io/package-path: '/p'
spec:
  replicas: 2
  empty:
  selector: *l
  containers:
  - name: a
    args: []
"""


def resource() -> Resource:
    """A fresh resource."""
    return Resource(TEXT)


def test_identity() -> None:
    """What results and files need to know."""
    item = resource()

    assert item.ref() == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "shop"}
    assert item.file() == {"path": "a/b.yaml", "index": 3}
    assert item.package_path == "/p"
    assert not item.is_local_config
    assert item.labels == {"app": "web"}


@pytest.mark.parametrize("lazy", [True, False])
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("null", ""),
        ("~", ""),
        ('"null"', "null"),
        ("'~'", "~"),
        ("nul", "nul"),
        ("!!str null", "null"),
        ("!!null null", ""),
    ],
)
def test_null_is_no_text(value: str, expected: str, lazy: bool) -> None:
    """As Go reads it into a text; with and without a parse."""
    item = Resource(f"kind: X\nmetadata:\n  name: a\n  namespace: {value}\n", lazy=lazy)

    assert item.namespace == expected


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ("{}", False),
        ('{config.kubernetes.io/local-config: "true"}', True),
        ('{config.kubernetes.io/local-config: "yes"}', True),
        ("{config.kubernetes.io/local-config: true}", True),
        ('{config.kubernetes.io/local-config: ""}', True),
        ('{config.kubernetes.io/local-config: "false"}', False),
    ],
)
def test_local_config(annotations: str, expected: bool) -> None:
    """As for kpt: whatever the mark says but "false"."""
    item = Resource(f"kind: X\nmetadata:\n  name: a\n  annotations: {annotations}\n")

    assert item.is_local_config is expected


@pytest.mark.parametrize("index", ["9" * 5000, "-1", "1.5", "x"])
def test_an_index_that_is_none(index: str) -> None:
    """A number that nobody can count to is taken for the first place, and is no reason to fall over."""
    text = f"kind: X\nmetadata:\n  annotations:\n    config.kubernetes.io/index: '{index}'\n"

    assert Resource(text).index == 0


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (("spec", "replicas"), 2),
        (("spec", "selector"), {"app": "web"}),
        (("spec", "selector", "app"), "web"),
        (("spec", "containers", 0, "name"), "a"),
        (("spec", "containers", -1, "args"), []),
        (("spec", "empty"), None),
        (("spec", "no", "where"), "default"),
        (("spec", "containers", 5), "default"),
    ],
)
def test_get(path: tuple[str | int, ...], expected: object) -> None:
    """Python data at a path; aliases are followed."""
    assert resource().get(*path, default="default") == expected


@pytest.mark.parametrize(
    ("path", "value", "old", "new"),
    [
        (("spec", "replicas"), 3, "replicas: 2", "replicas: 3"),
        (("metadata", "name"), "it's", "'web' # eol", "'it''s' # eol"),
        (("metadata", "namespace"), "yes", "namespace: shop", 'namespace: "yes"'),
        (("spec", "empty", "a", "b"), 1, "  empty:\n", "  empty:\n    a:\n      b: 1\n"),
        (("spec", "selector", "tier"), "web", "selector: *l\n", "selector:\n    app: web\n    tier: web\n"),
        (("spec", "containers", 0, "args", 0), "-v", "args: []\n", "args:\n    - -v\n"),
        (("spec", "containers", 1), {"name": "b"}, "    args: []\n", "    args: []\n  - name: b\n"),
    ],
)
def test_set(path: tuple[str | int, ...], value: object, old: str, new: str) -> None:
    """Only the place that is set changes; an alias is not written through."""
    item = resource()
    item.set(path, value)

    assert item.text == TEXT.replace(old, new)
    assert item.changed


def test_set_the_same_changes_nothing() -> None:
    """A value that is there already is not written again."""
    item = Resource("kind: A\nmetadata:\n  name: 'x'\n", lazy=True)
    item.set(("metadata", "name"), "x")

    assert not item.changed


@pytest.mark.parametrize("path", [("kind", "x"), ("spec", "containers", "x")])
def test_set_where_nothing_fits(path: tuple[str | int, ...]) -> None:
    """The error says which part of the path is in the way."""
    with pytest.raises(Refused, match=dotted(path[:-1]).replace("[", "\\[")):
        resource().set(path, 1)


def test_remove() -> None:
    """True when something was there."""
    item = resource()

    assert item.remove(("metadata", "annotations"))
    assert not item.remove(("metadata", "annotations"))
    assert "annotations" not in item.text


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        pytest.param("kind: A\n", ("kind",), "A", id="first line"),
        pytest.param("a: 1\n  kind: B # c\n", ("kind",), "B", id="comment"),
        pytest.param("a: 1\n  kind: 'it''s'\n", ("kind",), "it's", id="single quotes"),
        pytest.param('a: 1\n  kind: "B"\n', ("kind",), "B", id="double quotes"),
        pytest.param("m:\n    # c\n    name: n\n    x: 1\n  z: 1\n", ("m", "name"), "n", id="nested"),
        pytest.param("m:\n      deep: 1\n      name: n\n", ("m", "name"), "n", id="wide indentation"),
        pytest.param("m:\n    x:\n      name: no\n", ("m", "name"), None, id="deeper key of the same name"),
        pytest.param("a: |\n    kind: no\n", ("kind",), None, id="inside a literal"),
        pytest.param("a: 1\n  kind: B\n  kind: C\n", ("kind",), None, id="twice"),
        pytest.param("kind: A\n  kind: C\n", ("kind",), None, id="twice from the first line on"),
        pytest.param("kind: &a A\n", ("kind",), None, id="anchor"),
        pytest.param("kind: *a\n", ("kind",), None, id="alias"),
        pytest.param("kind: !!str A\n", ("kind",), None, id="tag"),
        pytest.param("kind: |\n    A\n", ("kind",), None, id="literal"),
        pytest.param("kind: A\n    B\n", ("kind",), None, id="continued"),
        pytest.param("kind: A\n\n    B\n", ("kind",), None, id="continued behind a blank line"),
        pytest.param("kind: A\n\n  x: B\n", ("kind",), "A", id="a blank line below"),
        pytest.param("a: 1\n  m:\n      \n    name: n\n", ("m", "name"), "n", id="blanks below the parent"),
        pytest.param("kind:\n", ("kind",), None, id="empty"),
        pytest.param("m: {name: n}\n", ("m", "name"), None, id="flow"),
        pytest.param("m: &x\n    name: n\n", ("m", "name"), None, id="anchored mapping"),
        pytest.param("m:\n  - name: n\n", ("m", "name"), None, id="list"),
        pytest.param("a: 1\n  m:\n    name: n\n  z: 1\n", ("m", "name"), "n", id="first child"),
        pytest.param("a: 1\n  m:\n    x: 1\n    name: n\n  z: 1\n", ("m", "name"), "n", id="second child"),
        pytest.param(
            "a: 1\n  m:\n    x:\n      y: 1\n    name: n-1\n  z: 1\n", ("m", "name"), "n-1", id="third child"
        ),
        pytest.param("a: 1\n  m:\n    name: n\n", ("m", "name"), "n", id="last line"),
        pytest.param("a: 1\n  m:\n    name: n", ("m", "name"), "n", id="last line without a line break"),
        pytest.param(
            "a: 1\n  m:\n    name: -n\n  z: 1\n", ("m", "name"), "-n", id="word that starts with a dash"
        ),
        pytest.param(
            "a: 1\n  m:\n    name: n # c\n  z: 1\n", ("m", "name"), "n", id="comment behind a child"
        ),
        pytest.param(
            "a: 1\n  m:\n    name: n\n      o\n  z: 1\n", ("m", "name"), None, id="child that goes on"
        ),
        pytest.param("a: 1\n  m:\n    x: 1\n  z:\n    name: n\n", ("m", "name"), None, id="child of another"),
        pytest.param(
            "a: 1\n  m:\n    name: n\n  z:\n    name: n\n", ("m", "name"), "n", id="another's child too"
        ),
        pytest.param("a: 1\n  m:\n    name: n\n    name: o\n", ("m", "name"), None, id="child twice"),
        pytest.param("a: 1\n  m:\n    name: n\n  m:\n    x: o\n", ("m", "name"), None, id="parent twice"),
        pytest.param(
            "m:\n    x: 1\n  m:\n    name: n\n", ("m", "name"), None, id="parent twice from the first line on"
        ),
        pytest.param(
            "mm: 1\n  m:\n    name: n\n  z: 1\n", ("m", "name"), "n", id="first line like the parent"
        ),
        pytest.param("a: 1\n  m:x:\n    y: 1\n    name: n\n", ("m", "name"), None, id="parent with a colon"),
        pytest.param("a: 1\n  m: x\n    name: n\n", ("m", "name"), None, id="value behind the parent"),
        pytest.param("a: 1\n  m:\n    name:n: o\n", ("m", "name"), None, id="child with a colon"),
        pytest.param("a: 1\n  m:\n    - a: 1\n", ("m", "- a"), None, id="name that is no key"),
        pytest.param("a: 1\n  m:\n    x: 1\n", ("m", "name"), None, id="absent child"),
    ],
)
def test_identity_in_the_text(text: str, path: tuple[str, ...], expected: str | None) -> None:
    """The quick way finds what is plainly simple and leaves the rest to the parser."""
    lines = ItemLines(text, 2)
    place = lines.scalar(path)

    assert (plain_text(lines.written(place)) if place else None) == expected


def test_dotted() -> None:
    """Paths as results show them."""
    assert dotted(("spec", "items", 0, "a.b", "c")) == 'spec.items[0]."a.b".c'


def test_annotations_follow_edits() -> None:
    """What was read before an edit is not shown after it."""
    item = Resource(TEXT.removeprefix("# head\n"), lazy=True)
    assert item.annotation("internal.config.kubernetes.io/index") == "3"

    item.set(("metadata", "annotations", "internal.config.kubernetes.io/index"), "4")

    assert item.index == 4
    item.set(("metadata", "annotations", "new"), "x")
    assert item.annotation("new") == item.annotations["new"] == "x"


def test_texts_follow_edits_of_the_tree() -> None:
    """A text that was read from the tree is read again after an edit, also after one of a node."""
    item = Resource("kind: A\nmetadata: {name: one}\n")
    assert (item.kind, item.name, item.namespace) == ("A", "one", "")

    metadata = item.node("metadata")
    assert isinstance(metadata, Map)
    metadata.set("namespace", "shop")

    assert item.namespace == "shop"
    item.set(("kind",), "B")
    item.remove(("metadata", "name"))
    assert (item.kind, item.name) == ("B", "")


def test_texts_follow_edits_behind_an_alias() -> None:
    """An item that refers to another one's mapping has the name that this one gets."""
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
    rl = ResourceList.parse(f"{head}- metadata: &m\n    name: one\n  kind: A\n- metadata: *m\n  kind: B\n")
    first, second = rl.items
    assert (first.name, second.name, second.kind) == ("one", "one", "B")

    metadata = first.node("metadata")
    assert isinstance(metadata, Map)
    metadata.set("name", "two")

    assert (first.name, second.name, second.kind) == ("two", "two", "B")


STYLED = [
    ("single quotes", "'old' # why", "new", "'new' # why"),
    ("single quotes around one", "'old' # why", "it's", "'it''s' # why"),
    ("double quotes", '"old" # why', "new", '"new" # why'),
    ("plain", "old # why", "new", "new # why"),
    ("plain that would not be a text", "old # why", "on", '"on" # why'),
    ("the same", "'old'  # why", "old", "'old'  # why"),
    ("one line becomes two", "'old' # why", "a\nb", "|- # why\n    a\n    b"),
]


@pytest.mark.parametrize("lazy", [True, False])
@pytest.mark.parametrize(
    ("old", "value", "new"), [case[1:] for case in STYLED], ids=[case[0] for case in STYLED]
)
def test_a_text_keeps_its_quotes_and_its_comment(lazy: bool, old: str, value: str, new: str) -> None:
    """With and without a parse alike."""
    text = "kind: X\ndata:\n  a: {}\n  # next\n  b: c\n"
    item = Resource(text.format(old), lazy=lazy)

    item.set(("data", "a"), value)

    assert item.text == text.format(new)


@pytest.mark.parametrize(
    "value", ["new", "two words", "on", "it's", "a*b", "", "a#b", "x: y", "{a", "-", "é", "old"]
)
def test_a_word_becomes_any_text(value: str) -> None:
    """With and without a parse alike, also where it is set again."""
    text = "kind: X\ndata:\n  x: 1\n  a: old\n  b: c\n"
    items = [Resource(text, lazy=True), Resource(text)]

    for one in ("first", value, value, "last", value):
        for item in items:
            item.set(("data", "a"), one)
        assert items[0].text == items[1].text
        assert [item.string("data", "a") for item in items] == [one, one]
    assert Resource(items[0].text).get("data") == {"x": 1, "a": value, "b": "c"}


def test_a_resource_that_is_too_large_is_not_parsed() -> None:
    """The message names the resource, and the limit with its flag."""
    item = Resource("a: 12345\n", limits=Limits(item_size=8), label="item 3")

    with pytest.raises(
        LimitError, match=r"item 3: .*over the limit of 8 \(raise it with --limit item_size=N\)"
    ):
        item.get("a")
    assert Resource("a: 12345\n", limits=Limits(item_size=9)).get("a") == 12345


LITERALS = [
    (
        "in an everyday ConfigMap",
        "data:\n  v: |\n    a: 1\n  w: x\n",
        "a: 2\nb: 3\n",
        "data:\n  v: |\n    a: 2\n    b: 3\n  w: x\n",
    ),
    ("without a last line break", "data:\n  v: |\n    a\n", "b", "data:\n  v: |-\n    b\n"),
    (
        "with a blank line and a comment below",
        "data:\n  v: |-\n      a\n\n   # c\n  w: x\n",
        "b\n",
        "data:\n  v: |\n      b\n\n   # c\n  w: x\n",
    ),
    (
        "behind a blank line that is short of blanks",
        "data:\n  v: |\n  \n    a\n",
        "b\n",
        "data:\n  v: |\n    b\n",
    ),
    ("with a comment on its line", "data:\n  v: | # c\n    a\n", "b\n", "data:\n  v: | # c\n    b\n"),
    (
        "that keeps its blank lines",
        "data:\n  v: |+\n    a\n\n  w: x\n",
        "b\n",
        "data:\n  v: |\n    b\n  w: x\n",
    ),
    ("whose new text begins with a blank", "data:\n  v: |\n    a\n", " b\n", "data:\n  v: |2\n     b\n"),
    (
        "whose new text ends in blank lines",
        "data:\n  v: |\n    a\n  w: x\n",
        "b\n\n",
        "data:\n  v: |+\n    b\n\n  w: x\n",
    ),
    ("without its last line break", "data:\n  v: |\n    a", "b\n", "data:\n  v: |\n    b\n"),
    ("with CRLF", "data:\r\n  v: |\r\n    a\r\n", "b\n", "data:\r\n  v: |\r\n    b\r\n"),
]


@pytest.mark.parametrize(
    ("text", "value", "expected"), [pytest.param(*row[1:], id=row[0]) for row in LITERALS]
)
def test_another_text_in_a_literal_block(text: str, value: str, expected: str) -> None:
    """It takes the old one's place at its depth, and is what is read from the result; all else stays."""
    resource = Resource(text)
    assert resource.get("data", "v") != value

    resource.set(("data", "v"), value)

    assert resource.text == expected
    assert Resource(resource.text).get("data", "v") == value
    assert Resource(resource.text).get("data", "w") == Resource(text).get("data", "w")


def test_a_literal_block_behind_an_alias_stays() -> None:
    """The alias gets the new text, and not the block that it stands for."""
    resource = Resource("x: &x |\n  a\ny: *x\n")
    resource.set(("y",), "b\n")

    assert Resource(resource.text).get() == {"x": "a\n", "y": "b\n"}
