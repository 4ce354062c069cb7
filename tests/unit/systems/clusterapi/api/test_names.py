"""Names: stable, of the reference's alphabet, and short enough."""

from __future__ import annotations

import pytest

from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.names import (
    ALPHABET,
    ClusterNames,
    NamingTemplate,
    simple_name,
    stable_suffix,
)


def test_suffixes_are_stable_and_differ_by_what_they_are_for() -> None:
    """The same texts give the same five characters, other texts others."""
    suffix = stable_suffix("ns", "c1", "controlPlane")

    assert suffix == stable_suffix("ns", "c1", "controlPlane")
    assert len(suffix) == 5
    assert set(suffix) <= set(ALPHABET)
    assert len({stable_suffix("ns", "c1", f"machineDeployments/md-{n}") for n in range(200)}) == 200
    assert stable_suffix("a", "bc") != stable_suffix("ab", "c")


def test_long_bases_are_cut_and_still_differ() -> None:
    """Two worker groups whose names are cut to the same text keep names of their own."""
    names = ClusterNames("ns", "c" * 60)

    first, second = (
        names.simple(f"machineDeployments/md-{n}/bootstrapTemplate", "", "c" * 60 + f"-md-{n}-")
        for n in (0, 1)
    )

    assert len(first) == len(second) == 63
    assert first[:58] == second[:58]
    assert first != second


def test_current_names_win_over_new_ones_and_pinned_names_over_both() -> None:
    """An object that is there keeps its name, unless the config pins another."""
    template = NamingTemplate("{{ .cluster.name }}-{{ .random }}")

    assert ClusterNames("ns", "c1").templated("controlPlane", "c1-old", template, {}) == "c1-old"
    assert (
        ClusterNames("ns", "c1", {"controlPlane": "mine"}).templated("controlPlane", "c1-old", template, {})
        == "mine"
    )
    assert ClusterNames("ns", "c1").simple("x", "kept", "c1-") == "kept"


def test_naming_templates_know_no_sprig_and_no_missing_keys() -> None:
    """What the reference refuses fails with its words."""
    with pytest.raises(TopologyError, match='function "upper" not defined'):
        NamingTemplate("{{ .cluster.name | upper }}").name({"cluster": {"name": "c1"}}, "xxxxx")
    with pytest.raises(TopologyError, match=r'rendering template: .*map has no entry for key "nope"'):
        NamingTemplate("{{ .cluster.nope }}").name({"cluster": {"name": "c1"}}, "xxxxx")


def test_a_name_of_63_characters_is_kept() -> None:
    """Only longer names are cut."""
    assert NamingTemplate("a" * 63).name({}, "bcdfg") == "a" * 63
    assert NamingTemplate("a" * 64).name({}, "bcdfg") == "a" * 58 + "bcdfg"
    assert simple_name("c1-", "bcdfg") == "c1-bcdfg"
