"""Conditions of validate and check on one value: its type, its form, its size.

They raise Failure if the condition cannot be checked.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.go.regexp.pattern import compile as compile_pattern
from krmkit.libraries.spiff.expressions.operators import loosely_equal
from krmkit.libraries.spiff.functions import semvers
from krmkit.libraries.spiff.functions.crypto import pem
from krmkit.libraries.spiff.functions.regexps import compiled
from krmkit.libraries.spiff.functions.registry import needed, text_of
from krmkit.libraries.spiff.tree.addresses import address, network
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, fail_if
from krmkit.libraries.spiff.tree.nodes import Node, type_name
from krmkit.libraries.spiff.tree.shown import short

Verdict = tuple[bool, str]

# The names of Kubernetes and its messages about them.
_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_WILDCARD = rf"\*\.{_SUBDOMAIN}"
_Check = tuple[str, int, str]
"""A pattern, the largest size in bytes, and the message about a name that does not fit the pattern."""
_LABEL_CHECK: _Check = (
    _LABEL, 63,
    "a DNS-1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an"
    f" alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{_LABEL}')",
)  # fmt: skip
_SUBDOMAIN_CHECK: _Check = (
    _SUBDOMAIN, 253,
    "a DNS-1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end"
    f" with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')",
)  # fmt: skip
_WILDCARD_CHECK: _Check = (
    _WILDCARD, 253,
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of"
    " lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com',"
    f" regex used for validation is '{_WILDCARD}')",
)  # fmt: skip
_DNS_NAMES: dict[str, tuple[str, tuple[_Check, ...]]] = {
    "dnslabel": ("dns label", (_LABEL_CHECK,)),
    "dnsdomain": ("dns domain", (_SUBDOMAIN_CHECK,)),
    "wildcarddnsdomain": ("wildcard dns domain", (_WILDCARD_CHECK,)),
    "dnsname": ("dns name", (_WILDCARD_CHECK, _SUBDOMAIN_CHECK)),
}
"""The words and the checks of each validator; one check without an error is enough."""


def _empty(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    fail_if(type(value) not in (str, list, dict), f"invalid type for empty: {type_name(value)}")
    return (False, "is not empty") if value else (True, "is empty")


def _valueset(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    if len(args) != 1 or type(args[0].value) is not list:
        raise Failure("valueset requires a list argument with possible values")
    if any(loosely_equal(value, node.value) for node in args[0].value):
        return True, "matches valuset"
    if type(value) in (str, int):
        return False, f"invalid value {quote(value) if type(value) is str else value}"
    return False, "invalid value"


def _value(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    fail_if(len(args) != 1, f"{name} requires a value argument")
    good = loosely_equal(value, args[0].value)
    return good, f"{'valid' if good else 'invalid'} value {short(value)}"


_ORDERS: dict[str, tuple[Callable[[Any, Any], bool], str, str]] = {
    "gt": (lambda a, b: a > b, "greater than", "less or equal to"),
    "lt": (lambda a, b: a < b, "less than", "greater than"),
    "ge": (lambda a, b: a >= b, "greater or equal to", "less than"),
    "le": (lambda a, b: a <= b, "less or equal to", "greater or equal to"),
}
"""The comparison of each name, and the words for a value that fulfils it, and for one that does not."""
_SIGNS = {">": "gt", "<": "lt", ">=": "ge", "<=": "le"}


def _order(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    fail_if(len(args) != 1, f"{name} requires a value argument")
    compare, fulfilled, failed = _ORDERS[_SIGNS.get(name, name)]
    bound = args[0].value
    numbers = (int, float)
    both = (type(value) in numbers and type(bound) in numbers) or (type(value) is str and type(bound) is str)
    fail_if(not both, f"{name}: cannot compare {type_name(value)} with {type_name(bound)}")
    good = compare(value, bound)
    return good, f"{fulfilled if good else failed} {bound if type(bound) is str else short(bound)}"


def _match(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    fail_if(len(args) != 1 or type(args[0].value) is not str, "match requires a regexp argument")
    try:
        pattern = compiled(args[0].value)
    except Failure as failure:
        raise Failure(f"regexp {args[0].value}: {failure.issue.text}") from None
    fail_if(type(value) is not str, "no string to match regexp")
    good = pattern.search(value) is not None
    return good, f"{'valid' if good else 'invalid'} value {quote(value)}"


def _type(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    kind = type_name(value)
    texts = []
    for arg in args:
        wanted = text_of("type: type arg", arg.value)
        if wanted == kind:
            return True, f"is of type {wanted}"
        texts.append(f"is not of type {wanted}")
    return False, texts[0] if len(texts) == 1 else f"({' and '.join(texts)})"


def _dns_problem(text: str, check: _Check) -> str:
    pattern, most, message = check
    found = []
    if len(text.encode("utf-8", "surrogateescape")) > most:
        found.append(f"must be no more than {most} characters")
    if compile_pattern(f"^{pattern}$").search(text) is None:
        found.append(message)
    return " ".join(found)


def _dns(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    text = text_of(f"{name}: {name}", value)
    words, checks = _DNS_NAMES[name]
    problems = [_dns_problem(text, check) for check in checks]
    return (True, f"is {words}") if "" in problems else (False, f"is no {words}: [{problems[-1]}]")


_ADDRESSES: dict[str, tuple[Callable[[str], object], str, str]] = {
    "ip": (address, "ip address", ""),
    "cidr": (network, "CIDR", "invalid CIDR address: "),
}


def _address(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    text = text_of(f"{name}: {name}", value)
    read, words, problem = _ADDRESSES[name]
    return (True, f"is {words}") if read(text) is not None else (False, f"is no {words}: {problem}{text}")


def _semver(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    try:
        good, reason = semvers.matches([value, *(arg.value for arg in args)], "semver")
    except Failure as failure:
        return False, failure.issue.text
    return (True, "is semver" if not args else "matches all constraints") if good else (False, f"[{reason}]")


def _keys(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    text = text_of(name, value)
    words, problem = _KEYS[name]
    with needed("cryptography", name):
        import_module("cryptography")  # the functions of pem need it
    try:
        if name == "privatekey":
            pem.parse_private_key(text)
        elif name == "publickey":
            pem.parse_public_key(text)
        elif not pem.is_ca(pem.parse_certificate(text)) and name == "ca":
            return False, "is no ca certificate"
    except ValueError as error:
        return False, f"{problem}: {error}"
    return True, words


_KEYS = {
    "ca": ("is ca", "is no certificate"),
    "certificate": ("is certificate", "is no certificate"),
    "privatekey": ("is private key", "is no private key"),
    "publickey": ("is public key", "is no public key"),
}
"""The messages for a text that is valid, and for one that is not."""
VALIDATORS: dict[str, Callable[[str, Any, list[Node], Env], Verdict]] = {
    "=": _value, "ca": _keys, "certificate": _keys, "cidr": _address, "dnsdomain": _dns, "dnslabel": _dns,
    "dnsname": _dns, "empty": _empty, "ip": _address, "match": _match, "privatekey": _keys, "publickey": _keys,
    "semver": _semver, "type": _type, "value": _value, "valueset": _valueset, "wildcarddnsdomain": _dns,
    "~=": _match, **dict.fromkeys((*_ORDERS, *_SIGNS), _order),
}  # fmt: skip
"""A validator takes its name, the value, its arguments and the environment."""
