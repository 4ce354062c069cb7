"""Macros and configs that name what is not there: Palette makes them empty without a word, the function warns."""

from __future__ import annotations

import pytest

from krmkit.fn.testing import resource_list, run_function
from tests.unit.systems.palette.macros.test_items import pack

CONFIG = "apiVersion: krmkit.dev/v1alpha1\nkind: ResolveMacros\nmetadata: {name: m}\nspec:\n"


def warnings(values: str, spec: str = "  system: {}\n") -> list[tuple[str, str, str]]:
    """(rule, message, field) of the warnings for a pack `app` with these values, beside the pack `kubernetes`."""
    items = [pack("kubernetes", 'version: "1.30"'), pack("app", values)]
    texts = [item[2:].replace("\n  ", "\n") for item in items]
    outcome = run_function("functions/resolve-macros", resource_list(texts, CONFIG + spec))
    assert outcome.exit_code == 0, outcome.stderr
    return [(one.rule, one.message, one.field) for one in outcome.results if one.severity == "warning"]


@pytest.mark.parametrize(
    ("values", "rules"),
    [
        ('a: "{{ .spectro.pack.kubernets.version }}"', ["unknown-pack"]),
        ('a: "{{ .spectro.pack.kubernets.version }}{{ .spectro.pack.kubernets.x }}"', ["unknown-pack"] * 2),
        ('a: "{{ .spectro.pack.kubernets.version | default "1.29" }}"', []),
        ('a: "{{ .spectro.pack.kubernetes.version }}"', []),
        ('a: "{{ .spectro.pack.kubernetes.versio }}"', []),
    ],
    ids=["a typo", "two", "with a default", "right", "a value that is not there"],
)
def test_packs(values: str, rules: list[str]) -> None:
    """The nearest pack is named; a default says that the pack may be absent."""
    found = warnings(values)

    assert [rule for rule, _, _ in found] == rules
    for _, message, _ in found:
        assert 'no pack is named "kubernets"; did you mean "kubernetes"?' in message


@pytest.mark.parametrize(
    ("policy", "said"), [("keep", "no value is given for .spectro.pack.kubernets.version; no pack is named")]
)
def test_kept(policy: str, said: str) -> None:
    """What stays as it is says so too."""
    (found,) = warnings('a: "{{ .spectro.pack.kubernets.version }}"', f"  onUndefined: {policy}\n")
    assert said in found[1]


def test_system() -> None:
    """A name under `system` that Palette does not have, unless a macro asks for it."""
    spec = '  system: {"cluster.nam": a, "cluster.uid": b, "of.ours": c}\n'

    (found,) = warnings('a: "{{ .spectro.system.of.ours }}"', spec)

    assert found[0] == "unknown-system-macro"
    assert found[1].endswith('; did you mean "cluster.name"?')
    assert found[2] == 'spec.system."cluster.nam"'
