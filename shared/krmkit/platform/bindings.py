"""Rules about bindings: the tables of apply-replacements that carry a fact to all places that have to agree."""

from __future__ import annotations

from krmkit.krm.finding import WARNING, Finding
from krmkit.platform.facts import plain
from krmkit.schema.fields import entries, mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krmkit.platform.facts import PlatformFacts

_GROUP = "fn.kpt.dev/"
_KIND = "ApplyReplacements"
_ALIKE = 0.85  # RANConfig is not a typing error of NFConfig


def binding_targets(facts: PlatformFacts) -> Iterator[Finding]:
    """A target of a replacement selects a kind that the package has; a kind with a similar name is a typing error.

    The function itself does not report a target without resources, as tables may serve several packages.
    """
    from difflib import get_close_matches

    kinds = sorted({item.kind for item in facts.items if item.kind})
    for config in facts.of_kind(_GROUP, _KIND):
        for number, replacement in enumerate(entries(config.get("replacements"))):
            for position, target in enumerate(entries(replacement.get("targets"))):
                kind = plain(mapping(target.get("select")).get("kind"))
                meant = [] if kind in kinds else get_close_matches(kind, kinds, 1, _ALIKE)
                if meant:
                    field = f"replacements[{number}].targets[{position}].select.kind"
                    message = (
                        f'the package has no {kind}, so nothing is bound here; did you mean "{meant[0]}"?'
                    )
                    yield Finding("binding-target", message, WARNING, config, field, kind, meant[0])
