"""The hot path: the modules that keep the start of a small run short, and what each of them saves."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.meta.imports import SLOW

LIBRARY = Path(__file__).resolve().parents[2] / "shared/krmkit"

# What a run of an everyday function or of one of the five (apply-presets, inject-config, prepend-pipeline, resolve-macros,
# validate-pack-constraints) loads imports types in a block that only type checkers read (`TYPE_CHECKING = False`: the name from
# `typing` would cost what the block saves), and writes its classes out: `dataclasses` costs 20 ms. Each module with the
# milliseconds that a start takes longer (CPU, Python 3.11) if it alone imports its types plainly; a start takes 24 to 32.
HOT_PATH = {
    "cli.refusing": 1.8,
    "cli.run": 41.6,
    "fn.config": 11.7,
    "fn.configmap": 12.6,
    "fn.definition": 11.6,
    "fn.entry": 13.3,
    "fn.loader": 0.2,
    "fn.results": 10.6,
    "fn.run": 10.5,
    "kpt.kptfile": 12.4,
    "krm.apart": 7.8,
    "krm.cause": 2.2,
    "krm.emptylist": 0.0,
    "krm.fields": 2.2,
    "krm.finding": 11.6,
    "krm.flowlist": 0.0,
    "krm.itemlines": 0.2,
    "krm.listitem": 1.7,
    "krm.plainlines": 0.0,
    "krm.plainview": 10.4,
    "krm.refusals": 22.1,
    "krm.resource": 0.2,
    "krm.resourcelist": 2.2,
    "krm.secretwords": 1.5,
    "libraries.go.core.functions": 1.8,
    "libraries.go.core.values": 2.4,
    "libraries.go.fmt.printing": 1.8,
    "libraries.go.json.data": 15.2,
    "libraries.go.regexp.pattern": 10.8,
    "libraries.gotemplate": 13.4,
    "libraries.gotemplate.builtins": 6.2,
    "libraries.gotemplate.callarguments": 4.1,
    "libraries.gotemplate.calls": 4.1,
    "libraries.gotemplate.execution": 4.1,
    "libraries.gotemplate.expressions": 4.1,
    "libraries.gotemplate.fieldchains": 4.1,
    "libraries.gotemplate.loops": 4.1,
    "libraries.gotemplate.parser": 0.0,
    "libraries.gotemplate.pipelines": 0.0,
    "libraries.gotemplate.statements": 4.1,
    "libraries.gotemplate.template": 0.0,
    "libraries.json": 11.6,
    "libraries.json.paths": 1.8,
    "libraries.json.text": 11.6,
    "libraries.messages.listed": 6.4,
    "libraries.messages.nearest": 3.2,
    "libraries.process.child": 6.0,
    "libraries.process.stderr": 11.6,
    "libraries.schema.fields": 11.0,
    "libraries.schema.openapi": 19.1,
    "libraries.schema.violations": 11.3,
    "libraries.schema.walk": 11.3,
    "libraries.versions.constraints": 10.1,
    "libraries.yaml._libyaml": 10.8,
    "libraries.yaml.chunks": 1.5,
    "libraries.yaml.data": 11.5,
    "libraries.yaml.document": 11.5,
    "libraries.yaml.editing.finalbreak": 2.1,
    "libraries.yaml.editing.flowedit": 14.7,
    "libraries.yaml.editing.places": 1.8,
    "libraries.yaml.editing.proof": 11.5,
    "libraries.yaml.effort": 7.8,
    "libraries.yaml.errors": 11.6,
    "libraries.yaml.fields": 10.8,
    "libraries.yaml.surrogates": 5.9,
    "libraries.yaml.tree": 11.5,
    "start": 11.6,
    "systems.everyday.common.findings": 12.1,
    "systems.everyday.conformity": 38.9,
    "systems.everyday.fields.comments": 0.3,
    "systems.everyday.names.dependson": 1.5,
    "systems.everyday.names.substrings": 4.7,
    "systems.everyday.replacements.apply": 11.5,
    "systems.everyday.replacements.selectors": 1.5,
    "systems.everyday.replacements.structured": 1.8,
    "systems.everyday.starlark.programs": 10.8,
    "systems.palette.constraints.decimals": 2.2,
    "systems.palette.constraints.demands": 1.1,
    "systems.palette.constraints.dependencies": 0.0,
    "systems.palette.constraints.format": 8.3,
    "systems.palette.constraints.formattypes": 8.7,
    "systems.palette.constraints.items": 9.0,
    "systems.palette.constraints.resources": 0.0,
    "systems.palette.constraints.validate": 12.1,
    "systems.palette.macros.context": 2.9,
    "systems.palette.macros.expressions": 29.8,
    "systems.palette.macros.items": 12.0,
    "systems.palette.packs.items": 2.2,
    "systems.palette.packs.macrotext": 4.1,
    "systems.palette.packs.metadatanames": 0.0,
    "systems.palette.packs.packfileschemas": 4.1,
    "systems.palette.presets.items": 16.4,
    "systems.porch.api.apinames": 3.0,
    "systems.porch.api.specschemas": 17.9,
    "systems.porch.variants.findings": 28.1,
    "systems.porch.variants.candidates": 6.4,
    "systems.porch.variants.causes": 2.6,
    "systems.porch.variants.context": 9.4,
    "systems.porch.variants.decodevariants": 7.1,
    "systems.porch.variants.gates": 3.9,
    "systems.porch.variants.injection": 6.8,
    "systems.porch.variants.packageview": 0.5,
    "systems.porch.variants.pipeline": 16.8,
    "systems.porch.variants.validation": 7.4,
}
# Modules off the path whose types come from a library that may be missing, or that would load much for one name.
LATE_TYPES = {
    "fleet.engine.dask",
    "libraries.cel.expressions",
    "libraries.cel.golang",
    "libraries.cel.kubernetes.environment",
    "libraries.schema.kubernetes.ruletypes",
    "libraries.spiff.functions.crypto.encryption",
    "libraries.spiff.functions.crypto.keys",
    "libraries.spiff.functions.crypto.pem",
    "services.listening",
    "services.preview.app",
    "storage.git.program",
    "systems.clusterapi.desired.package",
    "systems.landscaper.jsonschema.formats",
    "systems.landscaper.templates.executors",
    "systems.landscaper.templates.spiff",
}


def modules() -> dict[str, ast.Module]:
    """The syntax trees of the library by name, without `krmkit.`."""
    found = {}
    for path in LIBRARY.rglob("*.py"):
        text = path.read_text("utf-8")
        if "TYPE_CHECKING" in text:
            name = path.relative_to(LIBRARY).with_suffix("").as_posix().replace("/", ".")
            found[name.removesuffix(".__init__")] = ast.parse(text)
    return found


def is_hand_made(tree: ast.Module) -> bool:
    """Return whether the module sets TYPE_CHECKING itself."""
    return any(
        isinstance(node, ast.Assign) and ast.unparse(node) == "TYPE_CHECKING = False" for node in tree.body
    )


def test_only_the_hot_path_defers_types() -> None:
    """A module off the list imports types plainly, at its top."""
    found = modules()

    assert {name for name, tree in found.items() if is_hand_made(tree)} == set(HOT_PATH)
    assert {name for name, tree in found.items() if not is_hand_made(tree)} == LATE_TYPES


def test_every_exception_saves_time() -> None:
    """A module of the list imports nothing slow when it is loaded, or its exception would save nothing."""
    found = modules()
    loaded = [
        f"{name}: {module}"
        for name in HOT_PATH
        for node in found[name].body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for module in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
        )
        if module.partition(".")[0] in SLOW
    ]

    assert loaded == []
