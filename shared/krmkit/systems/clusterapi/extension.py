"""Runtime extensions of Cluster API in Python: a class for the extension, decorators for its hooks.

    from dataclasses import dataclass
    from krmkit.systems.clusterapi.extension import Extension, Templates

    extension = Extension("registries")

    @dataclass
    class Mirror:
        host: str
        insecure: bool = False

    @extension.generate_patches("generate-patches-mirror")
    def patch(templates: Templates) -> None:
        for template in templates.of("DevClusterTemplate"):
            mirror = template.variable("mirror", Mirror)
            template.object["spec"]["template"]["spec"]["mirror"] = mirror.host

    @extension.validate_topology("validate-topology-mirror")
    def check(templates: Templates) -> None:
        for template in templates.of("DevClusterTemplate"):
            if template.variable("mirror", Mirror).insecure:
                templates.refuse(template, "insecure mirrors are not allowed")

    @extension.discover_variables("discover-variables-mirror")
    def variables(settings: dict[str, str]) -> list[dict[str, object]]:
        return [{"name": "mirror", "required": True, "schema": {"openAPIV3Schema": {"type": "object"}}}]

`krmkit serve topology-extension --module my_extension` serves it, `krmkit topology check-extension --module
my_extension` tests it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import partial
from types import NoneType, UnionType
from typing import Any, Literal, TypedDict, TypeVar, Union, Unpack, get_args, get_origin, get_type_hints

from krmkit.libraries.json import Object
from krmkit.libraries.json.diff import diff
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.clusterapi.hooks.messages import HookError, described, failure, read_request, response
from krmkit.systems.clusterapi.hooks.patching import values_of
from krmkit.systems.clusterapi.model.extensions import (
    DISCOVER_VARIABLES,
    GENERATE_PATCHES,
    HOOKS_VERSION,
    JSON_PATCH,
    VALIDATE_TOPOLOGY,
)
from krmkit.systems.clusterapi.patches.request import RequestItem

Walk = Callable[["Templates"], None]
Discover = Callable[[dict[str, str]], list[Object]]

__all__ = ["Extension", "HookError", "Template", "Templates"]
_T = TypeVar("_T")
_F = TypeVar("_F")
_JSON_NAMES = {
    str: "a text",
    bool: "true or false",
    int: "an integer",
    float: "a number",
    list: "a list",
    dict: "a map",
}
_NOTHING: Any = object()


class HandlerOptions(TypedDict, total=False):
    """Options of a handler in discovery: seconds up to 30 (0: ten), and the policy for a failed call."""

    timeoutSeconds: int
    failurePolicy: Literal["Fail", "Ignore"]


class Template:
    """One template of a request. `object` is a copy: change it, and the difference becomes the patch.

    `holder` is the holderReference, `variables` the Cluster's variables below those of the template, by name.
    """

    def __init__(self, item: RequestItem, variables: Object) -> None:
        self._item = item
        self.holder = item.holder
        self.object: Object = deepcopy(item.object)
        self.variables = variables

    @property
    def kind(self) -> str:
        """Return the kind of the template: `DevMachineTemplate`."""
        return str(self.object.get("kind", ""))

    @property
    def api_version(self) -> str:
        """Return the apiVersion of the template, as the class refers to it."""
        return str(self.object.get("apiVersion", ""))

    def variable(self, path: str, of: type[_T], default: Any = _NOTHING) -> _T:
        """Return the value at a path such as `builtin.cluster.name`, as a dataclass or a plain type.

        Raises HookError if it is missing and no default is given, or if it has another type.
        """
        value: Any = self.variables
        for part in path.split("."):
            value = value.get(part, _NOTHING) if isinstance(value, dict) else _NOTHING
        if value is _NOTHING:
            if default is not _NOTHING:
                found: _T = default
                return found
            raise HookError(
                f"{described(self._item)}: variable {path} is not set{did_you_mean(path, self.variables)}"
            )
        return self._decoded(value, of, f"variable {path}")

    def decode(self, of: type[_T], *path: str) -> _T:
        """Return the part of the template at a path, as a dataclass or a plain type. Raises HookError."""
        value: Any = self.object
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        return self._decoded(value, of, ".".join(path))

    def _decoded(self, value: Any, of: type[_T], where: str) -> _T:
        try:
            found: _T = decoded(value, of, where)
        except HookError as error:
            raise HookError(f"{described(self._item)}: {error}") from None
        return found

    def describe(self) -> str:
        return described(self._item)

    def patch(self) -> Object:
        """Return the response's item, with the difference as a JSON patch."""
        return {"uid": self._item.uid, "patchType": JSON_PATCH, "patch": diff(self._item.object, self.object)}


class Templates:
    """The templates of one request, in the request's order, and the handler's settings."""

    def __init__(self, request: Object) -> None:
        asked = read_request(request)
        self.settings: dict[str, str] = mapping(request, "settings")
        self._all = [
            Template(item, values) for item, values in zip(asked.items, values_of(asked, None), strict=True)
        ]
        self.refusals: list[str] = []

    def __iter__(self) -> Iterator[Template]:
        return iter(self._all)

    def of(self, kind: str, *api_versions: str) -> list[Template]:
        """Return the templates of a kind, of the given apiVersions or of any."""
        return [
            one
            for one in self._all
            if one.kind == kind and (not api_versions or one.api_version in api_versions)
        ]

    def refuse(self, template: Template, message: str) -> None:
        """Refuse a template with a message; all refusals are reported at once."""
        self.refusals.append(f"{template.describe()}: {message}")


@dataclass(slots=True, eq=False)
class Extension:
    """An extension with handlers; `name` is the name of its ExtensionConfig."""

    name: str
    _handlers: dict[tuple[str, str], Callable[[Object], Object]] = field(default_factory=dict, init=False)
    _listed: list[Object] = field(default_factory=list, init=False)

    def generate_patches(self, name: str, **options: Unpack[HandlerOptions]) -> Callable[[Walk], Walk]:
        """Add a handler that changes templates. Raises TypeError for an unknown option."""

        def handler(walk: Walk, request: Object) -> Object:
            return response(GENERATE_PATCHES, items=[one.patch() for one in _walked(walk, request)])

        return self._adding(GENERATE_PATCHES, name, options, handler)

    def validate_topology(self, name: str, **options: Unpack[HandlerOptions]) -> Callable[[Walk], Walk]:
        """Add a handler that refuses templates. Raises TypeError as generate_patches does."""

        def handler(walk: Walk, request: Object) -> Object:
            _walked(walk, request)
            return response(VALIDATE_TOPOLOGY)

        return self._adding(VALIDATE_TOPOLOGY, name, options, handler)

    def discover_variables(
        self, name: str, **options: Unpack[HandlerOptions]
    ) -> Callable[[Discover], Discover]:
        """Add a handler that defines variables as a ClusterClass v1beta2 does. Raises TypeError."""

        def handler(discover: Discover, request: Object) -> Object:
            return response(DISCOVER_VARIABLES, variables=discover(mapping(request, "settings")))

        return self._adding(DISCOVER_VARIABLES, name, options, handler)

    def _adding(
        self, hook: str, name: str, options: HandlerOptions, handler: Callable[[_F, Object], Object]
    ) -> Callable[[_F], _F]:
        """Return the decorator that adds a handler for the decorated function."""
        known = list(HandlerOptions.__annotations__)
        for option in options:
            if option not in known:
                raise TypeError(f"unknown option {option}{did_you_mean(option, known)}")

        def add(function: _F) -> _F:
            if any(one["name"] == name for one in self._listed):
                raise ValueError(f"the handler {name} is there twice; names of handlers must be unique")
            self._handlers[hook, name] = partial(handler, function)
            asked = {"apiVersion": HOOKS_VERSION, "hook": hook}
            self._listed.append({"name": name, "requestHook": asked, **options})
            return function

        return add

    def discovery(self) -> Object:
        return response("Discovery", handlers=list(self._listed))

    def answer(self, hook: str, handler: str, request: Object) -> Object:
        """Return the response of a hook; a HookError becomes a failure."""
        known = self._handlers.get((hook, handler))
        if known is None:
            return failure(hook, f'extension {self.name} has no handler "{handler}" for {hook}')
        try:
            return known(request)
        except HookError as error:
            return failure(hook, str(error))


def _walked(walk: Walk, request: Object) -> Templates:
    """Run a handler over the templates of a request. Raises HookError with all refusals."""
    templates = Templates(request)
    walk(templates)
    if templates.refusals:
        # The order of the items has no meaning, so it must not change the message.
        raise HookError("; ".join(sorted(set(templates.refusals))))
    return templates


def decoded(value: Any, of: Any, where: str) -> Any:
    """Decode data into a dataclass, `list[T]`, `dict[str, T]`, `T | U` or a plain type. Raises HookError.

    >>> decoded(["a"], list[str], "names")
    ['a']
    """
    if of is Any or of is object:
        return value
    origin = get_origin(of)
    if origin in (Union, UnionType):
        return _alternative(value, get_args(of), where)
    if is_dataclass(of):
        return _dataclass(value, of, where)
    plain = origin or of
    right = isinstance(value, plain) and not (isinstance(value, bool) and plain is not bool)
    if not right and not (plain is float and isinstance(value, int) and not isinstance(value, bool)):
        raise HookError(f"{where} must be {_JSON_NAMES.get(plain, plain)}, got {type(value).__name__}")
    inner = get_args(of)
    if plain is list and inner:
        return [decoded(one, inner[0], f"{where}[{index}]") for index, one in enumerate(value)]
    if plain is dict and inner:
        return {key: decoded(one, inner[1], f"{where}.{key}") for key, one in value.items()}
    return value


def _alternative(value: Any, kinds: tuple[Any, ...], where: str) -> Any:
    """Decode a value as the first of several types that accepts it: "50%" of (int, str) is "50%"."""
    if value is None and NoneType in kinds:
        return None
    problems = []
    for kind in kinds:
        if kind is not NoneType:
            try:
                return decoded(value, kind, where)
            except HookError as error:
                problems.append(str(error))
    raise HookError("; or ".join(problems))


def _dataclass(value: Any, of: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise HookError(f"{where} must be a map, got {type(value).__name__}")
    hints = get_type_hints(of)
    known = {one.name: one for one in fields(of)}
    for name in value:
        if name not in known:
            raise HookError(f"{where}.{name} is unknown{did_you_mean(name, known)}")
    found = {}
    for name, one in known.items():
        if name in value:
            found[name] = decoded(value[name], hints[name], f"{where}.{name}")
        elif one.default is MISSING and one.default_factory is MISSING:
            raise HookError(f"{where}.{name} is not set")
    return of(**found)
