"""Many packs have the same presets.yaml: it is read once, and no pack sees what became of another."""

from __future__ import annotations

import pytest

from krmkit.systems.palette.presets.apply import apply_presets
from krmkit.systems.palette.presets.catalog import PresetCatalog

AS_MAPS = """\
presets:
- name: base
  add:
    cache: {mode: local}
- name: peers
  add:
    cache:
      peers: [one]
"""
AS_TEXTS = """\
presets:
- name: base
  add: "cache: {mode: local}"
- name: peers
  add: |
    cache:
      peers: [one]
"""


@pytest.mark.parametrize("presets", [AS_MAPS, AS_TEXTS], ids=["maps", "texts"])
def test_packs_with_the_same_presets(presets: str) -> None:
    """A preset that is merged into what another one has added changes neither, for no later pack."""
    catalogs: dict[str, PresetCatalog] = {}

    def result(*select: str) -> str:
        applied = apply_presets("size: 1\n", presets, list(select), catalogs=catalogs)
        assert not applied.findings
        assert len(applied.presets) == len(select)
        return applied.text

    alone = apply_presets("size: 1\n", presets, ["base"]).text
    both = apply_presets("size: 1\n", presets, ["base", "peers"]).text
    assert "peers" in both

    assert [result("base", "peers"), result("base"), result("base", "peers")] == [both, alone, both]
    assert list(catalogs) == [presets]


def test_presets_that_cannot_be_read_are_an_error_for_each_pack() -> None:
    """What is no YAML is in no catalog; each pack has the finding, with its place."""
    catalogs: dict[str, PresetCatalog] = {}

    found = [apply_presets("a: 1\n", "presets: [", ["x"], catalogs=catalogs).findings for _ in range(2)]

    assert [[(one.rule, one.line) for one in findings] for findings in found] == [[("schema", 2)]] * 2
    assert not catalogs
