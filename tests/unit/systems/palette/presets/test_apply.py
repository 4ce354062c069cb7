"""Presets: selection, removal, merging, and what stays as it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from krmkit.libraries.yaml.data import core_data
from krmkit.libraries.yaml.document import parse
from krmkit.systems.palette.presets import marker
from krmkit.systems.palette.presets.apply import apply_presets
from tests.costs import check_shape

VALUES = """\
# values of the cache
cache:
  # size of the cache
  size: 1Gi   # per node
  mode: 'local'
  peers:
  - one
  - two # second

  eviction:
    policy: lru
  "dotted.key": x
"""
PRESETS = """\
presets:
- name: big
  group: Size
  remove: []
  add: |
    cache:
      size: 8Gi
      # what big caches need
      threads: 4 # at least
- name: small
  group: Size
  remove: ["cache.threads"]
  add: |
    cache:
      size: 1Gi
- name: shared
  remove: ["cache.eviction", "cache.peers.$[]", "cache.no.such", "cache.dotted.key"]
  add: |
    cache:
      mode: "shared"
      peers: [three]
- name: broken
  add: "- a list"
- name: as-map
  add:
    cache: {eviction: null}
"""


def applied(select: list[str], values: str = VALUES, presets: str = PRESETS) -> str:
    """The values after a selection that must succeed."""
    result = apply_presets(values, presets, select)
    assert not result.findings
    return result.text


def test_merge_keeps_every_other_line() -> None:
    """A scalar changes in its line, a new key brings its comments."""
    expected = VALUES.replace("size: 1Gi ", "size: 8Gi ").replace(
        '  "dotted.key": x\n',
        '  "dotted.key": x\n  # what big caches need\n  threads: 4 # at least\n',
    )

    assert applied(["big"]) == expected
    assert applied(["Size:big"]) == expected


def test_remove_then_add() -> None:
    """Paths of every form are removed, a list is replaced, emptied parents stay."""
    text = applied(["shared"])

    assert core_data(parse(text).root) == {"cache": {"size": "1Gi", "mode": "shared", "peers": ["three"]}}
    assert text.startswith(VALUES[: VALUES.index("  mode")])


@pytest.mark.parametrize(
    ("values", "head", "tail"),
    [
        pytest.param("", "", "\n", id="no text"),
        pytest.param("{}\n", "", "\n", id="an empty mapping"),
        pytest.param("# one\n{}", "# one\n", "", id="an empty mapping under a comment"),
        pytest.param("# one\n\n~\n# two\n", "# one\n\n", "\n# two\n", id="null between comments"),
    ],
)
def test_empty_values_are_filled_as_a_block(values: str, head: str, tail: str) -> None:
    """Empty values take what a preset adds as it is written there, comments included, and keep their own."""
    added = "cache:\n  size: 8Gi\n  # what big caches need\n  threads: 4 # at least"

    assert applied(["big"], values) == head + added + tail


def test_null_is_a_value() -> None:
    """A null in `add` replaces, it does not remove; `add` may be a mapping of presets.yaml itself."""
    data = core_data(parse(applied(["as-map"])).root)

    assert isinstance(data, dict)
    assert data["cache"]["eviction"] is None


@pytest.mark.parametrize("select", [["small"], [], ["small", "small"]])
def test_nothing_to_do_is_identical(select: list[str]) -> None:
    """Values that already say it stay as they are, to the byte."""
    assert applied(select) == VALUES


@pytest.mark.parametrize(
    "values", [VALUES, VALUES.rstrip("\n"), VALUES.replace("\n", "\r\n"), "", "# only this", "{}\n"]
)
@pytest.mark.parametrize("select", [["big"], ["shared", "big"], ["big", "shared", "as-map"]])
def test_twice_is_once(values: str, select: list[str]) -> None:
    """Applying a selection again changes nothing."""
    once = applied(select, values)

    assert applied(select, once) == once
    assert isinstance(core_data(parse(once).root), dict)


@pytest.mark.parametrize(
    ("select", "size"), [(["one", "two"], "2"), (["two", "one"], "1"), (["two", "one", "two"], "1")]
)
def test_the_order_of_asking(select: list[str], size: str) -> None:
    """Presets are applied in the order of the selection, each once where it is first named, and not in that of presets.yaml."""
    presets = "presets:\n- {name: one, add: {size: 1}}\n- {name: two, add: {size: 2}}\n"

    result = apply_presets("size: 0\n", presets, select)

    assert result.text == f"size: {size}\n"
    assert [preset.asked for preset in result.presets] == [0, 1]


@pytest.mark.parametrize(
    ("select", "codes", "words"),
    [
        (["bigg"], ["unknown-preset"], 'did you mean "big"'),
        (["Size:huge", "big"], ["unknown-preset"], "Size:big"),
        (["big", "small"], ["group-conflict"], 'group "Size"'),
        (["broken"], ["bad-add"], "not a list"),
        (["nope", "neither"], ["unknown-preset", "unknown-preset"], "nope"),
    ],
)
def test_errors(select: list[str], codes: list[str], words: str) -> None:
    """All problems at once, and the values as they came."""
    result = apply_presets(VALUES, PRESETS, select)

    assert [finding.rule for finding in result.findings] == codes
    assert words in " ".join(finding.message for finding in result.findings)
    assert result.text == VALUES


@pytest.mark.parametrize(
    ("presets", "code"),
    [
        ("presets: x\n", "schema"),
        ("presets:\n- group: g\n", "schema"),
        ("presets:\n- name: big\n  remove: x\n", "schema"),
        ("presets: [\n", "schema"),
        ("presets:\n- name: big\n- name: big\n", "duplicate-name"),
        ("", "unknown-preset"),
    ],
)
def test_bad_presets_file(presets: str, code: str) -> None:
    """What is wrong with presets.yaml shows only when something is selected from it."""
    result = apply_presets(VALUES, presets, ["big"])

    assert (result.findings[0].rule, result.text) == (code, VALUES)
    assert not apply_presets(VALUES, presets, []).findings


def test_aliases_are_not_written_through() -> None:
    """The anchored mapping keeps what it says, the alias becomes a copy."""
    values = "base: &b\n  cache: {size: 1Gi}\nother: *b\ncache:\n  <<: *b\n"
    presets = "presets:\n- name: p\n  remove: [other.cache.size]\n  add: |\n    other:\n      x: 1\n"

    data = core_data(parse(applied(["p"], values, presets)).root)

    assert data == {
        "base": {"cache": {"size": "1Gi"}},
        "other": {"cache": {}, "x": 1},
        "cache": {"cache": {"size": "1Gi"}},
    }


class TestMarker:
    """The marker comment selects, and tells what is selected."""

    def test_selects(self) -> None:
        """Without a selection the marker's entries count."""
        result = apply_presets("# spectrocloud.com/enabled-presets: Size:big\n" + VALUES, PRESETS)

        assert [preset.label for preset in result.presets] == ["Size:big"]
        assert "threads: 4" in result.text

    def test_stale_names_are_warnings(self) -> None:
        """A name that presets.yaml does not have changes nothing."""
        values = "# spectrocloud.com/enabled-presets: Size:gone\n" + VALUES
        result = apply_presets(values, PRESETS)

        assert [(finding.rule, finding.severity) for finding in result.findings] == [
            ("stale-marker", "warning")
        ]
        assert result.text == values

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            (" Size:small, Mode:x", " Size:big, Mode:x"),
            (" Mode:x,  Size:small ", " Mode:x,  Size:big "),
            ("", " Size:big"),
            (" Mode:x", " Mode:x,Size:big"),
            (" Size:big", " Size:big"),
        ],
    )
    def test_is_kept_true(self, before: str, after: str) -> None:
        """A group's entry is replaced, a new group's is added, all others stay."""
        line = "# spectrocloud.com/enabled-presets:{}\n"
        result = apply_presets(line.format(before) + VALUES, PRESETS, ["big"])

        assert result.text.startswith(line.format(after))

    def test_is_written_on_request(self) -> None:
        """Values without marker get one only when asked."""
        text = apply_presets(VALUES, PRESETS, ["big"], write_marker=True).text

        assert text.startswith("# spectrocloud.com/enabled-presets: Size:big\n# values")
        assert marker.read(applied(["big"])) is None

    @pytest.mark.parametrize(
        "text",
        ["a: |\n  # spectrocloud.com/enabled-presets: x\n", "a: 1\n# spectrocloud.com/enabled-presets: x\n"],
    )
    def test_stands_at_the_head(self, text: str) -> None:
        """Text that looks like a marker further down is none."""
        assert marker.read(text) is None


@pytest.mark.parametrize(
    ("values", "remove", "add"),
    [
        ("a: &A\n  b: 1\n  c: *A\n", "a.b", "x: 1"),
        ("a: &A\n  c: *A\nb: *A\n", "a", "x: 1"),
        ("z: 1\n", "z", "a: &A\n        c: *A"),
        ("a: &A\n  c: [*A]\nz: 1\n", "z", "a: {d: 1}"),
    ],
)
def test_an_alias_inside_of_its_own_value(values: str, remove: str, add: str) -> None:
    """It is a finding, and nothing is written."""
    presets = f'presets:\n- name: p\n  remove: ["{remove}"]\n  add: |\n      {add}\n'

    applied = apply_presets(values, presets, ["p"])

    assert applied.text == values
    assert ["contain itself" in finding.message for finding in applied.findings] == [True]


@pytest.mark.parametrize(
    ("values", "add", "same"),
    [
        ("a:\n  b: 1\n  c: [x]\n", "a: {c: ['x'], b: 1}", True),
        ("a:\n  b: 1\n", "a: {b: '1'}", False),
        ("a:\n  b: 0x10\n", "a: {b: 16}", True),
        ("a:\n  b: 1\n  <<: {c: 2}\n", "a: {b: 1, c: 2}", True),
        ("d: &d {b: 1}\na: *d\n", "a: {b: 1}", True),
        ("a:\n  b: {}\n", "a: {b: }", False),
        ("a:\n  b: [1, 2]\n", "a: {b: [1]}", False),
        ("a:\n  b: [1, {c: 2}]\n", "a: {b: [1, {c: 3}]}", False),
    ],
)
def test_what_was_removed_comes_back(values: str, add: str, same: bool) -> None:
    """Where it says the same again, in whatever order and writing, the text stays as it was."""
    presets = f"presets:\n- name: p\n  remove: [a]\n  add: |\n    {add}\n"

    applied = apply_presets(values, presets, ["p"])

    assert not applied.findings
    assert (applied.text == values) is same


COLONS = """\
presets:
- {name: small, group: "a:b", add: "x: 1"}
- {name: small, group: "a", add: "x: 2"}
- {name: "b:small", group: "a", add: "x: 3"}
"""


@pytest.mark.parametrize(
    ("entry", "value"), [("a:b:small", "x: 1"), ("a:small", "x: 2"), ("b:small", "x: 3")]
)
def test_groups_with_colons(entry: str, value: str) -> None:
    """`Group:name` is split at the last colon; a preset whose name is the whole entry counts too, and the first wins."""
    presets = (
        COLONS.replace('name: small, group: "a"', 'name: tiny, group: "a"') if entry != "a:small" else COLONS
    )
    presets = (
        presets.replace('name: small, group: "a:b"', 'name: large, group: "a:b"')
        if entry == "a:small"
        else presets
    )

    assert value in apply_presets("y: 1\n", presets, [entry]).text


def test_shape_of_costs_of_a_marker() -> None:
    """A marker of many entries is brought up to date in one pass."""

    def make(size: int) -> Callable[[], object]:
        names = ",".join(f"g{number}:a" for number in range(size))
        wanted = [(f"g{number}", "b") for number in reversed(range(size))]
        return lambda: marker.write(f"# {marker.NAME} {names}\n", wanted)

    check_shape(make)


def test_marker_entry_of_a_group_with_colons() -> None:
    """An entry of the marker gives way to another preset of its group, which ends at the last colon."""
    values = f"# {marker.NAME} a:b:small,c:x\n"

    assert marker.write(values, [("a:b", "big")]) == f"# {marker.NAME} a:b:big,c:x\n"
    assert marker.write(values, [("a", "big")]) == f"# {marker.NAME} a:b:small,c:x,a:big\n"
