"""Report the outcome of installations as findings about their items, without secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krmkit.krm.finding import EXPLAIN, Finding
from krmkit.krm.refusals import refusal
from krmkit.krm.resource import Resource
from krmkit.libraries.go.regexp import pattern
from krmkit.libraries.json import Object
from krmkit.libraries.json.paths import dotted, join
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import entries, mapping, text
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.exporttemplates import INSTALLATIONS
from krmkit.systems.landscaper.flow.outcome import FAILED, SUCCEEDED, WAITING, RenderedInstallation
from krmkit.systems.landscaper.form.admission import Admission
from krmkit.systems.landscaper.form.installation import SPEC, structure_errors
from krmkit.systems.landscaper.items.installations import Items
from krmkit.systems.landscaper.items.redact import Secrets
from krmkit.systems.landscaper.templates.outputs import unknown_fields_of

_INLINE = ("spec", "blueprint", "inline", "filesystem", "blueprint.yaml")


def error_finding(error: InstallationError, item: Resource | None, path: str, secrets: Secrets) -> Finding:
    """Return the finding of an error; for a nested installation, it is about the root's item."""
    message = secrets.scrub(error.message)
    field, word = error.field, ""
    if "/" in path:
        message, field = f"nested installation {path}: " + message, ""
    if not field and item is not None and item.get(*_INLINE) is not None:
        # Where a template fails, Go's error ends in `at <.values.x>`.
        word = error.word or error.message.partition(" at <")[2].partition(">")[0]
    if word:
        field = dotted(_INLINE)
    return Finding(error.rule, message, item, field, secrets.scrub(word) or None)


def given_findings(items: Items, admission: Admission, secrets: Secrets) -> Iterator[Finding]:
    """Yield the API server's and webhooks' errors about the items."""
    refused = admission.given(items.world)
    for key, item in items.places.items():
        broken: list[InstallationError] = []
        if key[0] == "Installation":
            broken = structure_errors(items.world.objects[key])
        for error in broken:
            yield error_finding(error, item, "", secrets)
        for refused_field in refused.get(key, ()) if not broken else ():
            finding = refusal(refused_field, item)
            finding.message = secrets.scrub(finding.message)
            yield finding


def tree_findings(root: RenderedInstallation, items: Items, secrets: Secrets) -> Iterator[Finding]:
    """Yield all findings about one root installation and its nested ones."""
    item = items.place("Installation", root.namespace, root.name)
    seen: set[int] = set()
    for one in root.tree():
        for unread in unread_fields(one, seen):
            yield error_finding(unread, item, one.path, secrets)
        for error in one.errors:
            if error.rule != "predecessor-failed" or "/" not in one.path:
                finding = error_finding(error, item, one.path, secrets)
                source = items.place(*error.source[:3]) if error.source is not None else None
                if source is not None and error.source is not None:
                    finding = Finding(finding.rule, finding.message, source, error.source[3])
                yield finding
        for reason in one.waits_for:
            message = f"{one.path} waits for {reason}, whose value is unknown; set deployItemExports or exportTemplates"
            yield Finding("unknown-export", secrets.scrub(message), item)
        if one.phase not in (FAILED, WAITING):
            made = f"{len(one.deploy_items)} deploy items, {len(one.children)} nested installations"
            exported = f", exports {', '.join(one.exports)}" if one.exports else ""
            yield Finding("rendered", secrets.scrub(f"{one.path}: {made}{exported}"), item, severity=EXPLAIN)
        for link in one.prerequisites.links if one.prerequisites is not None else ():
            message = f"{one.path}: {link} in the archive of the blueprint is a link or a device, and left out; must be a file"
            yield Finding("link-left-out", secrets.scrub(message), item)
        if mapping(one.spec.get("verification")):
            yield Finding("not-verified", "spec.verification: signatures are not verified here", item)


_EXPORT: Object = dict.fromkeys(("name", "type", "schema", "targetType"))
_IMPORT: Object = {**_EXPORT, "required": None, "default": {"value": None}}
_IMPORT["imports"] = [_IMPORT]
_EXECUTIONS = [dict.fromkeys(("name", "type", "file", "template"))]
_SHARED = ("imports", "importDataMappings", "exports", "exportDataMappings", "optimization")
_TEMPLATE: Object = {
    **dict.fromkeys(("apiVersion", "kind", "name")),
    "blueprint": dict.fromkeys(("ref", "filesystem")),
    **{name: SPEC[name] for name in _SHARED},
}
_BLUEPRINT: Object = {
    **dict.fromkeys(("apiVersion", "kind", "annotations", "jsonSchemaVersion", "localTypes")),
    "imports": [_IMPORT],
    "exports": [_EXPORT],
    "subinstallations": [{"file": None, **_TEMPLATE}],
    "importExecutions": _EXECUTIONS,
    "subinstallationExecutions": _EXECUTIONS,
    "deployExecutions": _EXECUTIONS,
    "exportExecutions": _EXECUTIONS,
}


def unread_fields(one: RenderedInstallation, seen: set[int]) -> Iterator[InstallationError]:
    """Yield a warning for each. seen: the checked blueprints, by id(); this one is added."""
    yield from one.unknown_fields
    if one.prerequisites is None:
        return
    blueprint = one.prerequisites.blueprint
    inline = [text(entry.get("name")) for entry in entries(blueprint.info.get("subinstallations"))]
    for template in one.templates:
        if text(template.get("name")) in inline:
            continue
        name = f"subinstallation {text(template.get('name'))}"
        yield from unknown_fields_of(template, _TEMPLATE, name)
    if id(blueprint.files) in seen:
        return
    seen.add(id(blueprint.files))
    yield from unknown_fields_of(blueprint.info, _BLUEPRINT, "")
    pending = list(blueprint.imports)
    for each in pending:
        pending += each.imports
        if each.default is not None and each.required:
            message = f"blueprint imports.{each.name}: the default is never taken, as the import is required; set required: false"
            yield InstallationError("unused-default", message, word=each.name)


RULE = "unused-entry"


def unused_entries(
    roots: Iterable[RenderedInstallation], spec: Data, config: Resource | None
) -> Iterator[Finding]:
    """Warn about each entry that matches no deploy item or installation, with the nearest path.

    spec: the spec of the RenderInstallation. Entries below installations whose inside is unknown are skipped:
    these wait or fail, or a template gives their exports.
    """
    tree = [one for root in roots for one in root.tree()]
    selectors = _selectors(spec)
    replaced = [expression for _, kind, expression in selectors if kind == INSTALLATIONS]
    unknown = [
        one
        for one in tree
        if not (one.phase == SUCCEEDED or one.deploy_items or one.children)
        or any(other.search(one.path) for other in replaced)
    ]
    items = [(one, item.name) for one in tree for item in one.deploy_items]
    paths = [f"{one.path}/{name}" for one, name in items]
    places = [one.path for one in tree]
    keys = {key for one, name in items for key in (f"{one.path}/{name}", f"{one.name}/{name}", name)}
    for key in _unfit(spec, "deployItemExports", keys, unknown):
        message = f"{key} is the path of no deploy item, so its exports go nowhere" + did_you_mean(key, paths)
        yield Finding(RULE, message, config, join("spec.deployItemExports", key), key)
    nested = [place for place in places if "/" in place]
    for key in _unfit(spec, "names", set(places), unknown):
        message = f"{key} is the path of no nested Installation, so the name is not used" + did_you_mean(
            key, nested
        )
        yield Finding(RULE, message, config, join("spec.names", key), key)
    for number, kind, expression in selectors:
        known, what = (places, "Installation") if kind == INSTALLATIONS else (paths, "deploy item")
        if not any(expression.search(path) for path in known) and (kind == INSTALLATIONS or not unknown):
            message = f"the selector fits no {what}, so the template is not used; there are: {listed(known) or 'none'}"
            yield Finding(RULE, message, config, f"spec.exportTemplates[{number}].selector")


def _unfit(spec: Data, field: str, known: set[str], unknown: list[RenderedInstallation]) -> Iterator[str]:
    """Yield a config field's unknown keys that cannot be inside an unknown installation."""
    for key in mapping(spec.get(field)):
        if key not in known and not _is_below(key, unknown):
            yield key


def _selectors(spec: Data) -> list[tuple[int, str, pattern.Pattern]]:
    """Return position, kind and expression of each export template, which the render has checked."""
    return [
        (number, text(one.get("for")), pattern.compile(text(one.get("selector"))))
        for number, one in enumerate(entries(spec.get("exportTemplates")))
    ]


def _is_below(key: str, unknown: list[RenderedInstallation]) -> bool:
    """Return whether a key may be inside an unknown installation, as any bare name may be."""
    return any("/" not in key or key.startswith((f"{one.path}/", f"{one.name}/")) for one in unknown)
