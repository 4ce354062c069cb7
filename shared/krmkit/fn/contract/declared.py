"""Rules about function.yaml and about configs: every mistake is an error with its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from krmkit.fn import loader, testing
from krmkit.fn.config import decode
from krmkit.fn.contract.contractrules import Case, each_example, each_function, folder_of, function_with, rule
from krmkit.fn.contract.inputs import BYSTANDERS, HOSTILE, bad_configs
from krmkit.fn.contract.runchecks import run
from krmkit.fn.testing import Example, resource_list
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.schema.unsupported import unsupported
from krmkit.libraries.yaml import emit


@rule(each_function)
def has_an_example(folder: Path) -> None:
    """Check that the function has an example package, because most rules run on one."""
    assert list(folder.glob("examples/*/Kptfile")), f"{folder.name}/examples/NAME/Kptfile is missing"


@rule(each_function)
def schema_has_only_known_keywords(folder: Path) -> None:
    """Check that no keyword of a schema is ignored unnoticed."""
    definition = loader.at(str(folder)).definition

    assert not unsupported(definition.schema)
    for _, _, schema in definition.accepts:
        assert not unsupported(schema or {"type": "object"})


def each_with_other_keys(folder: Path) -> Iterator[Case]:
    """Yield the function's folder if its ConfigMap accepts keys that are not fields."""
    if loader.at(str(folder)).definition.config_map.get("others"):
        yield "", (folder,)


@rule(each_with_other_keys)
def config_map_names_fields_of_the_schema(folder: Path) -> None:
    """Check that `configMap.others` puts keys where the schema has a place for them."""
    definition = loader.at(str(folder)).definition
    others = definition.config_map["others"]
    field = definition.schema["properties"][others["into"]]

    assert set(definition.config_map) == {"others"}
    if field["type"] == "array":
        assert {others["key"], others["value"]} <= set(field["items"]["properties"])
    else:
        assert field["type"] == "object"


@rule(each_example)
def fail_on_never(example: Example) -> None:
    """Check that `failOn: never` turns errors about the items into warnings."""
    text = example.render_list()
    outcome = run(folder_of(example), _with_fail_on(text, "never"))

    assert {result.rule for result in outcome.results if result.severity == "error"} <= {"failed", "limit"}


@rule(each_example)
def fail_on_warning(example: Example) -> None:
    """Check that `failOn: warning` turns warnings into errors."""
    outcome = run(folder_of(example), _with_fail_on(example.render_list(), "warning"))

    assert "warning" not in {result.severity for result in outcome.results}


def _with_fail_on(text: str, value: str) -> str:
    resources = ResourceList.parse(text)
    config = resources.function_config
    if config is None:
        return (
            text.rstrip("\n")
            + "\nfunctionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n"
            + f"  metadata: {{name: c, annotations: {{krmkit.dev/fail-on: {value}}}}}\n"
        )
    data: Any = config.get()
    data["metadata"].setdefault("annotations", {})["krmkit.dev/fail-on"] = value
    for place in ("spec", "data"):
        if isinstance(data.get(place), dict):
            data[place].pop("failOn", None)
    head = text[: text.index("\nfunctionConfig:")]
    return f"{head}\nfunctionConfig:{emit.after_key(data, 0)}\n"


def each_bad_config(folder: Path) -> Iterator[Case]:
    """Yield configs with one mistake each, made from the schema, with the path of the mistake."""
    definition = loader.at(str(folder)).definition
    if definition.own_config:
        return  # errors in the config of another catalog's function are reported by that function
    good: dict[str, Any] = {}
    for example in testing.examples(folder):
        config = ResourceList.parse(resource_list([], example.config)).function_config
        if config is not None and config.kind in {definition.kind, "ConfigMap"}:
            good = decode(definition, config).spec
    for name, (text, path) in bad_configs(definition, good).items():
        yield name, (folder, text, path)


@rule(each_bad_config)
def bad_config(folder: Path, config: str, path: str) -> None:
    """Check that a mistake in a config is an error with its path, and that the items are returned."""
    text = resource_list(BYSTANDERS, config)
    outcome = run(folder, text)

    assert outcome.exit_code == 1
    assert outcome.stdout.startswith(text)
    assert {result.rule for result in outcome.results} == {"invalid-config"}
    assert path in [result.field for result in outcome.results if result.field]


def each_strict_example(folder: Path) -> Iterator[Case]:
    """Yield each example of a function whose config is checked against its schema."""
    if not loader.at(str(folder)).definition.own_config:
        yield from each_example(folder)


def each_strict_function(folder: Path) -> Iterator[Case]:
    """Yield the function's folder if its config is checked against its schema."""
    if not loader.at(str(folder)).definition.own_config:
        yield "", (folder,)


@rule(each_strict_example)
def all_mistakes_at_once(example: Example) -> None:
    """Check that two mistakes give two results."""
    definition = loader.at(str(folder_of(example))).definition
    config = f"apiVersion: {definition.api_version}\nkind: {definition.kind}\nmetadata: {{name: c}}\nspec: {{xxx: 1, yyy: 2}}\nzzz: 3\n"

    outcome = run(folder_of(example), resource_list([], config))

    found = [result.field for result in outcome.results if result.field]
    assert {"spec.xxx", "spec.yyy", "zzz"} <= set(found)


@rule(each_strict_function)
def misspelt_field_names_the_nearest(folder: Path) -> None:
    """Check that the error about an unknown field names the nearest known one."""
    definition = loader.at(str(folder)).definition
    for field in definition.schema.get("properties") or {}:
        misspelt = field + field[-1]
        config = f"apiVersion: {definition.api_version}\nkind: {definition.kind}\nmetadata: {{name: c}}\nspec: {{{misspelt}: 1}}\n"

        outcome = run(folder, resource_list([], config))

        messages = [result.message for result in outcome.results if result.field == f"spec.{misspelt}"]
        assert messages == [f'unknown field "{misspelt}"; did you mean "{field}"?']


@rule(function_with(name for name in HOSTILE if not HOSTILE[name].startswith(("-", "text", "null"))))
def hostile_config(folder: Path, name: str) -> None:
    """Check that a hostile config ends in an error result."""
    outcome = run(folder, resource_list(BYSTANDERS, HOSTILE[name]))

    assert "internal-error" not in {result.rule for result in outcome.results}
