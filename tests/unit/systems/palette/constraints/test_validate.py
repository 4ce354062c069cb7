"""krmkit.systems.palette.constraints.validate: all packs of a profile at once."""

from __future__ import annotations

from krmkit.krm.finding import Finding
from krmkit.libraries.yaml import effort
from krmkit.systems.palette.constraints.pools import MachinePool
from krmkit.systems.palette.constraints.validate import ValidationOptions, validate
from krmkit.systems.palette.packs.pack import Pack

K8S = {"name": "kube", "version": "1.30.1", "layer": "k8s"}
SCHEMA = "port:\n  schema: '{{ required | format \"${number}\" }}'\n"


def codes(findings: list[Finding]) -> list[tuple[str, str, str]]:
    return [(finding.rule, finding.tags.get("pack", ""), finding.field) for finding in findings]


def test_packs_in_their_order_then_resources_then_totals() -> None:
    """Findings come pack by pack, schema before dependencies; what is about pools comes last."""
    wants = {"packName": "store", "layer": "addon", "type": "required"}
    limit = {"type": "cpu", "minLimit": 5000}
    packs = [
        Pack(
            {**K8S, "constraints": {"dependencies": [wants], "resources": [limit]}}, "port: x", schema=SCHEMA
        ),
        Pack({"name": "app", "version": "1", "layer": "addon"}, "", schema=SCHEMA),
    ]
    pools = [MachinePool.of({"name": "w", "size": 1, "cpu": 1})]

    assert codes(validate(packs, ValidationOptions(pools))) == [
        ("format", "kube", "port"),
        ("missing", "kube", "constraints.dependencies[0]"),
        ("required", "app", "port"),
        ("insufficient", "kube", ""),
        ("totals", "", ""),
    ]


def test_unknown_pools_are_said_once() -> None:
    """Without machine pools one info says whose resources are not checked; without demands there is none."""
    limited = Pack({"name": "a", "constraints": {"resources": [{"type": "cpu", "minLimit": 1}]}})
    (finding,) = validate([limited, Pack({"name": "b"})], ValidationOptions())

    assert (finding.rule, finding.severity, finding.about) == ("pools-unknown", "info", ("a",))
    assert validate([Pack({"name": "b"})], ValidationOptions()) == []


def test_an_empty_list_of_pools_is_no_worker_pool() -> None:
    """A cluster without pools cannot take anything."""
    limited = Pack({"name": "a", "constraints": {"resources": [{"type": "cpu", "minLimit": 1}]}})

    assert [finding.rule for finding in validate([limited], ValidationOptions([]))] == ["no-worker-pool"]


def test_merged_defaults_are_what_is_checked() -> None:
    """With mergeDefaults the defaults count where the values are silent; else the values stand alone."""
    pack = Pack({"name": "a"}, "x: 1", schema=SCHEMA, defaults="port: 80")

    assert [finding.rule for finding in validate([pack], ValidationOptions())] == ["required"]
    assert validate([pack], ValidationOptions(merge_defaults=True)) == []


def test_passwords_of_the_defaults_stay_hidden() -> None:
    """A password that comes from the defaults is not told either."""
    schema = "pw:\n  schema: '{{ format \"${password:/^x$/}\" }}'\n"
    pack = Pack({"name": "a"}, "x: 1", schema=schema, defaults="pw: letmein1")
    (finding,) = validate([pack], ValidationOptions(merge_defaults=True))

    assert finding.rule == "format"
    assert finding.current is None
    assert "letmein1" not in finding.message


def test_a_password_that_is_no_yaml_stays_hidden() -> None:
    """A password that begins with `*` and has no quotes is an alias to YAML; the message does not repeat it."""
    schema = "pw:\n  schema: '{{ format \"${password}\" }}'\n"
    findings = validate([Pack({"name": "a"}, values="pw: *Tr0ub4dor\n", schema=schema)], ValidationOptions())

    assert [finding.rule for finding in findings] == ["schema"]
    assert "goes in quotes" in findings[0].message
    assert "Tr0ub4dor" not in findings[0].message


def test_a_password_is_hidden_from_resource_findings() -> None:
    """A request that refers to a password says nothing of it."""
    schema = "pw:\n  schema: '{{ format \"${password}\" }}'\n"
    resources = [{"type": "cpu", "components": [{"resourceRequestParamRef": "pw", "scheduleType": "all"}]}]
    pack = Pack({"name": "a", "constraints": {"resources": resources}}, "pw: letmein1", schema=schema)
    findings = validate([pack], ValidationOptions([MachinePool.of({"name": "w", "size": 1, "cpu": 1})]))

    assert [finding.rule for finding in findings] == ["bad-quantity", "totals"]
    assert "letmein1" not in f"{findings[0].message}{findings[0].current}"


def test_texts_that_cannot_be_read() -> None:
    """Broken values or defaults are one finding each; the rest is checked all the same."""
    wants = {"packName": "store", "layer": "addon", "type": "required"}
    metadata: dict[str, object] = {"name": "a", "constraints": {"dependencies": [wants]}}
    pack = Pack(metadata, "a: {{ .spectro.var.x }}-y", schema=SCHEMA, defaults="- 1")
    findings = validate([pack], ValidationOptions())

    assert codes(findings) == [
        ("schema", "a", ""),
        ("schema", "a", ""),
        ("missing", "a", "constraints.dependencies[0]"),
    ]
    assert "defaults.yaml" in findings[0].message
    assert "run resolve-macros first" in findings[1].message


def test_constraints_of_another_shape() -> None:
    """constraints that are no object are an error of the pack."""
    assert codes(validate([Pack({"name": "a", "constraints": []})], ValidationOptions())) == [
        ("schema", "a", "constraints")
    ]


def test_a_bomb_in_the_values_ends_in_a_finding() -> None:
    """Values that aliases blow up cannot hold up the run."""
    levels = ["n0: &n0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    for level in range(1, 12):
        levels.append(f"n{level}: &n{level} [{', '.join([f'*n{level - 1}'] * 10)}]")
    schema = f"n11{'.$[]' * 12}:\n  schema: '{{{{ required }}}}'\n"
    (finding,) = validate([Pack({"name": "a"}, "\n".join(levels), schema=schema)], ValidationOptions())

    assert finding.rule == "schema"
    assert "over a limit" in finding.message


def test_many_large_patterns_are_counted_together() -> None:
    """Thousands of patterns that are each within the limits end in findings, not in an endless run."""
    packs = []
    for number in range(20):
        schema = f"a:\n  schema: '{{{{ format \"${{string:/{number}\\pL/}}\" }}}}'\n"
        packs.append(Pack({"name": f"p{number}"}, f"a: '{number}x'", schema=schema))
    effort.begin(60_000)
    try:
        findings = validate(packs, ValidationOptions())
    finally:
        effort.end()

    assert 5 < len(findings) < 15
    assert all("--limit effort=N" in finding.message for finding in findings)


def test_many_long_searches_are_counted_together() -> None:
    """The same holds for what the patterns do on the values, elements of a list included."""
    schema = "a.$[]:\n  schema: '{{ format \"${string:/x/}\" }}'\n"
    effort.begin(300)
    try:
        findings = validate(
            [Pack({"name": "a"}, f"a: [{', '.join(['x' * 10_000] * 100)}]", schema=schema)],
            ValidationOptions(),
        )
    finally:
        effort.end()

    assert 50 < len(findings) < 100
    assert all("--limit effort=N" in finding.message for finding in findings)


def test_satisfied_rules() -> None:
    """Where somebody asks, rules without findings are named, too."""
    satisfied: list[Finding] = []
    validate([Pack({"name": "a"}, "port: 1", schema=SCHEMA)], ValidationOptions(), satisfied)

    assert codes(satisfied) == [("satisfied", "a", "port")]
