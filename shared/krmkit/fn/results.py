"""What a run found: results in the shape of the KRM Functions Specification, collected and put in order.

A result's severity decides the exit code (`error` <=> 1), and a config's `failOn` moves the border between errors
and warnings before anything is counted. Every result carries the id of its rule in `tags.rule`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Subject(Protocol):
        """What a result can point at: a Resource, or anything else that can name itself."""

        def ref(self) -> dict[str, str]: ...
        def file(self) -> dict[str, object] | None: ...


ERROR = "error"
WARNING = "warning"
INFO = "info"
SEVERITIES = (ERROR, WARNING, INFO)
FAIL_ON = ("error", "warning", "never")


class FunctionError(Exception):
    """The function cannot do its work: the run ends with this one error, and all items stay as they came.

    For findings (anything a user may want to see together with others) add a result instead. `resource`, `field`
    and `rule` are those of the result.
    """

    def __init__(
        self, message: str, rule: str = "failed", resource: Subject | None = None, field: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.rule = rule
        self.resource = resource
        self.field = field


class Result:
    """One result. `data()` is what stands in the ResourceList."""

    __slots__ = ("field", "file", "message", "resource_ref", "severity", "tags")

    def __init__(
        self,
        message: str,
        severity: str,
        tags: dict[str, str],
        resource_ref: dict[str, str] | None = None,
        field: dict[str, object] | None = None,
        file: dict[str, object] | None = None,
    ) -> None:
        self.message = message
        self.severity = severity
        self.tags = tags
        self.resource_ref = resource_ref
        self.field = field
        self.file = file

    @property
    def rule(self) -> str:
        """The id of the rule that speaks."""
        return self.tags.get("rule", "")

    def data(self) -> dict[str, object]:
        """Plain data in the order in which kpt writes the keys."""
        data: dict[str, object] = {"message": self.message, "severity": self.severity}
        if self.resource_ref is not None:
            data["resourceRef"] = self.resource_ref
        if self.field is not None:
            data["field"] = self.field
        if self.file is not None:
            data["file"] = self.file
        data["tags"] = self.tags
        return data

    def __str__(self) -> str:
        """One line for people: `v1/ConfigMap/ns/name spec.x: message`."""
        place = ""
        if self.resource_ref is not None:
            place = "/".join(self.resource_ref[key] for key in _IDENTITY if self.resource_ref.get(key))
        if self.field is not None:
            place += f" {self.field['path']}"
        message = " ".join(self.message.split())
        return f"{place.lstrip()}: {message}" if place else message


_IDENTITY = ("apiVersion", "kind", "namespace", "name")


class Results:
    """Collects the results of one run. `explaining` tells whether anybody reads what `explain` adds."""

    __slots__ = ("_found", "explaining")

    def __init__(self, explaining: bool = False) -> None:
        self.explaining = explaining
        self._found: list[Result] = []

    def __len__(self) -> int:
        return len(self._found)

    def error(
        self,
        rule: str,
        message: str,
        resource: Subject | None = None,
        field: str | None = None,
        current: object = None,
        proposed: object = None,
        file: dict[str, object] | None = None,
        tags: dict[str, str] | None = None,
    ) -> None:
        """What must be changed before the package is right; the run fails and changes nothing.

        `field` is a path inside the resource, `current` and `proposed` the values there (never a secret). `file`
        defaults to the resource's own.
        """
        self.add(ERROR, rule, message, resource, field, current, proposed, file, tags)

    def warning(
        self,
        rule: str,
        message: str,
        resource: Subject | None = None,
        field: str | None = None,
        current: object = None,
        proposed: object = None,
        file: dict[str, object] | None = None,
        tags: dict[str, str] | None = None,
    ) -> None:
        """What is doubtful; the run goes on, unless the config says `failOn: warning`."""
        self.add(WARNING, rule, message, resource, field, current, proposed, file, tags)

    def info(
        self,
        rule: str,
        message: str,
        resource: Subject | None = None,
        field: str | None = None,
        current: object = None,
        proposed: object = None,
        file: dict[str, object] | None = None,
        tags: dict[str, str] | None = None,
    ) -> None:
        """What is good to know."""
        self.add(INFO, rule, message, resource, field, current, proposed, file, tags)

    def explain(
        self, rule: str, message: str, resource: Subject | None = None, field: str | None = None
    ) -> None:
        """Why a rule, preset, macro or selector did or did not apply: an info, kept only with --explain."""
        if self.explaining:
            self.add(INFO, rule, message, resource, field)

    def add(
        self,
        severity: str,
        rule: str,
        message: str,
        resource: Subject | None = None,
        field: str | None = None,
        current: object = None,
        proposed: object = None,
        file: dict[str, object] | None = None,
        tags: dict[str, str] | None = None,
    ) -> None:
        """A result whose severity comes from data."""
        reference = None
        if resource is not None:
            reference = resource.ref()
            if not (reference.get("apiVersion") and reference.get("kind") and reference.get("name")):
                reference = None  # the specification wants all three, or none
            if file is None:
                file = resource.file()
        place: dict[str, object] | None = None
        if field:
            if reference is None:
                message = f"{field}: {message}"  # a field without a resource would not be valid
            else:
                place = {"path": field}
                if current is not None:
                    place["currentValue"] = _clean(current)
                if proposed is not None:
                    place["proposedValue"] = _clean(proposed)
        if not message.isascii():
            message = _utf8(message)
        self._found.append(Result(message, severity, {"rule": rule, **(tags or {})}, reference, place, file))

    def fail_on(self, what: str) -> None:
        """Move severities: "warning" makes errors of warnings, "never" warnings of errors, "error" changes nothing."""
        source, target = {"warning": (WARNING, ERROR), "never": (ERROR, WARNING)}.get(what, (ERROR, ERROR))
        for result in self._found:
            if result.severity == source:
                result.severity = target

    def finish(self) -> list[Result]:
        """All results, each said once, in the order that never changes.

        Order: severity, file, index in the file, resource, then the order in which they were added.
        """
        once: dict[str, Result] = {}
        for result in self._found:
            once.setdefault(repr(result.data()), result)
        return sorted(once.values(), key=_order)


def _utf8(text: str) -> str:
    """The text with `?` for what UTF-8 cannot carry: JSON texts may hold lone surrogates."""
    return text.encode("utf-8", "replace").decode()


def _clean(value: object) -> object:
    if isinstance(value, str):
        return value if value.isascii() else _utf8(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return value


def _order(result: Result) -> tuple[int, str, int, str]:
    file = result.file or {}
    reference = result.resource_ref or {}
    index = file.get("index")
    return (
        SEVERITIES.index(result.severity),
        str(file.get("path") or ""),
        index if isinstance(index, int) else 0,
        "\0".join(reference.get(key, "") for key in _IDENTITY),
    )
