"""Check one object as an API server does: by its CRD's schema and the webhooks of the kubeadm kinds.

Every command checks here objects from files and objects of the topology controller:

check = ObjectCheck(crds)
check.given(template)     # errors of a create; `dropped` names the fields that it loses
check.made(template)      # errors of a server-side apply, which refuses undeclared fields
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.kube.fielderror import FieldError, forbidden
from krmkit.libraries.messages.nearest import proposal
from krmkit.libraries.schema.kubernetes.crds import CrdSchemas, PublishedSchemas
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.gotypes import PUBLISHED
from krmkit.systems.clusterapi.api.labels import API_VERSION, group_of
from krmkit.systems.clusterapi.api.objectversion import CONTROL_PLANE, V1BETA2, in_version
from krmkit.systems.clusterapi.webhooks.kubeadmconfig import config_errors

UNDECLARED = "field not declared in schema"
_SCALED = (
    f"{API_VERSION}/MachineDeployment",
    f"{API_VERSION}/MachinePool",
    f"{API_VERSION}/MachineSet",
    f"{CONTROL_PLANE}/{V1BETA2}/KubeadmControlPlane",
)

_PUBLISHED = PublishedSchemas(PUBLISHED)


class ObjectCheck:
    """Check single objects by the schemas that krmkit ships and by further CRDs, which override."""

    def __init__(self, crds: Iterable[Mapping[str, Any]] = ()) -> None:
        self._schemas = CrdSchemas(crds, _PUBLISHED, _SCALED)

    def given(self, data: Object) -> list[FieldError]:
        """Return why a server refuses to create the object."""
        # Undeclared fields go before anything is checked, and a webhook sees only what the schema takes.
        data = self.stored(data)
        return self._schemas.errors(data) or config_errors(data)

    def made(self, data: Object) -> list[FieldError]:
        """Return why a server refuses a server-side apply of the object."""
        undeclared = [forbidden(path, UNDECLARED + hint) for path, hint in self.dropped(data).items()]
        return undeclared or self.given(data)

    def dropped(self, data: Object) -> dict[str, str]:
        """Return the paths of fields that a create drops, each with a hint: `; did you mean "files"?`, or "".

        An object in v1beta1 whose conversion is known is checked as v1beta2.
        """
        if not self._schemas.knows(data):
            try:
                newer = in_version(data, f"{group_of(str(data.get('apiVersion', '')))}/{V1BETA2}")
            except TopologyError:
                return {}
            data = newer or {}
        found = self._schemas.undeclared(data)
        return {path: proposal(path.rpartition(".")[2], names) for path, names in found.items()}

    def stored(self, data: Object) -> Object:
        """Return the object as a create stores it: without dropped fields."""
        dropped = self.dropped(data)
        return _without(data, dropped, "") if dropped else data


def _without(value: Any, paths: Mapping[str, str], path: str) -> Any:
    if isinstance(value, dict):
        places = {name: f"{path}.{name}" if path else str(name) for name in value}
        return {
            name: _without(inner, paths, places[name])
            for name, inner in value.items()
            if places[name] not in paths
        }
    if isinstance(value, list):
        return [_without(inner, paths, f"{path}[{number}]") for number, inner in enumerate(value)]
    return value
