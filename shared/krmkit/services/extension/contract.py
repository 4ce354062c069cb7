"""Check the contract of runtime extensions call by call: rules that a controller does not check."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from copy import deepcopy
from statistics import median
from time import perf_counter
from typing import Any

from krmkit.libraries.json import Object
from krmkit.services.extension.answeredpatches import patch_of, patched_request
from krmkit.services.extension.client import Caller, CallError
from krmkit.services.extension.contractreport import WARNING, ContractReport
from krmkit.services.extension.live import GROUP, VERSION, read_object
from krmkit.services.extension.variablecontract import DefinedVariables
from krmkit.systems.clusterapi.hooks.discovery import handler_timeout, validate_discovery
from krmkit.systems.clusterapi.hooks.extensionconfig import hook_path
from krmkit.systems.clusterapi.model import extensions

GUIDELINE = 0.2  # seconds that a call should take at most
CALLERS = 10
_ROUNDS = 5
_HUGE = 20 << 20
_GENERIC = ("patch", "patches", "default", "extension")
_IDLE = "patches no template of any Cluster of the package; if that is not intended, check kinds, apiVersions, variables"
_IGNORE = (
    "failurePolicy is Ignore: while the extension cannot be reached, templates are rotated without its patches, and back"
    " afterwards, and machines roll twice; take Fail, and several replicas"
)


def check_contract(
    caller: Caller,
    requests: list[Object],
    recorded: Iterable[Object] = (),
    guideline: float = GUIDELINE,
    is_real: bool = False,
) -> ContractReport:
    """Call every handler with the requests (GeneratePatches) and with odd ones.

    recorded: responses of an earlier DiscoverVariables, to compare definitions with. is_real: the requests
    are those of real Clusters, so a handler that never patches anything gets a warning.
    """
    check = _Check(caller, guideline)
    handlers = check.discover()
    # The definitions come first: requests are judged by them.
    for handler in handlers:
        if handler["requestHook"]["hook"] == extensions.DISCOVER_VARIABLES:
            check.variables(handler["name"], float(handler_timeout(handler)), list(recorded))
    for handler in handlers:
        hook, name = handler["requestHook"]["hook"], handler["name"]
        if name in _GENERIC:
            message = "the name says nothing about what it does, such as generate-patches-registry"
            check.report.add(name, "generic-name", message, WARNING)
        if hook == extensions.GENERATE_PATCHES and handler.get("failurePolicy") == "Ignore":
            check.report.add(name, "failure-policy", _IGNORE, WARNING)
        seconds = float(handler_timeout(handler))
        if hook == extensions.DISCOVER_VARIABLES:
            check.robust(hook, name, seconds, {})
            check.timed(hook, name, seconds, {})
        elif hook in (extensions.GENERATE_PATCHES, extensions.VALIDATE_TOPOLOGY):
            for request in requests:
                check.templates(hook, name, seconds, request)
            if is_real and hook == extensions.GENERATE_PATCHES and requests and name not in check.patching:
                check.report.add(name, "no-patches", _IDLE, WARNING)
            if requests:
                check.odd_templates(hook, name, seconds, requests[0])
                check.robust(hook, name, seconds, requests[0])
                check.timed(hook, name, seconds, requests[0])
    return check.report


class _Check:
    def __init__(self, caller: Caller, guideline: float) -> None:
        self._caller = caller
        self._guideline = guideline
        self.report = ContractReport()
        self.defined = DefinedVariables(self.report)
        self.patching: set[str] = set()  # the handlers that patched something

    def discover(self) -> list[Object]:
        """Return the handlers that can be called."""
        answer = self._ask("Discovery", "", 10.0, {})
        if answer is None:
            return []
        if answer.get("status") != "Success":
            self.report.add("", "discovery", f"status must be Success, got {answer.get('status')!r}")
        problems = validate_discovery(answer)
        for problem in problems:
            self.report.add("", "discovery", problem)
        handlers = answer.get("handlers")
        if not handlers and not problems:
            self.report.add("", "discovery", "there are no handlers")
        usable = [one for one in handlers if _callable(one)] if isinstance(handlers, list) else []
        self.report.handlers = len(usable)
        return usable

    def variables(self, name: str, seconds: float, recorded: list[Object]) -> None:
        """Check that definitions are valid, the same each time, and compatible with recorded ones."""
        answer = self._twice(extensions.DISCOVER_VARIABLES, name, seconds, {})
        if answer is None:
            return
        if answer["status"] != "Success":
            self.report.add(
                name, "failure", f"DiscoverVariables fails without settings: {answer.get('message')}", WARNING
            )
            return
        self.defined.take(name, answer, recorded)

    def templates(self, hook: str, name: str, seconds: float, request: Object) -> None:
        """Check a request of a real Cluster: two equal answers, and valid, idempotent patches."""
        answer = self._twice(hook, name, seconds, request)
        if answer is None or hook != extensions.GENERATE_PATCHES:
            return
        if answer["status"] != "Success":
            self.report.add(
                name, "failure", f"refuses a request of a real Cluster: {answer.get('message')}", WARNING
            )
            return
        patched = patched_request(self.report, name, request, answer)
        if patched is None:
            return
        if patched != request:
            self.patching.add(name)
        again = self._ask(hook, name, seconds, patched)
        if again is not None and again.get("status") == "Success":
            items = again.get("items") or []
            if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
                self.report.add(name, "items", "items must be a list of maps, also for a second request")
                return
            for item in items:
                patch = patch_of(self.report, name, item)
                if patch:
                    shown = json.dumps(patch)[:200]
                    self.report.add(
                        name, "not-idempotent", f"patches a template that is patched already: {shown}"
                    )
                    break

    def odd_templates(self, hook: str, name: str, seconds: float, request: Object) -> None:
        """Call with variables left out or of another type, another apiVersion, an unknown kind."""
        odd = _odd_requests(request)
        before = self._ask(hook, name, seconds, request)
        for what, one in odd.items():
            answer = self._twice(hook, name, seconds, one, what)
            if answer is not None and answer["status"] == "Success" and hook == extensions.GENERATE_PATCHES:
                patched_request(self.report, name, one, answer)
                if before is not None and before.get("status") == "Success" and "apiVersion" not in what:
                    self.defined.check_input(name, what, before, answer, one)
        unknown = _with_unknown_kind(request)
        after = self._ask(hook, name, seconds, unknown)
        if (
            before is not None
            and after is not None
            and before.get("status") == "Success" != after.get("status")
        ):
            self.report.add(
                name, "unknown-kind", f"fails for a kind that it does not know: {after.get('message')}"
            )

    def robust(self, hook: str, name: str, seconds: float, request: Object) -> None:
        """Check that malformed, empty and huge requests get an answer, and the next request too."""
        path = hook_path(GROUP, VERSION, hook, name)
        padding = json.dumps({**request, "settings": {"padding": "x" * 1000}}).encode()
        bodies = {
            "malformed": b'{"items": [',
            "empty": b"",
            "20 MiB": padding + b" " * (_HUGE - len(padding)),
        }
        for what, body in bodies.items():
            try:
                read_object(self._call(path, body, max(seconds, 20.0)))
            except CallError as error:
                if error.answered:
                    continue  # an error status is an answer, too; a closed connection is not
                self.report.add(name, "robustness", f"a request that is {what} is not answered: {error}")
        if self._ask(hook, name, seconds, request) is None:
            self.report.add(name, "robustness", "does not answer after malformed, empty and huge requests")

    def timed(self, hook: str, name: str, seconds: float, request: Object) -> None:
        """Measure the time of one caller, and of many at once."""
        from concurrent.futures import ThreadPoolExecutor

        path, body = hook_path(GROUP, VERSION, hook, name), json.dumps(request).encode()

        def one(_: int) -> float:
            started = perf_counter()
            try:
                self._call(path, body, seconds)
            except CallError as error:
                self.report.add(name, "concurrency", f"a call among {CALLERS} at a time fails: {error}")
            return perf_counter() - started

        alone = median(one(number) for number in range(3))
        if alone > self._guideline:
            self.report.add(
                name, "slow", f"a call takes {alone * 1000:.0f} ms, more than {self._guideline * 1000:.0f} ms"
            )
        with ThreadPoolExecutor(CALLERS) as pool:
            times = sorted(pool.map(one, range(CALLERS * _ROUNDS)))
        self.report.times.append((name, len(times), median(times), times[int(len(times) * 0.99)]))

    def _call(self, path: str, body: bytes, seconds: float) -> bytes:
        self.report.calls += 1
        return self._caller.call(path, body, seconds)

    def _text(self, hook: str, name: str, seconds: float, request: Object, what: str) -> bytes | None:
        body = {"apiVersion": extensions.HOOKS_VERSION, "kind": f"{hook}Request", **request}
        try:
            return self._call(hook_path(GROUP, VERSION, hook, name), json.dumps(body).encode(), seconds)
        except CallError as error:
            self.report.add(name, "no-answer", f"a request {what} gets no answer: {error}".replace("  ", " "))
        return None

    def _ask(self, hook: str, name: str, seconds: float, request: Object) -> Object | None:
        text = self._text(hook, name, seconds, request, f"of {hook}")
        return None if text is None else self._decoded(name, text)

    def _decoded(self, name: str, text: bytes) -> Object | None:
        try:
            answer = read_object(text)
        except CallError as error:
            self.report.add(name, "undecodable", str(error))
            return None
        return answer

    def _twice(
        self, hook: str, name: str, seconds: float, request: Object, what: str = "of a real Cluster"
    ) -> Object | None:
        first = self._text(hook, name, seconds, request, what)
        second = self._text(hook, name, seconds, request, what)
        if first is None or second is None:
            return None
        if first != second:
            self.report.add(name, "not-deterministic", f"a request {what} gets two different answers")
        answer = self._decoded(name, first)
        if answer is None:
            return None
        status = answer.get("status")
        if status not in ("Success", "Failure"):
            self.report.add(name, "status", f"status must be Success or Failure, got {status!r}")
            return None
        if status == "Failure" and not answer.get("message"):
            self.report.add(name, "message", f"fails without a message, for a request {what}")
        return answer


def _callable(handler: Any) -> bool:
    if not isinstance(handler, dict) or not isinstance(handler.get("requestHook"), dict):
        return False
    name, hook = handler.get("name"), handler["requestHook"].get("hook")
    return isinstance(name, str) and isinstance(hook, str) and bool(name and hook)


def _odd_requests(request: Object) -> dict[str, Object]:
    """Return changed requests, by a description of the change.

    >>> sorted(_odd_requests({"variables": [{"name": "v", "value": "x"}]}))[:2]
    ['with templates of another apiVersion', 'with v of another type']
    """
    names = sorted(_variable_names(request) - {"builtin"})
    odd = {"without variables": _with_variables(request, lambda one: None)}
    for variable in names:
        odd[f"without the variable {variable}"] = _with_variables(request, lambda one: None, variable)
        odd[f"with {variable} of another type"] = _with_variables(request, _of_other_type, variable)
    other = deepcopy(request)
    for item in other.get("items") or []:
        group = str(item["object"].get("apiVersion", "")).partition("/")[0]
        item["object"]["apiVersion"] = f"{group}/v9unknown1"
    odd["with templates of another apiVersion"] = other
    return odd


def _with_unknown_kind(request: Object) -> Object:
    """Return the request with one more template, of an unknown kind."""
    unknown = deepcopy(request)
    stranger = {"apiVersion": "unknown.example.com/v1", "kind": "StrangeTemplate", "metadata": {"name": "s"}}
    holder = {"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineDeployment", "namespace": "default", "name": "s",
              "fieldPath": "spec.template.spec.infrastructureRef"}  # fmt: skip
    unknown.setdefault("items", []).append(
        {"uid": "unknown-kind", "holderReference": holder, "object": stranger}
    )
    return unknown


def _variable_names(request: Object) -> set[str]:
    places = (request, *(request.get("items") or []))
    return {str(one.get("name")) for place in places for one in place.get("variables") or []}


def _with_variables(request: Object, change: Callable[[Object], Object | None], name: str = "") -> Object:
    """Return the request with `change` applied to a variable, or to all; None leaves it out."""
    result = deepcopy(request)
    for place in (result, *(result.get("items") or [])):
        if "variables" in place:
            changed = [one if name and one["name"] != name else change(one) for one in place["variables"]]
            place["variables"] = [one for one in changed if one is not None]
    return result


def _of_other_type(variable: Object) -> Object:
    return {**variable, "value": 12345 if isinstance(variable.get("value"), str) else "another type"}
