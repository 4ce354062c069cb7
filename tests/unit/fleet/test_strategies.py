"""Strategies of an update beside a merge: copy-merge, and what counts as an edit for fast-forward."""

from __future__ import annotations

import pytest

from krmkit.fleet.follow import _merge
from krmkit.krm.errors import Refused
from krmkit.storage.git.treeupdate import File
from krmkit.storage.git.upstream import Revision

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n"
RENDERED = "status:\n  conditions:\n  - type: Rendered\n    status: 'True'\n  renderStatus: {}\n"


def revision(**files: str) -> Revision:
    named = {"Kptfile": KPTFILE, **{name.replace("_", "."): text for name, text in files.items()}}
    return Revision("v1", "", {path: File(text.encode()) for path, text in named.items()})


def merged(strategy: str, base: Revision, update: Revision, local: Revision) -> dict[str, str]:
    made = _merge(strategy, base, update, dict(local.files), "upstream").files
    return {path: content.decode() for path, content in made.items()}


def test_copy_merge() -> None:
    """Upstream's files replace local ones, what it dropped goes, though edited; other local files stay."""
    base = revision(a_txt="a\n", gone_txt="g\n")
    update = revision(a_txt="a\n", new_txt="n\n")
    local = revision(a_txt="edited\n", gone_txt="edited\n", mine_txt="m\n")

    files = merged("copy-merge", base, update, local)

    assert {path: text for path, text in files.items() if path != "Kptfile"} == {
        "a.txt": "a\n",
        "new.txt": "n\n",
        "mine.txt": "m\n",
    }


def test_what_a_render_wrote_is_no_edit_for_fast_forward() -> None:
    """It goes with the update; a condition of one's own, or another edit of the Kptfile, refuses it."""
    base, update = revision(a_txt="a\n"), revision(a_txt="b\n")
    local = revision(a_txt="a\n", Kptfile=KPTFILE.replace("name: p", "name: own") + RENDERED)

    files = merged("fast-forward", base, update, local)

    assert files == {"Kptfile": KPTFILE.replace("name: p", "name: own"), "a.txt": "b\n"}
    own = revision(
        a_txt="a\n", Kptfile=KPTFILE + "status:\n  conditions:\n  - type: Mine\n    status: 'True'\n"
    )
    with pytest.raises(Refused, match="without local edits; edited: Kptfile; use --strategy"):
        merged("fast-forward", base, update, own)
