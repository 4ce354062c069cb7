"""The table of functions, their registration and their calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from krmkit.libraries.messages.extras import how
from krmkit.libraries.spiff.expressions.literals import Undefined
from krmkit.libraries.spiff.expressions.output import data
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import NOTHING, Failure, Info, Result
from krmkit.libraries.spiff.tree.nodes import Node, type_name
from krmkit.libraries.spiff.tree.randomness import Chance
from krmkit.libraries.spiff.tree.reading import from_data

MODULES: dict[str, str] = {
    name: module
    for module, names in (
        ("strings", "join split trim lower upper substr length base64 base64_decode format error"),
        ("regexps", "match split_match replace replace_match"),
        ("lists", "uniq element compact contains index lastindex intersect reverse sort"),
        ("maps", "keys makemap list_to_map merge deepmerge"),
        ("conversions", "bool integer float string type features eval tagdef"),
        (
            "numbers",
            "floor ceil round roundtoeven abs sin cos sinh cosh asin acos asinh acosh sqrt exp log log10",
        ),
        ("net.ips", "min_ip max_ip num_ip contains_ip ipset static_ips"),
        (
            "semvers",
            "semver semverrelease semvermajor semverminor semverpatch semverprerelease semvermetadata",
        ),
        (
            "semvers",
            "semvercmp semvermatch semversort semvervalidate semverincmajor semverincminor semverincpatch",
        ),
        ("documents", "asjson asyaml asjcs parse"),
        ("validation", "validate check"),
        ("crypto.hashes", "md5 hash"),
        ("crypto.passwords", "md5crypt md5crypt_check bcrypt bcrypt_check"),
        ("crypto.encryption", "decrypt encrypt"),
        ("crypto.keys", "x509genkey x509publickey wggenkey wgpublickey"),
        ("environment", "env rand"),
        ("archives", "archive"),
        ("net.urls", "basename dirname parseurl"),
        ("files", "read read_uncached lookup_file lookup_dir list_files list_dirs"),
        ("files", "exec exec_uncached pipe pipe_uncached write tempfile mkdir x509cert x509parsecert"),
    )
    for name in names.split()
}
"""The module of each function."""


@dataclass(frozen=True, slots=True)
class With:
    """A value with its Info."""

    value: Any
    info: Info


Function = Callable[[list[Any], Env, Info], Any]
"""A function of dynaml, which returns its value for arguments, or a `With`."""
FUNCTIONS: dict[str, Function] = {}
"""The functions of the loaded modules."""
PENDING = Undefined()
"""The value of a function that waits for another value."""
_KINDS = {"str": str, "str | None": str, "int": int, "int | None": int, "list": list, "dict": dict}


def text_of(what: str, value: Any) -> str:
    """Return `value`, which must be a text; `what` names it in the error."""
    if type(value) is not str:
        raise Failure(f"{what} requires string, but got {type_name(value)}")
    return value


def function(names: str, count: str, **kinds: str) -> Callable[[Callable[..., Any]], Function]:
    """Register a function under its names; its parameters are the environment and the arguments.

    count: the message for a wrong number of arguments. kinds: the message for an argument that is not of the
    annotated type (str, int, list, dict), by parameter, in the order of the checks.
    """

    def register(work: Callable[..., Any]) -> Function:
        parameters = work.__code__.co_varnames[1 : work.__code__.co_argcount]
        least = len(parameters) - len(work.__defaults__ or ())
        checks = [
            (parameters.index(name), _KINDS[work.__annotations__[name].split("[")[0]], text)
            for name, text in kinds.items()
        ]

        def checked(args: list[Any], env: Env, info: Info) -> Any:
            if not least <= len(args) <= len(parameters):
                raise Failure(count)
            for at, kind, text in checks:
                if at < len(args) and type(args[at]) is not kind:
                    raise Failure(text)
            return work(env, *args)

        FUNCTIONS.update(dict.fromkeys(names.split(), checked))
        return checked

    return register


def call(name: str, args: list[Any], env: Env, info: Info) -> Result:
    """Call a function; `info` is its arguments' info."""
    module = MODULES.get(name)
    if module is None:
        raise Failure(f"unknown function '{name}'")
    env.run.step()
    import_module(f"krmkit.libraries.spiff.functions.{module}")
    value = FUNCTIONS[name](args, env, info)
    if type(value) is With:
        return value.value, value.info
    return value, NOTHING


def call_with(registered: Mapping[str, Callable[..., Any]]) -> Callable[..., Result]:
    """Return a `call` with more functions, which take and return plain data and fail by ValueError."""

    def lookup(name: str, args: list[Any], env: Env, info: Info) -> Result:
        function = registered.get(name)
        if function is None:
            return call(name, args, env, info)
        env.run.step()
        plain = [data(Node(value, env.source), env.run) for value in args]
        try:
            return from_data(function(*plain), env.source).value, NOTHING
        except ValueError as error:
            raise Failure(str(error)) from None
        except TypeError:
            raise Failure(f"{name}: wrong number of arguments, got {len(args)}") from None

    return lookup


@contextmanager
def needed(package: str, name: str) -> Iterator[None]:
    """Turn the ImportError of a function's package into a Failure that names the extra."""
    try:
        yield
    except ImportError:
        raise Failure(
            f"{name}: needs the package {package}, which is not installed: {how('spiff')}"
        ) from None


def chance(name: str, env: Env) -> Chance:
    """Return the chance of the run. Raises Failure if it has none."""
    found = env.run.chance
    if found is None:
        raise Failure(
            f"{name}: not supported: the result would differ from run to run; a seed makes it repeatable"
        )
    return found
