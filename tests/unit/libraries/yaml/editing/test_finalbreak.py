"""A final line break adds nothing to what a text says, wherever one is put behind a text that came without."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.kpt.source import SourceFile, joined
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.editing.finalbreak import with_final_break
from krmkit.render.programs.external import request

HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "
LIST = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- "

ENDS = {
    "a literal": ("|\n    one\n    two", "one\ntwo"),
    "a literal that keeps breaks": ("|+ # c\n    one", "one"),
    "a literal that strips them": ("|-\n    one", "one"),
    "a folded text": (">\n    one\n    two", "one two"),
    "with an indent of its own": ("|1\n    one", " one"),
    "a comment below": ("|\n    one\n# c", "one\n"),
    "the document's end": ("|\n    one\n...", "one\n"),
    "a plain text": ("a > b | c", "a > b | c"),
    "with carriage returns": ("|\r\n    one", "one"),
}
cases = pytest.mark.parametrize(("end", "value"), list(ENDS.values()), ids=list(ENDS))


def said(text: str) -> Any:
    data: Any = go_data(parse(text).root)
    return data["data"]["x"]


@cases
def test_says_the_same(end: str, value: str) -> None:
    """The text ends with a line break, and says what it said."""
    text = HEAD + end
    if "\r" in end:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    ended = with_final_break(text, lambda: parse(text))

    assert ended.endswith("\n") and said(text) == said(ended) == value


@cases
def test_in_files_and_lists(end: str, value: str) -> None:
    """Also where another document follows, in a new file, and in the list that a program gets on stdin."""
    if "\r" in end:
        return  # a file has one kind of line breaks
    last: list[Resource] = [*SourceFile("a.yaml", HEAD + end, "", "a.yaml").items]
    other: list[Resource] = [*SourceFile("b.yaml", HEAD + "1\n", "", "b.yaml").items]

    assert said(SourceFile("a.yaml", joined([*last, *other]), "", "a.yaml").items[0].text) == value
    assert ResourceList.parse(request([*last, *other], None)).items[0].get("data", "x") == value
    assert ResourceList.parse(request(last, None)).items[0].get("data", "x") == value


@pytest.mark.parametrize("what", ["as it came", "an item more", "with results", "moved"])
def test_at_the_end_of_a_list(what: str) -> None:
    """The last item of a list without a final line break says the same, whatever comes to stand behind it."""
    text = HEAD.replace("\n", "\n  ") + "|\n      one\n      two"
    resources = ResourceList.parse(LIST + text)
    if what == "an item more":
        resources.add({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}})
    if what == "with results":
        resources.results = [{"message": "m"}]
    if what == "moved":
        resources.add({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}})
        resources.items.reverse()
        resources.items.append(resources.items.pop(0))

    items = ResourceList.parse(resources.render()).items
    (item,) = [one for one in items if one.kind == "ConfigMap"]
    assert item.get("data", "x") == "one\ntwo"
