"""Answer the calls of an extension server: path and body in, status and body out, without I/O.

A failed handler answers with HTTP status 200 and the failure in the body, as Cluster API's own server does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Protocol

from krmkit.krm.errors import Refused
from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.hooks.messages import FAILURE, SUCCESS, failure, on_the_wire, response
from krmkit.systems.clusterapi.model.extensions import (
    DISCOVER_VARIABLES,
    GENERATE_PATCHES,
    HOOKS_VERSION,
    VALIDATE_TOPOLOGY,
)


class HookExtension(Protocol):
    """An extension that can be served: a TopologyExtension, or one written in Python."""

    name: str

    def discovery(self) -> Object:
        """Return the DiscoveryResponse."""

    def answer(self, hook: str, handler: str, request: Object) -> Object:
        """Return the response of a hook; patches are data."""


LARGEST = 20 << 20
DISCOVERY = "Discovery"
_HOOKS = {hook.lower(): hook for hook in (GENERATE_PATCHES, VALIDATE_TOPOLOGY, DISCOVER_VARIABLES)}
_BASE = f"/{HOOKS_VERSION}/"


class Served:
    """Extensions behind one port. All of them answer below `/`, and each also below `/<its name>`.

    >>> status, body = Served([]).respond("/hooks.runtime.cluster.x-k8s.io/v1alpha1/discovery", b"{}")
    >>> status, json.loads(body)["handlers"]
    (200, [])
    """

    def __init__(self, extensions: Iterable[HookExtension]) -> None:
        """Raise Refused if two extensions share a handler or a name."""
        self.names: list[str] = []
        self.extensions: list[HookExtension] = []
        self._handlers: dict[tuple[str, str, str], tuple[HookExtension, str]] = {}
        self._listed: dict[str, list[Object]] = {"": []}
        for extension in extensions:
            if extension.name in self._listed:
                raise Refused(f"two extensions have the name {extension.name}")
            self.names.append(extension.name)
            self.extensions.append(extension)
            listed = extension.discovery().get("handlers") or []
            self._listed[extension.name] = listed
            self._listed[""] += listed
            for handler in listed:
                name, hook = str(handler["name"]), str(handler["requestHook"]["hook"])
                key = ("", hook.lower(), name.lower())
                if key in self._handlers:
                    other = self._handlers[key][0].name
                    raise Refused(
                        f"the handler {name} is in {other} and in {extension.name}; names of handlers must be unique"
                    )
                self._handlers[key] = self._handlers[(extension.name, *key[1:])] = extension, name

    def hook_of(self, path: str) -> str:
        """Return `generatepatches/my-handler` for a served path, else "". For logs and metrics."""
        prefix, hook, name = _parts(path)
        if hook == DISCOVERY.lower() and not name and prefix in self._listed:
            return hook
        return f"{hook}/{name}" if (prefix, hook, name) in self._handlers else ""

    def respond(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Return the HTTP status and the JSON of the answer."""
        prefix, hook, name = _parts(path)
        if hook == DISCOVERY.lower() and not name and prefix in self._listed:
            return 200, _json(self._discovery(prefix, body))
        known = self._handlers.get((prefix, hook, name))
        if known is None:
            return 404, b"404 page not found\n"
        extension, handler = known
        kind = _HOOKS[hook]
        request, problem = _request(body)
        if problem:
            return 200, _json(failure(kind, problem))
        try:
            answer = on_the_wire(_checked(kind, extension.answer(kind, handler, request)))
            text = _json(answer)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever an author's code raises is a failure of the call, not of the server
            return 200, _json(failure(kind, f"handler {handler} failed: {type(error).__name__}: {error}"))
        if len(text) > LARGEST:
            message = f"handler {handler}: the response has {len(text)} bytes, more than the {LARGEST} that may be sent"
            return 200, _json(failure(kind, message))
        return 200, text

    def _discovery(self, prefix: str, body: bytes) -> Object:
        problem = _request(body)[1]
        return failure(DISCOVERY, problem) if problem else response(DISCOVERY, handlers=self._listed[prefix])


def _parts(path: str) -> tuple[str, str, str]:
    """Split a path into extension, hook and handler; the case stays."""
    prefix, base, rest = path.partition(_BASE)
    if not base:
        return "?", "", ""
    hook, _, name = rest.strip("/").partition("/")
    return prefix.strip("/"), hook, name


def _request(body: bytes) -> tuple[Object, str]:
    """Return the request and "", or an error message."""
    try:
        request = json.loads(body)
    except (ValueError, RecursionError) as error:
        detail = "too deep" if isinstance(error, RecursionError) else str(error)
        return {}, f"error unmarshalling request: {detail}"
    if not isinstance(request, dict):
        return {}, f"error unmarshalling request: must be a JSON object, got {type(request).__name__}"
    return request, ""


def _checked(kind: str, answer: Object) -> Object:
    if answer.get("status") not in (SUCCESS, FAILURE):
        return failure(
            kind, f"the handler answered with status {answer.get('status')!r}; must be Success or Failure"
        )
    return answer


def _json(value: Object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode(
        "utf-8", "replace"
    )
