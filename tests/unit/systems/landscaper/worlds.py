"""Installations, blueprints and objects for tests."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.json import Object
from krmkit.systems.landscaper.apinames import API_VERSION
from krmkit.systems.landscaper.blueprint.files import Files
from krmkit.systems.landscaper.components.descriptors import ComponentRepository
from krmkit.systems.landscaper.flow.landscape import Landscape
from krmkit.systems.landscaper.flow.outcome import LandscapeOptions, RenderedInstallation
from krmkit.systems.landscaper.items.objects import World

CLUSTER = "landscaper.gardener.cloud/kubernetes-cluster"

HEADER = f"apiVersion: {API_VERSION}\nkind: Blueprint\n"


def obj(kind: str, name: str, version: str = API_VERSION, **fields: Any) -> Object:
    """An object of the namespace default."""
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "default"}, **fields}


def target(name: str, kind: str = CLUSTER, **config: Any) -> Object:
    """A Target with a config."""
    return obj("Target", name, spec={"type": kind, "config": config})


def data_object(name: str, value: Any) -> Object:
    """A DataObject."""
    return obj("DataObject", name, data=value)


def blueprint(body: str, **files: str) -> Object:
    """spec.blueprint with the text of a blueprint, without its header, and other files (`__` for a dot)."""
    named = {name.replace("__", "."): text for name, text in files.items()}
    return {"inline": {"filesystem": {"blueprint.yaml": HEADER + body, **named}}}


def installation(name: str, body: str, files: Object | None = None, **spec: Any) -> Object:
    """An Installation with an inline blueprint."""
    return obj("Installation", name, spec={"blueprint": blueprint(body, **(files or {})), **spec})


def descriptor(name: str, *resources: Object, references: tuple[Object, ...] = ()) -> Object:
    """A descriptor of schema v2."""
    return {
        "meta": {"schemaVersion": "v2"},
        "component": {
            "name": f"example.com/{name}",
            "version": "1.0.0",
            "provider": "internal",
            "repositoryContexts": [{"type": "ociRegistry", "baseUrl": "registry.example.com"}],
            "componentReferences": list(references),
            "resources": list(resources),
        },
    }


INLINE: Object = {"inline": descriptor("root")}


def resource(name: str, kind: str = "blueprint", **more: Any) -> Object:
    return {"name": name, "type": kind, "version": "1.0.0", "relation": "local", **more}


def reference(name: str, **more: Any) -> Object:
    return {"name": name, "componentName": f"example.com/{name}", "version": "1.0.0", **more}


def repository(*descriptors: Object, **blueprints: str) -> ComponentRepository:
    """Components, and blueprints by the name of their component."""
    found = ComponentRepository()
    for each in descriptors:
        found.add(each)
    for name, body in blueprints.items():
        found.blobs[f"example.com/{name}:1.0.0/blueprint"] = Files({"blueprint.yaml": HEADER + body})
    return found


def installed(name: str, **spec: Any) -> Object:
    """An Installation that takes its blueprint from a component, with a Context beside it."""
    described = {"ref": {"componentName": f"example.com/{name}", "version": "1.0.0"}}
    return obj(
        "Installation",
        "root",
        spec={"componentDescriptor": described, "blueprint": {"ref": {"resourceName": "blueprint"}}, **spec},
    )


CONTEXT = obj(
    "Context", "default", repositoryContext={"type": "ociRegistry", "baseUrl": "mirror.example.com"}
)


def run(
    *objects: Object, repository: ComponentRepository | None = None, **options: Any
) -> list[RenderedInstallation]:
    """All root installations, rendered."""
    landscape = Landscape(World.of(objects), repository or ComponentRepository(), LandscapeOptions(**options))
    return landscape.run()


def one(
    *objects: Object, repository: ComponentRepository | None = None, **options: Any
) -> RenderedInstallation:
    """The only root installation, rendered."""
    (found,) = run(*objects, repository=repository, **options)
    return found


def messages(rendered: RenderedInstallation) -> list[str]:
    """The messages of all errors of a tree."""
    return [error.message for each in rendered.tree() for error in each.errors]


def made(rendered: RenderedInstallation) -> list[Object]:
    """The objects of a tree, parents first."""
    found: list[Object] = [item for each in rendered.tree() for item in each.objects]
    return found
