"""krmkit.fleet.getpackage: what of an address is the repository, and what the package's folder in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.fleet.getpackage import split_address
from krmkit.fleet.upstreamfolder import find_upstream
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


def test_the_revisions_that_there_are(tmp_path: Path) -> None:
    """Only folders with a number and a Kptfile are named, in the order of their numbers."""
    for name in ("v10", "v9", "main", "2"):
        (tmp_path / "bp/shop" / name).mkdir(parents=True)
        (tmp_path / "bp/shop" / name / "Kptfile").write_text("", "utf-8")
    (tmp_path / "bp/shop/v3").mkdir()

    with pytest.raises(Refused, match=r"there is no revision 4 of .*: it has 2, v9, v10$"):
        find_upstream(str(tmp_path), {"repo": "bp", "package": "shop", "revision": 4})
