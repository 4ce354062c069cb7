"""krmkit.fleet.getpackage: what of an address is the repository, and what the package's folder in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.fleet import getpackage
from krmkit.fleet.getpackage import split_address
from krmkit.fleet.tasks import find_upstream
from krmkit.krm.errors import Refused


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://example.com/a/b.git/x/y/", ("https://example.com/a/b.git", "x/y")),
        ("https://example.com/a/b.git", ("https://example.com/a/b.git", "")),
        ("git@example.com:a/b.git/x", ("git@example.com:a/b.git", "x")),
    ],
)
def test_an_address_with_its_end(address: str, expected: tuple[str, str]) -> None:
    """`.git` ends the repository, and nobody is asked."""
    assert split_address(address) == expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://example.com/o/r", ("https://example.com/o/r", "")),
        ("https://example.com/o/r/a/b/", ("https://example.com/o/r", "a/b")),
        ("https://example.com/group/sub/r/a", ("https://example.com/group/sub/r", "a")),
        ("https://example.com/r", ("https://example.com/r", "")),
        ("git@example.com:o/r/a", ("git@example.com:o/r", "a")),
    ],
)
def test_an_address_of_a_host(
    monkeypatch: pytest.MonkeyPatch, address: str, expected: tuple[str, str]
) -> None:
    """Without `.git`, the repository is the shortest path that git finds, from owner and name on."""
    monkeypatch.setattr(getpackage, "_head_of", lambda repo: "" if repo == expected[0] else None)

    assert split_address(address) == expected


def test_an_address_without_a_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the address and what would be right."""
    monkeypatch.setattr(getpackage, "_head_of", lambda _: None)

    with pytest.raises(
        Refused, match=r"https://example.com/o/r: git finds no repository there; write REPO.git"
    ):
        split_address("https://example.com/o/r")


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_folder_of_this_machine(tmp_path: Path, scheme: str) -> None:
    """The repository is the highest folder that is one, with a checkout or bare."""
    (tmp_path / "up/.git").mkdir(parents=True)
    (tmp_path / "bare/objects").mkdir(parents=True)
    (tmp_path / "bare/HEAD").write_text("", "utf-8")

    assert split_address(f"{scheme}{tmp_path}/up/a/b") == (str(tmp_path / "up"), "a/b")
    assert split_address(f"{scheme}{tmp_path}/up") == (str(tmp_path / "up"), "")
    assert split_address(f"{scheme}{tmp_path}/bare/a") == (str(tmp_path / "bare"), "a")
    with pytest.raises(Refused, match="must lead into a git repository"):
        split_address(f"{scheme}{tmp_path}/bare/../none")


def test_the_revisions_that_there_are(tmp_path: Path) -> None:
    """Only folders with a number and a Kptfile are named, in the order of their numbers."""
    for name in ("v10", "v9", "main", "2"):
        (tmp_path / "bp/shop" / name).mkdir(parents=True)
        (tmp_path / "bp/shop" / name / "Kptfile").write_text("", "utf-8")
    (tmp_path / "bp/shop/v3").mkdir()

    with pytest.raises(Refused, match=r"there is no revision 4 of .*: it has 2, v9, v10$"):
        find_upstream(str(tmp_path), {"repo": "bp", "package": "shop", "revision": 4})
