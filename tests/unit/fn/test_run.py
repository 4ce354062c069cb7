"""Tests of krmkit.fn.run: whatever a function does, the invariants of a run hold."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
import yaml

from krmkit.fn.config import Config
from krmkit.fn.definition import FunctionDefinition
from krmkit.fn.results import FunctionError, Results
from krmkit.fn.run import Outcome, RunOptions, apply, refuse, run, summary
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.go.core import work
from krmkit.libraries.gotemplate import TemplateError
from krmkit.libraries.gotemplate import parse as parse_template
from krmkit.libraries.yaml.errors import LimitError, YamlError
from krmkit.libraries.yaml.limits import Limits

DATA = {
    "name": "paint-things",
    "kind": "PaintThings",
    "summary": "x",
    "tags": ["mutator"],
    "schema": {"type": "object", "properties": {"colour": {"type": "string", "default": "red"}}},
}
DEFINITION = FunctionDefinition(DATA)
TEXT = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
# about the first
- apiVersion: v1
  kind: Thing
  metadata:
    name: "one"   # the first
  spec: {colour: blue}
- apiVersion: v1
  kind: Thing
  metadata: {name: two}
  spec:
      colour:   green
"""
CONFIG = "functionConfig:\n  apiVersion: krmkit.dev/v1alpha1\n  kind: PaintThings\n  metadata: {name: c}\n  spec: {}\n"


def execute(
    process: Callable[[ResourceList, Config, Results], None], text: str = TEXT, **options: object
) -> Outcome:
    return run(DEFINITION, process, text, RunOptions(**options))  # type: ignore[arg-type]


def nothing(resources: ResourceList, config: Config, results: Results) -> None:
    pass


def paint_one(resources: ResourceList, config: Config, results: Results) -> None:
    resources.items[0].set(("spec", "colour"), config.spec["colour"])


def test_nothing_to_do_gives_the_bytes_back() -> None:
    """A function that changes nothing and finds nothing is the identity."""
    outcome = execute(nothing)

    assert outcome.stdout == TEXT
    assert (outcome.stderr, outcome.exit_code, outcome.results) == ("", 0, [])


def test_only_the_changed_line_changes() -> None:
    """The line with the new value differs, and no other."""
    outcome = execute(paint_one)

    assert outcome.stdout == TEXT.replace("{colour: blue}", "{colour: red}")


def test_findings_without_errors() -> None:
    """Warnings and infos go to the results; the run passes in silence."""

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        paint_one(resources, config, results)
        results.info("told", "i")
        results.warning("doubtful", "w", resources.items[1])

    outcome = execute(process)

    assert (outcome.stderr, outcome.exit_code) == ("", 0)
    assert "colour: red" in outcome.stdout
    assert [result.severity for result in outcome.results] == ["warning", "info"]


def test_an_error_takes_all_changes_back() -> None:
    """With one error the original items come back, byte for byte, and the exit code is 1."""

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        paint_one(resources, config, results)
        resources.add({"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "new"}})
        resources.remove(resources.items[1])
        results.error("wrong", "is wrong", resources.items[0], "spec.colour", current="blue", proposed="red")

    outcome = execute(process)

    assert outcome.exit_code == 1
    assert outcome.stdout.startswith(TEXT + "results:\n- message: is wrong\n")
    assert outcome.stderr == "paint-things: v1/Thing/one spec.colour: is wrong\n"


def test_original_items_come_back_from_a_list_with_results() -> None:
    """The results of an earlier function go, its items stay."""
    old = "results:\n- message: old\n  severity: error\n"

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        results.error("wrong", "new")

    outcome = execute(process, TEXT + CONFIG + old)

    assert outcome.stdout.startswith(TEXT + CONFIG + "results:\n- message: new\n")
    assert "old" not in outcome.stdout


def raiser(error: BaseException) -> Callable[[ResourceList, Config, Results], None]:
    def process(resources: ResourceList, config: Config, results: Results) -> None:
        paint_one(resources, config, results)
        raise error

    return process


def deep(resources: ResourceList, config: Config, results: Results) -> None:
    deep(resources, config, results)


def beside_deep_nesting(levels: int, limits: Limits) -> tuple[str, Outcome]:
    """A list, and what comes of an edit beside a value that is nested that deep."""

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        resources.items[0].set(("spec", "text"), "a\nb\n")

    text = TEXT.replace(
        "  spec: {colour: blue}\n",
        f"  spec:\n    deep: {'[' * levels + ']' * levels}\n    text: |\n      b\n",
    )
    return text, execute(process, text, limits=limits)


def test_deep_nesting_can_be_edited() -> None:
    """An edit beside a value that is nested deep succeeds."""
    before = sys.getrecursionlimit()
    text, outcome = beside_deep_nesting(250, Limits())

    assert not outcome.results
    assert sys.getrecursionlimit() == before
    assert outcome.stdout == text.replace("      b\n", "      a\n      b\n")


@pytest.mark.parametrize(("levels", "limits"), [(490, Limits()), (900, Limits(depth=2000))])  # libyaml: 1,000
def test_nesting_that_can_be_read_and_not_edited(levels: int, limits: Limits) -> None:
    """Where the limit admits more than the editor does, the edit is an error that says so."""
    _, outcome = beside_deep_nesting(levels, limits)

    assert [result.message for result in outcome.results] == [
        "item 1: the text is nested more than 256 deep, which cannot be edited"
    ]


@pytest.mark.parametrize(
    ("name", "process", "rule", "message"),
    [
        ("a stop", raiser(FunctionError("no such thing")), "failed", "no such thing"),
        ("a stop with a rule", raiser(FunctionError("no", "not-found")), "not-found", "no"),
        ("bad YAML", raiser(YamlError("odd", 3, 4)), "invalid-yaml", "line 3, column 4: odd"),
        ("a limit", raiser(LimitError("too deep")), "limit", "too deep"),
        ("recursion", deep, "limit", "the input is nested too deeply for this function"),
        ("memory", raiser(MemoryError()), "limit", "the input needs more memory than there is"),
        (
            "a bug",
            raiser(KeyError("colour")),
            "internal-error",
            "an error in the function itself, not in your input: KeyError: 'colour';"
            " run it with --debug for the traceback, and please report it",
        ),
        (
            "a bug without words",
            raiser(AssertionError()),
            "internal-error",
            "an error in the function itself, not in your input: AssertionError;"
            " run it with --debug for the traceback, and please report it",
        ),
        (
            "an early exit",
            raiser(SystemExit(0)),
            "internal-error",
            "an error in the function itself, not in your input: SystemExit: 0;"
            " run it with --debug for the traceback, and please report it",
        ),
    ],
)
def test_whatever_is_raised_becomes_a_result(
    name: str, process: Callable[[ResourceList, Config, Results], None], rule: str, message: str
) -> None:
    """The original items, one error result, exit code 1, one line on stderr, no traceback."""
    outcome = execute(process)

    assert outcome.exit_code == 1, name
    assert outcome.stdout.startswith(TEXT + "results:\n")
    assert [(result.rule, result.message, result.severity) for result in outcome.results] == [
        (rule, message, "error")
    ]
    assert outcome.stderr.count("\n") == 1
    assert "Traceback" not in outcome.stderr


def test_findings_before_a_stop_stay() -> None:
    """What was found before the stop is reported with it."""

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        results.warning("doubtful", "w")
        raise FunctionError("stop", "stopped", resources.items[0], "spec")

    outcome = execute(process)

    assert [result.rule for result in outcome.results] == ["stopped", "doubtful"]
    assert outcome.results[0].resource_ref == {"apiVersion": "v1", "kind": "Thing", "name": "one"}


def test_debug_shows_the_traceback() -> None:
    """--debug puts the traceback before the line on stderr; stdout is the same."""
    outcome = execute(raiser(KeyError("colour")), debug=True)

    assert outcome.stderr.startswith("Traceback (most recent call last):\n")
    assert "KeyError: 'colour'" in outcome.stderr
    assert outcome.stdout == execute(raiser(KeyError("colour"))).stdout


@pytest.mark.parametrize(
    ("fail_on", "severities", "code"),
    [
        ("error", ["error", "warning"], 1),
        ("warning", ["error", "error"], 1),
        ("never", ["warning", "warning"], 0),
    ],
)
def test_fail_on(fail_on: str, severities: list[str], code: int) -> None:
    """failOn moves severities before anything is counted: an error and exit code 1 always come together."""

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        results.error("e", "e")
        results.warning("w", "w")

    outcome = execute(process, TEXT + CONFIG.replace("spec: {}", f"spec: {{failOn: {fail_on}}}"))

    assert [result.severity for result in outcome.results] == severities
    assert outcome.exit_code == code


def test_fail_on_never_does_not_hide_a_stop() -> None:
    """A function that could not do its work fails, whatever the config says."""
    outcome = execute(
        raiser(FunctionError("stop")), TEXT + CONFIG.replace("spec: {}", "spec: {failOn: never}")
    )

    assert outcome.exit_code == 1


def test_a_warning_raised_to_an_error_takes_the_changes_back() -> None:
    """failOn: warning makes a doubtful run a failed one."""

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        paint_one(resources, config, results)
        results.warning("w", "w")

    text = TEXT + CONFIG.replace("spec: {}", "spec: {failOn: warning}")

    assert execute(process, text).stdout.startswith(text)


def test_bad_config() -> None:
    """All violations, each with its place and the config as its resource; the function is not called."""
    text = TEXT + CONFIG.replace("spec: {}", "spec: {color: x, colour: 1}")

    outcome = execute(raiser(AssertionError()), text)

    assert outcome.stdout.startswith(text)
    assert [result.data() for result in outcome.results] == [
        {
            "message": message,
            "severity": "error",
            "resourceRef": {"apiVersion": "krmkit.dev/v1alpha1", "kind": "PaintThings", "name": "c"},
            "field": field,
            "tags": {"rule": "invalid-config", **tags},
        }
        for message, field, tags in (
            (
                'unknown field "color"; did you mean "colour"?',
                {"path": "spec.color"},
                {"wrong": "color", "right": "colour"},
            ),
            (
                "must be a string, not an integer; put it in quotes",
                {"path": "spec.colour", "currentValue": 1, "proposedValue": "1"},
                {},
            ),
        )
    ]
    assert outcome.stderr.endswith(" (and 1 more)\n")


def test_config_that_is_no_yaml() -> None:
    """A duplicate key in the config makes the whole list unreadable, as it is one document."""
    outcome = execute(nothing, TEXT + CONFIG + "  kind: Again\n")

    assert outcome.exit_code == 1
    assert 'the key "kind" occurs twice' in outcome.results[0].message


@pytest.mark.parametrize("text", ["", "\n", "x", "a: [", "kind: ResourceList\n", "[]", "\x00"])
def test_no_list(text: str) -> None:
    """No readable list: no items, one error, exit code 1; never an empty output."""
    outcome = execute(nothing, text)

    assert outcome.stdout.startswith(
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nresults:\n- message:"
    )
    assert [result.rule for result in outcome.results] == ["invalid-input"]
    assert outcome.exit_code == 1
    assert outcome.stderr.startswith("paint-things: no readable ResourceList: ")


def test_limits_of_the_list() -> None:
    """A list over a limit is an error that names the limit and how to raise it."""
    outcome = execute(nothing, limits=Limits(items=1))

    assert [result.rule for result in outcome.results] == ["limit"]
    assert "--limit items=N" in outcome.results[0].message


def test_the_effort_that_an_engine_words_as_its_own() -> None:
    """A template that needs more than the budget is a limit, with the template's place; its other errors stay its own."""

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        for text in ("{{ fail `wrong` }}", "{{ range until 1000 }}{{ end }}"):
            try:
                parse_template(text, functions="sprig").execute(None)
            except TemplateError as error:
                results.error("template", str(error))

    outcome = execute(process, limits=Limits(effort=500))

    assert [result.rule for result in outcome.results] == ["template", "limit"]
    assert outcome.results[1].message.startswith("template: template:1:")
    assert "--limit effort=N" in outcome.results[1].message


def test_the_effort_that_an_engine_does_not_word() -> None:
    """An engine's own error for a used-up budget, which its caller let through, is no error of the function."""

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        work.charge(501)

    outcome = execute(process, limits=Limits(effort=500))

    assert [(result.rule, result.message) for result in outcome.results] == [
        ("limit", "the run needs more than 500 steps of effort (raise it with --limit effort=N)")
    ]


def test_an_item_that_is_no_yaml() -> None:
    """An item that cannot be parsed is an error that says which one; all items come back."""

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        for item in resources.items:
            item.set(("spec", "colour"), "red")

    text = TEXT.replace("colour:   green", "colour: *nowhere")

    outcome = execute(process, text)

    assert [result.rule for result in outcome.results] == ["invalid-yaml"]
    assert "item 2" in outcome.results[0].message
    assert outcome.stdout.startswith(text)


def test_an_output_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """When writing fails with the changes, the originals are written; else their items alone; at last an empty list."""
    calls = []
    render = ResourceList.render

    def broken(self: ResourceList) -> str:
        calls.append(1)
        if len(calls) <= failures:
            raise RuntimeError("no way")
        return render(self)

    monkeypatch.setattr(ResourceList, "render", broken)

    failures = 1
    once = execute(paint_one)
    calls.clear()
    failures = 2
    twice = execute(paint_one)
    calls.clear()
    failures = 3
    thrice = execute(paint_one)

    assert once.stdout.startswith(TEXT)
    assert once.results[0].rule == "internal-error"
    assert yaml.safe_load(twice.stdout)["items"] == yaml.safe_load(TEXT)["items"]
    assert thrice.stdout.startswith("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n")
    assert (once.exit_code, twice.exit_code, thrice.exit_code) == (1, 1, 1)


def test_long_lines_are_cut() -> None:
    """The line on stderr is one short line, also for a message of many."""
    line = summary("x", [Finding("r", "word\n" * 500)])

    assert len(line) < 310
    assert line.count("\n") == 1


def test_summary_counts_errors_only() -> None:
    """Warnings are no part of the count."""
    results = [Finding("r", "a"), Finding("r", "b"), Finding("r", "c", severity="warning")]

    assert summary("x", results) == "x: a (and 1 more)\n"


def test_refuse() -> None:
    """A run can be refused after the fact: the original items and the reason."""
    outcome = refuse(DEFINITION, TEXT, [Finding("r", "not so")])

    assert outcome.stdout.startswith(TEXT + "results:\n- message: not so\n")
    assert outcome.exit_code == 1


def test_apply_in_memory() -> None:
    """The pipeline's way in: the same function on a list that is never text."""
    item = Resource("apiVersion: v1\nkind: Thing\nmetadata: {name: one}\nspec: {colour: blue}\n")
    config = Resource(
        "apiVersion: krmkit.dev/v1alpha1\nkind: PaintThings\nmetadata: {name: c}\nspec: {colour: pink}\n"
    )
    resources = ResourceList.of([item])

    results = apply(DEFINITION, paint_one, resources, config)

    assert not results
    assert item.text.endswith("spec: {colour: pink}\n")


def test_apply_reports_failures() -> None:
    """What would be exit code 1 is a result of severity error."""
    resources = ResourceList.of([])

    results = apply(DEFINITION, raiser(KeyError("x")), resources, None)

    assert [result.rule for result in results] == ["internal-error"]


def test_explain_is_passed_on() -> None:
    """The function learns from its config and its results whether anybody wants to know."""
    seen = []

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        seen.append((config.explain, results.explaining))
        results.explain("because", "x")

    assert len(execute(process, explain=True).results) == 1
    assert not execute(process).results
    assert seen == [(True, True), (False, False)]


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([("a.yaml", "c")], {"path": "a.yaml", "index": 0}),
        ([("a.yaml", "other")], None),
        ([("a.yaml", "c"), ("b.yaml", "c")], None),
    ],
    ids=["among the items", "not among them", "twice"],
)
def test_file_of_a_config(items: list[tuple[str, str]], expected: object) -> None:
    """kpt sends a validator's config without its file; the result names that of the item that it is."""
    listed = "".join(
        f"- apiVersion: krmkit.dev/v1alpha1\n  kind: PaintThings\n  metadata:\n    name: {name}\n"
        f"    annotations:\n      config.kubernetes.io/path: {path}\n      config.kubernetes.io/index: '0'\n"
        for path, name in items
    )
    text = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{listed}" + CONFIG

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        results.info("seen", "x", config.resource)

    for given in (text, text.replace("spec: {}", "spec: {colour: 1}")):
        (finding,) = execute(process, given).results
        assert finding.file == expected
