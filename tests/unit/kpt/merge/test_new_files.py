"""Files that upstream adds."""

from __future__ import annotations

from krmkit.kpt.merge.resources import FileMerge

NEW = b"# first\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: new\n---\n# no resource\n"


def test_a_new_file_has_kpts_mark() -> None:
    """As a fetched one, so that the next update finds a renamed resource again; all else stays."""
    [(path, content)] = FileMerge({}, {"new.yaml": NEW}, {}).merge()

    assert (path, content) == (
        "new.yaml",
        NEW.replace(
            b"  name: new\n",
            b"  name: new\n  annotations:\n    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|new'\n",
        ),
    )
