"""krmkit.systems.landscaper.flow.landscape and explain: limits of trees, what waits, and where values come from."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.landscaper.apinames import API_VERSION, object_name
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow import landscape
from krmkit.systems.landscaper.flow.dependencies import edges, order, order_with_cycles
from krmkit.systems.landscaper.flow.explain import explain
from krmkit.systems.landscaper.flow.graph import graph_of
from krmkit.systems.landscaper.flow.landscape import Landscape
from krmkit.systems.landscaper.flow.outcome import LandscapeOptions, RenderedInstallation
from krmkit.systems.landscaper.items.installations import Items, read
from krmkit.systems.landscaper.items.objects import World
from tests.costs import check_shape
from tests.unit.systems.landscaper.worlds import data_object, installation, messages, obj, one, run, target

HEADER: Object = {"apiVersion": API_VERSION, "kind": "Blueprint"}


def nest(depth: int) -> Object:
    """The text of a blueprint with so many others inside of each other."""
    found: Object = dict(HEADER)
    for _ in range(depth):
        found = {
            **HEADER,
            "subinstallations": [{"name": "in", "blueprint": {"filesystem": {"blueprint.yaml": json.dumps(found)}}}],
        }  # fmt: skip
    return found


def rooted(body: Object, name: str = "root", **spec: Any) -> Object:
    """An Installation with this blueprint."""
    text = json.dumps(body)
    return obj(
        "Installation", name, spec={"blueprint": {"inline": {"filesystem": {"blueprint.yaml": text}}}, **spec}
    )


def test_depth_of_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Installations are nested at most so deep; the deepest one fails, and with it all above."""
    assert (landscape._DEEPEST, landscape._MOST) == (30, 10_000)
    monkeypatch.setattr(landscape, "_DEEPEST", 3)

    right, wrong = one(rooted(nest(3))), one(rooted(nest(4)))

    assert right.phase == "Succeeded"
    assert wrong.phase == "Failed"
    assert [error.rule for each in wrong.tree() for error in each.errors] == ["limit"]
    assert messages(wrong) == ["installations are nested more than 3 deep, or are more than 10,000"]


def test_number_of_installations(monkeypatch: pytest.MonkeyPatch) -> None:
    """All trees together have at most so many installations."""
    monkeypatch.setattr(landscape, "_MOST", 4)

    assert [each.phase for each in run(rooted(nest(1)), rooted(nest(1), "other"))] == ["Succeeded"] * 2
    assert [each.phase for each in run(rooted(nest(2)), rooted(nest(1), "other"))] == ["Succeeded", "Failed"]


def test_namespaces_are_apart() -> None:
    """Installations of two namespaces share neither objects nor order."""

    def there(item: Object, namespace: str) -> Object:
        return {**item, "metadata": {**item["metadata"], "namespace": namespace}}

    taker = installation(
        "a", "imports: [{name: x, schema: {}}]\n", imports={"data": [{"name": "x", "dataRef": "x"}]}
    )
    found = run(
        there(taker, "one"),
        there(taker, "two"),
        there(data_object("x", 1), "one"),
        there(data_object("x", 2), "two"),
    )

    assert [each.values for each in found] == [{"x": 1}, {"x": 2}]
    assert {mapping(item["metadata"])["namespace"] for item in found[1].objects} == {"two"}


def flow(name: str, takes: str = "", gives: str = "") -> Object:
    """An installation that takes one data object and gives another one."""
    spec: Object = {}
    if takes:
        spec["imports"] = {"data": [{"name": "in", "dataRef": takes}]}
    if gives:
        spec["exports"] = {"data": [{"name": "out", "dataRef": gives}]}
        spec["exportDataMappings"] = {"out": 1}
    return installation(name, "", **spec)


def test_only_what_is_wanted() -> None:
    """Those named are rendered, and what they depend on, however far."""
    objects = [flow("c", "b"), flow("b", "a", "b"), flow("a", "", "a"), flow("other")]
    world = Landscape(World.of(objects), Landscape(World.of([]), None).repository)  # type: ignore[arg-type]

    assert [each.name for each in world.run(["c"])] == ["c", "b", "a"]
    assert [each.name for each in Landscape(World.of(objects), world.repository).run(["a"])] == ["a"]
    assert [each.name for each in Landscape(World.of(objects), world.repository).run()] == [
        "c",
        "b",
        "a",
        "other",
    ]


def test_a_cycle_of_siblings() -> None:
    """Roots in a ring fail, each of them, with the ring."""
    found = run(flow("a", "b", "a"), flow("b", "a", "b"))

    assert [each.phase for each in found] == ["Failed", "Failed"]
    assert messages(found[0]) == [
        "the installations have a cycle: a -{depends_on}-> b -{depends_on}-> a"
    ]  # fmt: skip


def test_a_cycle_beside_others() -> None:
    """Only those of a ring have its error: what needs them fails for that, and what does not is rendered."""
    found = run(
        flow("free"),
        flow("a", "b", "a"),
        flow("b", "a", "b"),
        flow("needs", "b"),
        flow("c", "d", "c"),
        flow("d", "c", "d"),
    )

    assert [each.phase for each in found] == ["Succeeded", "Failed", "Failed", "Failed", "Failed", "Failed"]
    assert [messages(each) for each in found[2:5]] == [
        ["the installations have a cycle: a -{depends_on}-> b -{depends_on}-> a"],
        ['depending on installation "default/b" which is not succeeded'],
        ["the installations have a cycle: c -{depends_on}-> d -{depends_on}-> c"],
    ]


def test_twice_the_rings_cost_twice() -> None:
    """Each pair of installations that need each other is found in one walk."""

    def make(size: int) -> Callable[[], object]:
        pairs = [(f"a{number}", f"b{number}") for number in range(size)]
        graph = {one: [other] for pair in pairs for one, other in (pair, pair[::-1])}
        return lambda: order_with_cycles(graph)

    assert len(order_with_cycles({"a": ["b"], "b": ["a"], "c": ["a"]})[1]) == 2
    check_shape(make)


def test_a_graph_lists_roots_in_the_order_of_their_runs() -> None:
    """What others need comes first; a ring does not change that."""
    items = Items(
        world=World.of(
            [
                flow("c", "b"),
                flow("b", "a", "b"),
                flow("a", "", "a"),
                flow("x", "z", "z2"),
                flow("z", "z2", "z"),
            ]
        )
    )

    assert list(graph_of(items).nodes) == ["a", "b", "c", "x", "z"]


def test_an_installation_that_failed_explains_nothing() -> None:
    """The error is why, and not a missing import."""
    with pytest.raises(InstallationError, match="have a cycle"):
        explain(Items(world=World.of([flow("a", "b", "a"), flow("b", "a", "b")])), "a", "in")


def test_what_is_broken_is_not_rendered() -> None:
    """An installation of a wrong form counts as failed, and what it would export as unknown."""
    found = run(
        flow("a", "", "a"), flow("b", "a"), flow("c", "x"), broken=frozenset([("default", "a"), ("default", "c")])
    )  # fmt: skip

    assert [each.phase for each in found] == ["Failed", "Failed", "Failed"]
    assert [len(each.errors) for each in found] == [0, 1, 0]


def test_an_item_wins_over_an_unknown_export() -> None:
    """A DataObject that is among the items is taken, though nobody knows the export of its name yet."""
    giver = installation(
        "a",
        "exports: [{name: out, type: data, schema: {}}]\ndeployExecutions: [{name: d, type: Spiff, template: {deployItems: [{name: i, type: t}]}}]\n"
        "exportExecutions: [{name: e, type: GoTemplate, template: 'exports: {out: {{ .deployitems.i.x }}}'}]\n",
        exports={"data": [{"name": "out", "dataRef": "k"}]},
    )
    waiting = run(giver, flow("b", "k"))
    known = run(giver, flow("b", "k"), data_object("k", 1))

    assert [each.phase for each in waiting] == ["Waiting", "Waiting"]
    assert [each.phase for each in known] == ["Waiting", "Succeeded"]


def test_unknown_counts_as_nil() -> None:
    """As in the cluster, where asked for: a template then fails on an export that is not there."""
    body = (
        "exports: [{name: out, type: data, schema: {}}]\ndeployExecutions: [{name: d, type: Spiff, template: {deployItems: [{name: i, type: t}]}}]\n"
        "exportExecutions: [{name: e, type: GoTemplate, template: 'exports: {out: {{ .deployitems.i.x }}}'}]\n"
    )

    found = one(installation("a", body), unknown_is_nil=True)

    assert found.phase == "Failed"
    assert "nil pointer evaluating interface {}.x" in messages(found)[0]


def test_exports_of_whole_installations() -> None:
    """What a template tells of a whole installation, data and targets, is written instead of what is inside of it."""
    told = {
        "dataExports": {"d": 1},
        "targetExports": [{"name": "t", "type": "x/y", "config": {"a": 1}}],
    }

    def find(rendered: RenderedInstallation) -> Object | None:
        return told if rendered.name == "a" else None

    parent = installation(
        "a",
        "deployExecutions: [{name: d, type: GoTemplate, template: '{{ fail \"not run\" }}'}]\n",
        exports={"data": [{"name": "d", "dataRef": "d"}], "targets": [{"name": "t", "target": "t"}]},
    )

    found = one(parent, installation_exporter=find)

    assert found.phase == "Succeeded"
    assert [(item["kind"], mapping(item["metadata"])["name"]) for item in found.exported] == [("DataObject", "d"), ("Target", "t")]  # fmt: skip
    assert found.exported[1]["spec"] == {"type": "x/y", "config": {"a": 1}}


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        ({"data": [{"name": "x", "dataRef": "k"}]}, ["a"]),
        ({"targets": [{"name": "x", "target": "t"}]}, ["a"]),
        ({"targets": [{"name": "x", "targets": ["u", "t"]}]}, ["a"]),
        ({"targets": [{"name": "x", "targetMap": {"m": "t"}}]}, ["a"]),
        ({"targets": [{"name": "x", "targetListRef": "t"}]}, []),
        ({"targets": [{"name": "x", "targetMapRef": "t"}]}, []),
        ({"data": [{"name": "x", "dataRef": "t"}], "targets": [{"name": "y", "target": "k"}]}, []),
        ({"data": [{"name": "x", "dataRef": "own"}]}, []),
        ({"data": [{"name": "x", "dataRef": "k"}], "targets": [{"name": "y", "target": "t"}]}, ["a"]),
    ],
    ids=["data", "a target", "a list", "a map", "a reference to a list", "a reference to a map", "of the other kind", "an own export", "twice"],
)  # fmt: skip
def test_edges(taken: Object, expected: list[str]) -> None:
    """Who imports what another one exports depends on it; references to whole lists and maps make no order."""
    giver: Object = {"exports": {"data": [{"dataRef": "k"}], "targets": [{"target": "t"}]}}

    assert edges({"a": giver, "b": {"imports": taken, "exports": {"data": [{"dataRef": "own"}]}}}) == {"a": [], "b": expected}  # fmt: skip


def test_order() -> None:
    """Each after those it depends on, the others as they stand; a name that is not there counts for nothing."""
    assert order({"c": ["a", "b"], "b": ["a"], "a": ["absent"], "d": []}) == ["a", "b", "c", "d"]
    assert order({"d": ["a"], "a": [], "e": ["a"]}) == ["a", "d", "e"]

    with pytest.raises(InstallationError) as caught:
        order({"x": ["a"], "a": ["b"], "b": ["c"], "c": ["a"]})

    assert caught.value.message.endswith(": a -{depends_on}-> b -{depends_on}-> c -{depends_on}-> a")


def test_long_chains_have_an_order() -> None:
    """A chain of thousands needs no recursion."""
    graph = {str(number): [str(number + 1)] for number in range(20_000)}

    assert order({**graph, "20000": []})[0] == "20000"


TREE = (
    "imports:\n- {name: size, schema: {}}\n- {name: kind, required: false, default: {value: x}, schema: {}}\n"
    "- {name: extra, required: false, schema: {}}\n- {name: edge, targetType: kubernetes-cluster}\n"
    "- {name: all, type: targetList, targetType: kubernetes-cluster}\n- {name: code, schema: {}}\n- {name: fixed, schema: {}}\n"
    "subinstallations:\n- name: giver\n  blueprint: {filesystem: {blueprint.yaml: 'GIVER'}}\n  exports: {data: [{name: a, dataRef: up}, {name: b, dataRef: other}]}\n"
    "  exportDataMappings: {b: 2}\n"
    "- name: taker\n  blueprint: {filesystem: {blueprint.yaml: 'TAKER'}}\n  imports:\n    data: [{name: up, dataRef: up}, {name: other, dataRef: other}]\n"
    "    targets: [{name: first, target: 'all[0]'}, {name: all, targetListRef: all}]\n"
)
GIVER = json.dumps({**HEADER, "exports": [{"name": "a", "type": "data", "schema": {}}], "exportExecutions": [{"name": "e", "type": "Spiff", "template": {"exports": {"a": 1}}}]})  # fmt: skip
TAKER = json.dumps({**HEADER, "imports": [
    {"name": "up", "schema": {}}, {"name": "other", "schema": {}}, {"name": "first", "targetType": "kubernetes-cluster"},
    {"name": "all", "type": "targetList", "targetType": "kubernetes-cluster"},
]})  # fmt: skip


def tree() -> Items:
    """Two nested installations, one of which exports what the other one imports."""
    parent = installation(
        "root",
        TREE.replace("GIVER", GIVER).replace("TAKER", TAKER),
        imports={
            "data": [{"name": "n", "dataRef": "n"}, {"name": "code", "secretRef": {"name": "s", "key": "k"}}],
            "targets": [{"name": "edge", "target": "east"}, {"name": "all", "targets": ["east", "west"]}],
        },
        importDataMappings={"size": ["(( n * 2 ))", {"x": "(( n ))"}], "fixed": 5},
    )
    secret = obj("Secret", "s", "v1", stringData={"k": "v"})
    return Items(
        world=World.of([parent, data_object("n", 2), secret, target("east"), target("west")]),
    )


def test_where_values_come_from() -> None:
    """Mapped, constant, imported from every kind of object, defaulted or absent."""
    assert explain(tree(), "root") == [
        "root: import size",
        "  spec.importDataMappings.size",
        "    spec.imports n",
        "      DataObject n: not among the items",
        "root: import kind",
        "  the default of the blueprint",
        "root: import extra (no value)",
        "  nothing gives it a value",
        "root: import edge",
        "  spec.imports edge",
        "    Target east: not among the items",
        "root: import all",
        "  spec.imports all",
        "    Target east: not among the items",
        "    Target west: not among the items",
        "root: import code",
        "  spec.imports code",
        "    Secret s key k: not among the items",
        "root: import fixed",
        "  spec.importDataMappings.fixed: a constant",
    ]


def test_values_of_siblings_and_parents() -> None:
    """Exports of a sibling, mapped or not, and elements and whole lists of the parent."""
    name = object_name("Inst.root", "up")
    element = object_name("Inst.root", "all[0]")
    lines = explain(tree(), "root/taker")
    of_parent = [
        "root: import all",
        "  spec.imports all",
        "    Target east: not among the items",
        "    Target west: not among the items",
    ]

    assert lines[:8] == [
        "root/taker: import up",
        "  spec.imports up",
        f"    DataObject {name}: export up of root/giver",
        "      root/giver: the blueprint's export a",
        "root/taker: import other",
        "  spec.imports other",
        f"    DataObject {object_name('Inst.root', 'other')}: export other of root/giver",
        "      root/giver: exportDataMappings b",
    ]
    assert lines[8:15] == [
        "root/taker: import first",
        "  spec.imports first",
        f"    Target {element} in the scope of root",
        *[f"      {line}" for line in of_parent],
    ]
    assert lines[15:] == [
        "root/taker: import all",
        "  spec.imports all",
        *[f"    {line}" for line in of_parent],
    ]


def test_unknown_values() -> None:
    """An export that nobody knows yet is said to be that."""
    giver = flow("a", "", "k")
    giver["spec"]["imports"] = {"data": [{"name": "x", "dataRef": "absent"}]}
    taker = installation("b", "imports: [{name: in, schema: {}}]\n", imports={"data": [{"name": "in", "dataRef": "k"}]})  # fmt: skip

    lines = explain(Items(world=World.of([giver, taker])), "b")

    assert lines[-1] == "    DataObject k: export k of a, which is not known"


def test_graph_order_and_edges() -> None:
    """Nested installations stand in the order in which they run; each gives what another takes once."""
    graph = graph_of(tree())

    assert list(graph.nodes) == ["root", "root/giver", "root/taker"]
    assert [(edge.source, edge.target, edge.key) for edge in graph.edges] == [
        ("root/giver", "root/taker", "up"),
        ("root/giver", "root/taker", "other"),
    ]
    assert graph.problems == []
    assert graph.data() == {
        "installations": [
            {"path": "root", "phase": "Succeeded", "deployItems": 0},
            {"path": "root/giver", "phase": "Succeeded", "deployItems": 0},
            {"path": "root/taker", "phase": "Succeeded", "deployItems": 0},
        ],
        "edges": [
            {"from": "root/giver", "to": "root/taker", "key": "up"},
            {"from": "root/giver", "to": "root/taker", "key": "other"},
        ],
        "problems": [],
    }


def test_options_stay_as_given() -> None:
    """Rendering changes neither the state that it is told nor the objects."""
    state: Object = {"a": {"deployd": {"x": 1}}}
    body = "deployExecutions: [{name: d, type: GoTemplate, template: 'state: {x: 2}'}]\n"
    parent = installation("a", body)
    before = json.dumps(parent)

    found = Landscape(World.of([parent]), tree().repository, LandscapeOptions(state=state)).run()

    assert found[0].state == {"deployd": {"x": 2}}
    assert state == {"a": {"deployd": {"x": 1}}}
    assert json.dumps(parent) == before


SECRET = "tiger-in-the-tank"


def test_the_place_of_a_problem() -> None:
    """That of the field of the root installation; of one below it, that of the root itself."""
    inner = json.dumps(json.dumps({**HEADER, "imports": [{"name": "x", "schema": {}}]}))
    body = f"subinstallations: [{{name: web, blueprint: {{filesystem: {{blueprint.yaml: {inner}}}}}}}]\n"
    wrong = installation("wrong", "", imports={"data": [{"name": "a", "dataRef": "absent"}]})
    items = read([Resource.from_data(one) for one in (wrong, installation("root", body))])

    graph = graph_of(items, place=lambda item, field: f"{item.name}.yaml:{field}")

    assert [problem.partition(": ")[0] for problem in graph.problems] == [
        "wrong.yaml:spec.imports.data[0].dataRef",
        "root.yaml:",
    ]
    assert [problem.partition(": ")[0] for problem in graph_of(items).problems] == ["wrong", "root/web"]


@pytest.mark.parametrize("form", ["table", "dot", "mermaid", "data"])
def test_names_hold_no_secret(form: str) -> None:
    """A nested installation whose name a template has made of a secret is drawn and explained without it."""
    blueprint = json.dumps(json.dumps({**HEADER, "imports": [{"name": "x", "schema": {}}]}))
    body = (
        "imports: [{name: p, schema: {}}]\nsubinstallationExecutions:\n- name: s\n  type: GoTemplate\n  template: |\n    subinstallations:\n"
        f"    - name: of-{{{{ .imports.p }}}}\n      blueprint: {{filesystem: {{blueprint.yaml: {blueprint}}}}}\n"
        "      imports: {data: [{name: x, dataRef: p}]}\n"
    )
    imports = {"data": [{"name": "p", "secretRef": {"name": "s", "key": "k"}}]}
    secret = obj("Secret", "s", "v1", stringData={"k": SECRET})
    items = Items(world=World.of([installation("root", body, imports=imports), secret]))

    graph = graph_of(items)
    drawn = json.dumps(graph.data()) if form == "data" else graph.shown(form)
    lines = explain(items, f"root/of-{SECRET}")

    assert SECRET not in drawn
    assert "root/of-(secret)" in drawn
    assert lines[0] == "root/of-(secret): import x"
