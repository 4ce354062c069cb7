"""Function definitions, read from function.yaml: the source of a config's schema, docs and catalog entry.

A run needs a part of it. `make generate` writes that part as Python to definition.py beside function.yaml,
so that a run parses no YAML about itself. --help, --schema and the generators read function.yaml.
"""

from __future__ import annotations

from krmkit.krm.finding import EXPLAIN, SEVERITIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GROUP_VERSION = "krmkit.dev/v1alpha1"
FAIL_ON_SCHEMA: dict[str, Any] = {
    "type": "string",
    "enum": ["error", "warning", "never"],
    "description": "Which results fail the run: error (the default), warning (and errors), never.",
}


def with_fail_on(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a spec with `failOn`, which every config has."""
    return {**schema, "properties": {**(schema.get("properties") or {}), "failOn": FAIL_ON_SCHEMA}}


_WORDS = {str: "text", dict: "map", list: "list"}


class FunctionDefinition:
    """One function. `data` is function.yaml, or the part that a run needs, as plain data.

    - `api_version`, `kind`: of its config. A function of another catalog keeps that catalog's apiVersion.
    - `schema`: the openAPIV3Schema of the config's spec, without failOn, which every config has.
    - `accepts`: kinds of other groups that may be the config: (apiVersion, kind, schema of their spec or
      None).
    - `config_map`: how the flat data of a ConfigMap becomes a spec (see `krmkit.fn.configmap`).
    - `own_config` (`config: own`): the function decodes a config whose fields are beside metadata; `schema`
      describes these fields.
    - `keeps_results` (`results: kept`): results of the input list precede the function's own.
    - `releases`: releases of the original function that this one follows; `v0.4` means all of v0.4.x.
    - `rules`: `severity` or `severity: meaning` by rule.

        FunctionDefinition({"name": "count-things", "kind": "CountThings", "schema": {"type": "object"}})
    """

    __slots__ = (
        "_about", "accepts", "api_version", "config_map", "folder", "keeps_results", "kind", "name", "own_config", "releases",
        "rules", "schema",
    )  # fmt: skip

    def __init__(self, data: dict[str, Any], folder: str = "") -> None:
        self.folder = folder
        self.name: str = data["name"]
        self.kind: str = data["kind"]
        self.api_version: str = data.get("apiVersion", GROUP_VERSION)
        self.schema: dict[str, Any] = data["schema"]
        self.config_map: dict[str, Any] = data.get("configMap") or {}
        self.accepts: list[tuple[str, str, dict[str, Any] | None]] = [
            (other["apiVersion"], other["kind"], other.get("schema")) for other in data.get("accepts") or ()
        ]
        self.own_config = data.get("config") == "own"
        self.releases: list[str] = list(data.get("releases") or ())
        self.keeps_results = data.get("results") == "kept"
        rules = data.get("rules")
        self.rules: dict[str, str] = rules if isinstance(rules, dict) else {}
        # What function.yaml says beside the run-time part; a definition without a file has it already.
        self._about: dict[str, Any] | None = data if "summary" in data else None

    @staticmethod
    def read(folder: str) -> dict[str, Any]:
        """Return `folder`/function.yaml as plain data. Raises OSError, or ValueError if it is invalid."""
        with open(folder + "/function.yaml", encoding="utf-8") as file:
            return parse(file.read())

    @property
    def about(self) -> dict[str, Any]:
        """Return all of function.yaml, read on first access."""
        if self._about is None:
            self._about = self.read(self.folder)
        return self._about

    def severities(self, rule: str) -> tuple[str, ...]:
        """Return the severities of a rule, the default first; () for an unknown rule."""
        return severities_of(str(self.rules.get(rule, "")))

    @property
    def summary(self) -> str:
        """Return the summary, one line."""
        return str(self.about["summary"])

    @property
    def tags(self) -> list[str]:
        """Return the kind (mutator, validator or generator) and the other tags."""
        return list(self.about["tags"])

    @property
    def touches_all(self) -> bool:
        """Return True for `touches: all` (default: selected): the function edits every resource."""
        return bool(self.about.get("touches", "selected") == "all")

    def config_schema(self) -> dict[str, object]:
        """Return the schema of the whole typed config, as a CRD and the catalog have it."""
        schema = self.about["schema"]
        if self.own_config:  # without a spec: the fields are beside metadata
            required, properties = schema.get("required", ()), schema.get("properties", {})
        else:
            required = ["spec"] if self.schema.get("required") else []
            properties = {"spec": with_fail_on(schema)}
        return {
            "type": "object",
            "description": self.summary,
            "required": ["apiVersion", "kind", *required],
            "properties": {
                "apiVersion": {"type": "string", "enum": [self.api_version]},
                "kind": {"type": "string", "enum": [self.kind]},
                "metadata": {"type": "object"},
                **properties,
            },
        }


def severities_of(stated: str) -> tuple[str, ...]:
    """Return the severities in an entry of `rules`, the default first.

    severities_of("error or warning: ...") == ("error", "warning")
    severities_of("info, with --explain: ...") == ("explain",)
    """
    severity, _, when = stated.partition(":")[0].partition(", ")
    named = [EXPLAIN] if when == "with --explain" else severity.split(" or ")
    return tuple(one for one in named if one in (*SEVERITIES, EXPLAIN))


def parse(text: str) -> dict[str, Any]:
    """Return function.yaml as plain data. Raises ValueError if a required field is missing."""
    from krmkit.libraries.yaml.data import go_data
    from krmkit.libraries.yaml.document import parse as parse_yaml

    root = parse_yaml(text).root
    data = go_data(root) if root is not None else None
    if not isinstance(data, dict):
        raise ValueError("function.yaml is not a map")
    for field, kind in (("name", str), ("kind", str), ("summary", str), ("schema", dict), ("tags", list)):
        if not isinstance(data.get(field), kind):
            raise ValueError(f"function.yaml has no usable {field}; it must be a {_WORDS[kind]}")
    version = data.get("apiVersion", GROUP_VERSION)
    group, slash, _ = version.partition("/") if isinstance(version, str) else ("", "", "")
    if not slash or "." not in group:
        raise ValueError(f"apiVersion must be a group and a version such as example.com/v1, got {version}")
    return data


def run_time(data: dict[str, Any]) -> dict[str, Any]:
    """Return the part of function.yaml that a run needs, without descriptions, for definition.py."""
    keys = "name kind apiVersion config releases results schema configMap accepts".split()
    found = {key: _undescribed(data[key]) for key in keys if key in data}
    stated = {name: str(said).partition(":")[0] for name, said in (data.get("rules") or {}).items()}
    return {**found, "rules": stated} if stated else found


def _undescribed(value: Any, of_fields: bool = False) -> Any:
    """Return a schema without descriptions. `of_fields`: the keys of `value` are names of fields."""
    if isinstance(value, list):
        return [_undescribed(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _undescribed(inner, key == "properties" and not of_fields)
        for key, inner in value.items()
        if of_fields or key != "description"
    }
