"""The outcome of installations as findings about their items; messages contain no secrets."""

from __future__ import annotations

from collections.abc import Iterator

from krmkit.krm.finding import EXPLAIN, Finding
from krmkit.krm.refusals import refusal
from krmkit.krm.resource import Resource
from krmkit.libraries.json.paths import dotted
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.outcome import FAILED, WAITING, RenderedInstallation
from krmkit.systems.landscaper.form.admission import Admission
from krmkit.systems.landscaper.form.installation import structure_errors
from krmkit.systems.landscaper.form.unreadfields import unread_fields
from krmkit.systems.landscaper.items.installations import Items
from krmkit.systems.landscaper.items.redact import Secrets

_INLINE = ("spec", "blueprint", "inline", "filesystem", "blueprint.yaml")


def error_finding(error: InstallationError, item: Resource | None, path: str, secrets: Secrets) -> Finding:
    """Return the finding of an error; a nested installation's is about the root's item."""
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
    """Yield an error for each reason why the API server and its webhooks refuse an item."""
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
    """Yield all findings about one root installation and those below it."""
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
