"""Reading a text into nodes: what they say, errors, limits, and both ways to load libyaml."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from krmkit.libraries.yaml.document import parse, parse_all
from krmkit.libraries.yaml.editing.edit import render
from krmkit.libraries.yaml.errors import LimitError, YamlError
from krmkit.libraries.yaml.limits import Limits
from krmkit.libraries.yaml.tree import Alias, Map, Node, Seq

SHARED = Path(__file__).parents[4] / "shared"


def value(text: str, name: str) -> Node:
    """The value under `name` of a document that is a mapping."""
    root = parse(text).root
    assert isinstance(root, Map)
    entry = root.entry(name)
    assert entry is not None
    return entry.value


class TestTree:
    """What the tree says."""

    def test_kinds(self) -> None:
        """Mappings, sequences, scalars and aliases come out as such."""
        root = parse("a: &x [1]\nb: *x\nc: {d: 'e'}\n").root

        assert isinstance(root, Map)
        assert isinstance(root.entries[0].value, Seq)
        assert isinstance(root.entries[1].value, Alias)
        assert root.get("b") is root.entries[0].value
        assert isinstance(root.entries[2].value, Map)
        assert root.entries[2].value.flow

    @pytest.mark.parametrize("text", ["", "# only a comment\n", "\n\n", "---\n"])
    def test_empty_text_has_no_root(self, text: str) -> None:
        """Nothing to read is no error."""
        assert parse(text).root is None

    @pytest.mark.parametrize(
        ("text", "wide"),
        [
            ("a:\n- 1\n", False),
            ("a:\n  - 1\n", True),
            ("a: [1]\nb:\n  - 1\n", True),
            ("a: 1\n", False),
            ("a: &all\n- 1\n", False),
            ("a: &all # c\n# d\n  - 1\n", True),
            ("a: !!seq\n- 1\n", False),
        ],
    )
    def test_list_style_of_the_file(self, text: str, wide: bool) -> None:
        """The first block list under a key tells how the file indents lists."""
        document = parse(text)
        assert isinstance(document.root, Map)
        document.root.set("new", {"list": ["x"]})

        assert render(document).endswith("\n    - x\n" if wide else "\n  - x\n")

    def test_documents(self) -> None:
        """A text may hold several documents where the caller allows it."""
        roots = [document.root for document in parse_all("a: 1\n---\n- b\n")]

        assert [root.kind for root in roots if root is not None] == ["map", "seq"]


class TestErrors:
    """Bad YAML is an error with a place."""

    @pytest.mark.parametrize(
        ("text", "place", "words"),
        [
            pytest.param("a: 1\n b: 2\n", (2, 3), "mapping values", id="indentation"),
            pytest.param("a: 1\nb: 2\na: 3\n", (3, 1), '"a" occurs twice', id="duplicate key"),
            pytest.param('1: x\n"1": y\n', (2, 1), "occurs twice", id="duplicate by text, as in Go"),
            pytest.param("a: *x\n", (1, 4), "without its anchor", id="alias without anchor"),
            pytest.param("a: 1\n---\nb: 1\n", (2, 1), "second document", id="two documents"),
            pytest.param("a: é\x01\n", (1, 5), "control characters", id="control character"),
            pytest.param("a: 'x\n", (2, 1), "quote is not closed", id="open quote"),
            pytest.param("a:\n\t- b\n", (2, 1), "tab", id="tab"),
        ],
    )
    def test_place(self, text: str, place: tuple[int, int], words: str) -> None:
        """Line, column and a hint."""
        with pytest.raises(YamlError) as caught:
            parse(text)

        assert (caught.value.line, caught.value.column) == place
        assert words in caught.value.message

    def test_true_and_1_are_different_keys(self) -> None:
        """Python's 1 == True must not make one key of two."""
        root = parse("1: a\ntrue: b\n").root

        assert isinstance(root, Map)
        assert root.names() == ["1", "true"]

    def test_depth_is_limited(self) -> None:
        """Nesting ends in an error by counting."""
        with pytest.raises(LimitError, match="--limit depth=N"):
            parse("[" * 600 + "]" * 600)

        assert parse("[" * 600 + "]" * 600, Limits(depth=700)).root is not None


LEAN = """
import sys
sys.path[:0] = {paths!r}
from krmkit.libraries.yaml import _libyaml
_libyaml.lean = True
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
assert parse("a: [1, &x 'b', *x]").root.get("a").items[1].text == "b"
assert "re" not in sys.modules, "the yaml package was loaded"
try:
    parse("a: 1\\n b: 2")
except YamlError as error:
    assert error.line == 2
else:
    raise AssertionError
try:
    parse("a: \\x01")
except YamlError as error:
    assert error.column == 4, error.column
import yaml
assert yaml.nodes and "re" not in sys.modules, "the yaml package was loaded"
assert yaml.load("a: 1", yaml.CSafeLoader) == yaml.safe_load("a: 1") == {{"a": 1}}
assert yaml.dump({{"a": 1}}, Dumper=yaml.CSafeDumper) == "a: 1\\n"
for text in ("a: 1\\n b: 2", "a: \\x01"):
    try:
        yaml.load(text, yaml.CSafeLoader)
    except yaml.error.YAMLError:
        continue
    raise AssertionError(text)
print("ok")
"""


def test_lean_process() -> None:
    """A function's own process loads the extension alone, and a later `import yaml` still works."""
    code = LEAN.format(paths=[str(SHARED), sysconfig.get_paths()["platlib"]])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False
    )

    assert done.stdout == "ok\n", done.stderr
