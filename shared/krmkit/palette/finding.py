"""What a rule found in a pack: a code, where, what is wrong, what would be right."""

from __future__ import annotations

ERROR = "error"
WARNING = "warning"
INFO = "info"

# Every code that is not an error. not-checked, totals and satisfied tell what a run left out, what it counted, and (when
# somebody asks) which rules had nothing to object to.
_SEVERITIES = {
    "unknown-type": WARNING,
    "unparseable": WARNING,
    "default-type": WARNING,
    "unbounded-not-supported": WARNING,
    "param-missing": WARNING,
    "replicas-missing": WARNING,
    "components-ignored": WARNING,
    "capacity-unknown": WARNING,
    "stale-marker": WARNING,
    "deferred": INFO,
    "not-checked": INFO,
    "pools-unknown": INFO,
    "totals": INFO,
    "satisfied": INFO,
}

VALUES = "values.yaml"
SCHEMA = "schema.yaml"
METADATA = "pack.json"
DEFAULTS = "defaults.yaml"


class Finding:
    """One finding.

    code: the rule's id. about: what it is about, in the rule's own terms: (key path) for a schema constraint,
    (pack name) for a dependency, (pool or pack, resource type) for a resource. pack, file, path: where to look; pack
    and file are "" where it is about a machine pool. current and proposed: the value there and a right one, None where
    there is none to show; a password's value is never among them, nor in the message.
    """

    __slots__ = ("about", "code", "current", "file", "message", "pack", "path", "proposed", "severity")

    def __init__(
        self,
        code: str,
        message: str,
        about: tuple[str, ...],
        pack: str = "",
        file: str = VALUES,
        path: str = "",
        current: object = None,
        proposed: object = None,
        severity: str = "",
    ) -> None:
        self.code = code
        self.message = message
        self.about = about
        self.pack = pack
        self.file = file
        self.path = path
        self.current = current
        self.proposed = proposed
        self.severity = severity or _SEVERITIES.get(code, ERROR)

    def __repr__(self) -> str:
        return f"Finding({self.code!r}, {self.about!r}, {self.message!r})"


def suggestion(value: object, known: tuple[str, ...]) -> str:
    """`; did you mean "worker"?`, or what is known."""
    if not isinstance(value, str) or not value:
        return f"; known: {', '.join(known)}"
    from krmkit.lang.nearest import did_you_mean

    return did_you_mean(value, known)
