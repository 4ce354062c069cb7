"""Macros: what is one, what it stands for, and how its value is put in its place."""

from __future__ import annotations

import pytest

from krmkit.libraries.yaml.limits import Limits
from krmkit.systems.palette.macros.context import EMPTY, ERROR, KEEP, Context, Source
from krmkit.systems.palette.macros.resolve import MacroResolver, Resolved
from krmkit.systems.palette.packs.macrotext import MacroText, actions, is_macro

CONTEXT = Context(
    system={"cluster.name": "edge", "kubernetes.version": "1.30.4"},
    variables={
        "n": "3",
        "quotes": """it's "x" \\""",
        "lines": "a\nb",
        "colon": "a: b",
        "macro": "{{ .spectro.var.n }}",
        "anchor": "&secret",
        "tag": "!secret",
    },
    macros={"zone": "north"},
    secrets=frozenset(["quotes"]),
)


def resolve(text: str, context: Context = CONTEXT, **packs: str) -> Resolved:
    """Resolve the values of the pack `p`, beside other packs."""
    sources = [
        Source(name.replace("_", "-"), (name.replace("_", "-"),), values) for name, values in packs.items()
    ]
    own = Source("p", ("p",), text)
    return MacroResolver([own, *sources], context).resolve(own)


class TestActions:
    """Which braces are an action, and which action is a macro."""

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("a {{ x }} b {{y}}", ["{{ x }}", "{{y}}"]),
            ('{{ "}}" }}', ['{{ "}}" }}']),
            ("{{ `}}` }}", ["{{ `}}` }}"]),
            ('"{{ f \\"}}\\" }}"', ['{{ f \\"}}\\" }}']),
            ("{{ a\n  b }}", ["{{ a\n  b }}"]),
            ("{{ open", []),
            ("{{ {{ x }}", ["{{ x }}"]),
            ("# {{ comment\na: }}", []),
            ('{{ say "it }}', ['{{ say "it }}']),
        ],
    )
    def test_ends(self, text: str, found: list[str]) -> None:
        """Quoted braces end nothing; in a comment an action ends on its line."""
        assert [text[start:end] for start, end in actions(text)] == found

    @pytest.mark.parametrize(
        ("raw", "expected"),
        [
            ("{{ .spectro.var.x }}", True),
            ("{{.spectro.var.x}}", True),
            ("{{-.spectro.var.x}}", True),
            ("{{ default (.spectro.var.x) }}", True),
            ("{{ x|.spectro.var.x }}", True),
            ('{{ ".spectro.x" }}', False),
            ('{{ \\" .spectro.x\\" }}', False),
            ("{{ .Values.spectro.x }}", False),
            ("{{ x.spectro.y }}", False),
        ],
    )
    def test_macro(self, raw: str, expected: bool) -> None:
        """A field `.spectro.` outside strings makes the macro."""
        assert is_macro(raw) is expected


class TestInsertion:
    """The value is escaped for the scalar around it."""

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ('a: "{{ .spectro.var.quotes }}"', 'a: "it\'s \\"x\\" \\\\"'),
            ("a: '{{ .spectro.var.quotes }}'", "a: 'it''s \"x\" \\'"),
            ("a: {{ .spectro.var.n }}", "a: 3"),
            ("a: {{ .spectro.var.n | quote }}", 'a: "3"'),
            ("a: {{ .spectro.var.colon }} # c", 'a: "a: b" # c'),
            ("a: v{{ .spectro.var.n }}.{{ .spectro.var.n }}", "a: v3.3"),
            ("a: [{{ .spectro.var.n }}, x]", "a: [3, x]"),
            ("a: [{{ .spectro.var.colon }}]", 'a: ["a: b"]'),
            ("a: {{ .spectro.var.lines }}", 'a: "a\\nb"'),
            ("a: |\n    x {{ .spectro.var.lines }}\n", "a: |\n    x a\n    b\n"),
            ("{{ .spectro.macro.zone }}: 1", "north: 1"),
            ("a: {{ .spectro.pack.none.x }} # c", "a: # c"),
            ("a: x {{- .spectro.var.n -}} y", "a: x3y"),
            ("a: {{ .spectro.var.anchor }}", 'a: "&secret"'),
            ("a: {{ .spectro.var.tag }}", 'a: "!secret"'),
            ("a: [{{ .spectro.pack.none.x }}, {b: {{ .spectro.pack.none.x }}}]", "a: [null, {b: null}]"),
            ("a: '{{ .spectro.system.cluster.name | replace \"e\" \"''\" }}'", "a: '''dg'''"),
            (
                "# {{ .spectro.var.n }}\na: 1 # {{ .spectro.var.n }}",
                "# {{ .spectro.var.n }}\na: 1 # {{ .spectro.var.n }}",
            ),
            ("a: '# {{ .spectro.var.n }}'", "a: '# 3'"),
        ],
    )
    def test_context(self, before: str, after: str) -> None:
        """Quotes, plain text, flow collections, blocks, keys, comments."""
        result = resolve(before)

        assert result.text == after
        assert not [finding for finding in result.findings if finding.severity == "error"]

    def test_lines_in_single_quotes(self) -> None:
        """What single quotes cannot hold is an error."""
        assert [found.rule for found in resolve("a: '{{ .spectro.var.lines }}'").findings] == [
            "invalid-result"
        ]

    def test_result_must_be_yaml(self) -> None:
        """A plain value that breaks the text is never written."""
        result = resolve("a: x {{ .spectro.var.colon }}")

        assert ([found.rule for found in result.findings], result.text) == (
            ["invalid-result"],
            "a: x {{ .spectro.var.colon }}",
        )

    def test_variables_are_inserted_once(self) -> None:
        """A value that looks like a macro is text."""
        assert resolve("a: '{{ .spectro.var.macro }}'").text == "a: '{{ .spectro.var.n }}'"


class TestReferences:
    """Values of packs, and of packs' values."""

    @pytest.mark.parametrize(
        ("reference", "other", "expected"),
        [
            ("other.a.b", "a: {b: 1.20}", "1.20"),
            ("other.a.b", "a:\n  b: 'x'", "x"),
            ("other.a.b.c", "a:\n  b.c: x", "x"),
            ("other.a.b", "a:\n  b:", ""),
            ("other.a.none", "a: {}", ""),
            ("nowhere.a", "a: 1", ""),
            ("other.l.$[]", "l: [x]", "x"),
            (
                "other.x",
                "x: 'v{{ .spectro.pack.other.y }}'\ny: '{{ .spectro.system.cluster.name }}'",
                "vedge",
            ),
        ],
    )
    def test_value(self, reference: str, other: str, expected: str) -> None:
        """Source text of scalars, dotted keys, nesting; what is absent is empty."""
        assert resolve(f"a: '{{{{ .spectro.pack.{reference} }}}}'", other=other).text == f"a: '{expected}'"

    def test_longest_name_wins(self) -> None:
        """A pack's name may be the beginning of another's."""
        context = Context()
        packs = [
            Source("k", ("k",), "8s: {x: no}"),
            Source("k.8s", ("k.8s",), "x: yes"),
            Source("p", ("p",), "a: '{{ .spectro.pack.k.8s.x }}'"),
        ]

        assert MacroResolver(packs, context).resolve(packs[2]).text == "a: 'yes'"

    @pytest.mark.parametrize(
        ("text", "code", "words"),
        [
            ("a: '{{ .spectro.pack.p.a }}'", "cycle", "p:a -> p:a"),
            ("a: '{{ .spectro.pack.p.b }}'\nb: {c: 1}", "not-scalar", "map"),
            ("a: '{{ .spectro.pack.other.x | nope }}'", "unknown-function", "nope"),
            ("a: '{{ .spectro.pack.other.x | uper }}'", "unknown-function", "upper"),
            ("a: '{{ now | .spectro.pack.other.x }}'", "denied-function", "same answer"),
            ("a: '{{ .spectro.system.cluster.name | substr 1 }}'", "function-error", "substr"),
            ("a: '{{ (.spectro.system.cluster.name }}'", "function-error", "read"),
            ("a: '{{ .spectro.nothing.x }}'", "undefined", "nothing"),
        ],
    )
    def test_errors(self, text: str, code: str, words: str) -> None:
        """Each names the position and leaves the text as it was."""
        result = resolve(text, other="x: 1")

        assert [(found.rule, found.severity) for found in result.findings] == [(code, "error")]
        assert words in result.findings[0].message
        assert (result.findings[0].line, result.findings[0].column > 1) == (1, True)
        assert result.text == text

    def test_chain_of_a_cycle(self) -> None:
        """The chain goes across packs."""
        result = resolve("a: '{{ .spectro.pack.other.b }}'", other="b: '{{ .spectro.pack.p.a }}'")

        assert "p:a -> other:b -> p:a" in result.findings[0].message

    def test_deep_chains_end(self) -> None:
        """References over many steps end by counting, wherever the resolver is called from."""
        text = "\n".join(f"k{n}: '{{{{ .spectro.pack.p.k{n + 1} }}}}'" for n in range(2000))
        source = Source("p", ("p",), text)
        result = MacroResolver([source], CONTEXT).resolve(source)

        assert {found.rule for found in result.findings} == {"cycle"}
        assert "MAX_CHAIN" in result.findings[0].message

    def test_ambiguous_names(self) -> None:
        """Two packs of one name can only be told apart by other names."""
        packs = [Source("x (1)", ("x", "one"), "v: 1"), Source("x (2)", ("x", "two"), "v: 2")]
        own = Source("p", ("p",), "a: '{{ .spectro.pack.x.v }}'\nb: '{{ .spectro.pack.two.v }}'")

        findings = MacroResolver([own, *packs], CONTEXT).resolve(own).findings

        assert [found.rule for found in findings] == ["ambiguous-pack"]

    def test_same_value_twice_is_no_cycle(self) -> None:
        """A value is worked out once and used again."""
        assert (
            resolve("a: '{{ .spectro.pack.p.b }}{{ .spectro.pack.p.b }}'\nb: '{{ .spectro.var.n }}'").text
            == "a: '33'\nb: '3'"
        )


class TestUndefined:
    """What becomes of a macro that nobody gave a value for."""

    @pytest.mark.parametrize(
        ("policy", "system", "pack"),
        [(None, None, ""), (EMPTY, "", ""), (KEEP, None, None), (ERROR, "error", "error")],
    )
    def test_policy(self, policy: str | None, system: str | None, pack: str | None) -> None:
        """By default only what a pack should have becomes empty."""
        for field, expected in ((".spectro.system.none", system), (".spectro.pack.other.none", pack)):
            text = f"a: '{{{{ {field} }}}}'"
            result = resolve(text, Context(on_undefined=policy), other="x: 1")
            codes = [found.rule for found in result.findings]

            if expected == "error":
                assert (codes, result.text) == (["undefined"], text)
            elif expected is None:
                assert (codes, result.text) == (["kept"], text)
            else:
                assert (codes, result.text) == ([], "a: ''")

    @pytest.mark.parametrize(
        "text",
        [
            "a: '{{ .spectro.app.x.y }}'",
            "a: '{{ if .spectro.var.n }}x{{ end }}'",
            "a: '{{ printf \"%s\" .Values.x .spectro.var.n }}'",
            "a: '{{ $x := .spectro.var.n }}'",
        ],
    )
    def test_what_only_palette_evaluates(self, text: str) -> None:
        """It stays, with a warning."""
        result = resolve(text)

        assert [(found.rule, found.severity) for found in result.findings] == [("kept", "warning")]
        assert result.text == text

    def test_default(self) -> None:
        """`default` is for what is absent, null or empty, not for `false`."""
        text = 'a: \'{{ .spectro.pack.other.x | default "d" }}{{ .spectro.pack.other.f | default "d" }}\''

        assert resolve(text, other="x: null\nf: false").text == "a: 'dfalse'"


@pytest.mark.parametrize(
    "text",
    [
        "a: '{{ fail .spectro.var.secret }}'",
        "a: '{{ upper .spectro.var.secret | fail }}'",
        "a: '{{ b64enc .spectro.var.secret | fail }}'",
        "a: '{{ upper .spectro.pack.other.x | fail }}'",
        "a: '{{ .spectro.var.secret | mustToDate \"2006\" }}'",
        "a: x {{ .spectro.var.secret }} y",
    ],
)
def test_secrets_stay_out_of_messages(text: str) -> None:
    """Neither a function's complaint about a secret value nor YAML's quotes it, whatever was made of it."""
    context = Context(variables={"secret": "hush\\ *hush: x"}, secrets=frozenset(["secret"]))
    result = resolve(text, context, other='x: "<{{ .spectro.var.secret }}>"')

    assert [found.rule for found in result.findings] in (["function-error"], ["invalid-result"])
    assert "hush" not in result.findings[0].message.lower()
    assert "SFVTSF" not in result.findings[0].message.upper()


def test_a_secret_written_into_a_macro() -> None:
    """The macro as it stands is shown, too, and may hold the value."""
    result = resolve(
        "a: '{{ .spectro.var.none | default \"hush\" }}'",
        Context(variables={"s": "hush"}, secrets=frozenset("s")),
    )

    assert [found.rule for found in result.findings] == ["kept"]
    assert "hush" not in f"{result.findings[0].message} {result.findings[0].current}"


@pytest.mark.parametrize("packs", [1, 3])
def test_values_that_double_end_by_counting(packs: int) -> None:
    """Sixty values of two references each would be 2^60 characters; within one pack and across packs."""
    texts = ["k0: x"] + [""] * (packs - 1)
    for n in range(1, 61):
        macro = f"{{{{ .spectro.pack.p{(n - 1) % packs}.k{n - 1} }}}}"
        texts[n % packs] += f"\nk{n}: '{macro}{macro}'"
    sources = [Source(f"p{n}", (f"p{n}",), text) for n, text in enumerate(texts)]
    resolver = MacroResolver(sources, CONTEXT)

    for source in sources:
        result = resolver.resolve(source)

        assert result.text == source.text
        assert {found.rule for found in result.findings} == {"invalid-result"}
        assert "MAX_VALUE" in result.findings[0].message


def test_a_text_that_would_be_too_long() -> None:
    """Values that are each short enough are too long together."""
    text = "a: '" + "{{ .spectro.system.cluster.name }}" * 100 + "'"
    source = Source("p", ("p",), text)
    result = MacroResolver([source], CONTEXT, Limits(item_size=300)).resolve(source)

    assert (result.text, [found.rule for found in result.findings]) == (text, ["invalid-result"])


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        (".spectro.var.n", False),
        (".spectro.var.n | quote", True),
        ("cat .spectro.system.cluster.name .spectro.var.n", True),
        (".spectro.system.cluster.name | upper", False),
    ],
)
def test_functions_on_variables(expression: str, told: bool) -> None:
    """They work, and are told of."""
    result = resolve(f"a: '{{{{ {expression} }}}}'")

    assert [(found.rule, found.severity) for found in result.findings] == (
        [("function-on-variable", "info")] if told else []
    )
    assert result.count == 1


@pytest.mark.parametrize(
    ("value", "told"),
    [("{{ .spectro.var.n }}", True), ("a {{- .spectro.x }}", True), ("{{ .Values.n }}", False), (".spectro.var.n", False)],
)  # fmt: skip
def test_a_macro_in_a_value(value: str, told: bool) -> None:
    """It is inserted as it is, and told of: the next run would take it for a macro of the pack."""
    source = Source("p", ("p",), "a: '{{ .spectro.var.given }}'\n")
    result = MacroResolver([source], Context(variables={"given": value})).resolve(source)

    assert result.text == f"a: '{value}'\n"
    assert [(found.rule, found.severity, found.line) for found in result.findings] == (
        [("macro-in-value", "warning", 1)] if told else []
    )


def test_variables_in_content() -> None:
    """Palette does not resolve variables in pack.content."""
    result = resolve("pack:\n  content:\n    images:\n    - image: 'x:{{ .spectro.var.n }}'\n")

    assert [(found.rule, found.field) for found in result.findings] == [
        ("variable-in-content", "pack.content.images[0].image")
    ]


def test_text_without_macros_is_not_read() -> None:
    """A values text that is not YAML is nobody's business as long as it holds no macro."""
    assert MacroText("a: [{{ if }}").document is None
    assert resolve("a: [{{ if }}").text == "a: [{{ if }}"
    assert [found.rule for found in resolve("a: [\n'{{ .spectro.var.n }}'").findings] == ["invalid-result"]


def test_sources_that_come_and_go() -> None:
    """What was read of one text is never taken for another's, even where that takes its place in memory."""
    resolver = MacroResolver([], CONTEXT)
    texts = [f"a: '{{{{ .spectro.var.n }}}}' # {number}" for number in range(50)]

    assert [resolver.resolve(Source("r", (), text)).text for text in texts] == [
        f"a: '3' # {n}" for n in range(50)
    ]


UNCLOSED = [
    ("one brace", 'a: "{{.spectro.var.KEY}"', "{{.spectro.var.KEY}"),
    ("no brace", "a: '{{ .spectro.var.KEY'", "{{ .spectro.var.KEY"),
    ("a plain value", "a: {{.spectro.var.KEY}", "{{.spectro.var.KEY}"),
    (
        "a closed one behind it",
        "a: '{{ .spectro.var.KEY }'\nb: '{{ .spectro.var.n }}'",
        "{{ .spectro.var.KEY }",
    ),
    ("a default", "a: '{{ .spectro.var.KEY | default `x` }'", "{{ .spectro.var.KEY | default `x` }"),
]


@pytest.mark.parametrize(("text", "raw"), [case[1:] for case in UNCLOSED], ids=[case[0] for case in UNCLOSED])
def test_unclosed_macro(text: str, raw: str) -> None:
    """A macro that does not end is an error, and the text stays."""
    result = resolve(text)

    (finding,) = result.findings
    assert (finding.rule, finding.message) == (
        "unclosed-macro",
        f"{raw} is not closed: a macro must end in }}}}",
    )
    assert (finding.line, finding.field, result.text) == (1, "a", text)


@pytest.mark.parametrize(
    "text", ["# {{.spectro.var.KEY}", "a: '{{ .Values.x }'", "a: '{{ x'", "a: '{.spectro.var.n}'"]
)
def test_braces_of_others(text: str) -> None:
    """Comments, and braces of other template systems, are nobody's unclosed macro."""
    assert (resolve(text).text, resolve(text).findings) == (text, [])


KEPT = [
    ("a variable", "var.colo", "warning", '; did you mean ".spectro.var.colon"?'),
    ("a variable like no other", "var.something", "warning", ""),
    ("a user macro", "macro.zones", "warning", '; did you mean ".spectro.macro.zone"?'),
    ("a system macro of Palette", "system.user.name", "info", ", which Palette knows"),
    ("a misspelt one", "system.usr.name", "warning", '; did you mean ".spectro.system.user.name"?'),
    (
        "an unknown one",
        "system.weather",
        "warning",
        "; Palette's documentation has no such system macro",
    ),
]


@pytest.mark.parametrize(
    ("name", "severity", "hint"), [case[1:] for case in KEPT], ids=[case[0] for case in KEPT]
)
def test_kept_with_the_nearest_name(name: str, severity: str, hint: str) -> None:
    """What has no value stays; a name that nobody knows comes with the nearest one."""
    raw = f"{{{{ .spectro.{name} }}}}"

    (finding,) = resolve(f"a: '{raw}'").findings

    assert (finding.rule, finding.severity) == ("kept", severity)
    assert finding.message == f"{raw} stays as it is: no value is given for .spectro.{name}{hint}"


DOCUMENTED = """\
user.name user.uid user.email tenant.uid project.name project.uid clusterprofile.name clusterprofile.uid
clusterprofile.version clusterprofile.infra.name clusterprofile.infra.uid clusterprofile.infra.version
cluster.name cluster.uid cluster.kubevip cloudaccount.name cloudaccount.uid cloud.type cloud.region
kubernetes.version reverseproxy.server reverseproxy.port reverseproxy.protocol reverseproxy.vhostport
""".split()


def test_all_system_macros() -> None:
    """The 24 names of Palette's documentation are no reason for a warning."""
    text = "".join(
        f"a{number}: '{{{{ .spectro.system.{name} }}}}'\n" for number, name in enumerate(DOCUMENTED)
    )

    findings = resolve(text, Context()).findings

    assert len(findings) == 24
    assert {finding.severity for finding in findings} == {"info"}


def test_unused_variables() -> None:
    """Names that no macro refers to; one in a macro that stays as it is counts as used."""
    context = Context(variables={"a": "1", "b": "2", "c": "3"}, macros={"d": "4"})
    own = Source("p", ("p",), "x: '{{ .spectro.var.a }}'\ny: '{{ .Values.z | .spectro.var.b }}'\n")
    resolver = MacroResolver([own], context)

    resolver.resolve(own)

    assert resolver.unused() == {"variables": ["c"], "macros": ["d"]}
