"""Run GoTemplate executors: text/template with sprig and the functions that Landscaper adds."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from krmkit.libraries.go.core.functions import GoFunction
from krmkit.libraries.go.core.values import ByteList, GoObject, StringList, Uint8
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.json.data import from_json
from krmkit.libraries.go.time.durations import SECOND, format_duration
from krmkit.libraries.go.time.values import Time
from krmkit.libraries.gotemplate import OutputPart, TemplateError, function_set, parse, parts
from krmkit.libraries.messages.nearest import nearest
from krmkit.libraries.schema.fields import entries, mapping, text
from krmkit.systems.landscaper.blueprint.files import single_file
from krmkit.systems.landscaper.components.descriptors import V3, Component, Data, decode, select
from krmkit.systems.landscaper.components.images import parse_oci_ref
from krmkit.systems.landscaper.components.schemarefs import SCHEME, resolve_uri
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.templates.context import NOW_FIELD, TemplateContext
from krmkit.systems.landscaper.yaml import load

_INCLUDES = 100
_OPTIONS = ("missingkey=zero",)
REFUSED = (
    "getShootAdminKubeconfig",
    "getShootAdminKubeconfigWithExpirationTimestamp",
    "getServiceAccountKubeconfig",
    "getServiceAccountKubeconfigWithExpirationTimestamp",
    "getOidcKubeconfig",
)
_GONE = {
    "resolve": "getResourceContent reads the content of a resource",
    "getOriginalName": "the name of a target is .metadata.name",
}


class InstallationTemplates:
    """The functions of an installation's templates, and the current depth of included files."""

    def __init__(self, templater: TemplateContext) -> None:
        self.templater = templater
        self.depth = 0
        self.functions = {**function_set("landscaper"), **clock(templater.now), **self.own()}

    def render(self, source: str, values: object) -> str:
        try:
            template = parse(source, name="execution", functions=self.functions, options=_OPTIONS)
            return template.execute(values)
        except TemplateError as error:
            raise InstallationError("template", _with_right_word(error.message, self.functions)) from None

    def parts(self, source: str, values: object) -> tuple[str, list[OutputPart]]:
        """Return the output of a text, and its parts. Raises TemplateError."""
        return parts(source, values, self.functions, _OPTIONS)

    def own(self) -> dict[str, GoFunction]:
        """Return the functions that Landscaper adds to sprig's."""
        lookup = Lookup(self.templater)
        return {
            "readFile": GoFunction(self.read_file, ("string",), result="[]uint8"),
            "readDir": GoFunction(self.read_dir, ("string",)),
            "include": GoFunction(self.include, ("string", "any"), result="string"),
            "parseOCIRef": GoFunction(_parse_ref, ("string",), result="[]string"),
            "ociRefRepo": GoFunction(lambda ref: _parse_ref(ref)[0], ("string",), result="string"),
            "ociRefVersion": GoFunction(lambda ref: _parse_ref(ref)[1], ("string",), result="string"),
            "getResource": GoFunction(
                _json(lambda *args: lookup.resources(args)[0]), ("any",), variadic=True, result="map"
            ),
            "getResources": GoFunction(_json(lambda *args: lookup.resources(args)), ("any",), variadic=True),
            "getComponent": GoFunction(
                _json(lambda *args: lookup.component(args)), ("any",), variadic=True, result="map"
            ),
            "getRepositoryContext": GoFunction(_json(_repository_context), ("any",), result="map"),
            "getResourceKey": GoFunction(lookup.resource_key, ("any",), variadic=True, result="string"),
            "getResourceContent": GoFunction(
                lookup.resource_content, ("any",), variadic=True, result="string"
            ),
            **{name: GoFunction(refuse(name), ("any",), variadic=True) for name in REFUSED},
        }

    def read_file(self, path: str) -> ByteList:
        """Return the bytes of a file of the blueprint (readFile)."""
        with _missing(path):
            return ByteList(map(Uint8, self.templater.blueprint.files.data(path)))

    def read_dir(self, path: str) -> list[object]:
        """Return the files of a folder (readDir)."""
        with _missing(path):
            return [FileInfo(name, folder) for name, folder in self.templater.blueprint.files.entries(path)]

    def include(self, path: str, binding: object) -> str:
        """Render another file of the blueprint as a template (include)."""
        if self.depth >= _INCLUDES:
            raise GoError(f"include: files include each other more than {_INCLUDES} deep")
        with _missing(path):
            source = self.templater.blueprint.files.text(path)
        self.depth += 1
        try:
            return parse(source, name=path, functions=self.functions, options=_OPTIONS).execute(binding)
        except TemplateError as error:
            raise GoError(error.message) from None
        finally:
            self.depth -= 1


@contextmanager
def _missing(path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise GoError(f"{error}: {path}") from None


def clock(now: float | None) -> dict[str, GoFunction]:
    """Return the functions now and ago for a time in seconds since 1970.

    Without a time they fail, with a hint.
    """

    def present() -> Time:
        if now is None:
            raise GoError(f"it is the current time, and there is no clock: set {NOW_FIELD} of the config")
        return Time(int(now))

    def ago(date: object) -> str:
        since = date.unix if isinstance(date, Time) else date if isinstance(date, int) else present().unix
        return format_duration((present().unix - since) * SECOND)

    return {"now": GoFunction(present, result="time"), "ago": GoFunction(ago, ("any",), result="string")}


@dataclass(frozen=True, slots=True)
class FileInfo(GoObject):
    """An entry of a folder, in the form of readDir."""

    name: str
    folder: bool
    go_type = "fs.FileInfo"
    go_methods = {
        "Name": GoFunction(lambda one: one.name, result="string"),
        "IsDir": GoFunction(lambda one: one.folder, result="bool"),
    }

    def go_string(self) -> str:
        """Return the text that %v prints."""
        return self.name


@dataclass(frozen=True, slots=True)
class Lookup:
    """Look up members of descriptors by pairs of key and value, for template functions and for spiff."""

    templater: TemplateContext

    def resources(self, args: tuple[object, ...]) -> list[Data]:
        """Return the resources that all pairs select; an error without any."""
        component, wanted = self.arguments(args, "resource")
        return _selected(component.resources, wanted)

    def component(self, args: tuple[object, ...]) -> Data:
        """Return the descriptor of the first component reference that all pairs select."""
        component, wanted = self.arguments(args, "component")
        reference = _selected(component.references, wanted)[0]
        name, version = text(reference.get("componentName")), text(reference.get("version"))
        for one in self.templater.components:
            if (one.name, one.version) == (name, version):
                return one.shown(self.templater.schema_version)
        raise GoError(f"unable to resolve component {text(reference.get('name'))}:{version}")

    def arguments(self, args: tuple[object, ...], title: str) -> tuple[Component, dict[str, str]]:
        """Return the component (given, else the installation's) and the wanted attributes."""
        component = self.templater.component
        if component is None:
            raise GoError(f"Unable to search for a {title} as no ComponentDescriptor is defined.")
        if len(args) < 2:
            raise GoError("at least 2 arguments are expected")
        if isinstance(args[0], dict):
            component = _decode(args[0])
            args = args[1:]
        if len(args) % 2:
            raise GoError("odd number of key value pairs")
        for index, value in enumerate(args):
            if not isinstance(value, str):
                raise GoError(f"expect argument {index} to be a string")
        return component, {str(args[index]): str(args[index + 1]) for index in range(0, len(args), 2)}

    def resource_key(self, *args: object) -> str:
        """Return a resource's global identity: base64 of YAML with component and own identity."""
        from krmkit.libraries.go.yaml import to_yaml

        owner, resource = self.referenced(args)
        identity = {"name": text(resource.get("name")), **mapping(resource.get("extraIdentity"))}
        key: Data = {"component": {"name": owner.name, "version": owner.version}, "resource": identity}
        return b64encode((to_yaml(key) + "\n").encode()).decode()

    def resource_content(self, *args: object) -> str:
        """Return the text of a resource (getResourceContent)."""
        owner, resource = self.referenced(args)
        content = single_file(self.templater.repository.content(owner, resource))
        if content is None:
            raise GoError(f"the content of resource {text(resource.get('name'))} is not among the items")
        return content.decode("utf-8", "surrogateescape") if isinstance(content, bytes) else content

    def referenced(self, args: tuple[object, ...]) -> tuple[Component, Data]:
        """Return the resource of a cd URI, or of OCM's {resource: identity, referencePath: [identities]}."""
        component = self.templater.component
        if component is None:
            raise GoError("Unable to search for a resource as no ComponentDescriptor is defined.")
        if len(args) != 1 or not isinstance(args[0], str):
            raise GoError("expects exactly one argument, a reference or a cd URI")
        try:
            if args[0].startswith(SCHEME):
                return resolve_uri(self.templater.repository, component, args[0])
            data = mapping(load(args[0]))
            for step in entries(data.get("referencePath")):
                found = next((one for one in component.references if _matches(one, step)), None)
                if found is None:
                    raise GoError(f"component reference {text(step.get('name'))} cannot be found")
                component = self.templater.repository.referenced(found)
        except InstallationError as error:
            raise GoError(error.message) from None
        wanted = mapping(data.get("resource"))
        resource = next((one for one in component.resources if _matches(one, wanted)), None)
        if not wanted or resource is None:
            raise GoError(f"resource {text(wanted.get('name'))} cannot be found")
        return component, resource


def _matches(member: Data, identity: Data) -> bool:
    known = {**{key: member.get(key) for key in ("name", "version")}, **mapping(member.get("extraIdentity"))}
    return all(known.get(key) == value for key, value in identity.items())


def _decode(data: dict[str, object]) -> Component:
    try:
        return decode(data)
    except InstallationError as error:
        raise GoError(f"invalid component descriptor: {error.message}") from None


def _selected(members: list[Data], wanted: dict[str, str]) -> list[Data]:
    found = select(members, wanted)
    if not found:
        near = nearest(wanted.get("name", ""), [text(one.get("name")) for one in members])
        hint = f'; did you mean "{near}"?' if near and near != wanted.get("name") else ""
        raise GoError("not found" + hint)
    return found


def _repository_context(descriptor: object) -> object:
    if descriptor is None:
        raise GoError("Unable to get effective component descriptor as no ComponentDescriptor is defined.")
    if not isinstance(descriptor, dict):
        raise GoError("invalid component descriptor")
    if descriptor.get("apiVersion") == V3:
        contexts = entries(descriptor.get("repositoryContexts"))
    else:
        contexts = entries(mapping(descriptor.get("component")).get("repositoryContexts"))
    return contexts[-1] if contexts else None


def _json(function: Callable[..., object]) -> Callable[..., object]:
    """Wrap a function so that its result is what Go decodes from its JSON."""
    return lambda *args: from_json(function(*args))


def _parse_ref(ref: str) -> StringList:
    return StringList(parse_oci_ref(ref))


def refuse(name: str) -> Callable[..., object]:
    def call(*args: object) -> object:
        raise GoError(f"{name} needs a cluster, and is refused here")

    return call


def _with_right_word(message: str, functions: dict[str, GoFunction]) -> str:
    """Add the nearest known function to a message about an unknown function."""
    _, found, rest = message.partition('function "')
    name, _, after = rest.partition('"')
    if not found or after != " not defined":
        return message
    if name in _GONE:
        return f"{message}; {_GONE[name]}"
    near = nearest(name, functions)
    return f'{message}; did you mean "{near}"?' if near else message


def check(source: str) -> None:
    """Raise InstallationError (template) for a template that does not parse."""
    functions = {
        **function_set("landscaper"),
        **dict.fromkeys(_OWN, GoFunction(lambda *args: None, ("any",), variadic=True)),
    }
    try:
        parse(source, name="execution", functions=functions, options=_OPTIONS)
    except TemplateError as error:
        raise InstallationError("template", _with_right_word(error.message, functions)) from None


_OWN = (
    "readFile", "readDir", "include", "parseOCIRef", "ociRefRepo", "ociRefVersion", "getResource", "getResources", "getComponent",
    "getRepositoryContext", "getResourceKey", "getResourceContent", *REFUSED,
)  # fmt: skip
