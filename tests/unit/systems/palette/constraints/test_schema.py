"""krmkit.systems.palette.constraints.schema: the templates of schema.yaml against a pack's values."""

from __future__ import annotations

import pytest

from krmkit.krm.finding import Finding
from krmkit.libraries.yaml.errors import LimitError
from krmkit.systems.palette.constraints.schema import PackSchema, check
from krmkit.systems.palette.packs.values import PackValues

FORMAT = "'{{ format \"${%s}\" }}'"


def run(schema: str, values: str, defaults: str | None = None) -> list[Finding]:
    """The findings of a schema.yaml."""
    shipped = None if defaults is None else PackValues.parse(defaults)
    return check(PackSchema.parse(schema), PackValues.parse(values), shipped)


def codes(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.rule, finding.about[0]) for finding in findings]


def entry(path: str, template: str) -> str:
    """One entry of schema.yaml; the template must hold no single quote."""
    return f"{path}:\n  schema: '{template}'\n"


REQUIRED = entry("a.b", "{{ required }}")
EACH = entry("a.$[]", '{{ required | format "${ipv4}" }}')
INNER = entry("a.$[].b", "{{ required }}")
READONLY = entry("a", "{{ readonly }}")
READONLY_EACH = entry("a.$[]", "{{ readonly }}")


@pytest.mark.parametrize(
    ("schema", "values", "expected"),
    [
        pytest.param("", "a: 1", [], id="empty-file"),
        pytest.param("# nothing yet\n", "a: 1", [], id="comments-only"),
        pytest.param("~", "a: 1", [], id="null"),
        pytest.param("- a", "a: 1", [("schema", "")], id="list-at-the-top"),
        pytest.param("a: [", "a: 1", [("schema", "")], id="no-yaml"),
        pytest.param("a: x", "a: 1", [("schema", "a")], id="entry-is-no-map"),
        pytest.param("a: {hint: x}", "a: 1", [("schema", "a")], id="no-schema-key"),
        pytest.param("a: {schema: 1}", "a: 1", [("schema", "a")], id="schema-is-no-text"),
        pytest.param("a: {schema: {{ required }}}", "a: 1", [("schema", "a")], id="template-without-quotes"),
        pytest.param("a: {schema: '{{ }}', schema: '{{ }}'}", "a: 1", [("schema", "a")], id="schema-twice"),
        pytest.param(REQUIRED + REQUIRED, "a: 1", [("schema", "a.b")], id="key-path-twice"),
        pytest.param("a: {schema: '{{ required }}', note: x}", "a: 1", [], id="other-keys-of-an-entry"),
        pytest.param(
            entry("a", "{{ x }}") + entry("b", "{{ required }}"),
            "c: 1",
            [("schema", "a"), ("required", "b")],
            id="the-others-still-run",
        ),
        pytest.param(entry("a", "{{ }}"), "", [], id="no-clause"),
        pytest.param(REQUIRED, "a: {b: 0}", [], id="zero-is-there"),
        pytest.param(REQUIRED, "a: {b: false}", [], id="false-is-there"),
        pytest.param(REQUIRED, "a: {b: {c: 1}}", [], id="mapping-is-there"),
        pytest.param(REQUIRED, "", [("required", "a.b")], id="no-values"),
        pytest.param(REQUIRED, "a: {b: ~}", [("required", "a.b")], id="null-value"),
        pytest.param(REQUIRED, "a: {b: !!null ''}", [("required", "a.b")], id="tagged-null"),
        pytest.param(REQUIRED, "a: {b: '  '}", [("required", "a.b")], id="white-space"),
        pytest.param(REQUIRED, "a: {b: {}}", [("required", "a.b")], id="empty-mapping"),
        pytest.param(REQUIRED, "a: {b: []}", [("required", "a.b")], id="empty-list"),
        pytest.param(EACH, "a: [1.2.3.4, '']", [("required", "a[1]")], id="empty-element"),
        pytest.param(EACH, "a: [1.2.3, 1.2.3.4, x]", [("format", "a[0]"), ("format", "a[2]")], id="elements"),
        pytest.param(EACH, "a: [[1.2.3.4]]", [("type", "a[0]")], id="list-as-an-element"),
        pytest.param(EACH, "a:", [("required", "a[]")], id="null-in-place-of-a-list"),
        pytest.param(EACH, "a: {x: 1}", [("type", "a")], id="mapping-in-place-of-a-list"),
        pytest.param(EACH, "a: '{{ .spectro.var.ips }}'", [("deferred", "a")], id="macro-in-place-of-a-list"),
        pytest.param(INNER, "a: [{b: 1}, {c: 1}]", [("required", "a[1].b")], id="element-without-the-key"),
        pytest.param(INNER, "a: []", [], id="no-element-lacks-the-key"),
        pytest.param(INNER, "x: 1", [("required", "a[].b")], id="absent-list-lacks-the-key"),
        pytest.param(entry("a.$[]", '{{ format "${ipv4}" }}'), "x: 1", [], id="optional-list"),
        pytest.param(f"a: {{schema: {FORMAT % 'string'}}}", "a:", [], id="optional-and-empty"),
        pytest.param(f"a: {{schema: {FORMAT % 'string'}}}", "a: {b: 1}", [("type", "a")], id="mapping"),
        pytest.param(f"a: {{schema: {FORMAT % 'string'}}}", "a: [x]", [("type", "a")], id="list"),
        pytest.param(f"a: {{schema: {FORMAT % 'string'}}}", "a: {}", [], id="empty-mapping-is-no-value"),
        pytest.param(
            f"a: {{schema: {FORMAT % 'input'}}}",
            "a: 1",
            [("unknown-type", "a"), ("format", "a")],
            id="unknown-type",
        ),
        pytest.param(
            f"a: {{schema: {FORMAT % 'number'}}}",
            "a: x-{{.spectro.var.n}}",
            [("deferred", "a")],
            id="macro-in-a-text",
        ),
        pytest.param(
            f"a: {{schema: {FORMAT % 'number'}}}",
            "a: {{ .spectro.var.n }}",
            [("deferred", "a")],
            id="unquoted-macro",
        ),
        pytest.param(
            f"a: {{schema: {FORMAT % 'number'}}}",
            "a: '{{ .Values.n }}'",
            [("format", "a")],
            id="foreign-template",
        ),
        pytest.param(
            f"a: {{schema: {FORMAT % 'number'}}}", "a: '}} .spectro. {{'", [("format", "a")], id="no-macro"
        ),
        pytest.param(f"a: {{schema: {FORMAT % 'number'}}}", "a: &x 1\nb: *x", [], id="anchored"),
        pytest.param(f"b: {{schema: {FORMAT % 'string'}}}", "a: &x 1\nb: *x", [("format", "b")], id="alias"),
        pytest.param(f"a: {{schema: {FORMAT % 'string'}}}", "a: !!int x", [], id="tag-that-does-not-fit"),
    ],
)
def test_findings(schema: str, values: str, expected: list[tuple[str, str]]) -> None:
    """Each key of the schema is checked, in the order of the schema."""
    assert codes(run(schema, values)) == expected


@pytest.mark.parametrize(
    ("schema", "values", "defaults", "expected"),
    [
        pytest.param(READONLY, "a: '1'", 'a: "1" # same', [], id="quoting"),
        pytest.param(READONLY, "a: 1", "a: '1'", [("readonly", "a")], id="text-is-no-number"),
        pytest.param(READONLY, "a: 16", "a: 0x10", [], id="same-number"),
        pytest.param(READONLY, "a: true", "a: 1", [("readonly", "a")], id="true-is-not-one"),
        pytest.param(READONLY, "a: {x: 1, y: 2}", "a:\n  y: 2\n  x: 1\n", [], id="order-of-keys"),
        pytest.param(READONLY, "a: {x: 1}", "a: {x: 1, y: 2}", [("readonly", "a")], id="removed-inside"),
        pytest.param(READONLY, "a: [1, 2]", "a: [2, 1]", [("readonly", "a")], id="order-of-elements"),
        pytest.param(READONLY, "b: 1", "a: 1", [("readonly", "a")], id="removed"),
        pytest.param(READONLY, "a: 1", "b: 1", [("readonly", "a")], id="added"),
        pytest.param(READONLY, "a:", "b: 1", [("readonly", "a")], id="added-null"),
        pytest.param(READONLY, "b: 1", "c: 1", [], id="in-neither"),
        pytest.param(READONLY, "a: ~", "a: null", [], id="both-null"),
        pytest.param(READONLY, "a: 1", None, [("not-checked", "a")], id="no-defaults"),
        pytest.param(
            READONLY, "a: '{{ .spectro.var.x }}'", "a: 1", [("readonly", "a")], id="macro-is-a-change"
        ),
        pytest.param(READONLY, "b: &b {x: 1}\na: *b", "a: {x: 1}", [], id="alias"),
        pytest.param(READONLY_EACH, "a: [1, 2]", "a: [1, 3]", [("readonly", "a")], id="lists-compare-whole"),
        pytest.param(READONLY_EACH, "a: [1]", "a: [1]", [], id="same-list"),
        pytest.param(
            entry("a.$[].n", "{{ readonly }}"),
            "a: [{n: 1, m: 2}, {n: 3}]",
            "a: [{n: 1}, {n: 2}]",
            [("readonly", "a[1].n")],
            id="key-of-every-element",
        ),
        pytest.param(
            entry("a", '{{ required | readonly | format "${number}" }}'),
            "a: x",
            "a: 1",
            [("format", "a"), ("readonly", "a")],
            id="all-clauses",
        ),
        pytest.param(
            entry("a", "{{ required | readonly }}"),
            "b: 1",
            "a: 1",
            [("required", "a"), ("readonly", "a")],
            id="both",
        ),
    ],
)
def test_readonly(schema: str, values: str, defaults: str | None, expected: list[tuple[str, str]]) -> None:
    """A read-only value must equal the default by its YAML value."""
    assert codes(run(schema, values, defaults)) == expected


def test_findings_say_what_would_be_right() -> None:
    """A finding carries the value, the wish, the hint, and where it can, the value to restore."""
    schema = entry("a", '{{ format "${list:[x,y]}" | hints "pick one" }}') + entry("b", "{{ readonly }}")
    first, second = run(schema, "a: z\nb: 2\n", "b: 1\n")

    assert first.message == 'the value "z" is not one of x, y (hint: pick one)'
    assert (first.current, first.field) == ("z", "a")
    assert second.message == "the value 2 is read-only: restore the pack's default: 1"
    assert (second.current, second.proposed) == (2, 1)


def test_long_values_are_cut() -> None:
    """A value of many characters does not fill the results."""
    (finding,) = run(entry("a", '{{ format "${ipv4}" }}'), f"a: {'x' * 5000}")

    assert len(finding.message) < 400
    assert len(str(finding.current)) < 300


SECRET = "Tr0ub4dor"


@pytest.mark.parametrize(
    ("template", "value"),
    [
        pytest.param('{{ format "${password:/^x$/}" }}', SECRET, id="format"),
        pytest.param('{{ format "${password}" | readonly }}', SECRET, id="readonly"),
        pytest.param('{{ format "${password}" }}', f"[{SECRET}]", id="type"),
        pytest.param('{{ format "user:${password:/x/}" }}', SECRET, id="composite"),
        pytest.param('{{ format "${password}" | nonsense }}', SECRET, id="broken-template"),
        pytest.param('{{ format "${Password:/^x$/}" }}', SECRET, id="type-in-capitals"),
        pytest.param('{{ format "${ password :/^x$/}" }}', SECRET, id="type-between-blanks"),
        pytest.param('{{ format "${password:/a/}${password:/b/}" }}', SECRET * 5000, id="too-costly"),
        pytest.param('{{ format "${password}" }}', f"!!int {SECRET}", id="tag"),
    ],
)
def test_passwords_appear_nowhere(template: str, value: str) -> None:
    """Neither the value of a password key nor its length is told, also where another key leads to the same node."""
    schema = entry("alias", '{{ format "${number}" | readonly }}') + entry("secret", template)
    findings = run(schema, f"secret: &s {value}\nalias: *s\n", f"secret: old{SECRET}\nalias: 1\n")

    assert findings
    for finding in findings:
        told = f"{finding.message} {finding.current} {finding.proposed}"
        assert SECRET not in told
        assert str(len(value)) not in told
        assert f"{len(value):,}" not in told


@pytest.mark.parametrize("kind", ["password", "string"])
def test_the_length_of_a_password_is_not_told(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a format takes too long, what it takes so long for is a secret too."""
    monkeypatch.setattr("krmkit.systems.palette.constraints.effort.MAX_TESTS", 0)
    template = f'{{{{ format "${{{kind}:/T/}}-${{{kind}:/d/}}" }}}}'
    [finding] = run(entry("secret", template), f"secret: {SECRET}-{SECRET}\n", "secret: x\n")

    assert "the value cannot be checked" in finding.message
    assert (str(2 * len(SECRET) + 1) in finding.message) is (kind == "string")


def test_a_shared_bomb_is_counted() -> None:
    """Comparing values that aliases blow up ends in an error."""
    levels = ["n0: &n0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    for level in range(1, 12):
        levels.append(f"n{level}: &n{level} [{', '.join([f'*n{level - 1}'] * 10)}]")
    text = "\n".join(levels)

    with pytest.raises(LimitError):
        run(entry("n11", "{{ readonly }}"), text, text)


def test_satisfied_rules_say_why() -> None:
    """Where somebody asks, rules without findings say what they saw."""
    schema = (
        entry("a", "{{ required }}") + entry("b", '{{ format "${number}" }}') + entry("c", '{{ hints "x" }}')
    )
    satisfied: list[Finding] = []
    check(PackSchema.parse(schema), PackValues.parse("a: 1"), None, "p", satisfied)

    assert [finding.message for finding in satisfied] == [
        "satisfied",
        "absent or empty, and not required",
        "nothing to check: the template has hints only",
    ]


VALUES_TEXT = "a:\n  b: ''\n  list:\n    - c: x\n    - d: 1\n"


@pytest.mark.parametrize(
    ("key", "template", "place"),
    [
        pytest.param("a.b", "{{ required }}", (2, 3), id="an empty value at its key"),
        pytest.param("a.x", "{{ required }}", (1, 1), id="an absent value at the key above"),
        pytest.param("x.y", "{{ required }}", (0, 0), id="nothing of it is there"),
        pytest.param("a.list.$[].c", '{{ format "${number}" }}', (4, 7), id="inside a list"),
        pytest.param("a.list.$[].c", "{{ required }}", (5, 7), id="a key that an element lacks"),
        pytest.param("a.b", "{{ nonsense }}", (1, 1), id="the template is wrong"),
        pytest.param("a.list.$[].d", '{{ format "${nothing}" }}', (1, 1), id="an unknown type in the schema"),
    ],
)
def test_places(key: str, template: str, place: tuple[int, int]) -> None:
    """A finding has the line and column of its key, in values.yaml or, about the rule itself, in schema.yaml."""
    found = run(entry(key, template), VALUES_TEXT)[0]

    assert (found.line, found.column) == place


def test_places_with_defaults() -> None:
    """Where values are merged with defaults, lines are still those of values.yaml."""
    merged = PackValues.parse("# head\na: {c: no}\n").over(PackValues.parse("a: {b: no}\n"))
    schema = PackSchema.parse(
        entry("a.c", '{{ format "${number}" }}') + entry("a.b", '{{ format "${number}" }}')
    )

    assert [(found.line, found.column) for found in check(schema, merged, None)] == [(2, 5), (2, 1)]
