"""Errors with a field path, as Kubernetes reports them (k8s.io/apimachinery, pkg/util/validation/field).

>>> str(invalid("spec.replicas", -1, "must be greater than or equal to 0"))
'spec.replicas: Invalid value: -1: must be greater than or equal to 0'

Paths are plain strings. `child`, `key` and `index` extend one as Go's field.Path does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.fmt.printing import format_float, quote
from krmkit.libraries.go.json.functions import must_to_json
from krmkit.libraries.messages.nearest import nearest, proposing

NOT_FOUND = "FieldValueNotFound"
REQUIRED = "FieldValueRequired"
DUPLICATE = "FieldValueDuplicate"
INVALID = "FieldValueInvalid"
NOT_SUPPORTED = "FieldValueNotSupported"
FORBIDDEN = "FieldValueForbidden"
TOO_LONG = "FieldValueTooLong"
TOO_MANY = "FieldValueTooMany"
INTERNAL = "InternalError"
TYPE_INVALID = "FieldValueTypeInvalid"

_WORDS = {
    NOT_FOUND: "Not found",
    REQUIRED: "Required value",
    DUPLICATE: "Duplicate value",
    INVALID: "Invalid value",
    NOT_SUPPORTED: "Unsupported value",
    FORBIDDEN: "Forbidden",
    TOO_LONG: "Too long",
    TOO_MANY: "Too many",
    INTERNAL: "Internal error",
    TYPE_INVALID: "Invalid value",
}
_WITHOUT_VALUE = frozenset((REQUIRED, FORBIDDEN, TOO_LONG, INTERNAL))


class Verbatim(str):
    """A value that errors show unchanged: a Go struct's JSON, whose fields keep their order."""


@dataclass(slots=True)
class FieldError:
    """One error: `type` as Go names it, `field` the path, `value` the actual value, `detail` the problem.

    `right`: the intended value, "" for an entry to remove, None if unknown.

    >>> error = FieldError(NOT_SUPPORTED, "spec.op", "move", 'supported values: "add"')
    >>> error.body()
    'Unsupported value: "move": supported values: "add"'
    """

    type: str
    field: str
    value: object
    detail: str
    right: str | None = None

    def body(self) -> str:
        """Return the text without the field, as field.Error.ErrorBody does."""
        text = _WORDS[self.type]
        if self.type not in _WITHOUT_VALUE:
            text += ": " + _shown(self.value)
        text = f"{text}: {self.detail}" if self.detail else text
        return text if self.right is None else proposing(text, str(self.value).strip('"'), self.right)

    def __str__(self) -> str:
        return f"{self.field}: {self.body()}"


def _shown(value: object) -> str:
    """Show a value in an error: numbers and booleans plain, text quoted, else as JSON; nil is `"null"`."""
    if value is None:
        return '"null"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return str(value) if isinstance(value, Verbatim) else quote(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return format_float(value)
    try:
        return must_to_json(value)
    except GoError:
        return '"..."'  # infinite, or deeper than what is printed


def child(path: str, *names: str) -> str:
    """Extend a path by field names: child("spec", "topology", "variables") is `spec.topology.variables`."""
    return ".".join((path, *names)) if path else ".".join(names)


def key(path: str, name: str) -> str:
    """Extend a path by a map's key: key("spec.variables", "cpu") is `spec.variables[cpu]`."""
    return f"{path}[{name}]"


def index(path: str, position: int) -> str:
    """Extend a path by a list's index: index("spec.patches", 0) is `spec.patches[0]`."""
    return f"{path}[{position}]"


def invalid(field: str, value: object, detail: str) -> FieldError:
    """Report a value that breaks a rule: `Invalid value: 0: must be greater than 0`."""
    return FieldError(INVALID, field, value, detail)


def type_invalid(field: str, value: object, detail: str) -> FieldError:
    """Report a value of a wrong type, also as `Invalid value`."""
    return FieldError(TYPE_INVALID, field, value, detail)


def required(field: str, detail: str = "") -> FieldError:
    """Report a missing value: `Required value: patch name must be defined`."""
    return FieldError(REQUIRED, field, "", detail)


def forbidden(field: str, detail: str) -> FieldError:
    """Report a value that may not be set here: `Forbidden: must be empty to be structural`."""
    return FieldError(FORBIDDEN, field, "", detail)


def duplicate(field: str, value: object) -> FieldError:
    """Report a value that occurs twice: `Duplicate value: "md-0"`."""
    return FieldError(DUPLICATE, field, value, "", "" if isinstance(value, str) else None)


def not_supported(field: str, value: object, supported: Iterable[object]) -> FieldError:
    """Report a value outside a list: `Unsupported value: "move": supported values: "add", "remove"`."""
    texts = [text if isinstance(text, str) else _shown(text) for text in supported]
    detail = f"supported values: {', '.join(map(quote, texts))}" if texts else ""
    return FieldError(NOT_SUPPORTED, field, value, detail, nearest(str(value).strip('"'), texts))


def too_long(field: str, limit: int) -> FieldError:
    """Report a text of too many bytes: `Too long: may not be more than 63 bytes`."""
    if limit < 0:
        return FieldError(TOO_LONG, field, "", "value is too long")
    return FieldError(TOO_LONG, field, "", f"may not be more than {limit} byte{'' if limit == 1 else 's'}")


def too_many(field: str, count: int, limit: int) -> FieldError:
    """Report a list of too many items: `Too many: 3: must have at most 2 items`."""
    if limit < 0:
        return FieldError(TOO_MANY, field, count, "has too many items")
    return FieldError(TOO_MANY, field, count, f"must have at most {limit} item{'' if limit == 1 else 's'}")


def aggregate(errors: Sequence[FieldError]) -> str:
    """Return several errors as one text, as ErrorList.ToAggregate().Error() does: distinct, in brackets."""
    texts = list(dict.fromkeys(map(str, errors)))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]" if texts else ""
