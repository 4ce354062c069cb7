"""krmkit.systems.palette.packs.items: packs among the items of a list."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from krmkit.krm.finding import Finding
from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.palette.errors import PackError
from krmkit.systems.palette.packs.items import Packs
from tests.costs import check_shape

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
LOCAL = 'annotations: {config.kubernetes.io/local-config: "true"}'


def config_map(name: str, data: str, meta: str = LOCAL) -> str:
    """A ConfigMap; `data` in lines that are indented by two."""
    body = "".join(f"  {line}\n" if line else "\n" for line in data.split("\n"))
    return f"- apiVersion: v1\n  kind: ConfigMap\n  metadata: {{name: {name}, {meta}}}\n  data:\n{body}"


def read(*items: str) -> tuple[ResourceList, Packs]:
    resources = ResourceList.parse(HEAD + "".join(items))
    return resources, Packs.read(resources)


def pack(name: str, item: str = "") -> str:
    return config_map(
        item or name, f'  pack.json: \'{{"name": "{name}", "version": "1"}}\'\n  values.yaml: |\n    a: 1'
    )


def test_config_map() -> None:
    """A marked ConfigMap with pack.json is a pack, with the texts that it has."""
    _, packs = read(pack("web"))
    (carrier,) = packs.carriers

    assert (carrier.pack.name, carrier.pack.version, carrier.pack.label) == ("web", "1", "web")
    assert carrier.pack.values == "a: 1\n"
    assert carrier.pack.schema is None


def test_kind_pack() -> None:
    """A Pack holds pack.json as a map and the files as texts."""
    _, packs = read(
        "- apiVersion: krmkit.dev/v1alpha1\n  kind: Pack\n  metadata: {name: web}\n"
        '  spec:\n    metadata: {name: web, version: "1.20", layer: addon}\n    values: "a: 1"\n    schema: ""\n'
    )
    (carrier,) = packs.carriers

    assert (carrier.pack.version, carrier.pack.values, carrier.pack.schema) == ("1.20", "a: 1", "")


@pytest.mark.parametrize(
    "item",
    [
        pytest.param(config_map("x", "  pack.json: '{}'", "labels: {a: b}"), id="not-marked"),
        pytest.param(
            config_map("x", "  pack.json: '{}'", 'annotations: {config.kubernetes.io/local-config: "false"}'),
            id="marked-false",
        ),
        pytest.param(config_map("x", "  values.yaml: 'a: 1'"), id="no-pack-json"),
        pytest.param(
            f"- apiVersion: v1\n  kind: Secret\n  metadata: {{name: x, {LOCAL}}}\n  data: {{pack.json: x}}\n",
            id="secret",
        ),
        pytest.param(
            "- apiVersion: example.com/v1\n  kind: Pack\n  metadata: {name: x}\n  spec: {}\n",
            id="pack-of-others",
        ),
        pytest.param(
            "- apiVersion: example.com/v1\n  kind: PackList\n  metadata: {name: x}\n  spec: {metadata: {}}\n",
            id="kind",
        ),
    ],
)
def test_other_items_are_none(item: str) -> None:
    """What is not marked as a pack is left alone."""
    _, packs = read(item, pack("web"))

    assert [carrier.pack.name for carrier in packs.carriers] == ["web"]
    assert packs.problems == []


@pytest.mark.parametrize(
    ("item", "message"),
    [
        pytest.param(config_map("x", "  pack.json: '{'"), "pack.json is not JSON", id="no-json"),
        pytest.param(config_map("x", "  pack.json: '[]'"), "one JSON object", id="no-object"),
        pytest.param(config_map("x", "  pack.json: '{}'"), "has no name", id="no-name"),
        pytest.param(
            config_map("x", "  pack.json: {name: x}"), "must be a text", id="map-in-place-of-a-text"
        ),
        pytest.param(
            config_map("x", '  pack.json: \'{"name": "x"}\'\n  values.yaml: [1]'),
            "must be a text",
            id="values-are-a-list",
        ),
        pytest.param(
            "- apiVersion: krmkit.dev/v1alpha1\n  kind: Pack\n  metadata: {name: x}\n  spec: {}\n",
            "must be a map",
            id="pack-without-metadata",
        ),
    ],
)
def test_problems(item: str, message: str) -> None:
    """An item that should be a pack and cannot be read is told, with its place; the others are read."""
    _, packs = read(item, pack("web"))
    (problem,) = packs.problems

    assert message in problem.message
    assert problem.resource is not None
    assert problem.resource.name == "x"
    assert [carrier.pack.name for carrier in packs.carriers] == ["web"]


def test_order_and_labels() -> None:
    """Packs come in the order of the list; packs of one name are told apart by their items."""
    _, packs = read(pack("b"), pack("web", "web-1"), pack("a"), pack("web", "web-2"))

    assert [carrier.pack.label for carrier in packs.carriers] == ["b", "web (web-1)", "a", "web (web-2)"]


def test_named() -> None:
    """A config names a pack by pack.json, then by its item."""
    _, packs = read(pack("web", "frontend"), pack("db", "db-1"), pack("db", "db-2"))

    assert packs.named("web").resource.name == "frontend"
    assert packs.named("frontend").pack.name == "web"
    assert packs.named("db-2").resource.name == "db-2"
    with pytest.raises(PackError, match=r"several items \(db-1, db-2\)"):
        packs.named("db")
    with pytest.raises(PackError, match='did you mean "web"'):
        packs.named("wbe")
    with pytest.raises(PackError, match=r'^there is no pack "web", nor any other among the items$'):
        read()[1].named("web")


def test_an_item_of_the_name_decides_between_two() -> None:
    """Of two packs of one name, the item that is called so itself is meant."""
    _, packs = read(pack("db", "db"), pack("db", "db-2"))

    assert packs.named("db").resource.name == "db"


def test_write_values_changes_only_the_changed_lines() -> None:
    """A new values text goes back into its place, with the block's own indentation."""
    item = config_map(
        "web",
        '  # what it is\n  pack.json: \'{"name": "web"}\'\n  values.yaml: |\n      a: 1 # one\n\n      b: 2\n  note: x # stays',
    )
    resources, packs = read(item, pack("db"))
    packs.carriers[0].write_values("a: 1 # one\n\nb: 3\n")

    assert resources.render() == (HEAD + item + pack("db")).replace("      b: 2", "      b: 3")


def test_write_the_same_values() -> None:
    """The same text again changes nothing."""
    resources, packs = read(pack("web"))
    packs.carriers[0].write_values("a: 1\n")

    assert not resources.items[0].changed


FILE = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
  annotations:
    config.kubernetes.io/local-config: "true"
{more}data:
  pack.json: '{{"name": "web", "version": "1"}}'
  values.yaml: |
    a: 1
    b: [
"""
ADDED = "    config.kubernetes.io/index: '0'\n    config.kubernetes.io/path: packs/web.yaml\n"
FOLDER = "    krmkit.dev/pack-folder: web-1\n"
LOCATED = [
    ("as kpt sends it", ADDED, "line 11, column 9: no YAML"),
    ("imported", FOLDER + ADDED, "line 12, column 9 (line 2, column 5 of web-1/values.yaml): no YAML"),
    ("of no file", "", "line 2, column 5 of web/values.yaml: no YAML"),
    ("a later document", ADDED.replace("'0'", "'1'"), "line 2, column 5 of web/values.yaml: no YAML"),
]


@pytest.mark.parametrize(
    ("more", "message"), [case[1:] for case in LOCATED], ids=[case[0] for case in LOCATED]
)
def test_located(more: str, message: str) -> None:
    """A place in a pack's text is said as the place in the item's file, and for imported packs both."""
    item = "  ".join(FILE.format(more=more).splitlines(keepends=True))
    _, packs = read(f"- {item}")
    finding = Finding("schema", "no YAML", tags={"file": "values.yaml"})
    finding.line, finding.column = 2, 5

    packs.carriers[0].located(finding)

    assert finding.message == message
    assert finding.data()["tags"] == {"rule": "schema", "file": "values.yaml", "pack": "web"}


def test_shape_of_costs_of_names() -> None:
    """A pack is found by its name without a look at all others."""

    def make(size: int) -> Callable[[], object]:
        _, packs = read(*[pack(f"p{number}") for number in range(size)])
        return lambda: [packs.named(f"p{number}") for number in range(size)]

    check_shape(make)


def test_shape_of_costs_of_unknown_names() -> None:
    """Nor does an unknown name cost a search through thousands."""

    def make(size: int) -> Callable[[], object]:
        _, packs = read(*[pack(f"p{number}") for number in range(size)])

        def work() -> None:
            for number in range(10):
                with pytest.raises(PackError):
                    packs.named(f"unknown-{number}")

        return work

    check_shape(make, 600)
