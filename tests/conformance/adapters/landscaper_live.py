"""Whole lists of objects through render-installation, against what the live controllers and webhooks said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from krmkit.fn.testing import resource_list, run_function
from krmkit.krm.errors import Refused
from krmkit.libraries.yaml import emit
from krmkit.systems.landscaper.components.constructors import read_constructor, read_documents
from krmkit.systems.landscaper.components.ctf import TransportArchive
from krmkit.systems.landscaper.flow.explain import explain
from krmkit.systems.landscaper.flow.outcome import LandscapeOptions
from krmkit.systems.landscaper.items.installations import Items
from krmkit.systems.landscaper.items.objects import World
from tests.conformance.adapters.landscaper_function import FUNCTION

Record = dict[str, Any]

NAME = "execution.landscaper.gardener.cloud/name"
DEPENDS_ON = "execution.landscaper.gardener.cloud/dependsOn"


def live(record: Record, folder: Path) -> tuple[bool, str]:
    """Whether all succeeds, the inner text of the error, fields and config of deploy items, and data by name."""
    expect = record["expect"]
    if "constructor" in record:
        return _constructed(record)
    config = {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": "RenderInstallation",
        "metadata": {"name": "config"},
        "spec": {"deployItemExports": record["deployItemExports"]},
    }
    outcome = run_function(
        FUNCTION, resource_list([emit.document(one) for one in record["objects"]], emit.document(config))
    )
    said = " ".join(one.message for one in outcome.results if one.severity == "error")
    if outcome.exit_code != (expect["phase"] != "Succeeded"):
        return False, f"exit code {outcome.exit_code}, wanted {expect['phase']}: {said}"
    problems = [f"{text!r} is not said: {said}" for text in expect.get("says", []) if text not in said]
    found = yaml.load(outcome.stdout, Loader=yaml.CSafeLoader)["items"] if not outcome.exit_code else []
    items = {one["metadata"]["labels"][NAME]: one for one in found if one["kind"] == "DeployItem"}
    if "items" in expect and items.keys() != expect["items"].keys():
        problems.append(f"deploy items {sorted(items)}, wanted {sorted(expect['items'])}")
    for name, fields in expect.get("items", {}).items() if not problems else ():
        given = {**items[name]["spec"], "dependsOn": items[name]["metadata"]["annotations"][DEPENDS_ON]}
        problems += [
            f"{name}.{key} is {given.get(key)}, wanted {value}"
            for key, value in fields.items()
            if given.get(key) != value
        ]
        values = given.get("config", {}).get("v", {})
        for key, value in expect.get("configs", {}).get(name, {}).items():
            if values.get(key) != value:
                problems.append(f"{name}.config.v.{key} is {values.get(key)}, wanted {value}")
    data = {one["metadata"]["name"]: one["data"] for one in found if one["kind"] == "DataObject"}
    for name, value in expect.get("dataObjects", {}).items():
        if data.get(name) != value:
            problems.append(f"DataObject {name} is {data.get(name)}, wanted {value}")
    if "explain" in record:
        options = LandscapeOptions(deploy_item_exports=record["deployItemExports"])
        lines = explain(Items(World.of(record["objects"])), record["explain"], "", options)
        problems += [line for line in lines if "(no value)" in line or "not known" in line]
        problems += [text for text in expect["explains"] if not any(text in line for line in lines)]
    return not problems, "; ".join(problems)


class _Nothing:
    """No files beside a constructor."""

    def file(self, path: str) -> bytes | None:
        return None

    def folder(self, path: str) -> dict[str, bytes] | None:
        return None


def _constructed(record: Record) -> tuple[bool, str]:
    """Compare what an import of a component constructor says."""
    said = ""
    try:
        read_constructor(read_documents(record["constructor"], "c"), "c", _Nothing(), TransportArchive())
    except Refused as error:
        said = str(error)
    return bool(said) and all(text in said for text in record["expect"]["says"]), said


FILES = {"live.jsonl": live}
