"""Landscaper's toYaml and fromYaml: sigs.k8s.io/yaml, which converts through JSON.

The writer is libyaml's emitter, from which Go's yaml.v2 was translated; it folds lines at 80 columns.
"""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.libraries.go.core.limits import CountingWalk, charge
from krmkit.libraries.go.core.text import is_letter, runes
from krmkit.libraries.go.core.values import GoObject, is_nil_list
from krmkit.libraries.go.errors import GoError, GoInputError
from krmkit.libraries.go.json.data import from_json
from krmkit.libraries.yaml.scalars import exponential, shortest

Step = tuple[str, object, object]

_WIDTH = 80
_WORDS = frozenset("y Y yes Yes YES on On ON n N no No NO off Off OFF true True TRUE false False FALSE".split()) | {
    "", "~", "null", "Null", "NULL", "<<", ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF",
    "-.inf", "-.Inf", "-.INF",
}  # fmt: skip

# The steps that reading a YAML text costs. The characters are those that can begin or end a value.
_SIGNS = "\n\r\x85\u2028\u2029,:-[{?"
_CALL = 200
_SIGN = 20
_CHARACTERS = 16  # of them, for one step


def to_yaml(value: object) -> str:
    """toYaml: sorted keys, dashes at their key's column, no final newline; "" for a value without JSON."""
    from krmkit.libraries.yaml._libyaml import emit

    out: list[Step] = []
    try:
        _write(out, value, CountingWalk(), 0)
    except GoInputError:
        return ""
    text = emit(out, _WIDTH)
    # libyaml ends a document that could go on with a line `...`, Go does not. Dots that end a value stay.
    if text.endswith("\n...\n"):
        text = text[:-4]
    return text.removesuffix("\n")


def from_yaml(text: str) -> object:
    """fromYaml: the first document, in which every number is a float64. Raises GoError for bad YAML."""
    from krmkit.libraries.yaml.data import go_data
    from krmkit.libraries.yaml.document import parse
    from krmkit.libraries.yaml.errors import YamlError

    charge(_CALL + _SIGN * sum(map(text.count, _SIGNS)) + len(text) // _CHARACTERS)
    try:
        return from_json(go_data(parse(text, alone=False).root))
    except YamlError as error:
        raise GoError(f"error converting YAML to JSON: yaml: {error}") from None


def _write(out: list[Step], value: object, walk: CountingWalk, depth: int) -> None:
    walk.visit(depth)
    charge(14)
    if isinstance(value, dict):
        out.append(("map", None, not value))
        for key in sorted(value, key=_NaturalKey):
            out.append(_text(key))
            _write(out, value[key], walk, depth + 1)
        out.append(("end map", None, None))
    elif isinstance(value, list) and not is_nil_list(value):
        out.append(("list", None, not value))
        for item in value:
            _write(out, item, walk, depth + 1)
        out.append(("end list", None, None))
    elif isinstance(value, str):
        out.append(_text(value))
    elif isinstance(value, GoObject) and hasattr(value, "to_json"):
        # Go writes JSON first: a string there is a string in YAML, quoted where it reads as something else.
        shown = str(value.to_json())
        out.append(_text(shown[1:-1]) if shown[:1] == '"' else ("scalar", shown, None))
    else:
        out.append(("scalar", _scalar(value), None))


def _text(text: str) -> Step:
    text = runes(text)
    style = "|" if "\n" in text else '"' if _reads_as_other(text) else None
    return "scalar", text, style


def _scalar(value: object) -> str:
    """Write a scalar other than a string; as in JSON, an integral float64 below 1e21 is an integer."""
    if value is None or isinstance(value, list):
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        from krmkit.libraries.go.json.functions import json_float

        text = json_float(value)
        if value.is_integer() and "e" not in text and -(1 << 63) <= value < (1 << 64):
            return "0" if text == "-0" else text
        digits, exponent = shortest(abs(value))
        if -4 <= exponent < 21:
            return text
        return ("-" if value < 0 else "") + exponential(digits, exponent)
    if isinstance(value, int):
        return str(int(value))
    return "{}"


def _reads_as_other(text: str) -> bool:
    """Return True if yaml.v2 would read the unquoted text as another type than string."""
    if text in _WORDS:
        return True
    if text[0] not in "+-.0123456789":
        return False
    from krmkit.libraries.yaml.emit import scalar

    # yaml.v3, whose rules that module has, reads the same numbers, dates and base 60.
    return scalar(text, 0).startswith('"')


@dataclass(frozen=True, slots=True)
class _NaturalKey:
    """The sort key of Go's yaml: numbers inside keys by value, letters after everything else."""

    text: str

    def __lt__(self, other: _NaturalKey) -> bool:
        first, second = self.text, other.text
        digits = False
        for at, (one, two) in enumerate(zip(first, second, strict=False)):
            if one == two:
                digits = one.isdecimal()
                continue
            letters = is_letter(one), is_letter(two)
            if all(letters):
                return one < two
            if any(letters):
                return letters[0] if digits else letters[1]
            return _before(first, second, at)
        return len(first) < len(second)


def _before(first: str, second: str, at: int) -> bool:
    """Compare two keys by the numbers at `at`, where they differ other than in letters."""
    lead = 0
    if "0" in (first[at], second[at]):
        back = at - 1
        while back >= 0 and first[back].isdecimal():
            if first[back] != "0":
                lead = 1
                break
            back -= 1
    one, one_end = _number(first, at, lead)
    two, two_end = _number(second, at, lead)
    if one != two:
        return one < two
    return one_end < two_end if one_end != two_end else first[at] < second[at]


def _number(text: str, at: int, value: int) -> tuple[int, int]:
    while at < len(text) and text[at].isdecimal():
        value = (value * 10 + ord(text[at]) - ord("0")) % (1 << 64)
        at += 1
    return value, at
