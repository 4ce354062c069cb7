"""The functions as the generators see them: every functions/<name>/function.yaml, checked for completeness."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import krmkit
from krmkit.fn import definition as runtime

ROOT = Path(__file__).resolve().parents[1]
GROUP, VERSION = runtime.GROUP_VERSION.split("/")
TAGS = {"mutator", "validator", "generator"}
SEVERITIES = ("error", "warning", "info")

Data = dict[str, object]


class DefinitionError(Exception):
    """A function.yaml that the generators cannot use; the message names the file and what is wrong."""


class Definition:
    """One function: the fields of its function.yaml, and its example packages by name."""

    def __init__(self, folder: Path) -> None:
        path = folder / "function.yaml"
        self.folder = folder
        self.path = path.relative_to(folder.parents[1]).as_posix()
        if not path.exists():
            raise DefinitionError(f"{self.path} is missing")
        try:
            data = runtime.FunctionDefinition.read(str(folder))
        except ValueError as error:
            raise DefinitionError(f"{self.path}: {error}") from error
        self.runtime = runtime.FunctionDefinition(data, str(folder))
        self.data: Data = data
        self.name = self.text("name")
        self.kind = self.text("kind")
        self.group, _, self.version = self.runtime.api_version.rpartition("/")
        self.summary = self.text("summary")
        self.description = self.text("description")
        self.idempotent = bool(self.data.get("idempotent", True))
        self.tags = [str(tag) for tag in self.sequence("tags")]
        self.requires = [str(name) for name in self.sequence("requires", self.mapping("runtime"))]
        self.accepts = [entry for entry in self.sequence("accepts") if isinstance(entry, dict)]
        self.rules = {code: self.rule(code, meaning) for code, meaning in self.mapping("rules").items()}
        self.spec = self.mapping("schema")
        self.examples = sorted(path.parent.name for path in folder.glob("examples/*/Kptfile"))
        if self.name != folder.name:
            raise DefinitionError(
                f"{self.path}: name is {self.name!r}, and the folder {folder.name!r}; they must be the same"
            )
        if self.data.get("touches", "selected") not in ("selected", "all"):
            raise DefinitionError(f"{self.path}: touches must be selected or all, got {self.data['touches']}")
        if not self.tags or not TAGS.issuperset(self.tags):
            raise DefinitionError(f"{self.path}: tags are some of {', '.join(sorted(TAGS))}, not {self.tags}")

    def text(self, key: str) -> str:
        value = self.data.get(key)
        if not isinstance(value, str) or not value.strip():
            raise DefinitionError(f"{self.path}: {key} must be a text that says something")
        return value.strip()

    def mapping(self, key: str) -> Data:
        value = self.data.get(key) or {}
        if not isinstance(value, dict):
            raise DefinitionError(f"{self.path}: {key} must be a mapping")
        return value

    def sequence(self, key: str, data: Data | None = None) -> list[object]:
        value = (self.data if data is None else data).get(key) or []
        if not isinstance(value, list):
            raise DefinitionError(f"{self.path}: {key} must be a list")
        return value

    def rule(self, code: str, meaning: object) -> tuple[str, str]:
        """(severity, meaning) of one entry of rules: `severity: meaning`, or `severity, when: meaning`."""
        severity, colon, text = str(meaning).partition(":")
        if not colon or not set(severity.split(",")[0].split(" or ")) <= set(SEVERITIES) or not text.strip():
            wanted = ", ".join(SEVERITIES)
            raise DefinitionError(
                f"{self.path}: rules.{code} is `severity: meaning`, severity one of {wanted}"
            )
        return severity, " ".join(text.split())

    @property
    def system(self) -> str:
        """The system whose engines main.py calls, "" for none."""
        found = re.search(
            r"^from krmkit\.systems\.(palette|porch|clusterapi|landscaper|platform|everyday)\b",
            self.main,
            re.MULTILINE,
        )
        return found[1] if found is not None else ""

    @property
    def main(self) -> str:
        """The text of main.py."""
        path = self.folder / "main.py"
        return path.read_text("utf-8") if path.exists() else ""

    @property
    def schema(self) -> Data:
        """openAPIV3Schema of the whole config object, `spec` inside apiVersion, kind and metadata."""
        return self.runtime.config_schema()


class Project:
    """The project's data in pyproject.toml."""

    def __init__(self, root: Path = ROOT) -> None:
        with (root / "pyproject.toml").open("rb") as stream:
            data = tomllib.load(stream)
        settings = data["tool"]["krmkit"]
        self.version = krmkit.__version__
        self.registry = krmkit.REGISTRY
        self.home = str(settings["home"])
        self.publisher = str(settings["publisher"])
        self.source = str(settings["source"])


def function_folders(root: Path = ROOT) -> list[Path]:
    """The folders of all functions; one of which git left nothing but compiled modules is none."""
    return [
        folder
        for folder in sorted(root.glob("functions/*"))
        if any(path.is_file() and path.parent.name != "__pycache__" for path in folder.rglob("*"))
    ]


def definitions(root: Path = ROOT) -> list[Definition]:
    """All functions by name."""
    return [Definition(folder) for folder in function_folders(root)]
