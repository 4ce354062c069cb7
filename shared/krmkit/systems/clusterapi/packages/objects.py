"""Check the given objects of a topology, and the objects that the controller would make, by their API.

The API server checks Clusters and classes before their webhooks. An object that it refuses later, when the
controller makes it, blocks the Cluster. Validation and plans use the same functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from krmkit.krm.finding import ERROR, Finding
from krmkit.krm.refusals import REFUSED, refusal
from krmkit.systems.clusterapi.api.decode import UNKNOWN_FIELD, UNKNOWN_VALUE
from krmkit.systems.clusterapi.desired.generated import essence, refused, tail
from krmkit.systems.clusterapi.desired.package import DecodedObject, TopologyPackage
from krmkit.systems.clusterapi.desired.topologies import RenderedCluster, Topologies, TopologyOptions
from krmkit.systems.clusterapi.webhooks.cluster import class_key
from krmkit.systems.clusterapi.webhooks.objectcheck import ObjectCheck


def with_refused_objects(
    findings: list[Finding],
    package: TopologyPackage,
    feature_gates: Mapping[str, bool],
    crds: Iterable[Mapping[str, Any]] = (),
) -> list[Finding]:
    """Return the webhooks' findings, and findings about all given and made objects.

    crds: CRDs in addition to the items' own, which override. Objects that the controller would make are
    checked if the Cluster and its class are accepted and the Cluster can be rendered.
    """
    checked = CheckedPackage(package, crds)
    found = checked.with_given(findings)
    topologies = Topologies(
        package.collected, TopologyOptions(feature_gates=feature_gates), package.extensions
    )
    taken = {id(decoded.item) for decoded in checked.sound}
    classes = {key for key, owner in package.classes.items() if id(owner.decoded.item) in taken}
    for decoded in topologies.managed():
        if id(decoded.item) in taken and class_key(decoded.data) in classes:
            rendered = topologies.render(decoded)
            found += [] if rendered is None else checked.made(rendered, webhooks=True)
    return found


class CheckedPackage:
    """Check the objects of one package. `sound`: Clusters and classes that the API accepts."""

    def __init__(self, package: TopologyPackage, crds: Iterable[Mapping[str, Any]] = ()) -> None:
        self._package = package
        self._check = ObjectCheck([*crds, *(crd.data for crd in package.collected.crds)])
        self._known: set[str] = set()
        self.sound: list[DecodedObject] = []

    def with_given(self, findings: list[Finding]) -> list[Finding]:
        """Return the webhooks' findings, errors for refused values, and warnings for dropped fields.

        Errors of webhooks or of decoding are not repeated; a value that decoding only warns about becomes an
        error.
        """
        package = self._package
        wrong = {_place(finding) for finding in findings if finding.severity == ERROR}
        found: list[Finding] = []
        for decoded in (*(owner.decoded for owner in package.classes.values()), *package.clusters):
            errors = self._check.given(decoded.item.data)
            found += [refusal(error, decoded.item.resource) for error in errors]
            if not errors:
                self.sound.append(decoded)
        found = [finding for finding in found if _place(finding) not in wrong]
        refused = {_place(finding) for finding in found}
        kept = [one for one in findings if one.rule != UNKNOWN_VALUE or _place(one) not in refused]
        return _with_causes(kept + found) + self._others({_place(one) for one in kept})

    def _others(self, reported: set[tuple[str, str]]) -> list[Finding]:
        """Return findings of objects other than Clusters and classes; `made` checks generated ones."""
        found = []
        for item in self._package.collected.others.values():
            if item.is_generated:
                continue
            for error in self._check.given(item.data):
                self._known.add(essence(error))
                found.append(refusal(error, item.resource))
            for path, hint in self._check.dropped(item.data).items():
                message = f'unknown field "{path.rpartition(".")[2]}", which the API server drops' + hint
                warning = Finding(UNKNOWN_FIELD, message, item.resource, path)
                self._known.add(tail(path))
                if _place(warning) not in reported:
                    found.append(warning)
        return found

    def made(self, rendered: RenderedCluster, webhooks: bool = False) -> list[Finding]:
        """Return an error for each value of a Cluster's made objects that the API refuses.

        An error of a template is not repeated for the objects made of it. webhooks: also webhook errors of
        a new control plane.
        """
        return refused(self._check, rendered, self._known, webhooks)


def _with_causes(findings: list[Finding]) -> list[Finding]:
    """Merge the errors that one dropped field causes: those below it, and missing fields beside it."""
    dropped = [one for one in findings if one.rule == UNKNOWN_FIELD]
    effects: dict[int, list[Finding]] = {}
    for error in findings:
        for number, cause in enumerate(dropped if error.severity == ERROR else ()):
            if error.resource_ref != cause.resource_ref:
                continue
            missing = error.message.startswith("Required value") and _above(error) == _above(cause)
            if missing or error.field.startswith(f"{cause.field}."):
                effects.setdefault(number, []).append(error)
                break
    gone: set[int] = set()
    for number, errors in effects.items():
        told = next((one for one in errors if one.rule == REFUSED), errors[0])
        told.message += f"; the cause: {dropped[number].message}"
        gone.update(id(one) for one in errors if one is not told)
    return [one for one in findings if id(one) not in gone]


def _above(finding: Finding) -> str:
    return finding.field.rpartition(".")[0]


def _place(finding: Finding) -> tuple[str, str]:
    return str(finding.resource_ref), finding.field
