"""Read the settings of a repository: `.krmkit.yaml` in the working folder or a folder above.

apiVersion: krmkit.dev/v1alpha1
kind: Settings
spec:
  skip: [kubeval]

They are defaults of flags, and never name a program that runs: a repository cannot grant itself programs.
"""

from __future__ import annotations

import os
from typing import Any

from krmkit.fn.config import ConfigError, decode
from krmkit.fn.definition import FunctionDefinition
from krmkit.kpt.source import SourceFile
from krmkit.krm.errors import Refused
from krmkit.krm.finding import SEVERITIES
from krmkit.libraries.yaml.errors import YamlError
from krmkit.storage.disk.folders import read_file


def _texts(description: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string", "minLength": 1}, "description": description}


_FIELDS: dict[str, dict[str, Any]] = {
    "skip": _texts("Functions that do not run, as --skip: those whose container cannot run here."),
    "exclude": _texts(
        "Folders whose packages are left out of trees, as --exclude: patterns as in .krmignore."
    ),
    "inProcess": _texts("Registries that mirror the catalog's images, as --in-process."),
    "limits": {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "description": "Higher limits, as --limit: `effort: 2Mi`.",
    },
    "severity": {
        "type": "string",
        "enum": list(SEVERITIES),
        "description": "The least severe results to show, as --severity.",
    },
    "against": {
        "type": "string",
        "description": "The revision that plans and reports compare Clusters with, as --against.",
    },
    "baseline": {
        "type": "string",
        "description": "A file of old findings that `krmkit check` hides, as --baseline.",
    },
    "renderStatus": {
        "type": "boolean",
        "description": "Write how each function ended into the Kptfile, as --render-status.",
    },
}
DEFINITION = FunctionDefinition(
    {
        "name": "settings",
        "kind": "Settings",
        "summary": "The settings of a repository, in .krmkit.yaml at its root; flags override them.",
        "tags": [],
        "schema": {"type": "object", "properties": _FIELDS},
    }
)
_PROGRAMS = ("allowedPrograms", "containers")


def read_settings(path: str, label: str) -> dict[str, Any]:
    """Return a file's settings by flag names: `{"skip": ["kubeval"], "in_process": []}`. Raises Refused."""
    try:
        items = SourceFile(label, (read_file(path, label) or b"").decode("utf-8"), "", label).items
        if len(items) != 1:
            raise Refused(f"{label}: must hold one Settings, got {len(items)} documents")
        item = items[0]
        if (item.api_version, item.kind) != (DEFINITION.api_version, DEFINITION.kind):
            wanted = f"{DEFINITION.kind} of {DEFINITION.api_version}"
            raise Refused(
                f"{label}: must be of the kind {wanted}, got {item.kind or '-'} of {item.api_version or '-'}"
            )
        for name in _PROGRAMS:
            if item.node("spec", name) is not None:
                flag = "--allow-exec" if name == _PROGRAMS[0] else "--containers"
                raise Refused(f"{label}: spec.{name}: a repository cannot grant itself programs; give {flag}")
        spec = decode(DEFINITION, item).spec
    except OSError as error:
        raise Refused(f"{label}: {error.strerror or error}") from None
    except (ConfigError, UnicodeDecodeError, YamlError) as error:
        raise Refused(f"{label}: {error}") from None
    if "baseline" in spec:
        spec["baseline"] = os.path.join(os.path.dirname(label), spec["baseline"])
    limits = spec.pop("limits", None)
    if limits is not None:
        spec["limit"] = [f"{name}={value}" for name, value in limits.items()]
    flags = {"inProcess": "in_process", "renderStatus": "render_status"}
    return {flags.get(name, name): value for name, value in spec.items()}
