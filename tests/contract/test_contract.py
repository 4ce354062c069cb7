"""The contract that every function keeps, run for each of them and each of its example packages by discovery.

Each test stems from something that kpt or kustomize was seen to do with the output of a function.
"""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from krmkit.fn import loader, testing
from krmkit.fn import run as core
from krmkit.fn.config import decode
from krmkit.fn.run import Outcome, RunOptions
from krmkit.krm.finding import Finding
from krmkit.krm.resourcelist import ResourceList
from krmkit.lang.schemacheck import unsupported
from krmkit.yaml import emit
from tests.contract.checks import (
    FUNCTIONS,
    examples,
    folder_of,
    is_readable,
    item_texts,
    load,
    places,
    run,
    without_results,
)
from tests.contract.inputs import BYSTANDERS, HOSTILE, UNREADABLE, bad_configs

EXAMPLES = list(examples())
FORMS = ("render_list", "eval_list", "kustomize_list")
each_function = pytest.mark.parametrize("folder", FUNCTIONS, ids=lambda folder: folder.name)
each_example = pytest.mark.parametrize(
    "example", EXAMPLES, ids=lambda example: f"{example.function}/{example.folder.name}"
)


def test_there_is_something_to_test() -> None:
    """Discovery found functions, and each has an example."""
    assert FUNCTIONS
    assert {example.function for example in EXAMPLES} == {folder.name for folder in FUNCTIONS}


# What stands in function.yaml


@each_function
def test_schema_has_only_known_keywords(folder: Path) -> None:
    """No keyword of a schema is ignored unnoticed."""
    definition = loader.at(str(folder)).definition

    assert not unsupported(definition.schema)
    for _, _, schema in definition.accepts:
        assert not unsupported(schema or {"type": "object"})


@each_function
def test_config_map_names_fields_of_the_schema(folder: Path) -> None:
    """`configMap.others` puts keys where the schema has a place for them."""
    definition = loader.at(str(folder)).definition
    others = definition.config_map.get("others")
    if not others:
        pytest.skip("takes no other keys")
    field = definition.schema["properties"][others["into"]]

    assert set(definition.config_map) == {"others"}
    if field["type"] == "array":
        assert {others["key"], others["value"]} <= set(field["items"]["properties"])
    else:
        assert field["type"] == "object"


# What comes in: the three forms of a list, and what may be in it


@each_example
@pytest.mark.parametrize("form", FORMS)
def test_forms_of_the_list(example: testing.Example, form: str) -> None:
    """The lists of kpt render, kpt eval and kustomize all run; nothing unexpected happens."""
    outcome = run(folder_of(example), getattr(example, form)())

    assert not [result for result in outcome.results if result.rule in {"internal-error", "invalid-input"}]


@each_example
def test_second_run_changes_nothing(example: testing.Example) -> None:
    """Running twice equals running once."""
    for form in FORMS:
        once = run(folder_of(example), getattr(example, form)())
        twice = run(folder_of(example), once.stdout)

        assert without_results(twice.stdout) == without_results(once.stdout), form
        assert twice.exit_code == once.exit_code


@each_example
def test_same_input_same_bytes(example: testing.Example) -> None:
    """Nothing of an earlier run is left in the function."""
    first = run(folder_of(example), example.render_list())
    run(folder_of(example), example.eval_list())

    assert run(folder_of(example), example.render_list()).stdout == first.stdout


@each_example
def test_bystanders_stay_byte_for_byte(example: testing.Example) -> None:
    """Resources that are none of a function's business come out as they went in, in their order.

    A function that edits all resources says `touches: all` in function.yaml: of these, their comments stay.
    """
    text = example.render_list(BYSTANDERS)
    outcome = run(folder_of(example), text)
    if loader.at(str(folder_of(example))).definition.touches_all:
        assert outcome.stdout.index("# head comment") < outcome.stdout.index("# foot comment")
        assert outcome.stdout.count("kind: Bystander") == text.count("kind: Bystander")
        return

    position = 0
    for bystander in item_texts(text):
        if "Bystander" in bystander:
            found = outcome.stdout.find(bystander, position)
            assert found >= 0, bystander
            position = found + len(bystander)


@each_example
def test_validators_change_nothing(example: testing.Example) -> None:
    """What a validator changes is dropped by kpt without a word, so it changes nothing."""
    folder = folder_of(example)
    if "validator" not in loader.at(str(folder)).definition.tags:
        pytest.skip("no validator")
    text = example.render_list(BYSTANDERS)

    assert without_results(run(folder, text).stdout) == text.rstrip("\n")


@each_example
def test_unknown_annotations_stay(example: testing.Example) -> None:
    """kpt finds comments and files again by annotations that it put on every resource."""
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
    # What is gone altogether was removed on purpose; what is there has kept its number, unless entries of its lists moved: by the
    # number kpt would copy the old entries' comments onto the new ones at their positions.
    present = {identity(item): item for item in after}
    lost = [item for item in before if identity(item) in present and number(item) not in known]
    assert not [identity(item) for item in lost if content(present[identity(item)]) == content(item)]
    for item in after:
        annotations = item["metadata"].get("annotations") or {}
        if "config.k8s.io/id" in annotations:
            assert "internal.config.kubernetes.io/seqindent" in annotations
            assert "internal.config.kubernetes.io/package-path" in annotations


@each_example
def test_one_path_in_two_packages(example: testing.Example) -> None:
    """kpt renders child packages first: two items may have one path, in different packages."""
    child = BYSTANDERS[0].replace(
        "annotations: {",
        f"annotations: {{internal.config.kubernetes.io/package-path: {testing.PACKAGE}/child, "
        "internal.config.kubernetes.io/path: Kptfile, internal.config.kubernetes.io/index: '0', ",
    )
    text = example.render_list([child])
    assert [place for place in places(load(text)["items"]) if place[1] == "Kptfile"]

    outcome = run(folder_of(example), text)

    assert child.rstrip("\n").split("\n")[-1] in outcome.stdout


@each_example
@pytest.mark.parametrize("form", FORMS)
def test_empty_list(example: testing.Example, form: str) -> None:
    """A package without resources is no reason to fall over."""
    text = testing.resource_list([], example.config)
    outcome = run(folder_of(example), text)

    assert not [result for result in outcome.results if result.rule in {"internal-error", "invalid-input"}]


@each_example
def test_line_ends_of_windows(example: testing.Example) -> None:
    """A list with CRLF runs like the same list with LF; what is not changed keeps its line ends."""
    text = example.render_list(BYSTANDERS)
    plain = run(folder_of(example), text)
    windows = run(folder_of(example), text.replace("\n", "\r\n"))

    assert windows.exit_code == plain.exit_code
    assert [result.rule for result in windows.results] == [result.rule for result in plain.results]
    assert load(windows.stdout)["items"] == load(plain.stdout)["items"]
    for bystander in BYSTANDERS:
        assert bystander.rstrip("\n").split("\n")[-1] + "\r\n" in windows.stdout


@each_example
def test_list_as_json(example: testing.Example) -> None:
    """JSON is YAML: the same list gives the same resources."""
    text = example.render_list()
    data: Any = ResourceList.parse(text)
    items = [item.get() for item in data.items]
    config = data.function_config.get() if data.function_config is not None else None
    as_json = emit.flow(
        {
            "apiVersion": "config.kubernetes.io/v1",
            "kind": "ResourceList",
            "items": items,
            "functionConfig": config,
        }
    )

    outcome = run(folder_of(example), as_json + "\n")

    expected = run(folder_of(example), text)
    assert outcome.exit_code == expected.exit_code
    assert list(map(_without_place, outcome.results)) == list(map(_without_place, expected.results))


def _without_place(finding: Finding) -> dict[str, object]:
    """A result without lines and columns: a text inside an item has none of its own in JSON."""
    data = finding.data()
    message = re.sub(r"line \d+(, column \d+)?( of [^:]*)?: ", "", str(data["message"]))
    return {**data, "message": message}


@each_example
def test_explain_adds_infos_only(example: testing.Example) -> None:
    """--explain changes neither resources nor exit code."""
    plain = run(folder_of(example), example.render_list())
    explained = run(folder_of(example), example.render_list(), RunOptions(explain=True))

    assert without_results(explained.stdout) == without_results(plain.stdout)
    assert explained.exit_code == plain.exit_code
    said = [result.data() for result in plain.results]
    more = [result for result in explained.results if result.data() not in said]
    assert {result.severity for result in more} <= {"info"}
    assert all(data in [result.data() for result in explained.results] for data in said)


@each_example
def test_fail_on_never(example: testing.Example) -> None:
    """failOn: never turns findings into warnings, so the run passes, unless the function could not do its work."""
    text = example.render_list()
    outcome = run(folder_of(example), _with_fail_on(text, "never"))

    assert {result.rule for result in outcome.results if result.severity == "error"} <= {"failed", "limit"}


@each_example
def test_fail_on_warning(example: testing.Example) -> None:
    """failOn: warning leaves no warning that is not an error."""
    outcome = run(folder_of(example), _with_fail_on(example.render_list(), "warning"))

    assert "warning" not in {result.severity for result in outcome.results}


def _with_fail_on(text: str, value: str) -> str:
    resources = ResourceList.parse(text)
    config = resources.function_config
    if config is None:
        return (
            text.rstrip("\n")
            + f"\nfunctionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {{name: c}}\n  data: {{failOn: {value}}}\n"
        )
    data: Any = config.get()
    data["metadata"].setdefault("annotations", {})["krmkit.dev/fail-on"] = value
    for place in ("spec", "data"):
        if isinstance(data.get(place), dict):
            data[place].pop("failOn", None)
    head = text[: text.index("\nfunctionConfig:")]
    return f"{head}\nfunctionConfig:{emit.after_key(data, 0)}\n"


# What new resources look like


def _place(annotations: dict[str, str]) -> tuple[str | None, ...]:
    """The file of a resource, and its position there."""
    prefix = "internal.config.kubernetes.io/"
    return tuple(annotations.get(prefix + name) for name in ("package-path", "path", "index"))


@each_example
def test_new_resources(example: testing.Example) -> None:
    """A new resource has a place of its own, and nothing that makes an orchestrator drop it."""
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


# What is wrong: configs, inputs


def _bad_configs() -> Iterator[Any]:
    for folder in FUNCTIONS:
        definition = loader.at(str(folder)).definition
        good: dict[str, Any] = {}
        for example in testing.examples(folder):
            config = ResourceList.parse(testing.resource_list([], example.config)).function_config
            if config is not None and config.kind in {definition.kind, "ConfigMap"}:
                good = decode(definition, config).spec
        for name, (text, path) in bad_configs(definition, good).items():
            yield pytest.param(folder, text, path, id=f"{folder.name}: {name}")


@pytest.mark.parametrize(("folder", "config", "path"), list(_bad_configs()))
def test_bad_config(folder: Path, config: str, path: str) -> None:
    """Every mistake in a config is an error that says where; the items come back as they were."""
    text = testing.resource_list(BYSTANDERS, config)
    outcome = run(folder, text)

    assert outcome.exit_code == 1
    assert outcome.stdout.startswith(text)
    assert {result.rule for result in outcome.results} == {"invalid-config"}
    assert path in [result.field for result in outcome.results if result.field]


@each_example
def test_all_mistakes_at_once(example: testing.Example) -> None:
    """Two mistakes give two results."""
    definition = loader.at(str(folder_of(example))).definition
    config = f"apiVersion: krmkit.dev/v1alpha1\nkind: {definition.kind}\nmetadata: {{name: c}}\nspec: {{xxx: 1, yyy: 2}}\nzzz: 3\n"

    outcome = run(folder_of(example), testing.resource_list([], config))

    found = [result.field for result in outcome.results if result.field]
    assert {"spec.xxx", "spec.yyy", "zzz"} <= set(found)


@each_function
def test_misspelt_field_names_the_nearest(folder: Path) -> None:
    """An unknown field of a config is an error that names the nearest known one."""
    definition = loader.at(str(folder)).definition
    for field in definition.schema.get("properties") or {}:
        misspelt = field + field[-1]
        config = f"apiVersion: krmkit.dev/v1alpha1\nkind: {definition.kind}\nmetadata: {{name: c}}\nspec: {{{misspelt}: 1}}\n"

        outcome = run(folder, testing.resource_list([], config))

        messages = [
            result.message
            for result in outcome.results
            if result.field and result.field == f"spec.{misspelt}"
        ]
        assert messages == [f'unknown field "{misspelt}"; did you mean "{field}"?']


@each_function
@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable_input(folder: Path, name: str) -> None:
    """What is no ResourceList is answered by one with no items and one error."""
    outcome = run(folder, UNREADABLE[name])

    assert outcome.exit_code == 1
    assert load(outcome.stdout)["items"] == []
    assert [result.rule for result in outcome.results] == [
        "limit" if name.startswith("deep") else "invalid-input"
    ]


@each_example
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_item(example: testing.Example, name: str) -> None:
    """An item made to hurt is passed on or ends in an error result; it never ends the process."""
    text = example.render_list([HOSTILE[name]])
    outcome = run(folder_of(example), text)

    assert "internal-error" not in {result.rule for result in outcome.results}
    if outcome.exit_code and is_readable(text):
        assert outcome.stdout.startswith(text)


@each_function
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_config(folder: Path, name: str) -> None:
    """The same for a config."""
    if HOSTILE[name].startswith(("-", "text", "null")):
        pytest.skip("not a config at all: see the unreadable inputs")
    outcome = run(folder, testing.resource_list(BYSTANDERS, HOSTILE[name]))

    assert "internal-error" not in {result.rule for result in outcome.results}


@each_example
def test_results_of_the_input_are_replaced(example: testing.Example) -> None:
    """Every function reports its own findings only."""
    text = example.render_list()
    old = "results:\n- message: from before\n  severity: error\n"

    assert "from before" not in run(folder_of(example), text + old).stdout


# What a function may touch


class Watch:
    """Python's own audit events of a stretch of code; a hook cannot be taken back, so it is switched."""

    def __init__(self) -> None:
        self.on = False
        self.seen: list[str] = []
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.on:
            return
        path = str(arguments[0]) if arguments else ""
        if event == "open":
            # The function's own code, wherever Python keeps it.
            if not path.endswith((".py", ".pyc", ".so")) and "__pycache__" not in path:
                self.seen.append(f"open {path}")
        elif event.startswith(("socket.", "subprocess.", "os.", "shutil.", "tempfile.", "urllib.", "http.")):
            # An import lists folders.
            if event not in {"os.listdir", "os.scandir"}:
                self.seen.append(f"{event} {path}")


@pytest.fixture(scope="module")
def watch() -> Watch:
    return Watch()


@each_example
def test_touches_nothing_outside(
    example: testing.Example, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No network, no disk, no other process, no environment."""
    function = loader.at(str(folder_of(example)))
    text = example.render_list()
    expected = run_loaded(function, text, RunOptions()).stdout
    for name in list(os.environ):
        monkeypatch.delenv(name)
    monkeypatch.setenv("LOG_TO_STDERR", "true")
    monkeypatch.setenv("TZ", "Asia/Kathmandu")

    watch.seen.clear()
    watch.on = True
    try:
        outcome = run_loaded(function, text, RunOptions())
    finally:
        watch.on = False

    assert outcome.stdout == expected
    assert not watch.seen


def run_loaded(function: loader.Function, text: str, options: RunOptions) -> Outcome:
    return core.run(function.definition, function.process, text, options)


def test_watch_sees(watch: Watch, tmp_path: Path) -> None:
    """The watch does notice files, processes and sockets."""
    watch.seen.clear()
    watch.on = True
    try:
        (tmp_path / "x").write_text("x")
        socket.socket().close()
        os.system("true")
    finally:
        watch.on = False

    assert [event.split()[0] for event in watch.seen] == ["open", "socket.__new__", "os.system"]
