"""Every evaluator draws on the budget of the run, so that none of them can be made to work for long: docs/limits.md has the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from krmkit.libraries.cel.expressions import Environment as CelEnvironment
from krmkit.libraries.cel.kubernetes.environment import KubeEnvironment
from krmkit.libraries.gotemplate import parse
from krmkit.libraries.json import patch as jsonpatch
from krmkit.libraries.json.text import JsonError
from krmkit.libraries.spiff import merge
from krmkit.libraries.yaml import effort
from krmkit.libraries.yaml.copies import detached
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse as parse_yaml
from krmkit.systems.landscaper.jsonschema.schema import violations
from krmkit.systems.palette.constraints.effort import Effort
from tests.costs import count

BUDGET = 100_000
ENOUGH = f"the run needs more than {BUDGET:,} steps of effort"
MOST = 40 * BUDGET
"""Lines of Python and calls of C that a budget may become at most, with some for every step."""


def aliases(levels: int = 4) -> str:
    """9 to the power of `levels` nodes."""
    first = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
    return first + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, levels + 1))


def expand() -> None:
    """Texts that each stay below the limit of aliases."""
    text = aliases()
    for _ in range(100):
        go_data(parse_yaml(text).root)


def copy() -> None:
    root = parse_yaml(aliases()).root
    assert root is not None
    for _ in range(100):
        detached(root)


def merge_keys() -> None:
    """One large mapping merged into a thousand."""
    large = "{" + ", ".join(f"k{n}: 1" for n in range(500)) + "}"
    go_data(parse_yaml(f"a: {large}\n" + "<<: [" * 90 + large + "]" * 90 + "\n").root)
    nested = large
    for _ in range(90):
        nested = "{<<: " + nested + "}"
    for _ in range(30):
        go_data(parse_yaml(nested).root)


def loop() -> None:
    parse("{{range .}}{{range $}}{{end}}{{end}}").execute(list(range(1000)))


def calls() -> None:
    parse('{{range .}}{{range $}}{{printf "%d" .}}{{end}}{{end}}').execute(list(range(1000)))


def templates() -> None:
    names = [f"t{n}" for n in range(20)]
    text = "".join(
        f'{{{{define "{name}"}}}}{{{{template "{following}"}}}}{{{{template "{following}"}}}}{{{{end}}}}'
        for name, following in zip(names, names[1:], strict=False)
    )
    parse(text + f'{{{{define "{names[-1]}"}}}}{{{{end}}}}{{{{template "t0"}}}}').execute(None)


def several_templates() -> None:
    """Each of them stays below its own limit."""
    for _ in range(50):
        parse("{{range .}}{{range $}}{{end}}{{end}}").execute(list(range(100)))


def json_texts() -> None:
    """The same text again and again."""
    text = "[" + "1," * 5_000 + "1]"
    parse("{{range .a}}{{fromJson $.b}}{{end}}", functions="landscaper").execute(
        {"a": list(range(500)), "b": text}
    )


def yaml_texts() -> None:
    text = "a: 1\n" + "".join(f"k{n}: [1, 2, 3]\n" for n in range(1_000))
    parse("{{range .a}}{{fromYaml $.b}}{{end}}", functions="landscaper").execute(
        {"a": list(range(500)), "b": text}
    )


def short_texts(function: str, text: str) -> Callable[[], None]:
    """A short text, read again and again: reading costs by what stands in it, however short it is."""

    def work() -> None:
        template = parse(
            f"{{{{range .a}}}}{{{{range $.a}}}}{{{{{function} $.b | kindOf}}}}{{{{end}}}}{{{{end}}}}",
            functions="landscaper",
        )
        template.execute({"a": list(range(250)), "b": text})

    return work


def words_in_a_loop(call: str) -> Callable[[], None]:
    """A call of a function of templates whose cost is in the text that it gets."""

    def work() -> None:
        template = parse(
            "{{range .n}}{{range $.n}}{{$_ := (" + call + ")}}{{end}}{{end}}", functions="landscaper"
        )
        template.execute({"n": list(range(250)), "s": "x y-Z_" * 150})

    return work


def patterns() -> None:
    """Twice the same ones: what was compiled before costs as much."""
    drawn = Effort()
    for number in [*range(300), *range(300)]:
        drawn.compile(f"a{{1,{number + 1}}}b{{1,900}}")


def patterns_in_a_loop(pattern: str) -> Callable[[], None]:
    """Patterns that differ, so that each is compiled."""

    def work() -> None:
        template = parse('{{range .l}}{{regexMatch (printf "%s%d" $.p .) "x"}}{{end}}', functions="sprig")
        template.execute({"l": list(range(50)), "p": pattern})

    return work


def cel() -> None:
    environment = CelEnvironment({"x": "dyn"})
    program = environment.compile("string(x.all(a, x.all(b, a == b || a != b)))")
    for _ in range(20):
        program.evaluate(environment.bind({"x": list(range(60))}))


def rules() -> None:
    environment = KubeEnvironment()
    program = environment.compile(
        "self.all(a, self.all(b, a == b || a != b))", environment.scope({"self": "list(int)"}), "BOOL"
    )
    for _ in range(20):
        program.evaluate(environment.bind({"self": list(range(60))}))


def compile_expressions() -> None:
    environment = CelEnvironment({"x": "dyn"})
    for number in range(1000):
        environment.compile(f"string({'1 + ' * 20}{number})")


def spiff_calls() -> None:
    merge("fib: (( |n|-> n < 2 ? n :_(n - 1) + _(n - 2) ))\na: (( .fib(30) ))\n")


def spiff_loops() -> None:
    merge("a: (( sum[[1..2000]|0|s,i|-> sum[[1..2000]|s|t,j|->t + j]] ))\n")


def spiff_lists() -> None:
    merge("a: (( map[[1..200]|i|->[1..1000]] ))\n")


def spiff_references() -> None:
    merge("l: (( [1..1000] ))\na: (( map[[1..2000]|x|-> length(l)] ))\n")


def spiff_patterns() -> None:
    merge('a: (( map[[1..1000]|i|-> match("a{1," (i % 900 + 1) "}b{1,900}", "aab")] ))\n')


def references(word: str, levels: int = 24) -> Callable[[], list[str]]:
    """A schema whose definitions each name the next one twice."""

    def work() -> list[str]:
        definitions: dict[str, object] = {
            f"d{n}": {word: [{"$ref": f"#/definitions/d{n + 1}"}] * 2} for n in range(levels)
        }
        definitions[f"d{levels}"] = {"type": "string"}
        return violations({"definitions": definitions, "$ref": "#/definitions/d0"}, 1)

    return work


def recursive_schema() -> list[str]:
    value: object = "x"
    for _ in range(30):
        value = [value]
    return violations({"items": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"type": "integer"}]}}, value)


def many_schemas() -> object:
    return violations({"items": {"allOf": [{"maximum": n} for n in range(400)]}}, list(range(400)))


def patterns_of_properties() -> object:
    return violations(
        {"patternProperties": {f"^a{{1,{n}}}b": {} for n in range(1, 400)}}, {f"k{n}": 1 for n in range(1000)}
    )


def copies_of_copies() -> None:
    draft = jsonpatch.Draft({"a": [1]})
    draft.apply([{"op": "copy", "from": "/a", "path": "/a/-"}] * 60)


EVALUATORS: dict[str, Callable[[], object]] = {
    "aliases": expand,
    "copies of aliases": copy,
    "merge keys": merge_keys,
    "loops of templates": loop,
    "calls in loops of templates": calls,
    "templates that call templates": templates,
    "several templates": several_templates,
    "JSON inside of texts": json_texts,
    "YAML inside of texts": yaml_texts,
    "short JSON texts": short_texts("fromJson", "[" + "1," * 400 + "1]"),
    "short JSON texts, nested": short_texts("fromJson", "[" * 400 + "]" * 400),
    "short YAML texts": short_texts("fromYaml", "".join(f"k{n}: [1, 2, 3]\n" for n in range(60))),
    "short YAML texts, nested": short_texts("fromYaml", "- " * 400 + "1"),
    "YAML texts with other ends of lines": short_texts("fromYaml", "- 1\r" * 300),
    "short YAML texts with aliases": short_texts("fromYaml", aliases(2)),
    "dates by long layouts": words_in_a_loop('toDate $.s "abc"'),
    "durations": words_in_a_loop("durationRound $.s"),
    "quoted patterns": words_in_a_loop("regexQuoteMeta $.s"),
    "patterns": patterns,
    "patterns that are too large": patterns_in_a_loop("[^a]{1000}" * 240),
    "patterns of many repeats": patterns_in_a_loop("a{1,1000}" * 20),
    "patterns of many classes": patterns_in_a_loop("(?i)(?:\\PL{0})" * 300),
    "patterns that are wrong": patterns_in_a_loop("[a-z]" * 20_000 + "("),
    "CEL": cel,
    "CEL rules": rules,
    "expressions that are compiled": compile_expressions,
    "spiff: calls": spiff_calls,
    "spiff: loops": spiff_loops,
    "spiff: lists": spiff_lists,
    "spiff: patterns": spiff_patterns,
    "spiff: references to a list": spiff_references,
    "JSON schema: many schemas for many values": many_schemas,
    "JSON schema: patterns of properties": patterns_of_properties,
    "JSON patch: copies of copies": copies_of_copies,
}


@pytest.fixture(name="budget")
def run() -> Iterator[None]:
    """A run with a small budget."""
    assert effort.begin(BUDGET)
    yield
    effort.end()


@pytest.mark.usefixtures("budget")
@pytest.mark.parametrize("work", EVALUATORS.values(), ids=EVALUATORS.keys())
def test_the_budget_ends_it(work: Callable[[], object]) -> None:
    """The error names the budget, and the work done until then is in proportion to it."""
    errors: list[str] = []

    def until_it_ends() -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001  # each evaluator words its errors in its own way
            errors.append(str(error))

    steps = count(until_it_ends)

    assert errors, "it came to an end"
    assert ENOUGH in errors[0]
    assert steps < MOST
    assert effort.left() == 0 or ENOUGH in errors[0]


DOUBLING: dict[str, Callable[[], list[str]]] = {
    "allOf": references("allOf"),
    "anyOf": references("anyOf"),
    "oneOf": references("oneOf"),
    "a schema that refers to itself": recursive_schema,
}


@pytest.mark.usefixtures("budget")
@pytest.mark.parametrize("work", DOUBLING.values(), ids=DOUBLING.keys())
def test_schemas_that_double_are_checked_once_for_each_place(work: Callable[[], list[str]]) -> None:
    """A schema of 24 definitions that each name the next one twice takes 25 checks, and each thing is said once."""
    lines = work()

    assert len(lines) == len(set(lines)) < 100
    left = effort.left()
    assert left is not None and left > BUDGET * 9 // 10


def test_copies_of_copies_end_outside_of_a_run() -> None:
    """Sixty operations would make a text of more characters than there are atoms in a grain of sand."""
    with pytest.raises(JsonError, match=r"krmkit\.libraries\.json\.patch\.MAX_COPIED"):
        copies_of_copies()


def test_large_but_honest_documents_cost_nothing() -> None:
    """What a spiff document of ten thousand expressions takes is in proportion to its text."""
    assert effort.begin(BUDGET)
    try:
        text = "base: 1\n" + "".join(f"k{n}: (( base + {n} ))\n" for n in range(10_000))
        documents = merge(text).documents
    finally:
        effort.end()

    assert documents[0]["k9999"] == 10_000
