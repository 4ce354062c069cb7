"""Records of the controllers through the function render-installation: a ResourceList in, objects out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from krmkit.fn.testing import resource_list, run_function
from krmkit.krm import annotations as names
from krmkit.libraries.yaml import emit
from krmkit.systems.landscaper.blueprint.files import Files
from krmkit.systems.landscaper.components import configmaps as carrier
from krmkit.systems.landscaper.components.descriptors import decode

Record = dict[str, Any]

FUNCTION = Path(__file__).resolve().parents[3] / "functions" / "render-installation"
GENERATED = ("Installation", "DeployItem", "DataObject", "Target")


def through_function(record: Record, installation_names: dict[str, str]) -> tuple[list[Record], list[str]]:
    """The objects that the function makes of a record's objects, components and blobs; and what is wrong with the run.

    A second run on the output must give the same bytes.
    """
    items = [emit.document(one) for one in record["objects"]]
    for descriptor in record["components"]:
        text = emit.document(descriptor)
        items.append(emit.document(carrier.descriptor_item(decode(descriptor), text)))
    for key, files in record["blobs"].items():
        content = files[""] if list(files) == [""] else Files(files)
        items.append(emit.document(carrier.blob_item(key, content)))
    config = emit.document(
        {
            "apiVersion": "krmkit.dev/v1alpha1",
            "kind": "RenderInstallation",
            "metadata": {"name": "config"},
            "spec": {"names": installation_names, "deployItemExports": record["deployItemExports"]},
        }
    )
    outcome = run_function(FUNCTION, resource_list(items, config))
    if outcome.exit_code:
        return [], [f"the function fails: {outcome.stderr}"]
    again = run_function(FUNCTION, outcome.stdout)
    problems = [] if again.stdout == outcome.stdout else ["a second run gives something else"]
    return generated(outcome.stdout), problems


def generated(text: str) -> list[Record]:
    """The generated objects of a list, without the marks of generated items."""
    found = []
    for item in yaml.load(text, Loader=yaml.CSafeLoader)["items"]:
        annotations = item["metadata"].get("annotations") or {}
        if names.GENERATED_BY in annotations and item["kind"] in GENERATED:
            marks = (
                names.GENERATED_BY,
                names.LOCAL_CONFIG,
                names.PATH,
                names.INDEX,
                names.LEGACY_PATH,
                names.LEGACY_INDEX,
            )
            item["metadata"]["annotations"] = {
                key: value for key, value in annotations.items() if key not in marks
            }
            found.append(item)
    return found
