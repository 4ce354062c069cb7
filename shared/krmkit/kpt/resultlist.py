"""The results of a pipeline as kpt writes them with --results-dir: a FunctionResultList (kpt.dev/v1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as made

from krmkit.krm.cause import CauseLog
from krmkit.krm.resource import Resource
from krmkit.libraries.json import with_sorted_keys
from krmkit.libraries.yaml import emit

Data = Mapping[str, object]

FILE = "results.yaml"


@dataclass(slots=True, eq=False)
class FunctionRun:
    """One function of a pipeline after its run.

    - `kind`, `name`: "image" or "exec", and the text of this field in the Kptfile.
    - `package`: the package's folder, relative to the root package. `field`: the entry's path in its Kptfile.
    - `results`: in the specification's form. `explained`: the positions of those that --explain adds.
    - `causes`: the recorded causes of a catalog function that explains. `config`: its config.
    - `skipped`: the entry's condition was false, so it did not run. `step`: the entry's name, or "".
    """

    kind: str
    name: str
    package: str
    field: str = ""
    results: list[Data] = made(default_factory=list)
    explained: frozenset[int] = frozenset()
    causes: CauseLog | None = None
    config: Resource | None = None
    step: str = ""
    stderr: str = ""
    exit_code: int = 0
    skipped: bool = False
    seconds: float = 0.0

    @property
    def reason(self) -> str:
        """Return why a function without results failed: stderr, else its exit code; "" for success."""
        if self.results or not self.exit_code:
            return ""
        return self.stderr.strip() or f"exit code {self.exit_code}"


def results_text(runs: list[FunctionRun], exit_code: int) -> str:
    """Return the text of results.yaml."""
    data: dict[str, object] = {
        "apiVersion": "kpt.dev/v1",
        "kind": "FunctionResultList",
        "metadata": {"name": "fnresults"},
        "exitCode": exit_code,
    }
    if runs:
        data["items"] = [run_data(run) for run in runs]
    return emit.document(data, wide=True)


def run_data(run: FunctionRun) -> dict[str, object]:
    """Return a function's run in kpt's form."""
    data: dict[str, object] = {run.kind: run.name}
    if run.stderr:
        data["stderr"] = run.stderr
    data["exitCode"] = run.exit_code
    if run.results:
        data["results"] = [_with_texts(result) for result in run.results]
    return data


def _with_texts(result: Data) -> dict[str, object]:
    """Return a result with its field's values as texts, as kpt has them: `"8080"`, `"null"`, `"{a: 1}"`."""
    data = normalized(result)
    field, given = data.get("field"), result.get("field")
    if isinstance(field, dict) and isinstance(given, dict):
        data["field"] = {
            key: value_text(given[key]) if key in _VALUES and not isinstance(given[key], str) else field[key]
            for key in ("path", *_VALUES)
            if key in field or (key in _VALUES and key in given)
        }
    return data


def normalized(result: Data) -> dict[str, object]:
    """Return a result with kpt's fields in kpt's order, without empty fields and unknown keys."""
    data: dict[str, object] = {"message": result.get("message", "")}
    if result.get("severity"):
        data["severity"] = result["severity"]
    for name, keys in _PARTS:
        part = result.get(name)
        if isinstance(part, dict):
            ordered = {key: with_sorted_keys(part[key]) for key in keys if part.get(key) is not None}
            for key in _EMPTY_IS_ABSENT:
                if ordered.get(key) in ("", 0):
                    del ordered[key]
            if ordered:
                data[name] = ordered
    tags = result.get("tags")
    if isinstance(tags, dict) and tags:
        data["tags"] = with_sorted_keys(tags)
    return data


_PARTS = (
    ("resourceRef", ("apiVersion", "kind", "name", "namespace")),
    ("field", ("path", "currentValue", "proposedValue")),
    ("file", ("path", "index")),
)
_VALUES = ("currentValue", "proposedValue")
_EMPTY_IS_ABSENT = ("namespace", "index", "path")


def value_text(value: object) -> str:
    """Return the text of a value in kpt's results, in YAML's flow style: `{a: 1}`, `[1, 2]`, `null`."""
    if isinstance(value, dict):
        pairs = (f"{emit.scalar(key, 0, True)}: {value_text(each)}" for key, each in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return "[" + ", ".join(map(value_text, value)) + "]"
    return emit.scalar(value, 0, True)
