"""krmkit.fleet.follow: Kptfiles that kpt no longer reads."""

from __future__ import annotations

import pytest

from krmkit.fleet.follow import refuse_old_kptfiles
from krmkit.krm.errors import Refused

TEXT = "apiVersion: kpt.dev/{}\nkind: Kptfile\nmetadata:\n  name: p\n"


@pytest.mark.parametrize("path", ["Kptfile", "sub/Kptfile"])
def test_an_old_kptfile_is_refused(path: str) -> None:
    """With its place, its version and the way on; today's passes."""
    refuse_old_kptfiles(
        {path: TEXT.format("v1").encode(), "a.yaml": b"apiVersion: kpt.dev/v1alpha1\nkind: A\n"}, "v1"
    )

    with pytest.raises(Refused) as caught:
        refuse_old_kptfiles({path: TEXT.format("v1alpha1").encode()}, "v2")

    assert str(caught.value).startswith(f"v2: {path}: apiVersion must be kpt.dev/v1, got kpt.dev/v1alpha1")
    assert "migrate" in str(caught.value)


def test_a_kptfile_that_cannot_be_read_is_left_to_the_merge() -> None:
    """Its own error has the place."""
    refuse_old_kptfiles({"Kptfile": b"apiVersion: [\n"}, "v1")
    refuse_old_kptfiles({"Kptfile": b"# nothing\n"}, "v1")
