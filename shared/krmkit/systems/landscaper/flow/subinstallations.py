"""Make nested Installations from the templates of a blueprint, pruned and checked."""

from __future__ import annotations

from krmkit.libraries.kube.names import is_dns1123_label
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import entries, mapping, sequence, text
from krmkit.systems.landscaper import apinames
from krmkit.systems.landscaper.blueprint.blueprints import DATA, TARGET, TARGET_LIST, TARGET_MAP, Blueprint
from krmkit.systems.landscaper.components import descriptors
from krmkit.systems.landscaper.components.schemarefs import resolve_uri
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.dependencies import Exported, imported_targets
from krmkit.systems.landscaper.items.identity import name_of, namespace_of

MOST_LETTERS = 58
"""Letters of an installation's name: 63 without the prefix `Inst.`."""
TEMPLATE_LETTERS = 52


def is_dns_label(name: str, most: int) -> bool:
    """Return whether a name is a DNS label of at most `most` characters."""
    return len(name) <= most and not is_dns1123_label(name)


def prune(
    templates: list[descriptors.Data], blueprint: Blueprint, values: dict[str, object]
) -> list[descriptors.Data]:
    """Drop the data imports of templates for which the parent has no value."""
    optional = {one.name for one, may_be_absent in blueprint.all_imports() if may_be_absent}
    found = []
    for template in templates:
        imports = mapping(template.get("imports"))
        kept = [
            one
            for one in entries(imports.get("data"))
            if text(one.get("dataRef")) in values or text(one.get("dataRef")) not in optional
        ]
        found.append({**template, "imports": {**imports, "data": kept}})
    return found


def validate(templates: list[descriptors.Data], blueprint: Blueprint) -> None:
    """Raise all errors of the templates as one: validation, import-not-satisfied or duplicate-export."""
    checker = _Checker(templates, blueprint)
    checker.structure()
    if checker.problems:
        raise _error("validation", checker)
    checker.imports()
    if checker.problems:
        raise _error("import-not-satisfied", checker)
    checker.exports()
    if checker.problems:
        raise _error("duplicate-export", checker)


def _error(rule: str, checker: _Checker) -> InstallationError:
    problems = checker.problems
    listed = problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"
    return InstallationError(rule, "; ".join([listed, *checker.hints]), word=checker.word)


class _Checker:
    def __init__(self, templates: list[descriptors.Data], blueprint: Blueprint) -> None:
        self.templates = templates
        self.problems: list[str] = []
        self.word = ""  # the first key that nothing satisfies
        self.hints: list[str] = []
        self.parent = {one.name: one.type for one, _ in blueprint.all_imports()}
        self.exported = Exported.of({f"{index}": one for index, one in enumerate(templates)})

    def structure(self) -> None:
        """Check names, blueprints, and imports that a template may not have."""
        seen: set[str] = set()
        for index, template in enumerate(self.templates):
            place = f"subinstallations[{index}]"
            name = text(template.get("name"))
            if not is_dns_label(name, TEMPLATE_LETTERS):
                self.problems.append(
                    f'{place}.name: Invalid value: "{name}": must be a DNS label of at most {TEMPLATE_LETTERS} letters'
                )
            if name in seen:
                self.problems.append(f'{place}.name: Duplicate value: "{name}"')
            seen.add(name)
            blueprint = mapping(template.get("blueprint"))
            if not text(blueprint.get("ref")) and not blueprint.get("filesystem"):
                self.problems.append(
                    f"{place}({name}).blueprint: Required value: ref or filesystem must be given"
                )
            for one in entries(mapping(template.get("imports")).get("data")):
                for key in ("secretRef", "configMapRef"):
                    if one.get(key):
                        self.problems.append(
                            f"{place}({name}).imports.data({text(one.get('name'))}): {key} is not allowed in a nested"
                            " installation; must be dataRef"
                        )

    def imports(self) -> None:
        """Check that each import names an import of the parent, or an export of a sibling."""
        for template in self.templates:
            place = f"subinstallations.{text(template.get('name'))}.imports"
            imports = mapping(template.get("imports"))
            for index, one in enumerate(entries(imports.get("data"))):
                key = text(one.get("dataRef"))
                if key.startswith("#") or self.parent.get(key) == DATA or key in self.exported.data:
                    continue
                here = f"{place}.data[{index}][{text(one.get('name'))}]"
                self.unsatisfied(here, key, [*self.exported.data, *self._of(DATA)])
            for index, one in enumerate(entries(imports.get("targets"))):
                here = f"{place}.targets[{index}][{text(one.get('name'))}]"
                for key in imported_targets(one):
                    if not self._target(key):
                        self.unsatisfied(here, key, [*self.exported.targets, *self._of(TARGET)])
                for field, kind in (("targetListRef", TARGET_LIST), ("targetMapRef", TARGET_MAP)):
                    key = text(one.get(field))
                    if key and self.parent.get(key) != kind:
                        self.unsatisfied(here, key, self._of(kind))

    def _target(self, key: str) -> bool:
        if key.startswith("#") or self.parent.get(key) == TARGET or key in self.exported.targets:
            return True
        base, bracket, _ = key.partition("[")
        return bool(bracket) and self.parent.get(base) in (TARGET_LIST, TARGET_MAP)

    def _of(self, kind: str) -> list[str]:
        return [name for name, known in self.parent.items() if known == kind]

    def unsatisfied(self, place: str, key: str, known: list[str]) -> None:
        self.problems.append(f'{place}: Not found: "import not satisfied"')
        self.hints.append(f"nothing is named {key}" + did_you_mean(key, known))
        self.word = self.word or key

    def exports(self) -> None:
        """Check that no key is exported twice, or imported by the parent and exported by a child."""
        for kind, list_name, key_name in (("data", "data", "dataRef"), ("target", "targets", "target")):
            first: dict[str, str] = {}
            for template in self.templates:
                exports = mapping(template.get("exports"))
                for index, one in enumerate(entries(exports.get(list_name))):
                    key = text(one.get(key_name))
                    place = (
                        f"subinstallations.{text(template.get('name'))}.exports.{list_name}[{index}]"
                        f"[{text(one.get('name'))}/{key}]"
                    )
                    if key in first:
                        self.problems.append(
                            f"{place}: Forbidden: {kind} export '{key}' is already exported by {first[key]}"
                        )
                    elif key in self.parent and (self.parent[key] == DATA) == (kind == "data"):
                        self.problems.append(f"{place}: Forbidden: export is imported by its parent")
                    first.setdefault(key, place)


def default_name(parent: str, template: str) -> str:
    """Return the name of a nested installation: `<parent>-<template>`; a long one is cut and hashed."""
    name = f"{parent}-{template}"
    if len(name) <= MOST_LETTERS:
        return name
    return f"{name[: MOST_LETTERS - 9].rstrip('-')}-{apinames.hashed_name(name)[:8]}"


def installation_object(
    parent: descriptors.Data,
    component: descriptors.Component | None,
    repository: descriptors.ComponentRepository,
    context: descriptors.Data | None,
    template: descriptors.Data,
    name: str,
) -> descriptors.Data:
    """Return the Installation of a template. Raises InstallationError if its blueprint is unknown."""
    spec = mapping(parent.get("spec"))
    blueprint, descriptor = _blueprint(parent, component, repository, context, template)
    made: descriptors.Data = {
        "context": text(spec.get("context")) or "default",
        "componentDescriptor": descriptor,
        "blueprint": blueprint,
        "imports": _kept(mapping(template.get("imports")), ("data", "targets")),
    }
    for key in ("importDataMappings", "exports", "exportDataMappings", "optimization"):
        value = mapping(template.get(key))
        if key == "exports":
            made[key] = _kept(value, ("data", "targets"))
        elif value:
            made[key] = value
    owner: descriptors.Data = {
        "apiVersion": apinames.API_VERSION,
        "kind": "Installation",
        "name": name_of(parent),
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "apiVersion": apinames.API_VERSION,
        "kind": "Installation",
        "metadata": {
            "name": name,
            "namespace": namespace_of(parent),
            "annotations": {apinames.SUBINSTALLATION_NAME_ANNOTATION: text(template.get("name"))},
            "labels": {apinames.ENCOMPASSED_BY_LABEL: name_of(parent)},
            "ownerReferences": [owner],
        },
        "spec": made,
    }


def _kept(value: descriptors.Data, keys: tuple[str, ...]) -> descriptors.Data:
    return {key: value[key] for key in keys if sequence(value.get(key))}


def _blueprint(
    parent: descriptors.Data,
    component: descriptors.Component | None,
    repository: descriptors.ComponentRepository,
    context: descriptors.Data | None,
    template: descriptors.Data,
) -> tuple[descriptors.Data, descriptors.Data]:
    """Return spec.blueprint and spec.componentDescriptor of a nested installation."""
    name = text(template.get("name"))
    blueprint = mapping(template.get("blueprint"))
    own = mapping(mapping(parent.get("spec")).get("componentDescriptor"))
    uri = text(blueprint.get("ref"))
    if not uri:
        return {"inline": {"filesystem": blueprint.get("filesystem")}}, own
    if component is None:
        raise InstallationError(
            "component-not-found",
            f"unable to create installation for {name}: no component descriptor defined to resolve the blueprint ref",
        )
    try:
        owner, resource = resolve_uri(repository, component, uri)
    except InstallationError as error:
        raise InstallationError(
            error.rule,
            f"unable to create installation for {name}: unable to resolve blueprint ref in component descriptor"
            f" {component.name}: {error.message}",
        ) from None
    reference: descriptors.Data = {"ref": {"resourceName": text(resource.get("name"))}}
    if owner is component:
        if "inline" in own:
            return reference, own
        repository_context: object = component.repository_context
    else:
        inline = _direct_inline(component, owner) if component.inline else None
        if inline is not None:
            return reference, {"inline": inline}
        repository_context = context
    described: descriptors.Data = {"componentName": owner.name, "version": owner.version}
    if repository_context is not None:
        described["repositoryContext"] = repository_context
    return reference, {"ref": described}


def _direct_inline(component: descriptors.Component, owner: descriptors.Component) -> descriptors.Data | None:
    """Return the descriptor in the label of a direct reference with the owner's name and version, or None."""
    for reference in component.references:
        if (reference.get("componentName"), reference.get("version")) == (owner.name, owner.version):
            labelled = descriptors.labelled_descriptor(reference)
            if labelled is not None:
                return labelled.original
    return None
