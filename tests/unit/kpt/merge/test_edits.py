"""krmkit.kpt.merge.edits: lists whose elements have a name keep what people wrote beside them."""

from __future__ import annotations

import pytest

from krmkit.kpt.merge.edits import merged_lines, write_merged
from krmkit.krm.resource import Resource

HEAD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n"
A, B = "  - name: a # first\n    image: a:1\n", "  - name: b # second\n    image: b:1\n"


@pytest.mark.parametrize(
    ("names", "text"),
    [
        pytest.param("ab", A + B, id="the same"),
        pytest.param("b", B, id="one less"),
        pytest.param("abc", A + B + "  - name: c\n    image: c:1\n", id="one more"),
        pytest.param("bc", B + "  - name: c\n    image: c:1\n", id="both"),
    ],
)
def test_elements_that_stay_in_their_order(names: str, text: str) -> None:
    """They are not written anew, so that their comments stay."""
    resource = Resource(HEAD + A + B)

    write(resource, elements(names))

    assert resource.text == HEAD + text


@pytest.mark.parametrize("names", ["ba", "cab", "acb", "abab"])
def test_another_order(names: str) -> None:
    """The elements are those that are asked for, in their order."""
    resource = Resource(HEAD + A + B)

    write(resource, elements(names))

    assert Resource(resource.text).get("spec", "containers") == elements(names)


def test_a_name_twice() -> None:
    """Such elements cannot be told apart: the list is written as a whole."""
    resource = Resource(HEAD + A + A.replace("a:1", "a:2"))
    wanted = [{"name": "a", "image": "a:2"}, {"name": "c", "image": "c:1"}]

    write(resource, wanted)

    assert Resource(resource.text).get("spec", "containers") == wanted


def write(resource: Resource, containers: list[dict[str, str]]) -> None:
    data = resource.get()
    assert isinstance(data, dict)
    write_merged(resource, {**data, "spec": {"containers": containers}})


def elements(names: str) -> list[dict[str, str]]:
    return [{"name": one, "image": f"{one}:1"} for one in names]


@pytest.mark.parametrize(("upstream", "local"), [("# about c\n", "b: 1\n"), ("b: 1\n", "# about c\n")])
def test_a_comment_stays_above_its_line(upstream: str, local: str) -> None:
    """Where both sides insert at one place."""
    texts = (f"a: 1\n{inserted}c: 1\n" for inserted in ("", upstream, local))
    assert next(merged_lines(*texts)) == "a: 1\nb: 1\n# about c\nc: 1\n"
