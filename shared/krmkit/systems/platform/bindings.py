"""Check bindings: the tables of apply-replacements that carry a fact to all places that must agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krmkit.krm.finding import Finding
from krmkit.libraries.schema.fields import entries, mapping
from krmkit.systems.platform.facts import PlatformFacts, plain

_GROUP = "fn.kpt.dev/"
_KIND = "ApplyReplacements"
_SHORTEST, _LONGEST = 5, 64  # letters of a kind that is compared: of shorter ones too many are alike


def binding_targets(facts: PlatformFacts) -> Iterator[Finding]:
    """Report a target of a replacement whose kind is a typing error of one of the package.

    The function itself does not report a target without resources, as tables may serve several packages.
    """
    kinds = {item.kind for item in facts.items if item.kind}
    known = {form: kind for kind in sorted(kinds, reverse=True) for form in _forms(kind)}
    for config in facts.of_kind(_GROUP, _KIND):
        for number, replacement in enumerate(entries(config.get("replacements"))):
            for position, target in enumerate(entries(replacement.get("targets"))):
                kind = plain(mapping(target.get("select")).get("kind"))
                meant = "" if kind in kinds else _meant(kind, known)
                if meant:
                    field = f"replacements[{number}].targets[{position}].select.kind"
                    message = f'the package has no {kind}, so nothing is bound here; did you mean "{meant}"?'
                    yield Finding("binding-target", message, config, field, kind, meant)


def _forms(kind: str) -> Iterator[str]:
    """Yield a kind in lower case, whole and without each letter: near kinds share such a form.

    Forms are looked up, so the cost does not grow with kinds times targets.
    """
    word = kind.lower()
    yield word
    if _SHORTEST <= len(word) <= _LONGEST:
        for place in range(len(word)):
            yield word[:place] + word[place + 1 :]


def _meant(kind: str, known: Mapping[str, str]) -> str:
    """Return the kind of the package of which a kind is a typing error, or "".

    Example: Clutser is Cluster, and AKSCluster is not EKSCluster, as abbreviations are names.
    """
    for form in _forms(kind):
        other = known.get(form, "")
        if other and (other.lower() == kind.lower() or _abbreviations(other) == _abbreviations(kind)):
            return other
    return ""


def _abbreviations(kind: str) -> list[str]:
    from re import findall

    return findall("[A-Z]{2,}(?![a-z])", kind)
