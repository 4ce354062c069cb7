"""Functions on semantic versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from krmkit.lang.pattern import compile as compile_pattern
from krmkit.lang.semver import Version, VersionError
from krmkit.lang.semverconstraints import ConstraintError, Constraints
from krmkit.lang.spiff.environment import Env
from krmkit.lang.spiff.errors import Failure, Info
from krmkit.lang.spiff.nodes import type_name


def _version(value: Any, name: str) -> Version:
    if type(value) is not str:
        raise Failure(f"{name}: string argument required, but got {type_name(value)}")
    try:
        return Version.parse(value)
    except VersionError as error:
        raise Failure(f'{name}: "{value}": {error}') from None


def _counted(args: list[Any], least: int, most: int, name: str) -> None:
    if not least <= len(args) <= most:
        raise Failure(
            f"{name} requires {least} to {most} arguments"
            if most > least
            else f"{name} requires one argument"
        )


def semver(args: list[Any], env: Env, info: Info) -> Any:
    _counted(args, 1, 3, "semver")
    version = _version(args[0], "semver")
    try:
        if len(args) > 1:
            version = version.with_prerelease(_string(args[1], "semver"))
        if len(args) > 2:
            version = version.with_metadata(_string(args[2], "semver"))
    except VersionError as error:
        raise Failure(f"semver: {error}") from None
    return str(version)


def _string(value: Any, name: str) -> str:
    if type(value) is not str:
        raise Failure(f"{name}: string argument required, but got {type_name(value)}")
    return value


def _part(
    name: str, get: Callable[[Version], Any], put: Callable[[Version, Any], Version]
) -> Callable[..., Any]:
    def part(args: list[Any], env: Env, info: Info) -> Any:
        _counted(args, 1, 2, name)
        version = _version(args[0], name)
        if len(args) == 1:
            found = get(version)
            return "v" + found if put is _release and args[0].startswith("v") else found
        try:
            changed = str(put(version, args[1]))
            kept = args[1] if put is _release else args[0]
            return ("v" if kept.startswith("v") else "") + changed
        except VersionError as error:
            raise Failure(f"{name}: {error}") from None

    return part


def _number(value: Any) -> int:
    if type(value) is str and value.isdigit() and value.isascii():
        return int(value)
    if type(value) is not int or value < 0:
        raise Failure(f"number argument required, but got {type_name(value)}")
    return value


def _release(version: Version, value: Any) -> Version:
    release = _version(value, "semverrelease")
    return _made(release.major, release.minor, release.patch, version.prerelease, version.metadata)


def _made(major: int, minor: int, patch: int, prerelease: str, metadata: str) -> Version:
    text = f"{major}.{minor}.{patch}"
    return Version.parse(
        text + (f"-{prerelease}" if prerelease else "") + (f"+{metadata}" if metadata else "")
    )


def _increment(name: str, step: Callable[[Version], Version]) -> Callable[..., Any]:
    def incremented(args: list[Any], env: Env, info: Info) -> Any:
        _counted(args, 1, 1, name)
        version = _version(args[0], name)
        return ("v" if args[0].startswith("v") else "") + str(step(version))

    return incremented


def semvercmp(args: list[Any], env: Env, info: Info) -> Any:
    if len(args) != 2:
        raise Failure("semvercmp requires two arguments")
    return _version(args[0], "semvercmp").compare(_version(args[1], "semvercmp"))


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
    """Why a version does not fit a constraint."""
    reasons = []
    for part in constraint.replace(",", " ").split():
        found = _SINGLE.search(part)
        if found is None:
            return f"{version} does not match {constraint}"
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
    """Whether a version fits all constraints, and why it does not."""
    version = _version(args[0], name)
    for constraint in args[1:]:
        texts = [node.value for node in constraint] if type(constraint) is list else [constraint]
        for text in texts:
            try:
                fits = Constraints.parse(_string(text, name)).check(version)
            except ConstraintError as error:
                raise Failure(f"{name}: {error}") from None
            if not fits:
                return False, _reason(version, text)
    return True, ""


def semvermatch(args: list[Any], env: Env, info: Info) -> Any:
    if not args:
        raise Failure("semvermatch requires at least one argument")
    return matches(args)[0]


def semversort(args: list[Any], env: Env, info: Info) -> Any:
    values = [node.value for node in args[0]] if len(args) == 1 and type(args[0]) is list else args
    versions = [(_version(value, "semversort"), value) for value in values]
    ordered = sorted(versions, key=lambda one: one[0].precedence())
    return [env.node(value) for _, value in ordered]


FUNCTIONS = {
    "semver": semver,
    "semvercmp": semvercmp,
    "semverincmajor": _increment("semverincmajor", Version.inc_major),
    "semverincminor": _increment("semverincminor", Version.inc_minor),
    "semverincpatch": _increment("semverincpatch", Version.inc_patch),
    "semvermajor": _part(
        "semvermajor",
        lambda v: v.major,
        lambda v, n: _made(_number(n), v.minor, v.patch, v.prerelease, v.metadata),
    ),
    "semvermatch": semvermatch,
    "semvermetadata": _part(
        "semvermetadata", lambda v: v.metadata, lambda v, t: v.with_metadata(_string(t, "semvermetadata"))
    ),
    "semverminor": _part(
        "semverminor",
        lambda v: v.minor,
        lambda v, n: _made(v.major, _number(n), v.patch, v.prerelease, v.metadata),
    ),
    "semverpatch": _part(
        "semverpatch",
        lambda v: v.patch,
        lambda v, n: _made(v.major, v.minor, _number(n), v.prerelease, v.metadata),
    ),
    "semverprerelease": _part(
        "semverprerelease",
        lambda v: v.prerelease,
        lambda v, t: v.with_prerelease(_string(t, "semverprerelease")),
    ),
    "semverrelease": _part("semverrelease", lambda v: f"{v.major}.{v.minor}.{v.patch}", _release),
    "semversort": semversort,
}
