"""Check the contract about variables: their definitions, and that a handler checks its values."""

from __future__ import annotations

import json
from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import is_list_of_maps
from krmkit.services.extension.contractreport import WARNING, ContractReport
from krmkit.services.extension.live import read_patch
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.hooks.inputvalidation import NO_VALUE, InputChecks, has_no_value
from krmkit.systems.clusterapi.hooks.messages import HookError, read_request
from krmkit.systems.clusterapi.variables.definitionchanges import breaking_changes
from krmkit.systems.clusterapi.variables.definitions import conflict_of, differ
from krmkit.systems.clusterapi.variables.definitionvalidation import validate_class_variables

_GENERIC = frozenset(
    "args class cluster config configuration count data disk domain enabled env environment files flavor host image images"
    " key keys kind labels level memory mode name names namespace network nodes options password patch patches port"
    " provider proxy region registry replicas repository secret settings size spec tag tags taints template token type"
    " url user users value values variable variables version versions zone zones".split()
)


class DefinedVariables:
    """Definitions from the handlers of one extension, and the findings about them."""

    def __init__(self, report: ContractReport) -> None:
        self._report = report
        self._known: dict[str, tuple[str, Object]] = {}

    def take(self, handler: str, answer: Object, recorded: list[Object]) -> None:
        """Check one answer to DiscoverVariables. recorded: earlier answers."""
        add = self._report.add
        listed = answer.get("variables") or []
        if not is_list_of_maps(listed):
            add(handler, "variables", "variables must be a list of definitions")
            return
        if not all(isinstance(one.get("schema") or {}, dict) for one in listed):
            add(handler, "variables", "the schema of a variable must be a map")
            return
        errors = validate_class_variables(listed, None, "variables")
        for error in errors:
            add(handler, "variables", str(error))
        for one in listed:
            self._judge(handler, str(one.get("name")), one)
        if not errors:  # definitions that are wrong have nothing to compare
            self._compare(handler, {str(one.get("name")): one for one in listed}, recorded)

    def _judge(self, handler: str, name: str, definition: Object) -> None:
        if name.lower() in _GENERIC:
            message = (
                f"{name} is a generic name: a class whose other patches define one, too, has a conflict, and stops;"
                f" name what it is for, such as registry{name[:1].upper()}{name[1:]}"
            )
            self._report.add(handler, "generic-variable", message, WARNING)
        other, known = self._known.setdefault(name, (handler, definition))
        if other != handler and differ(known, definition):
            both = [{**known, "from": other}, {**definition, "from": handler}]
            what = conflict_of({"name": name, "definitions": both}).replace("the patch ", "")
            message = f"{what}; a class that names both stops: define it once, or alike"
            self._report.add(handler, "conflicting-variables", message)

    def _compare(self, handler: str, listed: dict[str, Object], recorded: list[Object]) -> None:
        for response in recorded:
            for old in response.get("variables") or []:
                name = str(old.get("name"))
                now = listed.get(name)
                if now is None:
                    message = f"{name} is gone; Clusters that set it are refused: keep it for a while, unused"
                    self._report.add(handler, "changed-variable", message, WARNING)
                elif breaks := breaking_changes(old, now):
                    message = (
                        f"{name}: {'; '.join(breaks)}; Clusters whose values do not fit stop: take a new name,"
                        " or widen the definition"
                    )
                    self._report.add(handler, "breaking-variable", message)
                elif differ(old, now):
                    message = f"{name}: its definition changed, and all values that fitted still do"
                    self._report.add(handler, "changed-variable", message, WARNING)

    def check_input(self, handler: str, what: str, base: Object, answer: Object, odd: Object) -> None:
        """Report a handler that accepts a request whose variables break their schemas.

        base: the answer to the valid request. If both answers are equal, the handler does not use the
        variable.
        """
        patches = _patches(answer)
        if any(has_no_value(patch) for patch in patches):
            message = (
                f'a request {what} makes a patch that writes "{NO_VALUE}", a variable that is not set; fail where it is'
                " missing, or guard its use"
            )
            self._report.add(handler, "input-validation", message)
            return
        try:
            request = read_request(odd)
        except HookError:
            return
        checks = InputChecks([one for _, one in self._known.values()])
        problems = checks.problems(request, require=True, shown=str)
        if problems and patches != _patches(base):
            message = f"answers a request {what} with Success and other patches; it must fail with a message that says: {problems[0]}"
            self._report.add(handler, "input-validation", message)


def _patches(answer: Object) -> list[Any]:
    """Return the patches of an answer in the order of uids; another check reports undecodable ones."""
    patches = []
    listed = answer.get("items") or []
    for item in sorted(listed if is_list_of_maps(listed) else [], key=lambda one: str(one.get("uid"))):
        try:
            patch = read_patch(item.get("patch"), "")
        except TopologyError:
            continue
        if patch:
            patches.append([str(item.get("uid")), json.loads(json.dumps(patch))])
    return patches
