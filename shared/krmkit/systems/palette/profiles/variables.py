"""Profile variables: are their definitions right, and do values fit them?"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable, Iterator

from krmkit.krm.finding import ERROR, WARNING
from krmkit.krm.secretwords import SECRET
from krmkit.libraries.go.regexp import pattern as regexp
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import entries, text
from krmkit.systems.palette.constraints.decimals import is_decimal
from krmkit.systems.palette.constraints.formattypes import is_ipv4, is_version
from krmkit.systems.palette.profiles.forms import Data
from krmkit.systems.palette.profiles.items import MASK

INPUTS = ("text", "dropdown", "multiline")
_FLAGS = ("required", "immutable", "hidden", "isSensitive")


def _is_ipv4cidr(value: str) -> bool:
    address, _, length = value.partition("/")
    return is_ipv4(address) and re.fullmatch("[0-9]|[12][0-9]|3[0-2]", length) is not None


def _is_ipv6(value: str) -> bool:
    try:
        return ipaddress.IPv6Address(value).scope_id is None
    except ValueError:
        return False


def _is_base64(value: str) -> bool:
    try:
        return base64.b64decode(value, validate=True) is not None
    except (binascii.Error, ValueError):
        return False


FORMATS: dict[str, tuple[str, Callable[[str], bool]]] = {
    "string": ("a text", lambda _: True),
    "number": ("a number", is_decimal),
    "boolean": ("true or false", lambda value: value in ("true", "false")),
    "version": ("a semantic version (1.2.3)", lambda value: value[:1] != "v" and is_version(value)),
    "ipv4": ("an IPv4 address (10.0.0.1)", is_ipv4),
    "ipv4cidr": ("an IPv4 range (10.0.0.0/16)", _is_ipv4cidr),
    "ipv6": ("an IPv6 address (fd00::1)", _is_ipv6),
    "base64": ("base64 with padding", _is_base64),
}
"""The formats of variables: what values are, for a message, and whether a text is one."""


def value_problem(definition: Data, value: str) -> str:
    """Return what is wrong with a value: `must be a number, got x`; "" if it fits. No secret is in it."""
    shown = SECRET if definition.get("isSensitive") is True else value
    if not value or (definition.get("isSensitive") is True and MASK.fullmatch(value)):
        return ""
    words, fits = FORMATS.get(text(definition.get("format")), FORMATS["string"])
    if not fits(value):
        return f"must be {words}, got {shown}"
    options = options_of(definition)
    if definition.get("inputType") == "dropdown" and options and value not in (*options, *options.values()):
        listed = "its options" if shown == SECRET else ", ".join(options)
        return f"must be one of {listed}, got {shown}"
    pattern = text(definition.get("regex"))
    try:
        if pattern and regexp.compile(pattern).search(value) is None:
            return f"must match {pattern}, got {shown}"
    except regexp.PatternError:  # of the definition
        return ""
    return ""


def definition_problems(variables: list[Data]) -> Iterator[tuple[str, str]]:
    """Yield (severity, message) of what Palette refuses in definitions, and of what stops a deployment."""
    seen: dict[str, set[str]] = {"name": set(), "displayName": set()}
    for number, one in enumerate(variables):
        name = text(one.get("name"))
        label = f"variable {name or number + 1}"
        if not name:
            yield ERROR, f"{label} must have a name"
        for field, known in seen.items():
            if text(one.get(field)) in known:
                yield ERROR, f"{label}: the {field} {one[field]} is used twice"
            known.update({text(one.get(field))} - {""})
        for severity, message in _problems(one):
            yield severity, f"{label}: {message}"


def _problems(one: Data) -> Iterator[tuple[str, str]]:
    default, pattern = text(one.get("defaultValue")), text(one.get("regex"))
    for field, known in (("format", (*FORMATS,)), ("inputType", INPUTS)):
        if (given := one.get(field)) is not None and given not in known:
            yield (
                ERROR,
                f"{field} must be one of {', '.join(known)}, got {given}" + did_you_mean(str(given), known),
            )
    for field in _FLAGS:
        if not isinstance(one.get(field, False), bool):
            yield ERROR, f"{field} must be true or false, got {one[field]}"
    if not isinstance(one.get("defaultValue", ""), str):
        shown = SECRET if one.get("isSensitive") is True else one["defaultValue"]
        yield ERROR, f"defaultValue must be a text, got {shown}; put it in quotes"
    try:
        regexp.compile(pattern)
    except regexp.PatternError as error:
        yield ERROR, f"regex must be a regular expression of Go, got {pattern}: {error}"
    if default and (problem := value_problem(one, default)):
        yield ERROR, f"defaultValue {problem}"
    if one.get("inputType") == "dropdown" and not options_of(one):
        yield ERROR, "options must have an entry with a value, as inputType is dropdown"
    if default:
        return
    if one.get("immutable") is True:
        yield ERROR, "must have a defaultValue, as it is immutable"
    elif one.get("hidden") is True and one.get("required") is True:
        yield ERROR, "must have a defaultValue, as it is hidden and required"
    elif one.get("required") is True:
        yield WARNING, "has no defaultValue and is required: every cluster must give a value"


def sensitive_defaults(variables: list[Data]) -> set[str]:
    """Return the defaults of sensitive variables; a mask is none."""
    found = {str(one.get("defaultValue") or "") for one in variables if one.get("isSensitive") is True}
    return {value for value in found if value and not MASK.fullmatch(value)}


def options_of(definition: Data) -> dict[str, str]:
    """Return the options of a dropdown: labels by value."""
    listed = entries(definition.get("options"))
    return {text(one.get("value")): text(one.get("label")) for one in listed if text(one.get("value"))}
