"""Record the causes of a variant package's values: fields of the PackageVariant or of another config."""

from __future__ import annotations

from krmkit.krm.cause import Cause, CauseLog, config_cause, resource_cause
from krmkit.krm.fieldpath import Path
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.data import lookup
from krmkit.libraries.yaml.tree import Map, Scalar, Seq, deref
from krmkit.systems.porch.api.apinames import VARIANT_KIND
from krmkit.systems.porch.variants.injectionpoint import InjectionPoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class VariantCauses:
    """The causes in a config: a PackageVariant, the function's own kind, or a ConfigMap."""

    def __init__(self, log: CauseLog, config: Resource) -> None:
        self._log = log
        self._config = config
        self._flat = config.kind == "ConfigMap"
        self._is_variant = config.kind == VARIANT_KIND

    def context(self, item: Resource, key: str, is_removed: bool) -> None:
        """Record a key of the package context."""
        above: Path = ("spec", "packageContext") if self._is_variant else ("spec",)
        field: Path = (*above, "removeKeys") if is_removed else (*above, "data", key)
        if self._flat:
            field = ("data", "removeKeys") if is_removed else ("data", key)
        self._log.set(item, ("data", key), config_cause(self._config, *field))

    def pipeline(self, kptfile: Resource, step: str, size: int, edited: bool) -> None:
        """Record the functions at the front of a pipeline's list, and the move of the others."""
        field: Path = ("data", "pipeline") if self._flat else ("spec", "pipeline", step)
        if size or edited:
            self._log.set(kptfile, ("pipeline", step), config_cause(self._config, *field))
        for position in range(size):
            inner = field if self._flat else (*field, position)
            cause = config_cause(self._config, *inner, follows=not self._flat)
            self._log.set(kptfile, ("pipeline", step, position), cause)

    def injected(
        self, item: Resource, field: str, injector: int, source: Resource | None, inline: Path
    ) -> None:
        """Record an injector's source: a field of an item, or an object at `inline` in `source`."""
        listed: Path = ("data", "injectors") if self._flat else ("spec", "injectors", injector)
        found = [config_cause(self._config, *listed)]
        if source is not None:
            found.append(self._source(source, inline, field))
        self._log.set(item, (field,), *found)
        self._log.set(item, ("metadata", "annotations", "kpt.dev/injected-resource"), *found)

    def _source(self, source: Resource, inline: Path, field: str) -> Cause:
        if not inline:
            return resource_cause(source, field, follows=True)
        if source.kind == "ConfigMap":
            return config_cause(source, "data", "resources")
        return config_cause(source, *inline, field, follows=True)

    def applied(self, kptfile: Resource) -> None:
        """Record the status of an applied variant."""
        self._log.set(self._config, ("status", "conditions"), resource_cause(kptfile, "metadata", "name"))

    def conditions(self, kptfile: Resource, points: Sequence[InjectionPoint]) -> None:
        """Record the conditions and gates of injection points in the Kptfile."""
        by_type = {point.condition_type: point.resource for point in points if point.resource is not None}
        for section, name, key in (
            ("info", "readinessGates", "conditionType"),
            ("status", "conditions", "type"),
        ):
            node = kptfile.node(section, name)
            for position, item in enumerate(node.items if isinstance(node, Seq) else ()):
                entry = deref(item)
                value = lookup(entry, key) if isinstance(entry, Map) else None
                point = by_type.get(value.text) if isinstance(value, Scalar) else None
                if point is not None:
                    cause = resource_cause(point, "metadata", "annotations", "kpt.dev/config-injection")
                    self._log.set(kptfile, (section, name, position), cause)
