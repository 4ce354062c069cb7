"""Paths by their text, as in Go's path package."""

from __future__ import annotations

import pytest

from krmkit.libraries.sprig import call


@pytest.mark.parametrize(
    ("path", "base", "directory", "cleaned", "ext", "absolute"),
    [
        pytest.param(
            "/srv/pack/values.yaml",
            "values.yaml",
            "/srv/pack",
            "/srv/pack/values.yaml",
            ".yaml",
            True,
            id="plain",
        ),
        pytest.param("a//b/./..//c/", "c", "a/c", "a/c", "", False, id="untidy"),
        pytest.param("../..", "..", "..", "../..", ".", False, id="upwards"),
        pytest.param("/..", "..", "/", "/", ".", True, id="above the root"),
        pytest.param("///", "/", "/", "/", "", True, id="root"),
        pytest.param("", ".", ".", ".", "", False, id="nothing"),
        pytest.param("x.d/y", "y", "x.d", "x.d/y", "", False, id="dot in a directory"),
    ],
)
def test_path(path: str, base: str, directory: str, cleaned: str, ext: str, absolute: bool) -> None:
    """The os forms are the same."""
    for prefix in ("", "os"):
        names = [
            prefix + (name if not prefix else name[0].upper() + name[1:])
            for name in ("base", "dir", "clean", "ext", "isAbs")
        ]

        assert [call(name, path) for name in names] == [base, directory, cleaned, ext, absolute]
