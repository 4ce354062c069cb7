"""Findings about packs: a code, the place, what is wrong, and what would be right."""

from __future__ import annotations

from krmkit.krm.finding import Finding
from krmkit.libraries.yaml.errors import YamlError

VALUES = "values.yaml"
SCHEMA = "schema.yaml"
METADATA = "pack.json"
DEFAULTS = "defaults.yaml"


def pack_finding(
    rule: str,
    message: str,
    about: tuple[str, ...],
    pack: str = "",
    file: str = VALUES,
    path: str = "",
    current: object = None,
    proposed: object = None,
    severity: str = "",
    error: YamlError | None = None,
) -> Finding:
    """Return a finding about a pack; the tags name the pack and its file.

    about: what it is about, in the rule's own terms: (key path) for a schema constraint, (pack name) for a
    dependency, (pool or pack, resource type) for a resource. pack and file are "" for a machine pool. A
    password's value is never among current and proposed, nor in the message. error: what is wrong with the
    YAML of the file; its text follows the message, and its place becomes that of the finding.

        pack_finding("regex", "must match [0-9]+", ("a.port",), "cilium", VALUES, "a.port", current="x")
    """
    tags = {name: text for name, text in (("file", file), ("pack", pack)) if text}
    found = Finding(
        rule,
        f"{message}: {error.message}" if error is not None else message,
        None,
        path,
        current=current,
        proposed=proposed,
        tags=tags,
        about=about,
        severity=severity,
    )
    if error is not None:
        found.line, found.column = error.line or 0, error.column or 0
    return found


def suggestion(value: object, known: tuple[str, ...]) -> str:
    """`; did you mean "worker"?`, or what is known."""
    if not isinstance(value, str) or not value:
        return f"; known: {', '.join(known)}"
    from krmkit.libraries.messages.nearest import did_you_mean

    return did_you_mean(value, known)
