"""Answer hooks by a TopologyExtension, a runtime extension as data, read and checked once.

An answer depends on the request alone. A refusal is an answer with status Failure, not an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from krmkit.krm.cause import Cause, PathCauses
from krmkit.libraries.cel.kubernetes.environment import KubeEnvironment
from krmkit.libraries.json import Object
from krmkit.libraries.json.diff import diff
from krmkit.libraries.kube.names import is_dns1123_label, is_dns1123_subdomain
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import entries, find
from krmkit.libraries.schema.openapi import read_schema
from krmkit.libraries.schema.violations import validate
from krmkit.systems.clusterapi.api.roles import NO_ROLE
from krmkit.systems.clusterapi.hooks.extensioncauses import ExtensionRecorder, ExtensionSource
from krmkit.systems.clusterapi.hooks.extensionschema import API_VERSION, schema
from krmkit.systems.clusterapi.hooks.inputvalidation import ExtensionSettings, InputChecks
from krmkit.systems.clusterapi.hooks.messages import HookError, described, failure, read_request, response
from krmkit.systems.clusterapi.hooks.patching import SETTINGS, ExtensionPatch, values_of
from krmkit.systems.clusterapi.hooks.patchproblems import Unmatched, patch_problems, unmatched_message
from krmkit.systems.clusterapi.hooks.secrets import SensitiveValues
from krmkit.systems.clusterapi.hooks.validating import Validations
from krmkit.systems.clusterapi.model.extensions import (
    DISCOVER_VARIABLES,
    GENERATE_PATCHES,
    HOOKS_VERSION,
    JSON_PATCH,
    VALIDATE_TOPOLOGY,
)
from krmkit.systems.clusterapi.patches.apply import Patched
from krmkit.systems.clusterapi.patches.request import Request, RequestItem
from krmkit.systems.clusterapi.patches.values import Variables
from krmkit.systems.clusterapi.variables.definitionvalidation import validate_class_variables

PREFIXES = {
    GENERATE_PATCHES: "generate-patches-",
    VALIDATE_TOPOLOGY: "validate-topology-",
    DISCOVER_VARIABLES: "discover-variables-",
}
_PARTS = {GENERATE_PATCHES: "patches", VALIDATE_TOPOLOGY: "validations", DISCOVER_VARIABLES: "variables"}
_ROOT = ("apiVersion", "kind", "metadata", "spec")
_SENSITIVE = "value of the sensitive variable"


class TopologyExtension:
    """The handlers of one item. `problems`: (field, message) of errors; with any, it answers nothing.

    >>> variable = {"name": "v", "schema": {"openAPIV3Schema": {"type": "string"}}}
    >>> spec = {"handlers": [{"name": "a", "variables": [variable]}]}
    >>> TopologyExtension({"metadata": {"name": "x"}, "spec": spec}).discovery()["handlers"][0]["name"]
    'discover-variables-a'
    """

    def __init__(self, data: Object) -> None:
        self.name = str(find(data, ("metadata", "name"), "") or "")
        self.problems: list[tuple[str, str]] = []
        self._environment: KubeEnvironment | None = None
        self._handlers: dict[tuple[str, str], _Handler] = {}
        self.problems += _root_problems(data, self.name)
        spec, violations = validate(read_schema(schema()["properties"]["spec"]), data.get("spec"), "spec")
        self.problems += [(one.path, one.message) for one in violations]
        if not violations and isinstance(spec, dict):
            self._read(spec["handlers"])

    def _read(self, handlers: list[Object]) -> None:
        names: set[str] = set()
        defined = [one["variables"] for one in handlers if one.get("variables")]
        # A handler without variables uses those of the handler that a class can name beside it.
        shared = defined[0] if len(defined) == 1 else []
        for index, data in enumerate(handlers):
            path, name = f"spec.handlers[{index}]", data["name"]
            if name in names:
                self.problems.append((f"{path}.name", f'must be unique, got "{name}" twice'))
            names.add(name)
            handler = _Handler(data, index, shared, self.problems, self._cel)
            if not any(data.get(part) for part in _PARTS.values()):
                self.problems.append(
                    (path, f"must have {', '.join(sorted(_PARTS.values()))}, or one of them")
                )
            for hook, prefix in PREFIXES.items():
                if data.get(_PARTS[hook]):
                    for problem in is_dns1123_label(prefix + name):
                        self.problems.append((f"{path}.name", f'the handler "{prefix}{name}": {problem}'))
                    self._handlers[hook, prefix + name] = handler

    def _cel(self) -> KubeEnvironment:
        if self._environment is None:
            from krmkit.libraries.cel.kubernetes.environment import KubeEnvironment

            self._environment = KubeEnvironment()
        return self._environment

    def discovery(self) -> Object:
        """Return the DiscoveryResponse: each part of a handler is a handler of its own there."""
        listed = []
        for (hook, name), handler in self._handlers.items():
            one: Object = {"name": name, "requestHook": {"apiVersion": HOOKS_VERSION, "hook": hook}}
            for field in ("timeoutSeconds", "failurePolicy"):
                if field in handler.data:
                    one[field] = handler.data[field]
            listed.append(one)
        return response("Discovery", handlers=listed)

    def explained(
        self, handler: str, request: Object, source: ExtensionSource, variable: Callable[[str, str], Cause]
    ) -> tuple[ExtensionSource, dict[str, PathCauses]]:
        """Return the place of a GeneratePatches handler, and the causes of its values, by template uid.

        source: the item. variable: returns the cause of a variable in the template of a uid.
        """
        known = self._handlers.get((GENERATE_PATCHES, handler))
        return (source, {}) if known is None else known.explained(request, source, variable)

    def unmatched(self) -> list[Unmatched]:
        """Return the selectors that matched no template of all GeneratePatches requests so far."""
        if self.problems:
            return []
        return [found for handler in dict.fromkeys(self._handlers.values()) for found in handler.unmatched()]

    def patches_of(self, handler: str) -> list[Object]:
        known = self._handlers.get((GENERATE_PATCHES, handler))
        return [] if known is None else entries(known.data.get("patches"))

    def answers(self, hook: str, handler: str) -> bool:
        """Return whether the handler exists and has no problems."""
        return not self.problems and (hook, handler) in self._handlers

    def answer(self, hook: str, handler: str, request: Object) -> Object:
        """Return the response to a request, a failure included; patches are data, not base64."""
        try:
            return self.success(hook, handler, request)
        except HookError as error:
            return failure(hook, str(error))

    def success(self, hook: str, handler: str, request: Object) -> Object:
        """Return the response to a request. Raises HookError in place of a failure."""
        if self.problems:
            field, message = self.problems[0]
            raise HookError(f"TopologyExtension {self.name} cannot be used: {field}: {message}", field)
        known = self._handlers.get((hook, handler))
        if known is None:
            names = [name for of, name in self._handlers if of == hook]
            hint = did_you_mean(handler, names)
            raise HookError(f'TopologyExtension {self.name} has no handler "{handler}" for {hook}' + hint)
        return known.answer(hook, request)


class _Handler:
    def __init__(
        self,
        data: Object,
        position: int,
        shared: list[Object],
        problems: list[tuple[str, str]],
        environment: Callable[[], KubeEnvironment],
    ) -> None:
        self.data = data
        self._position = position
        self._seen: set[tuple[str, str]] = set()
        path = f"spec.handlers[{position}]"
        self._sensitive: list[str] = data.get("sensitive") or []
        variables = data.get("variables") or []
        for error in validate_class_variables(variables, None, f"{path}.variables"):
            problems.append((error.field, error.body()))
        names = [str(one["name"]) for one in variables]
        if SETTINGS in data and SETTINGS in names:
            problems.append(
                (f"{path}.variables[{SETTINGS}]", 'must not be named "settings", which the settings are')
            )
        for index, name in enumerate(self._sensitive):
            if variables and name not in names:
                hint = did_you_mean(name, names)
                problems.append((f"{path}.sensitive[{index}]", f'no variable has the name "{name}"' + hint))
        for index, patch in enumerate(data.get("patches") or []):
            problems += patch_problems(patch, f"{path}.patches[{index}]", [*names, "builtin", SETTINGS])
        inputs = variables or shared
        if not problems:
            self._inputs = InputChecks(inputs, environment)
            self._patches = [
                ExtensionPatch(patch, strict=bool(inputs)) for patch in data.get("patches") or []
            ]
        self._settings = ExtensionSettings(data.get(SETTINGS), f"{path}.{SETTINGS}", problems)
        self._validations = Validations(data.get("validations") or [], environment)
        problems += [(f"{path}.validations{place}", text) for place, text in self._validations.problems]

    def unmatched(self) -> list[Unmatched]:
        """Return the selectors that matched no template; [] if no template came yet."""
        if not self._seen:
            return []
        return [
            Unmatched(
                f"spec.handlers[{self._position}].patches[{number}].definitions[{index}].selector",
                unmatched_message(patch.name, selector, self._seen),
                not patch.matched,
            )
            for number, patch in enumerate(self._patches)
            for index, selector in patch.unmatched()
        ]

    def answer(self, hook: str, request: Object) -> Object:
        settings = self._settings.of(request)
        if hook == DISCOVER_VARIABLES:
            return response(hook, variables=self.data["variables"])
        asked = read_request(request)
        secrets = SensitiveValues(self._sensitive, asked)

        def shown(detail: str) -> str:
            held = secrets.held_by(detail)
            return f'the reason is withheld, it holds the {_SENSITIVE} "{held}"' if held else detail

        # The controller validates with the variables of the class's last patch, so others may be absent.
        problems = self._inputs.problems(asked, require=hook == GENERATE_PATCHES, shown=shown)
        if problems:
            raise HookError("; ".join(sorted(problems)))
        if hook == GENERATE_PATCHES:
            return self._generate(asked, settings, secrets, shown)
        return self._validate(asked, settings, shown)

    def _generate(
        self, request: Request, settings: Object | None, secrets: SensitiveValues, shown: Callable[[str], str]
    ) -> Object:
        items = []
        errors: dict[str, str] = {}
        for item, values in zip(request.items, values_of(request, settings), strict=True):
            self._seen.add((str(item.object.get("kind", "")), str(item.object.get("apiVersion", ""))))
            try:
                operations = self._operations(item, values, shown)
                _check_secrets(item, operations, secrets)
            except HookError as error:
                errors.setdefault(str(error), error.field)
                continue
            items.append({"uid": item.uid, "patchType": JSON_PATCH, "patch": operations})
        if errors:
            # The controller sends the items in random order; the message must not depend on it.
            raise HookError("; ".join(sorted(errors)), errors[min(errors)])
        return response(GENERATE_PATCHES, items=items)

    def _operations(
        self,
        item: RequestItem,
        values: Object,
        shown: Callable[[str], str],
        recorder: ExtensionRecorder | None = None,
    ) -> list[Object]:
        """Return the changes of one template. Each selector sees the result of the patches before."""
        work = RequestItem(item.uid, NO_ROLE, item.holder, item.object, item.variables, item.builtin)
        variables, draft = Variables(values), Patched(work)
        for number, patch in enumerate(self._patches):
            if recorder is not None:
                recorder.number = number
            try:
                patch.apply(work, variables, draft, shown, recorder)
            except HookError as error:
                raise HookError(
                    str(error), f"spec.handlers[{self._position}].patches[{number}]{error.field}"
                ) from None
        return diff(item.object, work.object)

    def explained(
        self, request: Object, source: ExtensionSource, variable: Callable[[str, str], Cause]
    ) -> tuple[ExtensionSource, dict[str, PathCauses]]:
        """Return the handler's place, and the causes of its patches' values, by template uid."""
        from functools import partial

        from krmkit.systems.clusterapi.hooks.extensioncauses import ExtensionRecorder, ExtensionSource

        own = ExtensionSource(source.name, source.resource, ("spec", "handlers", self._position))
        settings, asked = self._settings.of(request), read_request(request)
        found = {}
        for item, values in zip(asked.items, values_of(asked, settings), strict=True):
            recorder = ExtensionRecorder(self.data, own, partial(variable, item.uid))
            self._operations(item, values, str, recorder)
            found[item.uid] = recorder.paths
        return own, found

    def _validate(self, request: Request, settings: Object | None, shown: Callable[[str], str]) -> Object:
        found: set[str] = set()
        for item, values in zip(request.items, values_of(request, settings), strict=True):
            found.update(self._validations.violations(item, values, settings or {}, shown))
        return failure(VALIDATE_TOPOLOGY, "; ".join(sorted(found))) if found else response(VALIDATE_TOPOLOGY)


def _root_problems(data: Object, name: str) -> Iterator[tuple[str, str]]:
    """Yield the errors outside `spec`. The name becomes part of the server's paths and of messages."""
    version = data.get("apiVersion", API_VERSION)
    if version != API_VERSION:
        yield ("apiVersion", f'must be {API_VERSION}, got "{version}"')
    if not name:
        yield ("metadata.name", "is required")
    else:
        yield from [("metadata.name", f'"{name}": {problem}') for problem in is_dns1123_subdomain(name)]
    for field in data:
        if field not in _ROOT:
            yield (field, "is unknown" + did_you_mean(field, _ROOT))


def _check_secrets(item: RequestItem, operations: list[Object], secrets: SensitiveValues) -> None:
    """Raise HookError if a patch would write the value of a sensitive variable."""
    for operation in operations:
        path = operation["path"]
        # An addition creates only the last key of its path; the template has all others.
        above, _, key = path.rpartition("/")
        key = key.replace("~1", "/").replace("~0", "~")
        if operation["op"] == "add" and not ((key.isascii() and key.isdecimal()) or key == "-"):
            written = secrets.written_by(key)
            if written:
                raise HookError(f'{described(item)}, {above}: no key may hold the {_SENSITIVE} "{written}"')
        written = secrets.written_by(operation.get("value"))
        if written:
            raise HookError(f'{described(item)}, {path}: must not hold the {_SENSITIVE} "{written}"')
