"""Random documents merged into others, as presets are: the text says what the merged tree says."""

from __future__ import annotations

import random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.editing.edit import render
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Map
from krmkit.systems.palette.presets.merge import merge
from tests.property.test_edit_property import Writer, refused


@settings(max_examples=400, deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
@example(100076)  # an alias to a mapping, from a text whose anchors stay behind
@example(3765)  # a block scalar that comes to stand above comments
@example(524)
def test_text_says_what_the_merged_tree_says(seed: int) -> None:
    """Comments, block scalars, anchors and aliases of both texts included."""
    source = random.Random(seed)
    try:
        target, added = parse(Writer(source).text()), parse(Writer(source).text())
    except YamlError:
        return  # not everything the writer writes is YAML
    if not isinstance(target.root, Map) or not isinstance(added.root, Map):
        return
    if source.random() < 0.5 and target.root.entries:
        target.root.remove(source.choice(target.root.names()))
    try:
        merge(target.root, added.root)
    except YamlError:
        return  # a key that is not plain text

    wanted = go_data(target.root)
    try:
        rendered = render(target)
    except YamlError as error:
        refused(error)
        return

    assert go_data(parse(rendered).root) == wanted


def test_a_block_scalar_above_a_comment_is_quoted_only_where_it_must_be() -> None:
    """The last one would take the comment in; the one before it stays as it is written."""
    target = parse("a: 1\n    # below\nb: 2\n")
    added = parse("a:\n  first: |\n    one\n  last: |\n    two\n")
    assert isinstance(target.root, Map)
    assert isinstance(added.root, Map)
    merge(target.root, added.root)

    assert render(target) == 'a:\n  first: |\n    one\n  last: "two\\n"\n    # below\nb: 2\n'
