"""Random edits of the texts on which the editor was once seen to lie: they are written right, or refused."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.editing.edit import render
from krmkit.libraries.yaml.errors import YamlError
from tests.conftest import ROOT
from tests.property.test_edit_property import Writer, edit

TRIALS = ROOT.parent / "shared" / "trials" / "yaml"
FILES = sorted(TRIALS.glob("*.yaml"))


@pytest.mark.skipif(not FILES, reason="the trials are not beside this checkout (../shared/trials/yaml)")
def test_edits_of_the_trials() -> None:
    """Each text that can be read, edited in 200 ways, says what the tree says, or the edit is refused."""
    for file in FILES:
        if file.name.startswith("H"):
            continue  # these cost much, see below
        text = file.read_bytes().decode()
        for seed in range(200):
            writer = Writer(random.Random(seed))
            try:
                document = parse(text)
            except YamlError:
                break
            for _ in range(writer.source.randint(1, 3)):
                edit(document, writer)
            try:
                wanted = go_data(document.root)
                rendered = render(document)
            except YamlError:
                continue
            assert go_data(parse(rendered).root) == wanted, (file.name, seed)


@pytest.mark.skipif(not FILES, reason="the trials are not beside this checkout (../shared/trials/yaml)")
@pytest.mark.parametrize(
    "file", [file for file in FILES if file.name.startswith("H")], ids=lambda file: file.stem
)
def test_lists_that_cost_too_much(file: Path) -> None:
    """Each list ends in an error about a limit, or in a text; none runs on and on."""
    outcome = written(file)

    assert "limit" in outcome or outcome.startswith("apiVersion")


def written(file: Path) -> str:
    """The list with a namespace set in its items, or the error that it ends with."""
    try:
        resources = ResourceList.parse(file.read_text("utf-8"))
        for item in resources.items[:50]:
            item.set(("metadata", "namespace"), "shop")
        return resources.render()
    except YamlError as error:
        return str(error)
