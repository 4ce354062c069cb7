"""Resolve `local://name`, `blueprint://path` and `cd://...` references, with an optional `#/pointer`.

The target replaces a mapping with `$ref`; references of other schemes stay.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import text
from krmkit.systems.landscaper.blueprint.files import Content, Files, single_file
from krmkit.systems.landscaper.components.descriptors import Component, ComponentRepository, Data
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.yaml import load

SCHEME = "cd://"
_REFERENCES, _RESOURCES = "componentReferences", "resources"


def resolve_uri(repository: ComponentRepository, component: Component, uri: str) -> tuple[Component, Data]:
    """Return the resource that a cd URI names, and its component.

    Raises InstallationError: `invalid` for an invalid URI, `component-not-found` for a missing part.
    """
    path = uri.removeprefix(SCHEME)
    parts = path.split("/")
    if not uri.startswith(SCHEME) or len(parts) % 2 or not all(parts):
        raise InstallationError(
            "invalid", f'{uri} must have the form "cd://componentReferences/<name>/resources/<name>"'
        )
    for index in range(0, len(parts), 2):
        kind, name = parts[index], parts[index + 1]
        if kind == _RESOURCES:
            if index + 2 != len(parts):
                raise InstallationError("invalid", f"{uri}: nothing may follow a resource")
            resource = component.resource(name)
            if resource is None:
                known = [text(one.get("name")) for one in component.resources]
                raise InstallationError(
                    "blueprint-not-found",
                    f"local resource {name} cannot be found" + did_you_mean(name, known),
                )
            return component, resource
        if kind != _REFERENCES:
            raise InstallationError(
                "invalid", f"{uri}: unknown keyword {kind}; must be {_REFERENCES} or {_RESOURCES}"
            )
        reference = next((one for one in component.references if one.get("name") == name), None)
        if reference is None:
            known = [text(one.get("name")) for one in component.references]
            raise InstallationError(
                "component-not-found",
                f"component reference {name} cannot be found" + did_you_mean(name, known),
            )
        component = repository.referenced(reference)
    raise InstallationError("invalid", f"{uri} must name a resource, got a component")


_MOST = 100_000
_DEEPEST = 200


@dataclass(slots=True)
class SchemaScope:
    """The sources of a schema's references: local types and files of a blueprint, and its component."""

    local_types: dict[str, object]
    files: Files | None
    component: Component | None
    repository: ComponentRepository


def resolved(schema: object, scope: SchemaScope) -> object:
    """Replace the references of a schema by their targets. Raises InstallationError."""
    return _Resolver().resolve(schema, scope, "", frozenset(), 0)


@dataclass(slots=True)
class _Resolver:
    visited: int = field(init=False, default=0)

    def resolve(
        self, node: object, scope: SchemaScope, path: str, seen: frozenset[str], depth: int
    ) -> object:
        self.visited += 1
        if self.visited > _MOST or depth > _DEEPEST:
            raise InstallationError(
                "limit",
                f"the schema has more than {_MOST:,} nodes with its references, or is nested too deeply",
            )
        if isinstance(node, list):
            return [
                self.resolve(item, scope, f"{path}[{index}]", seen, depth + 1)
                for index, item in enumerate(node)
            ]
        if not isinstance(node, dict):
            return node
        reference = node.get("$ref")
        if "$ref" in node and not isinstance(reference, str):
            raise InstallationError(
                "schema-validation-failed",
                f"invalid reference value at {path}.$ref: expected string, got {reference}",
            )
        if isinstance(reference, str):
            return self.reference(reference, scope, path, seen, depth)
        return {
            key: self.resolve(item, scope, f"{path}.{key}", seen, depth + 1) for key, item in node.items()
        }

    def reference(self, uri: str, scope: SchemaScope, path: str, seen: frozenset[str], depth: int) -> object:
        owner = f"{scope.component.name}:{scope.component.version}::" if scope.component else ""
        key = owner + uri
        where = f"error resolving reference at []{path}.$ref"
        if key in seen:
            raise InstallationError(
                "cycle", f'{where}: cyclic references detected: reference "{uri}" is part of a cycle'
            )
        scheme, _, rest = uri.partition("://")
        if scheme not in ("local", "blueprint", "cd") or not rest:
            return {"$ref": uri}
        base, _, fragment = uri.partition("#")
        try:
            target, inner = self.target(scheme, base, scope)
        except InstallationError as error:
            raise InstallationError("schema-validation-failed", f"{where}: {error.message}") from None
        found = self.resolve(target, inner, path, seen | {key}, depth + 1)
        return _pointer(found, fragment, where)

    def target(self, scheme: str, uri: str, scope: SchemaScope) -> tuple[object, SchemaScope]:
        """Return the target of a reference, and the scope of the references inside it."""
        if scheme == "local":
            name = uri[len("local://") :].rstrip("/")
            if name not in scope.local_types:
                hint = did_you_mean(name, scope.local_types)
                raise InstallationError("invalid", f"type {name} is not defined in local types" + hint)
            return scope.local_types[name], scope
        if scheme == "blueprint":
            if scope.files is None:
                raise InstallationError("invalid", "no filesystem defined to read a local schema")
            path = uri[len("blueprint://") :]
            try:
                return _decode(scope.files.text(path), path), scope
            except FileNotFoundError as error:
                hint = did_you_mean(path, scope.files.all())
                raise InstallationError(
                    "invalid", f"unable to read local schema from {path}: {error}" + hint
                ) from None
        if scope.component is None:
            raise InstallationError("invalid", "no component descriptor defined to resolve the ref")
        owner, resource = resolve_uri(scope.repository, scope.component, uri)
        content = single_file(scope.repository.content(owner, resource))
        if content is None:
            raise InstallationError(
                "invalid", f"unable to fetch jsonschema for '{uri}': its content is not among the items"
            )
        return _decode(_text(content), uri), SchemaScope({}, None, owner, scope.repository)


def _text(content: Content) -> str:
    if isinstance(content, str):
        return content
    if content[:2] == b"\x1f\x8b":
        from krmkit.systems.landscaper.components.archive import gunzip

        content = gunzip(content)
    return content.decode("utf-8", "replace")


def _decode(content: str, path: str) -> object:
    try:
        return load(content)
    except GoInputError as error:
        raise InstallationError("invalid", f"{path}: {error}") from None


def _pointer(schema: object, fragment: str, where: str) -> object:
    """Return the part of a schema at a JSON pointer."""
    for step in fragment.strip("/").split("/") if fragment else ():
        if not isinstance(schema, dict) or step not in schema:
            known = list(schema) if isinstance(schema, dict) else []
            raise InstallationError(
                "schema-validation-failed",
                f"{where}: error resolving fragment {fragment}: there is no field {step}"
                + did_you_mean(step, known),
            )
        schema = schema[step]
    return schema
