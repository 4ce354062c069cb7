"""krmkit.systems.porch.variants.injection and gates: objects copied into injection points, conditions and readiness gates in the Kptfile."""

from __future__ import annotations

import pytest

from krmkit.krm.resource import Resource
from krmkit.systems.porch.api.apinames import PorchError
from krmkit.systems.porch.variants.candidates import Candidate, candidates
from krmkit.systems.porch.variants.findings import point_findings
from krmkit.systems.porch.variants.gates import open_gates
from krmkit.systems.porch.variants.injection import find_injection_points, inject_config
from krmkit.systems.porch.variants.injectionpoint import InjectionPoint
from krmkit.systems.porch.variants.packageview import PackageView
from tests.unit.systems.porch.packages import KPTFILE, package, text_of

BARE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"


def point(
    kind: str = "ConfigMap", name: str = "ep", version: str = "v1", value: str = "required", body: str = ""
) -> str:
    return (
        f"apiVersion: {version}\nkind: {kind}\nmetadata:\n  name: {name}\n  annotations:\n"
        f"    kpt.dev/config-injection: {value}\n{body}"
    )


def candidate(kind: str = "ConfigMap", name: str = "eu", version: str = "v1", **body: object) -> Candidate:
    return Candidate({"apiVersion": version, "kind": kind, "metadata": {"name": name}, **body})


def run(
    files: dict[str, str], injectors: list[dict[str, str]], candidates: list[Candidate]
) -> tuple[PackageView, list[InjectionPoint]]:
    found = package({"Kptfile": KPTFILE, **files})
    return found, inject_config(found, injectors, candidates)


def conditions(found: PackageView) -> list[dict[str, object]]:
    data = found.single("Kptfile").get("status", "conditions")
    assert isinstance(data, list)
    return data


def test_config_map_takes_data() -> None:
    """The data is replaced, the source is noted, comments of lines that stay survive."""
    body = 'data:\n  db: none # overwritten\n  port: "1" # stays\n  old: x\nimmutable: true\n'
    found, points = run(
        {"cm.yaml": point(body=body)},
        [{"name": "eu"}],
        [candidate(data={"port": "1", "db": "eu", "more": "m"}, immutable=False)],
    )

    assert points[0].injected
    assert text_of(found, "cm.yaml") == (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ep\n  annotations:\n"
        "    kpt.dev/config-injection: required\n    kpt.dev/injected-resource: eu\n"
        'data:\n  db: eu # overwritten\n  port: "1" # stays\n  more: m\nimmutable: true\n'
    )
    assert text_of(found, "Kptfile") == KPTFILE.replace(
        "  description: front of the shop\n",
        "  description: front of the shop\n  readinessGates:\n  - conditionType: config.injection.ConfigMap.ep\n",
    ) + (
        'status:\n  conditions:\n  - type: config.injection.ConfigMap.ep\n    status: "True"\n'
        '    message: injected resource "eu" from cluster\n    reason: ConfigInjected\n'
    )


@pytest.mark.parametrize(
    ("kind", "version", "field"),
    [
        ("ConfigMap", "v1", "data"),
        ("ConfigMap", "example.com/v1", "spec"),
        ("Secret", "v1", "spec"),
        ("Team", "hr.example.com/v1", "spec"),
    ],
)
def test_field(kind: str, version: str, field: str) -> None:
    """Only the core group's ConfigMap gives its data; everything else its spec. Integers stay integers."""
    given = {"spec": {"a": 12345678}, "data": {"a": "x"}}
    found, _ = run(
        {"p.yaml": point(kind, "p", version)}, [{"name": "eu"}], [candidate(kind, "eu", version, **given)]
    )

    assert found.at("p.yaml")[0].get(field) == given[field]
    assert (found.at("p.yaml")[0].get("spec" if field == "data" else "data")) is None


@pytest.mark.parametrize(
    ("injectors", "candidates", "message"),
    [
        pytest.param([], [candidate(data={})], "no injectors defined", id="no injectors"),
        pytest.param(
            [{"name": "eu"}], [], "no in-cluster resources of type v1.ConfigMap", id="no candidates"
        ),
        pytest.param(
            [{"name": "eu"}],
            [candidate(version="v2", data={}), candidate("Team", data={})],
            "no in-cluster resources of type v1.ConfigMap",
            id="other version, other kind",
        ),
        pytest.param(
            [{"name": "us"}],
            [candidate(data={})],
            "no resource matched any injection selector for this injection point",
            id="other name",
        ),
        pytest.param(
            [{"name": "eu"}, {"name": "us"}],
            [candidate(spec={}), candidate(name="us", data={"a": "b"})],
            'field "data" not found in resource "eu"',
            id="the first hit ends the search",
        ),
        pytest.param(
            [{"name": "eu"}],
            [candidate(data=None)],
            "unable to set <nil> at fields [data] with error: the passed-in object must not be nil",
            id="null",
        ),
    ],
)
def test_not_injected(injectors: list[dict[str, str]], candidates: list[Candidate], message: str) -> None:
    """A point that is not filled stays as it was, is no error of the run, and its condition says why."""
    text = point(body="data:\n  a: default\n")
    found, points = run({"p.yaml": text}, injectors, candidates)

    assert not points[0].injected
    assert text_of(found, "p.yaml") == text
    assert conditions(found) == [
        {
            "type": "config.injection.ConfigMap.ep",
            "status": "False",
            "message": message,
            "reason": "NoResourceSelected",
        }
    ]


HINTS = {
    "a near name": ([candidate(name="uss", data={})], ' (there is no ConfigMap us; did you mean "uss"?)'),
    "another namespace": (
        [Candidate(candidate(name="us", data={}).data, "far")],
        " (ConfigMap us is in namespace far)",
    ),
    "nothing alike": ([candidate(name="production", data={})], ""),
}


@pytest.mark.parametrize(("candidates", "hint"), list(HINTS.values()), ids=list(HINTS))
def test_a_miss_says_what_was_probably_meant(candidates: list[Candidate], hint: str) -> None:
    """The result for people has it; the condition stays as Porch writes it."""
    _, points = run({"p.yaml": point(body="data: {}\n")}, [{"name": "us"}], candidates)

    (finding,) = [one for one in point_findings(points) if one.rule == "not-injected"]
    assert points[0].hint == hint and hint in finding.message


@pytest.mark.parametrize(
    ("injector", "injected"),
    [
        ({}, True),
        ({"group": "hr.example.com", "version": "v1", "kind": "Team"}, True),
        ({"group": ""}, False),
        ({"version": "v2"}, False),
        ({"kind": "team"}, False),
        ({"kind": ""}, False),
    ],
)
def test_selector_fields(injector: dict[str, str], injected: bool) -> None:
    """What an injector gives must equal the in-package object's; an empty string is given, only an absent field is not."""
    _, points = run(
        {"p.yaml": point("Team", "t", "hr.example.com/v1")},
        [{**injector, "name": "eu"}],
        [candidate("Team", "eu", "hr.example.com/v1", spec={"a": 1})],
    )

    assert points[0].injected is injected


def test_empty_group_is_the_core_group() -> None:
    """`group: ""` selects ConfigMaps and nothing of other groups."""
    _, points = run({"p.yaml": point()}, [{"group": "", "name": "eu"}], [candidate(data={"a": "b"})])

    assert points[0].injected


def test_points_of_all_files() -> None:
    """Subpackages count, other files do not; the order is that of files and positions."""
    found = package(
        {
            "z.yml": point(name="z"),
            "sub/a.yaml": point(name="a") + "---\n" + point("Team", "b", value="'optional'"),
            "notes.txt": point(name="no"),
            "a.json": '{"apiVersion": "v1", "kind": "X", "metadata": {"name": "j", '
            '"annotations": {"kpt.dev/config-injection": "optional"}}}\n',
        }
    )

    assert [(p.file, p.condition_type, p.required) for p in find_injection_points(found)] == [
        ("a.json", "config.injection.X.j", False),
        ("sub/a.yaml", "config.injection.ConfigMap.a", True),
        ("sub/a.yaml", "config.injection.Team.b", False),
        ("z.yml", "config.injection.ConfigMap.z", True),
    ]


def test_all_errors_at_once_and_nothing_injected() -> None:
    """Bad values and shared condition types are all named; the package stays as it was."""
    files = {
        "a.yaml": point(value="Required"),
        "b.yaml": point(value='""', name="b"),
        "c.yaml": point("Team", "t", "a.example.com/v1"),
        "d.yaml": point("Team", "t", "b.example.com/v1"),
        "e.yaml": point("Team", "t", "c.example.com/v1"),
    }
    found = package({"Kptfile": KPTFILE, **files})
    with pytest.raises(PorchError) as caught:
        inject_config(found, [{"name": "eu"}], [candidate(data={"a": "b"})])

    duplicate = 'duplicate injection conditionType "config.injection.Team.t"'
    assert str(caught.value) == (
        'errors in injection points: a.yaml: ConfigMap/ep has invalid "kpt.dev/config-injection" annotation value of "Required",'
        ' b.yaml: ConfigMap/b has invalid "kpt.dev/config-injection" annotation value of "",'
        f" {duplicate} (c.yaml and d.yaml), {duplicate} (d.yaml and e.yaml)"
    )
    assert {path: text_of(found, path) for path in files} == files


@pytest.mark.parametrize(
    ("text", "message"), [("just text\n", "single value"), ("- a\n", "is a list"), ("a: b: c\n", "p.yaml: ")]
)
def test_unreadable_file(text: str, message: str) -> None:
    """A file that holds no resource fails the run."""
    with pytest.raises(PorchError, match="failed to extract objects") as caught:
        find_injection_points(package({"p.yaml": text}))

    assert message in str(caught.value)


@pytest.mark.parametrize(
    "data", [{}, {"apiVersion": 1, "kind": [], "metadata": "x"}, {"metadata": {"name": 3}}]
)
def test_candidate_of_anything(data: dict[str, object]) -> None:
    """What is no object is a candidate that fits nowhere."""
    files = package({"Kptfile": KPTFILE, "cm.yaml": point()})
    [unfilled] = inject_config(files, [{"name": "x"}], [Candidate(data)])

    assert not unfilled.injected


def test_kptfile_has_to_be_one() -> None:
    """The root Kptfile must be there and of its kind even without any injection point."""
    with pytest.raises(PorchError, match='"Kptfile" not found'):
        inject_config(package({"cm.yaml": point()}), [], [])
    with pytest.raises(PorchError, match='does not contain kind "Kptfile"'):
        inject_config(package({"Kptfile": KPTFILE.replace("kind: Kptfile", "kind: Other")}), [], [])


STATUS = (
    KPTFILE
    + """\
status:
  renderStatus: ok # kept
  conditions:
  - type: zeta # last
    status: "True"
    reason: Z
    message: z
  - type: config.injection.ConfigMap.ep # ours
    status: "False"
    reason: NoResourceSelected
    message: no injectors defined
    since: monday
  - type: Rendered
    status: "True"
"""
)


def test_conditions_are_updated_in_place_and_sorted() -> None:
    """Unknown fields and comments stay, entries move with their comments, others are not touched."""
    found = package({"Kptfile": STATUS, "cm.yaml": point()})
    inject_config(found, [{"name": "eu"}], [candidate(data={"a": "b"})])

    assert text_of(found, "Kptfile").split("status:\n", 1)[1] == (
        "  renderStatus: ok # kept\n"
        "  conditions:\n"
        "  - type: Rendered\n"
        '    status: "True"\n'
        "  - type: config.injection.ConfigMap.ep # ours\n"
        '    status: "True"\n'
        "    reason: ConfigInjected\n"
        '    message: injected resource "eu" from cluster\n'
        "    since: monday\n"
        "  - type: zeta # last\n"
        '    status: "True"\n'
        "    reason: Z\n"
        "    message: z\n"
    )


def test_gates_are_sorted_without_repetition() -> None:
    """Required points add theirs, optional ones add none and take none away, even where nothing else happens."""
    gates = "  readinessGates:\n  - conditionType: b # b\n  - conditionType: a\n  - conditionType: b\n"
    found = package(
        {
            "Kptfile": KPTFILE.replace(
                "  description: front of the shop\n", "  description: front of the shop\n" + gates
            ),
            "p.yaml": point(name="opt", value="optional") + "---\n" + point(name="req"),
        }
    )
    inject_config(found, [], [])
    text = text_of(found, "Kptfile")

    assert found.single("Kptfile").get("info", "readinessGates") == [
        {"conditionType": "a"},
        {"conditionType": "b"},
        {"conditionType": "config.injection.ConfigMap.req"},
    ]
    assert "  - conditionType: b # b\n" in text


def test_lists_are_never_made_empty() -> None:
    """Without points and entries neither list appears, and empty ones stay."""
    empty = KPTFILE + "status:\n  conditions: []\n"
    for text in (KPTFILE, empty):
        found = package({"Kptfile": text})
        inject_config(found, [{"name": "x"}], [])
        assert text_of(found, "Kptfile") == text


@pytest.mark.parametrize(
    "tail",
    [
        "status:\n",
        "status: ~\n",
        "status: {}\n",
        "status:\n  conditions:\n",
        "status:\n  conditions: null\n",
        "",
    ],
)
def test_empty_status_takes_conditions(tail: str) -> None:
    """Whatever way nothing is written, the conditions find their place."""
    found = package({"Kptfile": KPTFILE + tail, "p.yaml": point()})
    inject_config(found, [], [])

    assert [condition["type"] for condition in conditions(found)] == ["config.injection.ConfigMap.ep"]


@pytest.mark.parametrize(
    ("tail", "message"),
    [
        ("status: x\n", "status: must be a map, not a string"),
        ("status:\n  conditions: {}\n", "status.conditions: must be a list"),
        ("status:\n  conditions: [x]\n", "status.conditions[0]: must be a map"),
        (
            "status:\n  conditions:\n  - type: 7\n",
            "status.conditions[0].type: must be a string, not an integer",
        ),
        (
            "status:\n  conditions:\n  - {type: a, status: True}\n",
            "status.conditions[0].status: must be a string",
        ),
        (
            "pipeline:\n  mutators:\n  - {image: a, configMap: {replicas: 3}}\n",
            "pipeline.mutators[0].configMap.replicas: must be a string, not an integer",
        ),
        ("info: {keywords: web}\n", "info.keywords: must be a list, not a string"),
        ("pipeline:\n  validators:\n  - selectors: {kind: A}\n", "validators[0].selectors: must be a list"),
        ("upstream: {git: {ref: 1.0}}\n", "upstream.git.ref: must be a string"),
    ],
)
def test_malformed_status(tail: str, message: str) -> None:
    """A Kptfile that Porch could not decode is an error."""
    with pytest.raises(PorchError) as caught:
        inject_config(package({"Kptfile": BARE + tail}), [], [])

    assert message in str(caught.value)


def test_one_injector_feeds_many_points() -> None:
    """Names of point and object have nothing to do with each other."""
    found, points = run(
        {"p.yaml": point(name="a") + "---\n" + point(name="b")},
        [{"name": "eu"}],
        [candidate(data={"x": "y"})],
    )

    assert [each.injected_name for each in points] == ["eu", "eu"]
    assert [each.get("data") for each in found.at("p.yaml")] == [{"x": "y"}, {"x": "y"}]


def test_two_kinds_of_four_objects() -> None:
    """Each point takes the object of its own kind that an injector names; the others stay where they are."""
    version = "example.com/v1"
    found, points = run(
        {
            "one.yaml": point("GVK1", "a", version, body="spec: {x: none}\n"),
            "two.yaml": point("GVK2", "b", version, body="spec: {x: none}\n"),
        },
        [
            {"group": "example.com", "version": "v1", "kind": "GVK1", "name": "foo"},
            {"kind": "GVK2", "name": "bar"},
        ],
        [
            candidate(kind, name, version, spec={"x": f"{kind}-{name}"})
            for kind in ("GVK1", "GVK2")
            for name in ("foo", "bar")
        ],
    )

    assert [one.injected for one in points] == [True, True]
    assert "x: GVK1-foo" in text_of(found, "one.yaml") and "x: GVK2-bar" in text_of(found, "two.yaml")


def test_endpoints_of_a_region() -> None:
    """The object's name is the region's; the point's own name stays."""
    version = "bigco.example.com/v1"
    found, _ = run(
        {"endpoints.yaml": point("ServiceEndpoints", "service-endpoints", version)},
        [{"kind": "ServiceEndpoints", "name": "useast1-service-endpoints"}],
        [
            candidate("ServiceEndpoints", f"{region}-service-endpoints", version, spec={"region": region})
            for region in ("useast1", "useast2", "uswest1")
        ],
    )

    text = text_of(found, "endpoints.yaml")
    assert "region: useast1" in text and "  name: service-endpoints\n" in text
    assert "kpt.dev/injected-resource: useast1-service-endpoints" in text


def test_an_annotation_that_says_maybe() -> None:
    """Points are required or optional."""
    with pytest.raises(PorchError, match="maybe"):
        run({"a.yaml": point(value="maybe")}, [{"name": "eu"}], [candidate()])


@pytest.mark.parametrize("status", ['"False"', "Unknown", "true", '"true"', '""', None])
def test_gates_that_are_not_met(status: str | None) -> None:
    """A gate is met by the text "True" of its own condition alone."""
    gate = "info:\n  readinessGates:\n  - conditionType: a.b/c\n  - {}\nstatus:\n  conditions:\n  - {type: other, status: 'True'}\n"
    condition = f"  - {{type: a.b/c, status: {status}}}\n" if status else ""

    assert open_gates(Resource(gate + condition)) == ["a.b/c"]
    assert open_gates(Resource(gate + "  - {type: a.b/c, status: 'True'}\n")) == []


def test_a_kptfile_that_porch_can_decode() -> None:
    """Nulls, fields that it does not know, and dates in texts are no error."""
    tail = "status:\n  conditions: [null]\n  other: [1]\ninfo: {description: 2024-01-01, x: 5, keywords: }\npipeline: \n"

    assert inject_config(package({"Kptfile": BARE + tail}), [], []) == []


@pytest.mark.parametrize("value", ["[required]", "{required: true}"])
def test_an_annotation_that_is_no_text(value: str) -> None:
    """It is an invalid value, as in Porch, and not passed over."""
    point = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: p\n  annotations:\n    kpt.dev/config-injection: {value}\n"

    with pytest.raises(PorchError, match=r'cm\.yaml: ConfigMap/p has invalid .* annotation value of ""'):
        inject_config(package({"Kptfile": KPTFILE, "cm.yaml": point}), [], [])


def test_data_of_a_candidate() -> None:
    """That of its resource; nothing for one that is not an object, or of which only a name is known."""
    assert Candidate.of(Resource("apiVersion: v1\nkind: X\nmetadata: {name: a}\nspec: 1\n")).data["spec"] == 1
    bare = candidate()
    bare._data = None
    assert bare.data == {}


@pytest.mark.parametrize("metadata", [None, 5, "a", ["a"]])
def test_an_object_without_metadata(metadata: object) -> None:
    """It has neither name nor namespace, and is no error."""
    [found] = candidates([{"apiVersion": "v1", "kind": "X", "metadata": metadata}], [], "default", None)

    assert (found.kind, found.name, found.elsewhere) == ("X", "", "")
