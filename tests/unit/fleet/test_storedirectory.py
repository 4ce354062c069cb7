"""The revisions of a Repository whose packages lie in a directory."""

from __future__ import annotations

import subprocess
from pathlib import Path

from krmkit.fleet.sync.store import Store


def test_tags_outside_of_the_directory_are_none(tmp_path: Path) -> None:
    """A tag that looks like one of its packages is another's."""
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@e", "-C", str(tmp_path)]
    for words in (
        ["init", "-q"],
        ["commit", "-q", "--allow-empty", "-m", "one"],
        ["tag", "site/v1"],
        ["tag", "blueprints/site/v2"],
    ):
        subprocess.run([*git, *words], check=True)
    store = Store("blueprints", tmp_path, directory="blueprints")

    assert store.versions("site") == [2]
    store.close()
