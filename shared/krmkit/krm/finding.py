"""Findings of rules in resources, and their conversion to results of the KRM Functions Specification.

An engine returns findings, and a main.py adds them to the results of its run:

    finding = Finding("odd-port", "must be above 1023, got 80", service, "spec.ports[0].port", current=80)
    results.add(finding)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol, Self

    class Subject(Protocol):
        """The subject of a finding: a Resource, or another object with a name."""

        def ref(self) -> dict[str, str]: ...
        def file(self) -> dict[str, object] | None: ...


ERROR = "error"  # must be changed before the package is right: the run fails and changes nothing
WARNING = "warning"  # doubtful: the run goes on, unless the config has `failOn: warning`
INFO = "info"  # is good to know
EXPLAIN = "explain"  # why a rule or selector did or did not apply: an info, kept only with --explain
SEVERITIES = (ERROR, WARNING, INFO)
IDENTITY = ("apiVersion", "kind", "namespace", "name")


class Finding:
    """One finding.

    - `rule`: the rule's id, listed in function.yaml. `message`: what is wrong, and what would be right.
    - `severity`: the one in function.yaml; an engine sets it only for a rule with several.
    - `resource`: its subject. An engine without resources leaves it out, and the caller adds it with `at`.
    - `field`: the path in the resource, such as `spec.ports[0].port`.
    - `current`, `proposed`: the value there and a right one, None if there is none to show; never a secret.
    - `tags`: more for programs, such as `{"pack": "cilium"}`.
    - `about`: the subject in the rule's own terms, which tests compare.
    - `related`: other places that belong to it, see `beside`.
    - `explained`: reported only because of --explain.
    - `line`, `column`: the place in a text inside the resource, from 1, else 0. The specification has no
      field for them, so the caller that knows the resource adds them to the message.
    """

    __slots__ = (
        "about", "column", "current", "explained", "field", "file", "line", "message", "proposed", "related",
        "resource_ref", "rule", "severity", "tags",
    )  # fmt: skip

    def __init__(
        self,
        rule: str,
        message: str,
        resource: Subject | None = None,
        field: str = "",
        current: object = None,
        proposed: object = None,
        tags: dict[str, str] | None = None,
        about: tuple[str, ...] = (),
        severity: str = "",
    ) -> None:
        self.rule = rule
        self.message = message
        self.severity = severity or _stated(rule)
        self.field = field
        self.current = current
        self.proposed = proposed
        self.tags = tags or {}
        self.about = about
        self.related: list[dict[str, object]] = []
        self.explained = False
        self.line = self.column = 0
        self.resource_ref: dict[str, str] | None = None
        self.file: dict[str, object] | None = None
        if resource is not None:
            self.at(resource)

    def at(self, resource: Subject | None, **tags: str) -> Self:
        """Add the resource and tags; existing ones stay."""
        if resource is not None and self.file is None and self.resource_ref is None:
            reference = resource.ref()
            # The specification wants these three, or no reference.
            if reference.get("apiVersion") and reference.get("kind") and reference.get("name"):
                self.resource_ref = reference
            self.file = resource.file()
        self.tags = {**self.tags, **{name: text for name, text in tags.items() if name not in self.tags}}
        return self

    def beside(self, resource: Subject | None, field: str, message: str, text: str = "") -> Self:
        """Add another place, as `beside(first, "metadata.name", "the first one")`.

        text: the file of a pack in the resource, `schema.yaml`. Without a resource it is that of the finding.
        """
        ref, file = (resource.ref(), resource.file()) if resource is not None else ({}, None)
        place = {**(file or {}), "text": text, "field": field, "message": message}
        self.related.append({**ref, **{name: one for name, one in place.items() if one != ""}})
        return self

    @property
    def instead(self) -> tuple[object, object] | None:
        """Return the wrong and the proposed value, if the message or the values give both."""
        right = getattr(self.message, "right", None)
        if right is not None:
            return getattr(self.message, "wrong", None), right
        return (self.current, self.proposed) if self.proposed is not None else None

    def data(self) -> dict[str, object]:
        """Return the result as plain data, in the order in which kpt writes the keys."""
        message, tags = str(self.message), {}
        wrong, right = self.instead or (None, None)
        proposed = self.proposed
        if right is not None:
            if proposed is None and wrong == self.current:
                proposed = right
            if (wrong, right) != (self.current, proposed):  # a key, or a word in a longer text
                tags = {"wrong": _encodable(str(wrong)), "right": _encodable(str(right))}
        if self.field and self.resource_ref is None:
            message = f"{self.field}: {message}"  # the specification allows a field only beside a resource
        data: dict[str, object] = {"message": _encodable(message), "severity": self.severity}
        if self.resource_ref is not None:
            data["resourceRef"] = self.resource_ref
            if self.field:
                place: dict[str, object] = {"path": self.field}
                if self.current is not None:
                    place["currentValue"] = _encodable(self.current)
                if proposed is not None:
                    place["proposedValue"] = _encodable(proposed)
                data["field"] = place
        if self.file is not None:
            data["file"] = self.file
        if self.related:
            from json import dumps

            tags["related"] = dumps(self.related)
        data["tags"] = {"rule": self.rule, **self.tags, **tags}
        return data

    def __str__(self) -> str:
        """Return one line of text: `v1/ConfigMap/ns/name spec.x: message`."""
        reference = self.resource_ref or {}
        place = "/".join(reference[key] for key in IDENTITY if reference.get(key))
        if self.field:
            place += f" {self.field}"
        message = " ".join(self.message.split())
        return f"{place.lstrip()}: {message}" if place else message

    def __repr__(self) -> str:
        return f"Finding({self.rule!r}, {self.message!r}, {self.severity!r})"


def _stated(rule: str) -> str:
    from krmkit.krm.severities import SEVERITIES

    return SEVERITIES.get(rule, ERROR)


def _encodable(value: object) -> object:
    """Replace lone surrogates, which JSON texts may hold and UTF-8 cannot, by `?`."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return value
