"""Rules about lists: the forms in which they come, what may be in them, and what the function returns.

Each rule stems from something that kpt or kustomize was seen to do with a function's output.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from krmkit.fn import loader, testing
from krmkit.fn import run as core
from krmkit.fn.contract.contractrules import Case, each_example, example_with, folder_of, function_with, rule
from krmkit.fn.contract.inputs import BYSTANDERS, HOSTILE, UNREADABLE
from krmkit.fn.contract.runchecks import is_readable, item_texts, load, places, run, without_results
from krmkit.fn.run import RunOptions
from krmkit.fn.testing import Example, resource_list
from krmkit.krm.finding import Finding
from krmkit.krm.resourcelist import ResourceList

FORMS = ("render_list", "eval_list", "kustomize_list")


@rule(example_with(FORMS))
def forms_of_the_list(example: Example, form: str) -> None:
    """Check that the lists of kpt render, kpt eval and kustomize cause no unexpected error."""
    outcome = run(folder_of(example), getattr(example, form)())

    assert not [result for result in outcome.results if result.rule in {"internal-error", "invalid-input"}]


@rule(each_example)
def second_run_changes_nothing(example: Example) -> None:
    """Check that running twice equals running once."""
    for form in FORMS:
        once = run(folder_of(example), getattr(example, form)())
        twice = run(folder_of(example), once.stdout)

        assert without_results(twice.stdout) == without_results(once.stdout), form
        assert twice.exit_code == once.exit_code


@rule(each_example)
def same_input_same_bytes(example: Example) -> None:
    """Check that a run leaves no state, because a pipeline loads a function once for all runs."""
    function = loader.at(str(folder_of(example)))
    texts = [example.render_list(), example.eval_list(), example.render_list()]
    first, _, again = (core.run(function.definition, function.process, text) for text in texts)

    assert again.stdout == first.stdout


@rule(each_example)
def bystanders_stay_byte_for_byte(example: Example) -> None:
    """Check that unrelated resources keep their bytes and order.

    With `touches: all` in function.yaml the function edits every resource, so only comments must stay.
    """
    text = example.render_list(BYSTANDERS)
    outcome = run(folder_of(example), text)
    if loader.at(str(folder_of(example))).definition.touches_all:
        assert outcome.stdout.index("# head comment") < outcome.stdout.index("# foot comment")
        assert without_results(outcome.stdout).count("kind: Bystander") == text.count("kind: Bystander")
        return

    position = 0
    for bystander in item_texts(text):
        if "Bystander" in bystander:
            found = outcome.stdout.find(bystander, position)
            assert found >= 0, bystander
            position = found + len(bystander)


def each_of_a_validator(folder: Path) -> Iterator[Case]:
    """Yield each example package of a validator."""
    if "validator" in loader.at(str(folder)).definition.tags:
        yield from each_example(folder)


@rule(each_of_a_validator)
def validators_change_nothing(example: Example) -> None:
    """Check that a validator changes nothing: kpt drops its changes silently."""
    folder = folder_of(example)
    text = example.render_list(BYSTANDERS)

    assert without_results(run(folder, text).stdout) == text.rstrip("\n")


@rule(each_example)
def unknown_annotations_stay(example: Example) -> None:
    """Check that annotations stay: kpt uses its own to find comments and files again."""
    text = example.render_list()
    before = load(text)["items"]
    after = load(run(folder_of(example), text).stdout)["items"]

    def identity(item: Any) -> tuple[str, str, str]:
        return item["apiVersion"], item["kind"], item["metadata"]["name"]

    def number(item: Any) -> str | None:
        found: str | None = (item["metadata"].get("annotations") or {}).get("config.k8s.io/id")
        return found

    def content(item: Any) -> Any:
        metadata = {key: value for key, value in item["metadata"].items() if key != "annotations"}
        return {**item, "metadata": metadata}

    known = {number(item) for item in after}
    # A missing resource was removed on purpose; a present one keeps its number, unless entries of its lists
    # moved: by the number kpt would copy the old entries' comments onto the new ones at their positions.
    present = {identity(item): item for item in after}
    lost = [item for item in before if identity(item) in present and number(item) not in known]
    assert not [identity(item) for item in lost if content(present[identity(item)]) == content(item)]
    for item in after:
        annotations = item["metadata"].get("annotations") or {}
        if "config.k8s.io/id" in annotations:
            assert "internal.config.kubernetes.io/seqindent" in annotations
            assert "internal.config.kubernetes.io/package-path" in annotations


@rule(each_example)
def one_path_in_two_packages(example: Example) -> None:
    """Check items with one path in two packages: kpt renders child packages in one list."""
    child = BYSTANDERS[0].replace(
        "annotations: {",
        f"annotations: {{internal.config.kubernetes.io/package-path: {testing.PACKAGE}/child, "
        "internal.config.kubernetes.io/path: Kptfile, internal.config.kubernetes.io/index: '0', ",
    )
    text = example.render_list([child])
    assert [place for place in places(load(text)["items"]) if place[1] == "Kptfile"]

    outcome = run(folder_of(example), text)

    assert child.rstrip("\n").split("\n")[-1] in outcome.stdout


@rule(example_with(FORMS))
def empty_list(example: Example, form: str) -> None:
    """Check that a package without resources is not an error."""
    text = resource_list([], example.config)
    outcome = run(folder_of(example), text)

    assert not [result for result in outcome.results if result.rule in {"internal-error", "invalid-input"}]


@rule(each_example)
def line_ends_of_windows(example: Example) -> None:
    """Check that a CRLF list runs like an LF list, and unchanged lines keep their ends."""
    text = example.render_list(BYSTANDERS)
    plain = run(folder_of(example), text)
    windows = run(folder_of(example), text.replace("\n", "\r\n"))

    assert windows.exit_code == plain.exit_code
    assert [result.rule for result in windows.results] == [result.rule for result in plain.results]
    assert load(windows.stdout)["items"] == load(plain.stdout)["items"]
    for bystander in BYSTANDERS:
        assert bystander.rstrip("\n").split("\n")[-1] + "\r\n" in windows.stdout


def each_without_comments(folder: Path) -> Iterator[Case]:
    """Yield each example of a function that does not read comments, which JSON lacks."""
    if loader.at(str(folder)).definition.about.get("reads") != "comments":
        yield from each_example(folder)


@rule(each_without_comments)
def list_as_json(example: Example) -> None:
    """Check that a list written as JSON gives the same resources as its YAML."""
    text = example.render_list()
    data: Any = ResourceList.parse(text)
    items = [item.get() for item in data.items]
    config = data.function_config.get() if data.function_config is not None else None
    as_json = json.dumps(
        {
            "apiVersion": "config.kubernetes.io/v1",
            "kind": "ResourceList",
            "items": items,
            "functionConfig": config,
        },
        ensure_ascii=False,
    )

    outcome = run(folder_of(example), as_json + "\n")

    expected = run(folder_of(example), text)
    assert outcome.exit_code == expected.exit_code
    assert list(map(_without_place, outcome.results)) == list(map(_without_place, expected.results))


def _without_place(finding: Finding) -> dict[str, object]:
    """Return a result without line and column: they differ in JSON, where an inner text is one line."""
    data = finding.data()
    message = re.sub(r"line \d+(, column \d+)?( of [^:]*)?: ", "", str(data["message"]))
    return {**data, "message": message}


@rule(each_example)
def explain_adds_infos_only(example: Example) -> None:
    """--explain changes neither resources nor exit code."""
    plain = run(folder_of(example), example.render_list())
    explained = run(folder_of(example), example.render_list(), RunOptions(explain=True))

    assert without_results(explained.stdout) == without_results(plain.stdout)
    assert explained.exit_code == plain.exit_code
    said = [result.data() for result in plain.results]
    more = [result for result in explained.results if result.data() not in said]
    assert {result.severity for result in more} <= {"info"}
    assert all(data in [result.data() for result in explained.results] for data in said)


def _place(annotations: dict[str, str]) -> tuple[str | None, ...]:
    prefix = "internal.config.kubernetes.io/"
    return tuple(annotations.get(prefix + name) for name in ("package-path", "path", "index"))


@rule(each_example)
def new_resources(example: Example) -> None:
    """Check that a new resource has a path of its own and no annotation that makes kpt drop it."""
    text = example.render_list()
    before = [repr(item) for item in load(text)["items"]]
    after = load(run(folder_of(example), text).stdout)["items"]
    known = {_place(item["metadata"]["annotations"]) for item in load(text)["items"]}

    for item in after:
        annotations = item["metadata"].get("annotations") or {}
        if repr(item) in before or _place(annotations) in known:
            continue
        assert item["apiVersion"]
        assert item["kind"]
        assert item["metadata"]["name"]
        assert annotations.get("internal.config.kubernetes.io/path"), "new resources say where they go"
        assert annotations.get("internal.config.kubernetes.io/index") is not None
        assert "config.kubernetes.io/function" not in annotations
        assert "config.k8s.io/function" not in annotations
        # Previews of what a controller would make are for reading, not for a cluster.
        preview = annotations["internal.config.kubernetes.io/path"].startswith(("topology/", "landscape/"))
        assert preview or annotations.get("config.kubernetes.io/local-config") != "true"


@rule(function_with(UNREADABLE))
def unreadable_input(folder: Path, name: str) -> None:
    """Check that input other than a ResourceList gives an empty list with one error."""
    outcome = run(folder, UNREADABLE[name])

    assert outcome.exit_code == 1
    assert load(outcome.stdout)["items"] == []
    assert [result.rule for result in outcome.results] == [
        "limit" if name.startswith("deep") else "invalid-input"
    ]


@rule(example_with(HOSTILE))
def hostile_item(example: Example, name: str) -> None:
    """Check that a hostile item is passed on or ends in an error result, and does not kill the process."""
    text = example.render_list([HOSTILE[name]])
    outcome = run(folder_of(example), text)

    assert "internal-error" not in {result.rule for result in outcome.results}
    if outcome.exit_code and is_readable(text):
        assert outcome.stdout.startswith(text)


@rule(each_example)
def results_of_the_input(example: Example) -> None:
    """Check that results are the function's own, after those of the input if it keeps them."""
    text = example.render_list()
    old = "results:\n- message: from before\n  severity: info\n  tags: {rule: failed}\n"
    keeps = loader.at(str(folder_of(example))).definition.keeps_results

    assert ("from before" in testing.run_function(folder_of(example), text + old).stdout) == keeps
