"""For tests of the pipeline: packages in a temporary folder, and functions made of a Python function."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from krmkit.fn.config import Config
from krmkit.fn.definition import FunctionDefinition
from krmkit.fn.loader import Function
from krmkit.fn.results import Results
from krmkit.fn.run import RunOptions
from krmkit.krm.resourcelist import ResourceList
from krmkit.render.package import read
from krmkit.render.pipeline import render
from krmkit.render.rendering import Rendering
from krmkit.render.resolve import ProgramResolver

Process = Callable[[ResourceList, Config, Results], None]

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n"


class Made(Function):
    """A function of a catalog that exists in a test only; any config of kind Test or ConfigMap will do."""

    def __init__(self, name: str, process: Process) -> None:
        super().__init__(f"/nowhere/{name}")
        schema = {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "additionalProperties": {"type": "string"},
        }
        self._definition = FunctionDefinition({"name": name, "kind": "Test", "schema": schema})
        self._process = process


def resource(name: str, rest: str = "") -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n{rest}"


def kptfile(*mutators: str, validators: tuple[str, ...] = ()) -> str:
    """A Kptfile whose functions are given by name, further fields after a line break."""
    text = KPTFILE
    for stage, entries in (("mutators", mutators), ("validators", validators)):
        text += (
            f"pipeline:\n  {stage}:\n"
            if entries and "pipeline" not in text
            else f"  {stage}:\n"
            if entries
            else ""
        )
        for entry in entries:
            name, _, rest = entry.partition("\n")
            text += f"  - image: example.dev/{name}:v1\n"
            text += "".join(f"    {line}\n" for line in rest.split("\n") if line)
    return text


def put(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    return root


def rendered(root: Path, files: dict[str, str], allow_exec: bool = False, **processes: Process) -> Rendering:
    """Render a package of these files; functions are named by the keywords, `_` for a dash."""
    put(root, files)
    catalog: dict[str, Function] = {}
    for key, process in processes.items():
        name = key.replace("_", "-")
        catalog[name] = Made(name, process)
    return render(read(str(root)), ProgramResolver(RunOptions(), allow_exec, catalog=catalog))


def changed(rendering: Rendering) -> dict[str, str | None]:
    return {change.path: change.after for change in rendering.changes}
