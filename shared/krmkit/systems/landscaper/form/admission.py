"""Check objects as an API server with Landscaper's webhooks does: metadata, CRD schema, webhook rules.

Source: gardener/landscaper, apis/core/validation; k8s.io/apimachinery for metadata.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from krmkit.libraries.kube.fielderror import FieldError, forbidden, invalid, required
from krmkit.libraries.kube.names import is_dns1123_subdomain, validate_annotations, validate_labels
from krmkit.libraries.schema.fields import mapping, texts
from krmkit.libraries.schema.kubernetes.crds import CrdSchemas, PublishedSchemas
from krmkit.systems.landscaper.apinames import API_VERSION
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.form.installation import PUBLISHED, structure_errors
from krmkit.systems.landscaper.items.identity import name_of, namespace_of
from krmkit.systems.landscaper.items.objects import World

_PUBLISHED = PublishedSchemas(PUBLISHED)


class Admission:
    """The checks of an API server. crds: CustomResourceDefinitions in addition to the shipped ones."""

    def __init__(self, crds: Iterable[Mapping[str, Any]] = ()) -> None:
        self._schemas = CrdSchemas(crds, _PUBLISHED)

    def errors(self, data: Data) -> list[FieldError]:
        """Return an object's errors: metadata, schema, Target, DataObject; not the Installation webhook's."""
        metadata = mapping(data.get("metadata"))
        name = name_of(data)
        found = [invalid("metadata.name", name, problem) for problem in is_dns1123_subdomain(name)]
        if data.get("kind") == "Installation":
            found = []  # its webhook allows less, and says it better
        found += validate_labels(texts(metadata.get("labels")), "metadata.labels")
        found += validate_annotations(texts(metadata.get("annotations")), "metadata.annotations")
        found += self._schemas.errors(data)
        if data.get("apiVersion") != API_VERSION:
            return found
        if data.get("kind") == "DataObject" and data.get("data") is None:
            found.append(required("data", "a DataObject must have a value other than null"))
        spec = mapping(data.get("spec"))
        if data.get("kind") == "Target" and not (spec.get("config") is None or spec.get("secretRef") is None):
            found.append(forbidden("spec", "either config or secretRef may be set, not both"))
        return found

    def refusals(self, data: Data) -> list[str]:
        """Return the API's errors about an object that an installation makes, each as `field: problem`."""
        found = [str(error) for error in self.errors(data)]
        if data.get("kind") == "Installation":
            found += [
                f"{error.field}: {error.message}"
                for error in structure_errors(data)
                if not error.message.startswith("unknown field")  # the server drops these
            ]
        return found

    def given(self, world: World) -> dict[tuple[str, str, str], list[FieldError]]:
        """Return the errors of the objects of a world by kind, namespace and name."""
        found = {key: self.errors(data) for key, data in world.objects.items()}
        return {key: errors for key, errors in found.items() if errors}


def broken_installations(world: World) -> frozenset[tuple[str, str]]:
    """Return namespace and name of each Installation that the webhook refuses."""
    return frozenset(
        (namespace_of(one), name_of(one)) for one in world.of_kind("Installation") if structure_errors(one)
    )
