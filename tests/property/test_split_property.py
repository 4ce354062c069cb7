"""Fast path == exact path == full parse, on lists that were made to look like something else.

The judge is PyYAML's event parser over the whole text: every item, parsed alone at its column, must give the events
that it gives inside the list, and the parts put together must be the text.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from krmkit.libraries.yaml.chunks import Chunks
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.exact import split_exact
from krmkit.libraries.yaml.split import split, split_fast

Event = tuple[object, ...]
EMPTY: list[Event] = [("ScalarEvent", "", None, None, "", None)]
PROFILE = settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


def shapes(text: str) -> list[Event]:
    """What a text says, without marks: kind, value, tag, anchor and style of each event."""
    found: list[Event] = []
    for event in yaml.parse(text, Loader=yaml.CLoader):
        name = type(event).__name__
        if name.startswith(("Stream", "Document")):
            continue
        found.append(
            (
                name,
                getattr(event, "value", None),
                getattr(event, "tag", None),
                getattr(event, "anchor", None),
                getattr(event, "style", None),
                getattr(event, "flow_style", None),
            )
        )
    return found


def nodes(events: list[Event]) -> Iterator[list[Event]]:
    """The events of each node in a run of sibling nodes."""
    depth = 0
    node: list[Event] = []
    for event in events:
        node.append(event)
        depth += str(event[0]).endswith("StartEvent") - str(event[0]).endswith("EndEvent")
        if depth == 0:
            yield node
            node = []


def judge(text: str) -> list[list[Event]] | None:
    """The events of each item; None where the text is not a list."""
    try:
        events = shapes(text)
    except (yaml.YAMLError, UnicodeEncodeError):
        return None
    roots = [node for node in nodes(events) if node != EMPTY]
    if len(roots) != 1 or roots[0][0][0] != "MappingStartEvent":
        return None
    entries = list(nodes(roots[0][1:-1]))
    pairs = zip(entries[::2], entries[1::2], strict=True)
    lists = [value for key, value in pairs if key[0][:2] == ("ScalarEvent", "items")]
    if lists == [EMPTY]:
        return []
    if len(lists) != 1 or lists[0][0][0] != "SequenceStartEvent":
        return None
    return list(nodes(lists[0][1:-1]))


def check(text: str) -> Chunks | None:
    """Hold both ways against the judge; the exact way's answer, None where the text is not a list."""
    expected = judge(text)
    if expected is None:
        return None
    if "? items" in text:
        # The only way to begin a block list behind something else on its line.
        return None
    exact = split_exact(text)
    assert joined(exact) == text
    assert len(exact.items) == len(expected)
    for item, node in zip(exact.items, expected, strict=True):
        alone = shapes(f"[{item}\n]")[1:-1] if exact.flow else shapes(" " * exact.column + item)
        if len(node) > 1:
            assert loose(alone) == loose(node), item
        elif alone or node != EMPTY:
            # A bare block scalar's indentation indicator counts from the list's column; only its end matters.
            assert [event[0] for event in alone] == [node[0][0]], item
    envelope = list(nodes(shapes(exact.head + exact.tail)))
    assert len([node for node in envelope if node[0][0] == "MappingStartEvent"]) == 1
    fast = split_fast(text)
    if fast is not None:
        assert joined(fast) == text
        assert (fast.head, fast.items, fast.tail) == (exact.head, exact.items, exact.tail)
        assert (fast.dash, fast.column, fast.flow) == (exact.dash, exact.column, exact.flow)
        for number, item in enumerate(fast.items):
            if number not in fast.unverified:
                assert is_clean(item, fast.column), item
    return exact


def is_clean(item: str, column: int) -> bool:
    """What `unverified` rules out: another beginning than a key, and quotes or brackets that span lines."""
    opened = []
    events = list(yaml.parse(" " * column + item, Loader=yaml.CLoader))[2:-2]
    for event in events:
        assert event.start_mark and event.end_mark
        quoted = isinstance(event, yaml.ScalarEvent) and event.style in ("'", '"')
        if quoted and event.start_mark.line != event.end_mark.line:
            return False
        if isinstance(event, yaml.CollectionStartEvent):
            opened.append(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            start = opened.pop()
            assert start.start_mark
            if start.flow_style and start.start_mark.line != event.end_mark.line:
                return False
    if isinstance(events[0], yaml.ScalarEvent):
        return "\n" not in item.rstrip("\n") or events[0].style == ""
    first = events[1]
    assert first.start_mark
    return isinstance(first, yaml.ScalarEvent) and first.style == "" and first.start_mark.column == column


def loose(events: list[Event]) -> list[Event]:
    """Events without the style of mappings: `a: 1` inside `[a: 1]` is called flow, alone it is block."""
    return [event[:5] for event in events]


def joined(chunks: Chunks) -> str:
    if not chunks.flow:
        return chunks.head + "".join(chunks.dash + item for item in chunks.items) + chunks.tail
    assert chunks.joints is not None
    between = [*chunks.joints, ""]
    return (
        chunks.head
        + "".join(item + gap for item, gap in zip(chunks.items, between, strict=False))
        + chunks.tail
    )


# Lists that look like something else

PLAIN_HEADERS = st.sampled_from(
    ["items:\n", "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"]
)
ODD_HEADERS = st.sampled_from(
    [
        "---\nitems:\n",
        "# c\nkind: 'items:'\nitems: # list\n",
        'kind: "a\n  items:\n  - x"\nitems:\n',
        "kind: |\n  items:\n  - a\nitems:\n\n# first\n",
        "functionConfig:\n  items:\n  - a: 'b\n\n      c'\nitems:\n",
        "results:\n- message: a\n- message: b\nitems:\n",
        "'items':\n",
        "items: &all !!seq\n",
        "kind: 'x\nitems:\n- a: b'\nitems:\n",
    ]
)
TAILS = st.sampled_from(
    [
        "",
        "functionConfig:\n  data: {a: b}\n",
        "# about it\n# more\nfunctionConfig: {}\n",
        "results:\n- message: it's\n- file: {path: a}\n",
        "kind: ResourceList\n",
        "other: 'a\nitems:\n- b'\n",
        "...\n",
        "---\n",
        "\n\n# end\n",
        "functionConfig:\n  a: |\n    text\n",
    ]
)
SOUND = st.sampled_from(
    ["x", "'x'", '"x y"', "{}", "[]", "{a: b}", "it's", "x # it's", "a{b}", "|", ">-", "", "x #'"]
)
ODD = st.sampled_from(
    [
        "[a, 'b']",
        "[a, 'b'] # it's",
        "['it''s', \"b\"]",
        '{"a":"b",c: "d"}',
        "{a:'x: '}",
        "['x, \"', \"y']",
        "'it''s'",
        '"a\\"b"',
        '"a\\',
        "'x' # c",
        "'",
        '"',
        "'a: '",
        "b - 'c: '",
        "x: 'y'",
        "|2",
        "|+",
        "&a x",
        "*a",
        "!t 'x'",
        "{",
        "[",
        "a {b",
        "a{b",
        "${x}",
        "- 'a",
        "'{'",
        "' - '",
        "x\ty",
        "\t'x",
        "'x'\t",
        "é\u00a0",
        "%x",
        "--- 'a: '",
        "? 'a",
        "# 'x'",
        "<<",
    ]
)
VALUES = st.one_of(SOUND, SOUND, SOUND, SOUND, ODD)
KEYS = st.sampled_from(
    ["a", "kind", "'k'", "items", "functionConfig", "? x", "-", "# c", "x - 'y", "&b k", "*a "]
)
INDENTS = st.sampled_from([0, 0, 0, 0, 1, 2, 2, 4])


@st.composite
def bodies(draw: st.DrawFn) -> list[str]:
    """Lines of one item, each relative to the item's column; most are sound, some are not."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        form = draw(st.sampled_from([0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9]))
        value = draw(VALUES)
        indent = " " * draw(INDENTS)
        if form < 5:
            lines.append(f"{draw(KEYS) if form == 4 else 'k' + str(len(lines))}: {value}")
            if value[:1] in ("|", ">"):
                lines += ["  " + line for line in draw(st.lists(VALUES, max_size=3))]
            elif form == 3:
                lines.append("  " + indent + draw(VALUES))
        elif form == 5:
            lines += [f"k{len(lines)}:", "- " + value, "-   " + draw(VALUES)]
        elif form == 6:
            lines += [f"k{len(lines)}: '{value}", indent + "- more", "", "  end'"]
        elif form == 7:
            lines += [f'k{len(lines)}: "{value.replace(chr(34), "")}', "- more\\", 'functionConfig: x"']
        elif form == 8:
            lines.append(draw(st.sampled_from(["", "# c", "  # it's", "   ", '# {["', "- x", "?"])))
        else:
            lines.append(indent + value)
    return lines


@st.composite
def block_lists(draw: st.DrawFn) -> str:
    pad = draw(st.sampled_from([0, 0, 0, 2, 3]))
    text = draw(st.one_of(PLAIN_HEADERS, PLAIN_HEADERS, ODD_HEADERS))
    dashes = st.sampled_from(["- "] * 12 + ["-   ", "-\n" + " " * (pad + 2), "-\t"])
    for _ in range(draw(st.integers(1, 4))):
        lines = draw(bodies())
        low = draw(st.booleans())
        dash = draw(dashes)
        text += " " * pad + dash
        margin = pad + (4 if dash == "-   " else 2)
        for number, line in enumerate(lines):
            # A line of a quoted text may stand anywhere; so may comments.
            at = (
                draw(st.sampled_from([0, pad, pad + 1, margin]))
                if low and number and form_low(line)
                else margin
            )
            text += (" " * at if number else "") + line + "\n"
    text += draw(TAILS)
    return text


def form_low(line: str) -> bool:
    return line.startswith(("- more", "functionConfig", "  end", "#", "- x"))


@st.composite
def broken_lists(draw: st.DrawFn) -> str:
    """A list with a few characters put in, taken out, or lines doubled."""
    text = draw(block_lists())
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(text)))
        piece = draw(
            st.sampled_from(
                [
                    "",
                    "'",
                    '"',
                    "\n",
                    "\n- ",
                    "\r",
                    "\r\n",
                    "\u2028",
                    "\x85",
                    " ",
                    "  ",
                    "#",
                    " #",
                    "{",
                    "]",
                    "\t",
                    ": ",
                    "---\n",
                ]
            )
        )
        text = text[:at] + piece + text[at + draw(st.integers(0, 2)) :]
    change = draw(st.integers(0, 9))
    if change == 0:
        text = text.replace("\n", "\r\n")
    elif change == 1:
        text = "\ufeff" + text
    elif change == 2:
        text = text.rstrip("\n")
    return text


FLOW = st.recursive(
    st.sampled_from(["a", "'x, ]'", '"}"', "1", "", "*a", "&a b", '"a\\"b"', "a: b", "? a : b", "é"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda values: "[" + ", ".join(values) + "]"),
        st.lists(inner, max_size=3).map(
            lambda values: "{" + ", ".join(f"k{n}: {v}" for n, v in enumerate(values)) + "}"
        ),
    ),
    max_leaves=6,
)


@st.composite
def flow_lists(draw: st.DrawFn) -> str:
    gap = draw(st.sampled_from([",", ", ", " ,\n  ", ", # it's ]\n  ", ",\t"]))
    start = draw(st.sampled_from(["[", "[ ", "[\n  ", "[ # a, b\n  ", "&l [", "!!seq [ "]))
    end = draw(st.sampled_from(["]", " ]", ",]", " , # x\n ]", "\n  # y\n ]"]))
    items = start + gap.join(draw(st.lists(FLOW, max_size=4))) + end
    return draw(
        st.sampled_from(
            [
                "kind: ResourceList\nitems: {}\nfunctionConfig: {{a: b}}\n",
                '{{"kind": "ResourceList", "items": {}, "results": []}}',
                "items:\n  {}\n",
                "{{items: {}}}\n",
            ]
        )
    ).format(items)


# Properties


@PROFILE
@given(block_lists())
@example("items:\n- a: 'x\n- b: y'\n- c: z\n")
@example("items:\n- b - 'c: '\n- d: ' # x'\n")
@example("items:\n- a: 1\n  b - 'c: '\n- d: ' # x'\n")
@example("items:\n- --- 'a: '\n- b: ' # x'\n")
@example("items:\n- k: x\n  # : 'z\n  a: '\n- b: ' # x'\n")
@example('items:\n- a: "x\\\\"\n- b: " # y"\n')
@example('items:\n- a: "x\\"\n- b: " # y"\n')
@example("items:\n- a: b\r- c: d\n")
@example("items:\n- a: b\u2028- c: d\n")
@example("items:\n- a: b\x85- c: d\n")
@example("kind: 'x\nitems:\n- a: b\nfunctionConfig: '\nitems:\n")
@example("items:\n- # it's\n  a: |\n    - b\n\n    '\n# end\n")
@example("items:\n-\n-\n- ? a\n# c\nkind: x\n")
@example("items:\n- k: {\n  kind: b\n  }\n")
@example("items:\n- k:\t{\n  kind: b\n  }\n")
@example("items:\n- k: [\n  kind: b\n  ]\n")
@example("items:\n- {\n  kind: b\n  }\n- [\n  kind: b\n  ]\n")
@example("items:\n- # c\n  |\n  kind: b\n- # c\n  # d\n  kind: b\n- #")
@example("items:\n- a: ['x', 'y'']\n- b']\n")
@example("items:\n- a: it's\n  b: c\nother: 'x\nitems:\n- y'\n")
def test_block_lists(text: str) -> None:
    """Block lists with quoted, literal and commented look-alikes of items, keys and ends."""
    check(text)


@PROFILE
@given(broken_lists())
@example("items:\n- ?\n# about it\n# more\nfunctionConfig: {}")
def test_broken_lists(text: str) -> None:
    """Lists damaged at random: whatever is still a list is split right, the rest is refused with a YamlError."""
    if check(text) is None:
        try:
            split(text)
        except YamlError:
            pass


@PROFILE
@given(flow_lists())
def test_flow_lists(text: str) -> None:
    """Flow style and JSON, with commas, brackets and comments in every place."""
    check(text)


@PROFILE
@given(
    st.lists(
        st.sampled_from(
            [
                "a: 1",
                "  b",
                "'",
                "- ",
                "-",
                '"',
                "items:",
                "\n",
                "\n",
                "\n",
                " ",
                "#",
                "{",
                "}",
                ": ",
                "|",
                "x",
            ]
        )
    )
)
def test_soup(parts: list[str]) -> None:
    """Random marks after a list's head."""
    check("items:\n- " + "".join(parts))


SIGNS = st.sampled_from(
    ["'", '"', "{", "[", "}", "]", ": ", ":", ", ", ",", " ", " #", "a", "- ", "!", "\\", "''"]
)
CLOSERS = st.sampled_from(
    ["' # x'", '" # x"', "'} # x'", "'] # x'", '"] # x"', '"}] # x"', "'}] # x'", "x", "{} # ["]
)


@PROFILE
@given(
    st.sampled_from(["", "k: ", "k: {", "k: [", "- ", "k:\n    - "]), st.lists(SIGNS, max_size=12), CLOSERS
)
@example("k: ", ["{", "a", ":", "'", "a", ": ", "'", "}"], "'} # x'")
@example("k: ", ["[", "'", "a", ", ", '"', "'", ", ", '"', "a", "'", "]"], '"] # x"')
def test_one_line(start: str, signs: list[str], closer: str) -> None:
    """An item of one line with marks in any order, before an item that may close what it leaves open."""
    check("items:\n- " + start + "".join(signs) + "\n- b: " + closer + "\n- c: d\n")


def test_the_generators_reach_the_fast_path() -> None:
    """Most generated lists are lists, and most of those pass the proof; else the properties would say nothing."""
    seen = {"lists": 0, "fast": 0, "exact": 0}

    @settings(max_examples=200, deadline=None, database=None, derandomize=True)
    @given(block_lists())
    def count(text: str) -> None:
        if judge(text) is not None:
            seen["lists"] += 1
            seen["fast" if split_fast(text) is not None else "exact"] += 1

    count()

    assert seen["fast"] > 20
    assert seen["exact"] > 20


# Files


def yaml_files(folder: Path) -> list[Path]:
    return sorted(
        path for path in folder.rglob("*.y*ml") if path.is_file() and path.stat().st_size < 2_000_000
    )


def test_files_at_hand(project: Path) -> None:
    """Every document of every YAML file, as the first item of a list; KRMKIT_YAML_FOLDERS names further folders."""
    documents = []
    further = [Path(name) for name in os.environ.get("KRMKIT_YAML_FOLDERS", "").split(os.pathsep) if name]
    for folder in [project / "functions", project / "tests", *further]:
        for path in yaml_files(folder):
            for text in path.read_text(encoding="utf-8", errors="replace").split("\n---"):
                lines = text.strip("\n").split("\n")
                body = "\n  ".join(lines).replace("\n  \n", "\n\n")
                documents.append(body)
    if not documents:
        pytest.skip(
            "no YAML files at hand: functions/*/examples are not there and KRMKIT_YAML_FOLDERS is not set"
        )
    for body in documents:
        check(f"items:\n- {body}\n- a: b\nkind: ResourceList\n")
