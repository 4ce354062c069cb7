"""Functions on semantic versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.fmt.printf import sprintf
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.go.regexp.pattern import compile as compile_pattern
from krmkit.libraries.spiff.functions.registry import FUNCTIONS, function
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info, fail_if
from krmkit.libraries.spiff.tree.nodes import type_name
from krmkit.libraries.versions import Constraints, Version


def _version(value: Any, name: str) -> Version:
    fail_if(type(value) is not str, f"{name} requires one string argument, but got {type_name(value)}")
    try:
        return Version.parse(value)
    except GoInputError as error:
        raise Failure(f"{name}: {quote(value)}: {error}") from None


# spiff's messages name semverprerelease here.
@function("semver", "semverprerelease requires one semver argument")
def semver(env: Env, text: Any) -> str:
    return str(_version(text, "semverprerelease"))


def _string(value: Any, name: str) -> str:
    if type(value) is not str:
        raise Failure(f"{name}: string argument required, but got {type_name(value)}")
    return value


def _part(part: str, put: Callable[[Version, Any], Version] | None = None) -> None:
    name = f"semver{part}"

    def found(args: list[Any], env: Env, info: Info) -> Any:
        if len(args) > 1 and put is not None:
            fail_if(len(args) > 2, f"{name} requires one semver argument and an optional value")
        elif len(args) != 1:
            raise Failure(f"{name} requires one semver argument")
        version = _version(args[0], name)
        if len(args) == 1 or put is None:
            if put is not _release:
                return getattr(version, part)
            return ("v" if args[0].startswith("v") else "") + _numbers(version)
        try:
            changed = str(put(version, _string(args[1], name)))
        except GoInputError as error:
            raise Failure(f"{name}: invalid {part} {quote(args[1])}: {error}") from None
        kept = args[1] if put is _release else args[0]
        return ("v" if kept.startswith("v") else "") + changed

    FUNCTIONS[name] = found


def _numbers(version: Version) -> str:
    return f"{version.major}.{version.minor}.{version.patch}"


def _release(version: Version, release: str) -> Version:
    numbers = Version.parse(_numbers(Version.parse(release)))
    return numbers.with_prerelease(version.prerelease).with_metadata(version.metadata)


def _increment(part: str, step: Callable[[Version], Version]) -> None:
    name = f"semverinc{part}"

    @function(name, f"{name} requires one semver argument")
    def incremented(env: Env, text: Any) -> str:
        version = _version(text, name)
        return ("v" if text.startswith("v") else "") + str(step(version))


@function("semvercmp", "semvercmp requires two arguments")
def semvercmp(env: Env, one: Any, other: Any) -> int:
    return _version(one, "semvercmp").compare(_version(other, "semvercmp"))


_SINGLE = compile_pattern(r"^\s*(=|!=|>=|=>|<=|=<|>|<|~>|~|\^)?\s*(v?[0-9][0-9A-Za-z.+-]*)\s*$")
_REASONS = {
    "": "is not equal to",
    "=": "is not equal to",
    "!=": "is equal to",
    ">": "is less than or equal to",
    "<": "is greater than or equal to",
    ">=": "is less than",
    "=>": "is less than",
    "<=": "is greater than",
    "=<": "is greater than",
}


def _reason(version: Version, constraint: str) -> str:
    reasons = []
    for part in constraint.replace(",", " ").split():
        found = _SINGLE.search(part)
        if found is None:
            return f"{version} does not match {constraint}"
        if version.prerelease and not Constraints.parse(part).names_prerelease():
            reasons.append(
                f"{version} is a prerelease version and the constraint is only looking for release versions"
            )
            continue
        if Constraints.parse(part).check(version):
            continue
        sign, bound = found.group(1) or "", found.group(2) or ""
        words = _REASONS.get(sign)
        if words is None:
            lower = Version.parse(bound)
            if version < lower:
                words = "is less than"
            elif version.major != lower.major or sign == "^":
                words = "does not have same major version as"
            else:
                words = "does not have same major and minor version as"
        reasons.append(f"{version} {words} {bound}")
    return " ".join(reasons) or f"{version} does not match {constraint}"


def matches(args: list[Any], name: str = "semvermatch") -> tuple[bool, str]:
    """Return True if a version satisfies all constraints, else False and the reason."""
    version = _version(args[0], name)
    for number, constraint in enumerate(args[1:]):
        texts = [node.value for node in constraint] if type(constraint) is list else [constraint]
        for text in texts:
            try:
                fits = Constraints.parse(_string(text, name)).check(version)
            except GoInputError as error:
                raise Failure(f"{name}: invalid constraint {quote(text)}[{number}]: {error}") from None
            if not fits:
                return False, _reason(version, text)
    return True, ""


def semvermatch(args: list[Any], env: Env, info: Info) -> Any:
    fail_if(not args, "semvermatch requires at least one argument")
    return matches(args)[0]


def semvervalidate(args: list[Any], env: Env, info: Info) -> Any:
    """Return the version if it is valid and satisfies all constraints."""
    name = "semvervalidate"
    fail_if(not args, f"{name} requires at least one arguments")
    shown = quote(args[0]) if type(args[0]) is str else sprintf("%q", args[0])
    try:
        fits, reason = matches(args, name)
    except Failure as failure:
        raise Failure(f"{name}: {shown}: {failure.issue.text}") from None
    fail_if(not fits, f"{name}: {shown}: [{reason}]")
    return args[0]


def semversort(args: list[Any], env: Env, info: Info) -> Any:
    values = [node.value for node in args[0]] if len(args) == 1 and type(args[0]) is list else args
    versions = [(_version(value, "semvercmp"), value) for value in values]
    ordered = sorted(versions, key=lambda one: one[0].precedence())
    return [env.node(value) for _, value in ordered]


FUNCTIONS.update(semvermatch=semvermatch, semversort=semversort, semvervalidate=semvervalidate)
_increment("major", Version.inc_major)
_increment("minor", Version.inc_minor)
_increment("patch", Version.inc_patch)
_part("major")
_part("minor")
_part("patch")
_part("metadata", Version.with_metadata)
_part("prerelease", Version.with_prerelease)
_part("release", _release)
