"""Checks that hold for every run of every function, on any input."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from krmkit.fn import loader, testing
from krmkit.fn.rules import COMMON, own_rules, rules_of
from krmkit.fn.run import Outcome, RunOptions
from krmkit.krm import annotations as names
from krmkit.krm.errors import Refused
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.schema.fields import mapping
from krmkit.libraries.yaml.errors import YamlError

_CODE = re.compile(r"/krmkit/\S*\.py\b")  # not the name of an image, which has such a folder, too

_TEXT = {"type": "string", "minLength": 1}
_PLACE = ((names.PATH, names.LEGACY_PATH), (names.INDEX, names.LEGACY_INDEX))


def _closed(required: str, **properties: object) -> dict[str, Any]:
    """Return the schema of an object with these properties only; `required` lists names, split at blanks."""
    return {
        "type": "object",
        "required": required.split(),
        "additionalProperties": False,
        "properties": properties,
    }


# `results` of the KRM Functions Specification v1, compared strictly: an unknown key would be lost on the way.
RESULTS: dict[str, Any] = {
    "type": "array",
    "items": {
        **_closed(
            "message severity tags",
            message=_TEXT,
            severity={"enum": ["error", "warning", "info"]},
            resourceRef=_closed(
                "apiVersion kind name", apiVersion=_TEXT, kind=_TEXT, name=_TEXT, namespace=_TEXT
            ),
            field=_closed("path", path=_TEXT, currentValue={}, proposedValue={}),
            file=_closed("path", path=_TEXT, index={"type": "string", "pattern": "^[0-9]+$"}),
            tags={
                "type": "object",
                "required": ["rule"],
                "additionalProperties": {"type": "string"},
                "properties": {"rule": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}},
            },
        ),
        "dependentRequired": {"field": ["resourceRef"]},
    },
}

# Made once: `jsonschema.validate` judges the schema itself in each call, which costs more than a run.
RESULTS_VALIDATOR = jsonschema.Draft202012Validator(RESULTS)


def run(folder: Path, text: str, options: RunOptions | None = None) -> Outcome:
    """Run a function in this process, and check what must hold for every run."""
    outcome = testing.run_function(folder, text, options)
    check(folder, text, outcome.stdout, outcome.stderr, outcome.exit_code)
    return outcome


def check(folder: Path, text: str, stdout: str, stderr: str, exit_code: int) -> list[dict[str, Any]]:
    """Check the invariants of one run, as seen from outside, and return the results."""
    output = load(stdout)
    assert isinstance(output, dict), "stdout must hold one ResourceList"
    assert output["kind"] == "ResourceList"
    # A list that came without items may leave without.
    assert isinstance(output.get("items", []), list | str)
    results: list[dict[str, Any]] = (output.get("results") or [])[_kept(folder, text) :]
    RESULTS_VALIDATOR.validate(results)

    failed = any(result["severity"] == "error" for result in results)
    assert exit_code == (1 if failed else 0), "exit code 1 exactly when there is a result of severity error"
    if exit_code:
        assert stderr.count("\n") == 1, f"one line on failure, not {stderr!r}"
        assert stderr.startswith(folder.name + ": ")
        assert len(stderr) < 400
    else:
        assert stderr == "", "silence on success"
    assert "Traceback" not in stdout + stderr
    assert not _CODE.search(stderr), "no paths of the library's code"
    check_order(results)
    check_rules(folder, results, "failOn" in text or "fail-on" in text)

    if failed and is_readable(text):
        assert item_texts(stdout) == item_texts(text), "the original items come back from a failed run"
    if is_readable(text):
        check_places(load(text), output)
    return results


def _kept(folder: Path, text: str) -> int:
    """Return how many of the input's results precede the function's own."""
    if not loader.at(str(folder)).definition.keeps_results or not is_readable(text):
        return 0
    given = load(text).get("results")
    return len(given) if isinstance(given, list) else 0


def check_order(results: list[dict[str, Any]]) -> None:
    """Check that results are sorted by severity, file, index and resource, and that none is there twice."""
    ranks = [("error", "warning", "info").index(result["severity"]) for result in results]
    assert ranks == sorted(ranks)
    keys = []
    for rank, result in zip(ranks, results, strict=True):
        file, reference = result.get("file", {}), result.get("resourceRef", {})
        identity = tuple(reference.get(key, "") for key in ("apiVersion", "kind", "namespace", "name"))
        keys.append((rank, file.get("path", ""), int(file.get("index", 0)), identity))
    assert keys == sorted(keys)
    assert len({repr(result) for result in results}) == len(results)


def check_rules(folder: Path, results: list[dict[str, Any]], moved: bool = False) -> None:
    """Check that rule and severity of each result are listed in function.yaml or are shared ones.

    `moved`: the config changes severities, so they are not compared.
    """
    known = {**own_rules(COMMON), **rules_of(loader.at(str(folder)).definition)}
    unknown = {result["tags"]["rule"] for result in results} - set(known)
    assert not unknown, f"name in function.yaml, under rules: {', '.join(sorted(unknown))}"
    for result in [] if moved else results:
        rule = known[result["tags"]["rule"]]
        assert result["severity"] in rule.severities, f"{rule.name} is {rule.level} in function.yaml"


def check_places(before: Any, after: Any) -> None:
    """Check that no two output resources have one path and index, unless they had in the input."""
    old = places(before.get("items") or [])
    new = places(after.get("items") or [])
    assert len(new) - len(set(new)) <= len(old) - len(set(old)), (
        "two resources have one (package, path, index)"
    )


def places(items: list[Any]) -> list[tuple[str, str, str]]:
    """Return (package, path, index) of the items that have a path."""
    found = []
    for item in items:
        annotations = mapping(item, "metadata", "annotations")
        path, index = (annotations.get(new) or annotations.get(old) for new, old in _PLACE)
        if path:
            package = annotations.get(names.PACKAGE_PATH, "")
            found.append((str(package), str(path), str(index or "0")))
    return found


@lru_cache(maxsize=8)
def load(text: str) -> Any:
    """Parse a text with PyYAML, each scalar a string, to judge krmkit's reader by another one.

    The value is cached: do not change it.
    """
    return _plain(yaml.compose(text, Loader=yaml.CBaseLoader), {})


def _plain(node: yaml.Node | None, known: dict[yaml.Node, Any]) -> Any:
    """Return a node as plain data. Aliases share their value, so a bomb stays small."""
    if node is None or isinstance(node, yaml.ScalarNode):
        return node.value if node is not None else None
    if node in known:
        return known[node]
    known[node] = "(loop)"
    data: Any
    # Loops, not comprehensions: one frame for each level of nesting is as many as there are.
    if isinstance(node, yaml.MappingNode):
        data = {}
        for key, value in node.value:
            name = _plain(key, known)
            data[name if isinstance(name, str) else repr(name)] = _plain(value, known)
    else:
        data = []
        for value in node.value:
            data.append(_plain(value, known))
    known[node] = data
    return data


@lru_cache(maxsize=8)
def is_readable(text: str) -> bool:
    """Return True for the text of a ResourceList."""
    try:
        ResourceList.parse(text)
    except (Refused, YamlError):
        return False
    return True


def item_texts(text: str) -> list[str]:
    """Return the text of each item of a list, byte for byte, without the line ends after it."""
    return [item.text.rstrip("\r\n") for item in ResourceList.parse(text).items]


def without_results(text: str) -> str:
    """Return a list's text up to its results."""
    return text.partition("\nresults:")[0].rstrip("\n")
