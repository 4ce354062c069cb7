"""Read hook requests, describe templates in messages, and write responses for the wire."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

from krmkit.krm.errors import Refused
from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.roles import NO_ROLE
from krmkit.systems.clusterapi.model.extensions import HOOKS_VERSION
from krmkit.systems.clusterapi.patches.request import Request, RequestItem
from krmkit.systems.clusterapi.patches.variables import named_values

SUCCESS = "Success"
FAILURE = "Failure"


class HookError(Refused):
    """An error that an extension answers with status Failure; the message names item, patch and field.

    `field` is the patch of a TopologyExtension that fails, "" for any other error.
    """

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def read_request(request: Object) -> Request:
    """Return items and variables of a GeneratePatchesRequest or ValidateTopologyRequest. Raises HookError.

    >>> read_request({"items": [{"uid": "1", "object": {"kind": "T"}, "holderReference": {}}]}).items[0].uid
    '1'
    """
    found = []
    given = request.get("items")
    if given is not None and not isinstance(given, list):
        raise HookError(f"items must be a list, got {type(given).__name__}")
    for index, item in enumerate(given or []):
        if not isinstance(item, dict):
            raise HookError(f"items[{index}] must be a map, got {type(item).__name__}")
        template, holder = item.get("object"), item.get("holderReference")
        if not isinstance(template, dict):
            raise HookError(f"items[{index}].object must be a template, got {type(template).__name__}")
        if holder is not None and not isinstance(holder, dict):
            raise HookError(f"items[{index}].holderReference must be a map, got {type(holder).__name__}")
        own = _variables(item.get("variables"), f"items[{index}].variables")
        builtin = own.pop("builtin", None)
        if builtin is not None and not isinstance(builtin, dict):
            raise HookError(f"items[{index}].variables: builtin must be a map, got {type(builtin).__name__}")
        found.append(RequestItem(str(item.get("uid", "")), NO_ROLE, holder or {}, template, own, builtin))
    shared = _variables(request.get("variables"), "variables")
    builtin = shared.get("builtin") or {}
    if not isinstance(builtin, dict):
        raise HookError(f"variables: builtin must be a map, got {type(builtin).__name__}")
    return Request(found, shared, builtin)


def _variables(value: Any, path: str) -> Object:
    if value is not None and not isinstance(value, list):
        raise HookError(f"{path} must be a list, got {type(value).__name__}")
    for index, one in enumerate(value or []):
        if not isinstance(one, dict) or not isinstance(one.get("name"), str):
            raise HookError(f"{path}[{index}] must have a name and a value")
    return named_values(value)


def described(item: RequestItem) -> str:
    """Name a template in messages by kind, holder and field, as its uid is random.

    >>> holder = {"kind": "Cluster", "namespace": "a", "name": "b", "fieldPath": "spec.infrastructureRef"}
    >>> described(RequestItem("1", NO_ROLE, holder, {"kind": "DevClusterTemplate"}))
    'DevClusterTemplate of Cluster a/b at spec.infrastructureRef'
    """
    holder = item.holder
    owner = f"{holder.get('kind', '')} {holder.get('namespace', '')}/{holder.get('name', '')}"
    return f"{item.object.get('kind', '')} of {owner} at {holder.get('fieldPath', '')}"


def response(hook: str, status: str = SUCCESS, message: str = "", **fields: Any) -> Object:
    """Return a response of a hook, with apiVersion and kind. `response("GeneratePatches", items=[])`."""
    found: Object = {"apiVersion": HOOKS_VERSION, "kind": f"{hook}Response", "status": status}
    if message:
        found["message"] = message
    return {**found, **fields}


def failure(hook: str, message: str) -> Object:
    """Return a response with status Failure."""
    return response(hook, FAILURE, message)


def on_the_wire(answer: Object) -> Object:
    """Return a response with its patches in base64, as Go writes []byte."""
    items = answer.get("items")
    if not isinstance(items, list):
        return answer
    return {**answer, "items": [{**item, "patch": encoded_patch(item.get("patch"))} for item in items]}


def encoded_patch(patch: Any) -> str:
    """Encode a patch as JSON in base64. `encoded_patch([])` is "W10="."""
    text = json.dumps(patch, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return b64encode(text.encode()).decode()
