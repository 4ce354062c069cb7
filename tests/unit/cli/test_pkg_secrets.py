"""`krmkit pkg` shows no secret: not of one side of a conflict, and not in an address."""

from __future__ import annotations

import re
from base64 import b64encode
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.fleet.getpackage import split_address
from krmkit.kpt.merge.policy import POLICIES
from krmkit.views.formats import FORMATS
from tests.unit.cli.test_pkg import Upstream, package, upstream

__all__ = ["package", "upstream"]  # fixtures


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("policy", POLICIES)
def test_no_policy_shows_a_secret(
    upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str], policy: str, form: str
) -> None:
    """A Secret that both sides changed, with a value that became a map: no diff, conflict or error shows a value."""
    head = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n"
    texts = [
        f"{head}data:\n  a: {b64encode(one.encode()).decode()}\nstringData:\n  m: {one}-plain\n"
        for one in ("first-secret-1", "upstream-secret-2", "local-secret-3")
    ]
    texts[2] = texts[2].replace("m: local", "m:\n    deep: [local").replace("-plain", "-plain]")
    upstream.release("v2", {"s.yaml": texts[0]})
    assert main(["pkg", "update", f"{package}@v2"]) == 0
    upstream.release("v3", {"s.yaml": texts[1]})
    (package / "s.yaml").write_text(texts[2], encoding="utf-8")

    for words in (["diff"], ["update", "--diff"], ["update", "--dry-run"], ["update"]):
        capsys.readouterr()
        main(["pkg", words[0], f"{package}@v3", *words[1:], "--on-conflict", policy, "--format", form])
        said = "".join(capsys.readouterr())
        assert said and "secret-" not in said
        assert not [one for one in texts for value in re.findall("a: (.*)", one) if value in said]


@pytest.mark.parametrize(
    "address",
    [
        "https://me:hush@127.0.0.1:1/o/r.git",
        "http://me:hush@127.0.0.1:1/up/.git/pk",
        "ssh://me:hush@h/r.git/p",
    ],
)
def test_get_takes_no_password(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """The Kptfile would keep it, and git's arguments would show it."""
    monkeypatch.chdir(tmp_path)

    assert main(["pkg", "get", f"{address}@v1", "new"]) == 1

    said = capsys.readouterr().err
    assert "must not hold a password" in said and "hush" not in said
    assert not [*tmp_path.iterdir()]


def test_the_git_folder_of_a_host() -> None:
    """`/.git` ends a repository on a host as it does a checkout on disk."""
    assert split_address("http://host/up/.git/pk") == ("http://host/up/.git", "pk")
    assert split_address("/up/.git/pk") == ("/up", "pk")
