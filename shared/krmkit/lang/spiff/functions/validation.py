"""validate and check: conditions on a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from krmkit.lang.gotemplate.printing import quote
from krmkit.lang.spiff.addresses import address, network
from krmkit.lang.spiff.environment import Env
from krmkit.lang.spiff.errors import Failure, Info
from krmkit.lang.spiff.expressions.lambdas import LambdaValue
from krmkit.lang.spiff.expressions.literals import Undefined, truth
from krmkit.lang.spiff.expressions.operators import loosely_equal
from krmkit.lang.spiff.functions import dns, pem, semvers
from krmkit.lang.spiff.functions.extra import needed
from krmkit.lang.spiff.functions.regexps import compiled
from krmkit.lang.spiff.nodes import Expression, Node, type_name
from krmkit.lang.spiff.texts import short

PENDING = Undefined()
Verdict = tuple[bool, str]


class UncheckableCondition(Exception):  # noqa: N818 - the reference's word: a condition has a problem
    """A condition that cannot be checked."""


class Waits(Exception):  # noqa: N818 - a lambda waits for a value
    pass


def validate(args: list[Any], env: Env, info: Info) -> Any:
    return _conditions(args, env, True)


def check(args: list[Any], env: Env, info: Info) -> Any:
    return _conditions(args, env, False)


def _conditions(args: list[Any], env: Env, strict: bool) -> Any:
    if len(args) < 2:
        raise Failure(f"at least two arguments required for {'validate' if strict else 'check'}")
    value = args[0]
    for number, condition in enumerate(args[1:], 1):
        try:
            good, text = verdict(value, condition, env)
        except UncheckableCondition as problem:
            raise Failure(f"condition {number} has problem: {problem}") from None
        except Waits:
            return PENDING
        if not good:
            if not strict:
                return False
            raise Failure(f"condition {number} failed: {text}")
    return value if strict else True


def verdict(value: Any, condition: Any, env: Env) -> Verdict:
    """Whether a value fulfils a condition, and the reason."""
    if condition is None:
        return True, "no condition"
    if type(condition) is str or isinstance(condition, LambdaValue):
        return _apply(value, condition, [], env)
    if type(condition) is list:
        if not condition:
            raise UncheckableCondition("validation type missing")
        return _apply(value, condition[0].value, condition[1:], env)
    raise UncheckableCondition(f"invalid validation check type: {type_name(condition)}")


def _apply(value: Any, condition: Any, args: list[Node], env: Env) -> Verdict:
    if isinstance(condition, LambdaValue):
        return _by_lambda(value, condition, args, env)
    if type(condition) is not str:
        raise UncheckableCondition(f'unexpected validation type "{type_name(condition)}"')
    negated = condition.startswith("!")
    name = condition[1:] if negated else condition
    if condition == "":
        raise UncheckableCondition("empty validator type")
    if name == "not":
        negated = not negated
    validator = VALIDATORS.get(name)
    if validator is None:
        raise UncheckableCondition(f'unknown validation operator "{name}"')
    good, text = validator(name, value, args, env)
    return (not good if negated else good), text


def _by_lambda(value: Any, function: LambdaValue, args: list[Node], env: Env) -> Verdict:
    count = len(function.parameters)
    if count != len(args) + 1:
        raise UncheckableCondition(
            f"argument count mismatch for lambda {function}: expected {count}, found {len(args) + 1}"
        )
    try:
        result, _ = function.call([value, *(arg.value for arg in args)], env)
    except Failure as failure:
        raise UncheckableCondition(failure.issue.text) from None
    if isinstance(result, Expression):
        raise Waits
    if type(result) is list:
        if not 1 <= len(result) <= 3:
            raise UncheckableCondition(f"invalid result length of validator {function}, got {len(result)}")
        good = truth(result[0].value)
        if len(result) == 2:
            return good, _string("lambda validator result index 2: lambda validator", result[1].value)
        if len(result) == 3:
            texts = [
                _string(f"lambda validator result index {i}: lambda validator", result[i - 1].value)
                for i in (2, 3)
            ]
            return good, texts[0] if good else texts[1]
        result = result[0].value
    good = truth(result)
    return good, f"{function} {'succeeded' if good else 'failed'}"


def _string(what: str, value: Any) -> str:
    if type(value) is not str:
        raise UncheckableCondition(f"{what} requires string, but got {type_name(value)}")
    return value


def _list(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    if type(value) is not list:
        return False, "is no list"
    if not args:
        return True, "is a list"
    for index, node in enumerate(value):
        for number, condition in enumerate(args):
            try:
                good, text = verdict(node.value, condition.value, env)
            except UncheckableCondition as problem:
                raise UncheckableCondition(f"list entry {index} condition {number}: {problem}") from None
            if not good:
                return False, f"entry {index} condition {number} {text}"
    return True, "all entries match all conditions"


def _map(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    if type(value) is not dict:
        return False, "is no map"
    if not args:
        return True, "is a map"
    if len(args) > 2:
        raise UncheckableCondition(f"map validator takes a maximum of two arguments, got {len(args)}")
    for key in sorted(value):
        if len(args) == 2:
            good, text = _inside(key, args[0], env, f"map key {quote(key)} ")
            if not good:
                return False, f"map key {quote(key)} {text}"
        good, text = _inside(value[key].value, args[-1], env, f"map entry {quote(key)}: ")
        if not good:
            return False, f"map entry {quote(key)} {text}"
    return True, "all map entries and keys match"


def _inside(value: Any, condition: Node, env: Env, where: str) -> Verdict:
    try:
        return verdict(value, condition.value, env)
    except UncheckableCondition as problem:
        raise UncheckableCondition(f"{where}{problem}") from None


def _field(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    if type(value) is not dict:
        return False, "is no map"
    if not 1 <= len(args) <= 2:
        raise UncheckableCondition(f"{name} reqires one or two arguments")
    field = args[0].value
    if type(field) is not str:
        raise UncheckableCondition("field name must be string")
    if field not in value:
        if name == "optionalfield":
            return True, f"has no optional field {quote(field)}"
        return False, f"has no field {quote(field)}"
    if len(args) == 1:
        return True, f"map entry {quote(field)} exists"
    good, text = _inside(value[field].value, args[1], env, f"map entry {quote(field)} ")
    return good, f"map entry {quote(field)} {text}"


def _and(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    if not args:
        raise UncheckableCondition("validator argument required")
    texts = []
    for condition in args:
        good, text = verdict(value, condition.value, env)
        texts.append(text)
        if not good:
            return False, text
    return True, texts[0] if len(args) == 1 else f"({' and '.join(texts)})"


def _or(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    if not args:
        raise UncheckableCondition("validator argument required")
    texts = []
    for condition in args:
        good, text = verdict(value, condition.value, env)
        texts.append(text)
        if good:
            return True, text
    return False, texts[0] if len(args) == 1 else f"({' and '.join(texts)})"


def _empty(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    if type(value) not in (str, list, dict):
        raise UncheckableCondition(f"invalid type for empty: {type_name(value)}")
    return (False, "is not empty") if value else (True, "is empty")


def _valueset(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    if len(args) != 1 or type(args[0].value) is not list:
        raise UncheckableCondition("valueset requires a list argument with possible values")
    if any(loosely_equal(value, node.value) for node in args[0].value):
        return True, "matches valuset"
    if type(value) in (str, int):
        return False, f"invalid value {quote(value) if type(value) is str else value}"
    return False, "invalid value"


def _value(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    if len(args) != 1:
        raise UncheckableCondition(f"{name} requires a value argument")
    good = loosely_equal(value, args[0].value)
    return good, f"{'valid' if good else 'invalid'} value {short(value)}"


_ORDERS: dict[str, tuple[Callable[[Any, Any], bool], str, str]] = {
    "gt": (lambda a, b: a > b, "greater than", "less or equal to"),
    "lt": (lambda a, b: a < b, "less than", "greater than"),
    "ge": (lambda a, b: a >= b, "greater or equal to", "less than"),
    "le": (lambda a, b: a <= b, "less or equal to", "greater or equal to"),
}
"""The comparison of each name, and the words for a value that fulfils it and for one that does not."""
_SIGNS = {">": "gt", "<": "lt", ">=": "ge", "<=": "le"}


def _order(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    if len(args) != 1:
        raise UncheckableCondition(f"{name} requires a value argument")
    compare, fulfilled, failed = _ORDERS[_SIGNS.get(name, name)]
    bound = args[0].value
    numbers = (int, float)
    both = (type(value) in numbers and type(bound) in numbers) or (type(value) is str and type(bound) is str)
    if not both:
        raise UncheckableCondition(f"{name}: cannot compare {type_name(value)} with {type_name(bound)}")
    good = compare(value, bound)
    return good, f"{fulfilled if good else failed} {_shown(bound)}"


def _shown(value: Any) -> str:
    return value if type(value) is str else short(value)


def _match(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    if len(args) != 1 or type(args[0].value) is not str:
        raise UncheckableCondition("match requires a regexp argument")
    try:
        pattern = compiled(args[0].value)
    except Failure as failure:
        raise UncheckableCondition(f"regexp {args[0].value}: {failure.issue.text}") from None
    if type(value) is not str:
        raise UncheckableCondition("no string to match regexp")
    good = pattern.search(value) is not None
    return good, f"{'valid' if good else 'invalid'} value {quote(value)}"


def _type(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    kind = type_name(value)
    texts = []
    for arg in args:
        wanted = arg.value
        if type(wanted) is not str:
            raise UncheckableCondition(f"type: type arg requires string, but got {type_name(wanted)}")
        if wanted == kind:
            return True, f"is of type {wanted}"
        texts.append(f"is not of type {wanted}")
    return False, texts[0] if len(texts) == 1 else f"({' and '.join(texts)})"


def _dns(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    text = _string(f"{name}: {name}", value)
    words, checks = dns.NAMES[name]
    problem = ""
    for one in checks:
        problem = one(text)
        if not problem:
            return True, f"is {words}"
    return False, f"is no {words}: [{problem}]"


def _ip(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    text = _string("ip: ip", value)
    return (True, "is ip address") if address(text) is not None else (False, f"is no ip address: {text}")


def _cidr(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    text = _string("cidr: cidr", value)
    return (
        (True, "is CIDR")
        if network(text) is not None
        else (False, f"is no CIDR: invalid CIDR address: {text}")
    )


def _semver(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    text = _string("semver: semver", value)
    try:
        good, reason = semvers.matches([text, *(arg.value for arg in args)], "semver")
    except Failure as failure:
        return False, failure.issue.text
    return (True, "is semver" if not args else "matches all constraints") if good else (False, f"[{reason}]")


def _keys(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    text = _string(f"{name}: {name}", value)
    words, problem = _KEYS[name]
    try:
        with needed("cryptography", name):
            import cryptography  # noqa: F401 - the functions of pem need it
    except Failure as failure:
        raise UncheckableCondition(failure.issue.text) from None
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
"""What is said of a text that is one, and of one that is none."""
VALIDATORS: dict[str, Callable[[str, Any, list[Node], Env], Verdict]] = {
    "": _and, "=": _value, "and": _and, "ca": _keys, "certificate": _keys, "cidr": _cidr, "dnsdomain": _dns,
    "dnslabel": _dns, "dnsname": _dns, "empty": _empty, "ip": _ip, "list": _list, "map": _map, "mapfield": _field,
    "match": _match, "not": _and, "optionalfield": _field, "or": _or, "privatekey": _keys, "publickey": _keys,
    "semver": _semver, "type": _type, "value": _value, "valueset": _valueset, "wildcarddnsdomain": _dns, "~=": _match,
    **dict.fromkeys((*_ORDERS, *_SIGNS), _order),
}  # fmt: skip
FUNCTIONS = {"check": check, "validate": validate}
