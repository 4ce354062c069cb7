"""A merge conflict in a package: what both sides changed, and which side was taken."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from krmkit.kpt.merge.threeway import Conflict
from krmkit.libraries.schema.fields import MISSING
from krmkit.libraries.yaml.data import same_data

_LONGEST = 80  # characters of a value in a message
_UPSTREAM_WINS, _LOCAL_STAYS = ": upstream wins", ": the local one stays"
_ADDED_STAYS = ": what was added locally stays"
COMES_BACK = ": comes back, as upstream has it"


@dataclass(frozen=True, slots=True)
class ResourceConflict:
    """A field, a resource or a file that both sides changed. `path` is empty for a whole resource or file.

    `line` and `column`: its place in the merged file, from 1; 0 if it is absent.
    """

    file: str
    resource: str
    path: tuple[str, ...]
    message: str
    local: Any = None
    upstream: Any = None
    line: int = 0
    column: int = 0

    @classmethod
    def of(cls, file: str, resource: str, conflict: Conflict) -> ResourceConflict:
        """Return the conflict of a field, or of lines in its text."""
        made = cls(file, resource, conflict.path, message_of(conflict), conflict.local, conflict.upstream)
        return made if not conflict.line else made.at(conflict.line, 1)

    def at(self, line: int, column: int) -> ResourceConflict:
        """Return the conflict with a place in the merged file."""
        return replace(self, line=line, column=column)

    @property
    def place(self) -> str:
        """Return `path:line:column`, or the path alone."""
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


def message_of(conflict: Conflict) -> str:
    """Return the message with both sides' values of the field, and the side that was taken."""
    if conflict.line:
        said = f"{_lines(conflict.local)} changed upstream, to {_lines(conflict.upstream)}, and locally"
    else:
        upstream, local = said_value(conflict.upstream), said_value(conflict.local)
        said = f"changed upstream to {upstream}" if upstream else "removed upstream"
        said += (
            f" and {'' if upstream else 'changed '}locally to {local}" if local else " and removed locally"
        )
    if same_data(conflict.merged, conflict.upstream):
        return f"{said}{_UPSTREAM_WINS}"
    if same_data(conflict.merged, conflict.local):
        return f"{said}{_LOCAL_STAYS}"
    return f"{said}{_ADDED_STAYS}"


def without_outcome(message: str) -> str:
    """Return a message without the side that was taken, for a merge that takes none."""
    for outcome in (_UPSTREAM_WINS, _LOCAL_STAYS, _ADDED_STAYS, COMES_BACK):
        message = message.removesuffix(outcome)
    return message


def said_value(value: Any) -> str:
    """Return a value for messages, shortened if long; "" for none."""
    if value is MISSING or value is None:
        return ""
    text = repr(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def _lines(text: str) -> str:
    number = text.count("\n") + bool(text and not text.endswith("\n"))
    return f"{number} line{'' if number == 1 else 's'}"
