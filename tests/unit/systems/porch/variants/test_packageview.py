"""krmkit.systems.porch.variants.packageview: which file is the root's."""

from __future__ import annotations

import pytest

from krmkit.krm.annotations import Location
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.porch.api.apinames import PorchError
from krmkit.systems.porch.variants.packageview import PackageView, empty_document, is_resource_file, place_of


def resource(path: str, index: int = 0, package: str = "") -> Resource:
    return Resource(
        f"kind: K\nmetadata: {{name: {package}/{path}/{index}}}\n", location=Location(path, index, package)
    )


def test_root_of_a_render() -> None:
    """The shortest package path that has a Kptfile; resources without one are the root's."""
    items = [
        resource("Kptfile", package="/p/sub"),
        resource("Kptfile", package="/p"),
        resource("a.yaml", package="/p/sub"),
        resource("new.yaml"),
    ]
    package = PackageView(items)

    assert package.root == "/p"
    assert package.single("Kptfile") is items[1]
    assert [file for file, _ in package.by_file()] == ["Kptfile", "new.yaml", "sub/Kptfile", "sub/a.yaml"]
    assert ("sub/a.yaml", items[2]) in package.by_file()


def test_root_of_an_eval() -> None:
    """Without package paths the file paths say it all."""
    package = PackageView([resource("sub/Kptfile"), resource("Kptfile")])

    assert package.single("Kptfile").name == "/Kptfile/0"


def test_documents_of_a_file_in_their_order() -> None:
    """The index decides, not the order of the items."""
    package = PackageView([resource("a.yaml", 1), resource("a.yaml", 0)])

    assert [each.index for each in package.at("a.yaml")] == [0, 1]
    with pytest.raises(PorchError, match="exactly one object, got 2"):
        package.single("a.yaml")


@pytest.mark.parametrize(
    ("annotations", "place"),
    [
        ("internal.config.kubernetes.io/path: a.yaml", ("", "a.yaml", 0)),
        ("config.kubernetes.io/path: 'a.yaml', config.kubernetes.io/index: '3'", ("", "a.yaml", 3)),
        (
            "internal.config.kubernetes.io/package-path: /p/, internal.config.kubernetes.io/path: b,"
            " config.kubernetes.io/path: a, internal.config.kubernetes.io/index: x",
            ("/p", "b", 0),
        ),
        ("other: x", ("", "", 0)),
    ],
)
def test_place(annotations: str, place: tuple[str, str, int]) -> None:
    """Internal annotations count before the old ones; an index that is none is 0."""
    block = "".join(f"      {part.strip()}\n" for part in annotations.split(","))
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
    for text in (f"    annotations: {{{annotations}}}\n", f"    annotations:\n{block}"):
        [item] = ResourceList.parse(f"{head}- kind: A\n  metadata:\n    name: a\n{text}").items
        assert place_of(item) == place


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("a.yaml", True),
        ("x/a.yml", True),
        ("a.json", True),
        ("x/Kptfile", True),
        ("Kptfile.md", False),
        ("a.txt", False),
    ],
)
def test_resource_files(path: str, counts: bool) -> None:
    """kpt's patterns."""
    assert is_resource_file(path) is counts


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: b\n", 0),
        ("a: b\n---\n", 2),
        ("a: b\n---", 2),
        ("a: b\r\n---\r\n", 2),
        ("---\na: b\n", 0),
        ("# head\n---\na: b\n", 0),
        ("---\n# nothing\n---\na: b\n", 1),
        ("a: b\n--- # c\n\n...\n", 2),
        ("a: b\n--- text\n", 0),
        ("a: |\n  ---\n  b\n", 0),
        ("# only a comment\n", 0),
    ],
)
def test_a_document_without_content(text: str, line: int) -> None:
    """It is found where a `---` begins one, and nowhere else."""
    assert empty_document(text) == line
