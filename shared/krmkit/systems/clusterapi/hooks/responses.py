"""TopologyResponses: recorded answers of runtime extensions, as items of a package.

    apiVersion: krmkit.dev/v1alpha1
    kind: TopologyResponses
    spec:
      responses:
      - extension: generate-patches.my-extension
        hook: GeneratePatches
        request: {variables: [...], items: [...]}
        response: {status: Success, items: [{uid: "1", patchType: JSONPatch, patch: [...]}]}

A response answers requests that equal its `request`; the order of items, their uids, and apiVersion and kind
of the request are ignored. A recorded text may hold `?????` in place of the suffix of a generated name, so
that requests of a real controller answer a render too. Without `request` the response answers every request
of its hook and extension. `patch` is JSON, or base64 as on the wire.
"""

from __future__ import annotations

import json
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterable
from typing import Any

from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.json import Object
from krmkit.libraries.json.equal import json_equal
from krmkit.libraries.schema.fields import is_list_of_maps, mapping
from krmkit.systems.clusterapi.api.collection import Collected, CollectedObject
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.names import ALPHABET, RANDOM_LENGTH
from krmkit.systems.clusterapi.hooks.discovery import TOPOLOGY_HOOKS
from krmkit.systems.clusterapi.model.extensions import GENERATE_PATCHES, unanswered

KIND = "TopologyResponses"
API_VERSION = "krmkit.dev/v1alpha1"
GLOB = "?????"
_ENVELOPE = ("apiVersion", "kind")


class RecordedResponses:
    """Answers hooks from items of kind TopologyResponses. Raises TopologyError for malformed items."""

    def __init__(self, items: Iterable[Object]) -> None:
        self._answers: dict[tuple[str, str], list[Object]] = {}
        self._places: dict[
            int, tuple[Resource | None, int]
        ] = {}  # item and position by the id of the response
        for item in items:
            self._read(item)

    def _read(self, item: Object) -> None:
        spec = item.get("spec")
        responses = spec.get("responses") if isinstance(spec, dict) else None
        if not isinstance(responses, list):
            raise TopologyError(f"spec.responses must be a list, got {type(responses).__name__}")
        for index, response in enumerate(responses):
            where = f"spec.responses[{index}]"
            if not isinstance(response, dict) or not isinstance(response.get("response"), dict):
                raise TopologyError(f"{where} must have extension, hook and response")
            unknown = sorted(set(response) - {"extension", "hook", "request", "response"})
            if unknown:
                raise TopologyError(
                    f"{where}.{unknown[0]} is unknown; known are extension, hook, request, response"
                )
            if response.get("hook") not in TOPOLOGY_HOOKS:
                raise TopologyError(
                    f"{where}.hook must be one of {', '.join(TOPOLOGY_HOOKS)}, got {response.get('hook')!r}"
                )
            self._answers.setdefault((str(response["hook"]), str(response.get("extension", ""))), []).append(
                response
            )

    def call(self, hook: str, handler: str, request: Object, owner: str = "") -> Object:
        """Return the recorded response. Raises TopologyError."""
        answer, uids = self._answer(hook, handler, request)
        if hook != GENERATE_PATCHES:
            return answer
        items = []
        listed = answer.get("items") or []
        if not is_list_of_maps(listed):
            raise TopologyError(f"items in the recorded answer of {quote(handler)} must be a list of maps")
        for item in listed:
            uid = str(item.get("uid", ""))
            items.append({**item, "uid": uids.get(uid, uid), "patch": _patch(item.get("patch"))})
        return {**answer, "items": items}

    def placed(self, data: Object, resource: Resource | None) -> None:
        """Record the item that holds the responses in `data`."""
        for index, one in enumerate(data["spec"]["responses"]):
            self._places[id(one)] = resource, index

    def source(self, hook: str, handler: str, request: Object) -> tuple[Resource | None, int]:
        """Return the item and the position of the response to a request; (None, 0) if unknown."""
        found = self._match(hook, handler, request)
        return (None, 0) if found is None else self._places.get(id(found[0]), (None, 0))

    def _match(self, hook: str, handler: str, request: Object) -> tuple[Object, dict[str, str]] | None:
        """Return the recorded entry that answers, with the request's uids by recorded uid, or None."""
        for one in self._answers.get((hook, handler), ()):
            recorded = one.get("request")
            uids = {} if recorded is None else match_request(recorded, request)
            if uids is not None:
                return one, uids
        return None

    def _answer(self, hook: str, handler: str, request: Object) -> tuple[Object, dict[str, str]]:
        """Return the response, with the request's uids by recorded uid."""
        found = self._match(hook, handler, request)
        if found is not None:
            return found[0]["response"], found[1]
        known = self._answers.get((hook, handler), [])
        why = f"{len(known)} recorded, and none for this request" if known else ""
        raise unanswered(hook, handler, why)


def _patch(patch: Any) -> Any:
    if not isinstance(patch, str):
        return patch
    try:
        return json.loads(b64decode(patch, validate=True))
    except (Base64Error, ValueError):
        raise TopologyError(f"patch must be JSON or base64 of JSON, got {quote(patch[:60])}") from None


def recorded_responses(collected: Collected) -> tuple[RecordedResponses, list[Finding]]:
    """Read the TopologyResponses among the items; return their answers and errors."""
    found: list[CollectedObject] = []
    findings = []
    for item in collected.others.values():
        if item.kind == KIND and item.api_version == API_VERSION:
            try:
                RecordedResponses([item.data])
                found.append(item)
            except TopologyError as error:
                findings.append(Finding("bad-responses", str(error), item.resource))
    recorded = RecordedResponses(item.data for item in found)
    for item in found:
        recorded.placed(item.data, item.resource)
    return recorded, findings


def match_request(recorded: Object, request: Object) -> dict[str, str] | None:
    """Return the request's uids by recorded uid, or None if the two requests differ."""
    for key in {*recorded, *request} - {*_ENVELOPE, "items"}:
        if not same(recorded.get(key), request.get(key)):
            return None
    theirs, ours = recorded.get("items") or [], request.get("items") or []
    if len(theirs) != len(ours):
        return None
    left: dict[tuple[Any, ...], list[Object]] = {}
    for item in ours:
        left.setdefault(_group(item), []).append(item)
    uids: dict[str, str] = {}
    for item in theirs:
        candidates = left.get(_group(item), [])
        for position, candidate in enumerate(candidates):
            if all(same(item.get(key), candidate.get(key)) for key in {*item, *candidate} - {"uid"}):
                uids[str(item.get("uid", ""))] = str(candidate.get("uid", ""))
                del candidates[position]
                break
        else:
            return None
    return uids


def _group(item: Object) -> tuple[Any, ...]:
    holder, template = mapping(item, "holderReference"), mapping(item, "object")
    name = str(holder.get("name", ""))
    # Names match with `?????` for the suffix; the part before it selects the few candidates.
    return holder.get("kind"), holder.get("fieldPath"), template.get("kind"), name[:-RANDOM_LENGTH]


def same(recorded: Any, value: Any) -> bool:
    """Return whether a recorded value matches; `?????` matches the five characters of a generated suffix."""
    if isinstance(recorded, dict):
        return (
            isinstance(value, dict)
            and recorded.keys() == value.keys()
            and all(same(one, value[key]) for key, one in recorded.items())
        )
    if isinstance(recorded, list):
        return (
            isinstance(value, list)
            and len(recorded) == len(value)
            and all(same(one, other) for one, other in zip(recorded, value, strict=True))
        )
    if isinstance(recorded, str) and GLOB in recorded:
        return isinstance(value, str) and _fits(recorded, value)
    return json_equal(recorded, value)


def _fits(recorded: str, value: str) -> bool:
    parts = recorded.split(GLOB)
    if len(value) != len(recorded):
        return False
    at = 0
    for number, part in enumerate(parts):
        if number:
            if not set(value[at : at + RANDOM_LENGTH]) <= set(ALPHABET):
                return False
            at += RANDOM_LENGTH
        if value[at : at + len(part)] != part:
            return False
        at += len(part)
    return True
