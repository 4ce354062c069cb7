"""The objects of a topology against the API of their kinds: those among the items, and those that the controller would make.

The API server checks Clusters and classes so before their webhooks. For the objects that are made of them the topology controller runs
into it later, and the Cluster is stuck. Validation and plans use the same functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from krmkit.krm.finding import ERROR, WARNING, Finding
from krmkit.krm.refusals import refusal
from krmkit.libraries.kube.fielderror import FieldError
from krmkit.systems.clusterapi.api.decode import UNKNOWN_FIELD, UNKNOWN_VALUE
from krmkit.systems.clusterapi.api.roles import CLUSTER
from krmkit.systems.clusterapi.desired.package import DecodedObject, TopologyPackage
from krmkit.systems.clusterapi.desired.topologies import RenderedCluster, Topologies, TopologyOptions
from krmkit.systems.clusterapi.webhooks.cluster import class_key
from krmkit.systems.clusterapi.webhooks.kubeadmcontrolplane import created_errors
from krmkit.systems.clusterapi.webhooks.objectcheck import ObjectCheck


def with_refused_objects(
    findings: list[Finding],
    package: TopologyPackage,
    feature_gates: Mapping[str, bool],
    crds: Iterable[Mapping[str, Any]] = (),
) -> list[Finding]:
    """Return the webhooks' findings, and those of all objects, given and made.

    crds: further ones than those among the items, which win. Objects that the controller would make are checked if the Cluster and its class
    are taken, and the Cluster can be rendered.
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
    """The check of the objects of one package. `sound`: its Clusters and classes that the API takes, after `with_given`."""

    __slots__ = ("_check", "_known", "_package", "sound")

    def __init__(self, package: TopologyPackage, crds: Iterable[Mapping[str, Any]] = ()) -> None:
        self._package = package
        self._check = ObjectCheck([*crds, *(crd.data for crd in package.collected.crds)])
        self._known: set[str] = set()
        self.sound: list[DecodedObject] = []

    def with_given(self, findings: list[Finding]) -> list[Finding]:
        """Return the webhooks' findings, an error for each value of a given object that the API refuses, and a warning for each
        field that it drops.

        Errors of webhooks or of decoding are not repeated; a value that decoding only warns about becomes an error.
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
        return kept + found + self._others({_place(one) for one in kept})

    def _others(self, reported: set[tuple[str, str]]) -> list[Finding]:
        """Return the findings of objects that are neither Clusters nor classes. Generated ones are checked as they are made."""
        found = []
        for item in self._package.collected.others.values():
            if item.is_generated:
                continue
            for error in self._check.given(item.data):
                self._known.add(_essence(error))
                found.append(refusal(error, item.resource))
            for path, hint in self._check.dropped(item.data).items():
                message = f'unknown field "{path.rpartition(".")[2]}", which the API server drops{hint}'
                warning = Finding(UNKNOWN_FIELD, message, WARNING, item.resource, path)
                self._known.add(_tail(path))
                if _place(warning) not in reported:
                    found.append(warning)
        return found

    def made(self, rendered: RenderedCluster, webhooks: bool = False) -> list[Finding]:
        """Return an error for each value of the objects made of a Cluster that the API refuses.

        An error of a template is one of all objects that are made of it: it is not repeated. webhooks: also those of a new control plane.
        """
        found = []
        for role, data in rendered.state.objects():
            if role == CLUSTER:
                continue
            errors = [
                error
                for error in self._check.made(data)
                if not {_essence(error), _tail(error.field)} & self._known
            ]
            errors += created_errors(data) if webhooks else []
            made = f"the {data.get('kind', '')} of {role}"
            found += [refusal(error, rendered.item.resource, made) for error in errors]
        return found


def _place(finding: Finding) -> tuple[str, str]:
    return str(finding.resource_ref), finding.field


def _tail(path: str) -> str:
    return path.removeprefix("spec.template.").removeprefix("spec.")


def _essence(error: FieldError) -> str:
    """Return what a template's error and that of an object made of it have in common."""
    tail = _tail(error.field)
    return f"{tail}: {error.body().replace(error.field, tail)}"
