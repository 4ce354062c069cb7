"""krmkit.systems.palette.constraints.dependencies: what a pack wants of the other packs of a profile."""

from __future__ import annotations

import pytest

from krmkit.krm.finding import Finding
from krmkit.systems.palette.constraints.dependencies import PROFILE, Profile, check, check_previous
from krmkit.systems.palette.packs.pack import Pack


def pack(name: str, version: str = "1.0.0", layer: str = "addon", **more: object) -> Pack:
    return Pack({"name": name, "version": version, "layer": layer, **more})


OWNER = pack("console")


def run(dependency: object, *others: Pack, scope: str = "cluster") -> list[Finding]:
    """The findings of one dependency of `console`."""
    return check(OWNER, [dependency], Profile([OWNER, *others]), scope)


def codes(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.rule, finding.about[0]) for finding in findings]


def wants(
    kind: str | None = "required", low: object = "1.2", high: object = "2.0", layer: str = "addon"
) -> dict[str, object]:
    """A dependency on the pack `store`."""
    entry = {"packName": "store", "layer": layer, "minVersion": low, "maxVersion": high, "type": kind}
    return {key: value for key, value in entry.items() if value is not None}


@pytest.mark.parametrize(
    ("dependency", "others", "expected"),
    [
        pytest.param(wants(), [pack("store", "1.2.0")], [], id="lower-bound"),
        pytest.param(wants(), [pack("store", "2")], [], id="upper-bound"),
        pytest.param(wants(), [pack("store", "2.0.1")], ["version"], id="above"),
        pytest.param(
            wants(), [pack("store", "1.2.0-rc.1")], ["version"], id="pre-release-of-the-lower-bound"
        ),
        pytest.param(wants(), [pack("store", "2.0.0-rc.1+x")], [], id="pre-release-of-the-upper-bound"),
        pytest.param(wants(), [], ["missing"], id="missing"),
        pytest.param(wants(), [pack("store", "1.5", "csi")], ["wrong-layer"], id="wrong-layer"),
        pytest.param(wants("optional"), [], [], id="optional-and-absent"),
        pytest.param(wants("optional"), [pack("store", "3", "csi")], [], id="optional-elsewhere"),
        pytest.param(wants("optional"), [pack("store", "3")], ["version"], id="optional-and-too-new"),
        pytest.param(wants("notSupported"), [], [], id="not-supported-and-absent"),
        pytest.param(wants("notSupported"), [pack("store", "1.5")], ["not-supported"], id="not-supported"),
        pytest.param(wants("notSupported"), [pack("store", "3")], [], id="supported-version"),
        pytest.param(
            wants("notSupported", "", None),
            [pack("store")],
            ["unbounded-not-supported"],
            id="not-supported-without-bounds",
        ),
        pytest.param(wants("notSupported", "", None), [], [], id="without-bounds-and-absent"),
        pytest.param(wants("required", None, None), [pack("store", "latest")], [], id="presence-only"),
        pytest.param(
            wants(), [pack("store", "1.5"), pack("blue--store", "9")], ["version"], id="every-instance"
        ),
        pytest.param(wants(), [pack("blue--store", "1.5")], [], id="duplicate-under-another-name"),
        pytest.param(wants(), [pack("bookstore", "1.5")], ["missing"], id="part-of-a-name"),
        pytest.param(wants(), [pack("store", "1.5.x")], ["unparseable"], id="version-with-a-placeholder"),
        pytest.param(wants(), [pack("store", "", tag="1.5")], [], id="tag-where-there-is-no-version"),
        pytest.param(wants(), [pack("store", "1.5", tag="9.x")], [], id="version-before-tag"),
        pytest.param(wants(), [pack("store", "")], ["unparseable"], id="no-version"),
        pytest.param(wants(None), [], ["default-type"], id="no-type"),
        pytest.param(wants(""), [pack("store", "3")], ["default-type", "version"], id="empty-type"),
        pytest.param(wants("needed"), [], ["schema"], id="unknown-type"),
        pytest.param(wants("Required"), [], ["schema"], id="type-in-capitals"),
        pytest.param(wants(layer="apps"), [], ["schema"], id="unknown-layer"),
        pytest.param(wants(layer="kernel"), [], ["missing"], id="kernel-is-a-layer"),
        pytest.param(wants(low="new"), [], ["schema"], id="bound-is-no-version"),
        pytest.param(wants(low=1.2), [], ["schema"], id="bound-is-a-number"),
        pytest.param(wants(low="x", high="y"), [], ["schema", "schema"], id="both-bounds-wrong"),
        pytest.param(wants(low="2.1"), [], ["schema"], id="bounds-reversed"),
        pytest.param({"layer": "addon"}, [], ["schema"], id="no-name"),
        pytest.param("store", [], ["schema"], id="no-object"),
    ],
)
def test_findings(dependency: object, others: list[Pack], expected: list[str]) -> None:
    """A dependency is checked by its type."""
    assert [finding.rule for finding in run(dependency, *others)] == expected


def test_scope_profile_lowers_what_is_missing() -> None:
    """In a part of a profile a missing pack may be elsewhere."""
    (finding,) = run(wants(), scope=PROFILE)

    assert (finding.rule, finding.severity) == ("missing", "warning")


def test_dependencies_must_be_a_list() -> None:
    """Another shape is an error, none at all is fine."""
    assert [finding.rule for finding in check(OWNER, {"a": 1}, Profile([OWNER]))] == ["schema"]
    assert check(OWNER, None, Profile([OWNER])) == []


def test_messages_teach() -> None:
    """The message names both packs, the versions, and where the rule stands."""
    (finding,) = run(wants(), pack("store", "3.1"))

    assert finding.message == "console 1.0.0 needs the pack store in version 1.2 to 2.0, not 3.1"
    assert (finding.field, finding.current, finding.tags["file"]) == (
        "constraints.dependencies[0]",
        "3.1",
        "pack.json",
    )


def upgrade(low: str | None, high: str | None) -> dict[str, object]:
    entry = {
        "packName": "console",
        "layer": "addon",
        "minVersion": low,
        "maxVersion": high,
        "type": "upgrade",
    }
    return {key: value for key, value in entry.items() if value is not None}


@pytest.mark.parametrize(
    ("rule", "new", "old", "expected"),
    [
        pytest.param(upgrade(None, "3.9"), "3.5", None, ["not-checked"], id="no-previous-profile"),
        pytest.param(upgrade(None, "3.9"), "3.9", "3.5", [], id="inside"),
        pytest.param(upgrade(None, "3.9"), "4.0", "3.5", ["version"], id="too-far"),
        pytest.param(upgrade("3.5", None), "3.4", "3.5", ["version"], id="no-way-back"),
        pytest.param(upgrade(None, None), "9", "3.5", [], id="no-bounds"),
    ],
)
def test_upgrade_rules_of_the_new_pack_stand_in(
    rule: object, new: str, old: str | None, expected: list[str]
) -> None:
    """Without the old pack's rules, those at hand are tested on the new version."""
    owner = pack("console", new)
    previous = None if old is None else Profile([pack("console", old)])

    assert [finding.rule for finding in check(owner, [rule], Profile([owner]), previous=previous)] == expected


def test_upgrade_rules_of_the_old_pack_decide() -> None:
    """The old version's own rule is tested on the new version, and the new one's is not."""
    old = pack("console", "3.5", constraints={"dependencies": [upgrade(None, "3.9")]})
    new = pack("console", "4.0")
    profile = Profile([new])

    assert codes(check_previous([old], profile)) == [("version", "console")]
    assert check(new, [upgrade(None, "3.0")], profile, previous=Profile([old])) == []


def test_upgrade_asks_nothing_of_a_new_pack() -> None:
    """A pack that was not in the profile before is not upgraded."""
    assert check(OWNER, [upgrade(None, "0.1")], Profile([OWNER]), previous=Profile([])) == []


def test_satisfied_dependencies_say_why() -> None:
    """Where somebody asks, dependencies without findings say what they saw."""
    satisfied: list[Finding] = []
    members = Profile([OWNER, pack("store", "1.5")])
    check(OWNER, [wants(), {**wants("optional"), "packName": "cache"}], members, satisfied=satisfied)

    assert [finding.message for finding in satisfied] == [
        "required store: 1.5 is fine",
        "optional cache: not in the layer addon of the profile",
    ]


def test_layers_of_a_pack_elsewhere() -> None:
    """The message names each layer once, and a pack without a layer."""
    [found] = run(wants(), pack("store", "1.5", "csi"), pack("store", "1.6", "csi"), pack("store", "1.7", ""))

    assert found.message.endswith("in the layer addon, and it is in csi, none")
