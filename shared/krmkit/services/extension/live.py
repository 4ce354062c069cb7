"""Running extensions for a render's engine, called by the rules of Cluster API's own client."""

from __future__ import annotations

import json
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import mapping
from krmkit.services.extension.client import Caller, CallError
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.hooks import discovery
from krmkit.systems.clusterapi.hooks.extensionconfig import discovery_cache_key, hook_path
from krmkit.systems.clusterapi.hooks.extensionitems import PackageExtensions
from krmkit.systems.clusterapi.model.extensions import (
    DISCOVER_VARIABLES,
    GENERATE_PATCHES,
    GENERATE_UPGRADE_PLAN,
    HOOKS_VERSION,
)

GROUP, _, VERSION = HOOKS_VERSION.partition("/")
_DISCOVERY_SECONDS = 10.0


@dataclass(slots=True)
class Recorder:
    """Requests and answers in the order of the calls, without duplicates, for `--record`.

    `ignored`: texts of the failed calls whose handler has failurePolicy Ignore.
    """

    responses: list[Object] = field(init=False, default_factory=list)
    ignored: list[str] = field(init=False, default_factory=list)
    _seen: set[str] = field(init=False, default_factory=set)

    def add(self, hook: str, handler: str, request: Object, response: Object) -> None:
        """Record a call."""
        one = {"extension": handler, "hook": hook, "request": request, "response": response}
        text = json.dumps(one, sort_keys=True)
        if text not in self._seen:
            self._seen.add(text)
            self.responses.append(one)

    def item(self, name: str) -> Object:
        """Return an item of kind TopologyResponses."""
        return {
            "apiVersion": "krmkit.dev/v1alpha1",
            "kind": "TopologyResponses",
            "metadata": {"name": name, "annotations": {"config.kubernetes.io/local-config": "true"}},
            "spec": {"responses": self.responses},
        }


class LiveExtensions:
    """Answer hooks by running extensions, by the name of their ExtensionConfig.

    `package` prepares requests by the ExtensionConfigs among the items; `others` answers for extensions that
    have no caller.
    """

    def __init__(self, callers: Mapping[str, Caller], package: PackageExtensions, recorder: Recorder) -> None:
        self._callers = callers
        self._package = package
        self._recorder = recorder
        self._handlers: dict[str, dict[str, Object]] = {}
        self._discovered: dict[Any, Object] = {}

    def call(self, hook: str, handler: str, request: Object, owner: str = "") -> Object:
        """Return the response; DiscoverVariables is called once for equal settings. Raises TopologyError."""
        if hook != GENERATE_UPGRADE_PLAN:
            request = self._package.prepared(handler, request, owner)
        if hook != DISCOVER_VARIABLES:
            return self._answer(hook, handler, request, owner)
        key = discovery_cache_key(handler, "", mapping(request, "settings"))
        if key not in self._discovered:
            self._discovered[key] = self._answer(hook, handler, request, owner)
        return self._discovered[key]

    def _answer(self, hook: str, handler: str, request: Object, owner: str) -> Object:
        caller = self._callers.get(handler.partition(".")[2])
        if caller is None:
            answer = self._package.call(hook, handler, request, owner)
        else:
            answer = self._over_the_wire(caller, hook, handler, request)
        self._recorder.add(hook, handler, request, answer)
        return answer

    def _over_the_wire(self, caller: Caller, hook: str, handler: str, request: Object) -> Object:
        name, _, config = handler.partition(".")
        known = self._handler(caller, config, hook, name, handler)
        body = {"apiVersion": HOOKS_VERSION, "kind": f"{hook}Request", **request}
        seconds = float(discovery.handler_timeout(known))
        try:
            text = caller.call(hook_path(GROUP, VERSION, hook, name), json.dumps(body).encode(), seconds)
            answer = read_object(text)
            for field in ("status", "message"):
                if not isinstance(answer.get(field) or "", str):
                    raise CallError(f"failed to decode response: {field} must be a text")
            if hook == GENERATE_PATCHES:
                _check_items(answer)
        except CallError as error:
            failed = f"failed to call extension handler {quote(handler)}: {error}"
            if discovery.failure_policy(known) == discovery.IGNORE:
                said = f"{failed}; its failurePolicy is Ignore, so it counts as an empty answer"
                if said not in self._recorder.ignored:
                    self._recorder.ignored.append(said)
                return {"status": "Success"}
            raise TopologyError(failed) from None
        for item in answer.get("items") or [] if hook == GENERATE_PATCHES else []:
            item["patch"] = read_patch(item.get("patch"), handler)
        return answer

    def _handler(self, caller: Caller, config: str, hook: str, name: str, handler: str) -> Object:
        """Return the handler from discovery, called once. Raises TopologyError."""
        if config not in self._handlers:
            body = json.dumps({"apiVersion": HOOKS_VERSION, "kind": "DiscoveryRequest"}).encode()
            try:
                answer = read_object(
                    caller.call(hook_path(GROUP, VERSION, "Discovery"), body, _DISCOVERY_SECONDS)
                )
            except CallError as error:
                raise TopologyError(f"failed to discover extension {quote(config)}: {error}") from None
            problems = discovery.validate_discovery(answer)
            if answer.get("status") != "Success":
                problems.insert(0, f"got {answer.get('status')!r} with message: {answer.get('message', '')}")
            if problems:
                raise TopologyError(f"failed to discover extension {quote(config)}: {'; '.join(problems)}")
            self._handlers[config] = {one["name"]: one for one in answer.get("handlers") or []}
        known = self._handlers[config].get(name)
        if known is None or known["requestHook"].get("hook") != hook:
            raise TopologyError(
                f"failed to call extension handler {quote(handler)}: {quote(config)} has no handler"
                f" {quote(name)} for {hook}"
            )
        return known


def read_object(text: bytes) -> Object:
    """Return the JSON object of an answer. Raises CallError."""
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CallError(f"failed to decode response: {error}") from None
    if not isinstance(answer, dict):
        raise CallError(f"failed to decode response: must be an object, got {type(answer).__name__}")
    return answer


def _check_items(answer: Object) -> None:
    """Check that Go's decoder accepts the items: maps with bytes in base64. Raises CallError."""
    items = answer.get("items") or []
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise CallError("failed to decode response: items must be a list of maps")
    for index, item in enumerate(items):
        try:
            b64decode(item.get("patch") or "", validate=True)
        except (Base64Error, ValueError, TypeError) as error:
            raise CallError(
                f"failed to decode response: items[{index}].patch must be base64 of JSON: {error}"
            ) from None


def read_patch(patch: Any, handler: str) -> Any:
    """Return the data of a patch in wire format (base64 of JSON). Raises TopologyError."""
    try:
        return json.loads(b64decode(patch or "", validate=True) or b"[]")
    except (Base64Error, ValueError, TypeError, RecursionError) as error:
        raise TopologyError(
            f"failed to call extension handler {quote(handler)}: patch must be base64 of JSON: {error}"
        ) from None
