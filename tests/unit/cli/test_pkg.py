"""krmkit.cli.pkg: following an upstream in git."""

from __future__ import annotations

import os
import stat
import subprocess
from functools import cache, partial
from pathlib import Path

import pytest

from krmkit.analysis.fleet import upstream_of
from krmkit.cli import main
from tests.costs import check_shape

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop # ours\n"
APP = """\
# the shop
apiVersion: v1
kind: ConfigMap
metadata:
  name: app
data:
  tag: v1 # the release
  size: small
"""


def git(folder: Path, *words: str) -> str:
    names = {
        f"GIT_{who}_{what}": "t@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    done = subprocess.run(
        ["git", *words], cwd=folder, env={**os.environ, **names}, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


class Upstream:
    """A repository with the package `shop` in a folder, and a tag for each release."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main")

    def release(self, tag: str, files: dict[str, str | bytes | None]) -> str:
        """Change files of the package, tag the state, return its commit."""
        for path, content in files.items():
            place = self.folder / "shop" / path
            if content is None:
                place.unlink()
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
            if path.endswith(".sh"):
                place.chmod(0o755)
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "--allow-empty", "-qm", tag)
        git(self.folder, "tag", tag)
        return git(self.folder, "rev-parse", "HEAD")


def fetched_kptfile(upstream: Upstream, commit: str) -> str:
    """The Kptfile of the package as fetched at v1."""
    origin = f"  git:\n    repo: {upstream.folder}\n    directory: /shop\n    ref: v1\n"
    return (
        f"{KPTFILE}upstream:\n  type: git\n{origin}upstreamLock:\n  type: git\n{origin}    commit: {commit}\n"
    )


@pytest.fixture
def upstream(tmp_path: Path) -> Upstream:
    return Upstream(tmp_path / "upstream")


@pytest.fixture
def package(tmp_path: Path, upstream: Upstream) -> Path:
    """The package as fetched at v1."""
    commit = upstream.release(
        "v1", {"Kptfile": KPTFILE, "app.yaml": APP, "logo.bin": b"\xff\x00", "note.md": "1\n"}
    )
    local = tmp_path / "local"
    local.mkdir()
    (local / "Kptfile").write_text(fetched_kptfile(upstream, commit), encoding="utf-8")
    (local / "app.yaml").write_text(APP, encoding="utf-8")
    (local / "logo.bin").write_bytes(b"\xff\x00")
    (local / "note.md").write_text("1\n", encoding="utf-8")
    return local


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_update_keeps_local_lines(
    upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Upstream's field comes, the local one stays, no comment is lost, and the lock names the new commit."""
    commit = upstream.release("v2", {"app.yaml": APP.replace("tag: v1", "tag: v2"), "run.sh": "#!/bin/sh\n"})
    edit(package / "app.yaml", "size: small", "size: large # we are big")

    assert main(["pkg", "update", f"{package}@v2"]) == 0

    text = (package / "app.yaml").read_text(encoding="utf-8")
    assert "# the shop\n" in text and "  tag: v2 # the release\n  size: large # we are big\n" in text
    assert stat.S_IMODE((package / "run.sh").stat().st_mode) & 0o111
    kptfile = (package / "Kptfile").read_text(encoding="utf-8")
    assert "name: shop # ours" in kptfile and kptfile.count("ref: v2") == 2 and f"commit: {commit}" in kptfile
    assert "3 files changed, 0 conflicts" in capsys.readouterr().out


def test_a_second_update_changes_nothing(upstream: Upstream, package: Path) -> None:
    """Twice is once, and --check then says that all is well."""
    upstream.release("v2", {"app.yaml": APP.replace("v1", "v2")})
    main(["pkg", "update", f"{package}@v2"])
    before = contents(package)

    assert main(["pkg", "update", str(package), "--check"]) == 0
    assert main(["pkg", "update", str(package)]) == 0

    assert contents(package) == before


@pytest.mark.parametrize(
    ("words", "code"),
    [(["update", "--dry-run"], 0), (["update", "--check"], 2), (["diff"], 0), (["diff", "--check"], 2)],
)
def test_looking_writes_nothing(upstream: Upstream, package: Path, words: list[str], code: int) -> None:
    """Every way to look leaves the files, and --check has an exit code of its own."""
    upstream.release("v2", {"app.yaml": APP.replace("v1", "v2")})
    before = contents(package)

    assert main(["pkg", *words, f"{package}@v2"]) == code

    assert contents(package) == before


def test_conflicts_are_named(upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A field and a file that both sides changed are reported with both values."""
    upstream.release("v2", {"app.yaml": APP.replace("size: small", "size: medium"), "note.md": "2\n"})
    edit(package / "app.yaml", "size: small", "size: large")
    (package / "note.md").write_text("mine\n", encoding="utf-8")

    assert main(["pkg", "update", f"{package}@v2"]) == 0

    out = capsys.readouterr().out
    assert (
        "app.yaml:8:3 ConfigMap app data.size" in out
        and "'medium' and locally to 'large': upstream wins" in out
    )
    assert (
        "note.md" in out and "1 line changed upstream, to 1 line, and locally" in out and "2 conflicts" in out
    )
    assert (package / "note.md").read_text(encoding="utf-8") == "2\n"


def test_files_come_and_go(upstream: Upstream, package: Path) -> None:
    """Files that nobody edited are replaced and removed, binary ones too; new resources get kpt's mark, as in a package just fetched."""
    upstream.release(
        "v2", {"logo.bin": b"\xfe\x01", "note.md": None, "sub/Kptfile": KPTFILE, "sub/app.yaml": APP}
    )

    assert main(["pkg", "update", f"{package}@v2"]) == 0

    assert (package / "logo.bin").read_bytes() == b"\xfe\x01" and not (package / "note.md").exists()
    marked = APP.replace("name: app\n", f"name: app\n{MARK}")
    assert (package / "sub" / "app.yaml").read_text(encoding="utf-8") == marked


@pytest.mark.parametrize("new", [None, "a text\n"])
@pytest.mark.parametrize("strategy", ["resource-merge", "force-delete-replace"])
def test_a_binary_file_goes_or_becomes_text(
    upstream: Upstream, package: Path, new: str | None, strategy: str
) -> None:
    """What the file holds is compared byte for byte, so that nobody else seems to have changed it."""
    upstream.release("v2", {"logo.bin": new})

    assert main(["pkg", "update", f"{package}@v2", "--strategy", strategy]) == 0

    logo = package / "logo.bin"
    assert (logo.read_text(encoding="utf-8") if logo.exists() else None) == new


@pytest.mark.parametrize("rights", [0o755, 0o644])
@pytest.mark.parametrize("content", [b"1\n", b"2\n", b"\xff"])
def test_upstream_makes_a_file_executable(
    upstream: Upstream, package: Path, content: bytes, rights: int
) -> None:
    """Or no longer so: the file follows, also where its content stays; rights that a person gave to other files stay."""
    (upstream.folder / "shop" / "note.md").chmod(0o755 ^ 0o644 ^ rights)
    commit = upstream.release("v2", {})
    (package / "Kptfile").write_text(fetched_kptfile(upstream, commit), encoding="utf-8")
    (package / "note.md").chmod(0o755 ^ 0o644 ^ rights)
    (package / "app.yaml").chmod(0o755)
    (upstream.folder / "shop" / "note.md").chmod(rights)
    upstream.release("v3", {"note.md": content, "app.yaml": APP.replace("v1", "v3")})

    assert main(["pkg", "update", f"{package}@v3"]) == 0

    assert (package / "note.md").read_bytes() == content
    assert stat.S_IMODE((package / "note.md").stat().st_mode) == rights
    assert stat.S_IMODE((package / "app.yaml").stat().st_mode) == 0o755
    assert main(["pkg", "update", str(package), "--check"]) == 0


def test_fast_forward_refuses_edits(
    upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """fast-forward names the edited files, and works without any."""
    upstream.release("v2", {"app.yaml": APP.replace("v1", "v2")})
    edit(package / "note.md", "1", "2")
    assert main(["pkg", "update", f"{package}@v2", "--strategy", "fast-forward"]) == 1
    assert "edited: note.md" in capsys.readouterr().err

    edit(package / "note.md", "2", "1")
    assert main(["pkg", "update", f"{package}@v2", "--strategy", "fast-forward"]) == 0

    assert (package / "app.yaml").read_text(encoding="utf-8") == APP.replace("v1", "v2")


def test_fast_forward_with_a_subpackage_from_elsewhere(
    tmp_path: Path, upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a subpackage has from its own upstream is no edit; it follows there, and keeps what a person wrote into it."""
    other = Upstream(tmp_path / "other")
    other.release("v1", {"Kptfile": KPTFILE, "b.yaml": APP})
    other.release("v2", {"b.yaml": APP.replace("tag: v1", "tag: v2")})
    origin = (
        f"{KPTFILE}upstream:\n  type: git\n  git:\n    repo: {other.folder}\n    directory: /shop\n    ref: "
    )
    upstream.release("v2", {"sub/Kptfile": f"{origin}v1\n"})
    assert main(["pkg", "update", f"{package}@v2"]) == 0
    edit(package / "sub" / "b.yaml", "size: small", "size: large")
    upstream.release("v3", {"sub/Kptfile": f"{origin}v2\n", "app.yaml": APP.replace("v1", "v3")})

    assert main(["pkg", "update", f"{package}@v3", "--strategy", "fast-forward"]) == 0

    assert "tag: v3" in (package / "app.yaml").read_text(encoding="utf-8")
    text = (package / "sub" / "b.yaml").read_text(encoding="utf-8")
    assert "tag: v2" in text and "size: large" in text
    assert "0 conflicts" in capsys.readouterr().out.splitlines()[-1]
    edit(package / "app.yaml", "v3", "v4")
    assert main(["pkg", "update", f"{package}@v3", "--strategy", "fast-forward"]) == 1
    assert "edited: app.yaml;" in capsys.readouterr().err


# APP as `kpt pkg get` leaves it.
MARK = "  annotations:\n    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|app'\n"
MARKED = APP.replace("metadata:", "metadata: # kpt-merge: /app").replace("name: app\n", f"name: app\n{MARK}")


@pytest.mark.parametrize(
    ("text", "code"),
    [(MARKED, 0), (MARKED.replace("small", "large"), 1), (MARKED.replace("the release", "my release"), 1)],
)
def test_marks_of_kpt_are_no_edits(
    upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str], text: str, code: int
) -> None:
    """kpt marks what it fetches; only what a person wrote, comments too, stands in the way of fast-forward."""
    upstream.release("v2", {"app.yaml": APP.replace("v1", "v2")})
    (package / "app.yaml").write_text(text, encoding="utf-8")

    assert main(["pkg", "update", f"{package}@v2", "--strategy", "fast-forward"]) == code
    assert ("edited: app.yaml" in capsys.readouterr().err) is bool(code)


@pytest.mark.parametrize(("text", "stays"), [(MARKED, False), (MARKED.replace("small", "large"), True)])
def test_a_subpackage_that_upstream_deleted(
    upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str], text: str, stays: bool
) -> None:
    """It goes, whatever kpt marked in it; one that a person edited stays, and is told."""
    upstream.release("v2", {"sub/Kptfile": KPTFILE, "sub/app.yaml": APP})
    assert main(["pkg", "update", f"{package}@v2"]) == 0
    (package / "sub" / "app.yaml").write_text(text, encoding="utf-8")
    upstream.release("v3", {"sub/Kptfile": None, "sub/app.yaml": None})

    assert main(["pkg", "update", f"{package}@v3"]) == 0

    assert (package / "sub" / "app.yaml").exists() is stays
    assert ("deleted upstream, edited locally: kept" in capsys.readouterr().out) is stays


def test_force_replaces_everything(upstream: Upstream, package: Path) -> None:
    """force-delete-replace takes upstream's files, and keeps the package's name."""
    upstream.release("v2", {"app.yaml": APP.replace("v1", "v2")})
    (package / "mine.yaml").write_text(APP, encoding="utf-8")

    assert main(["pkg", "update", f"{package}@v2", "--strategy", "force-delete-replace"]) == 0

    assert not (package / "mine.yaml").exists()
    assert "name: shop # ours" in (package / "Kptfile").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("repo: ", "repo: /absent", "git fetch"),
        ("directory: /shop", "directory: /other", "has no folder other"),
        ("upstreamLock:", "other:", "upstreamLock.git must name a commit"),
        ("upstream:", "other:", "upstream.git must name a repo"),
        ("ref: v1", "ref: v9", 'there is no tag, branch or commit v9; did you mean "v1"?'),
        ("repo: ", "repo: --upload-pack=touch ", "must be an address"),
        ("ref: v1", "ref: --output=made", "there is no tag, branch or commit --output=made"),
        ("commit: ", "commit: --output=made # ", "there is no tag, branch or commit --output=made"),
    ],
)
def test_bad_upstreams(
    package: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str
) -> None:
    """What is wrong with the upstream is said, and nothing is written."""
    edit(package / "Kptfile", old, new)
    before = contents(package)

    assert main(["pkg", "update", str(package)]) == 1

    assert message in capsys.readouterr().err and contents(package) == before


VARIANT = """\
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata:
  name: shop
spec:
  upstream: {repo: dp, package: shop, revision: 1}
  downstream: {repo: dp, package: other}
"""


@pytest.mark.parametrize(
    "words",
    [
        ["pkg", "get", "https://me:hush@127.0.0.1:1/o/r@v1", "new"],
        ["pkg", "get", "https://me:hush@127.0.0.1/o/r", "new"],
        ["variants", "status", "set.yaml", "--repo", "dp=https://me:hush@127.0.0.1:1/x"],
    ],
)
def test_passwords_in_addresses_are_not_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    """Errors name the address without who signs in there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(VARIANT, encoding="utf-8")

    assert main(words) == 1

    said = capsys.readouterr()
    assert "https://127.0.0.1" in said.err and "hush" not in said.out + said.err


@pytest.mark.parametrize("policy", ["stop", "markers"])
def test_no_side_wins(
    upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str], policy: str
) -> None:
    """Nothing was changed, or both sides are in the file."""
    upstream.release("v2", {"app.yaml": APP.replace("small", "medium")})
    edit(package / "app.yaml", "small", "large")

    assert main(["pkg", "update", f"{package}@v2", "--on-conflict", policy]) == 1

    said = "".join(capsys.readouterr())
    assert "changed upstream to 'medium' and locally to 'large'" in said and "upstream wins" not in said


def test_a_diff_shows_no_password(
    upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines of the Kptfile around the change hold the address."""
    for number, words in enumerate((f"url.{upstream.folder}.insteadOf", "https://me:hush@example.com/r.git")):
        monkeypatch.setenv(f"GIT_CONFIG_{('KEY', 'VALUE')[number]}_0", words)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    upstream.release("v2", {"app.yaml": APP.replace("v1", "v2")})
    edit(package / "Kptfile", f"repo: {upstream.folder}", "repo: https://me:hush@example.com/r.git")

    assert main(["pkg", "diff", f"{package}@v2"]) == 0

    said = capsys.readouterr().out
    assert "example.com/r.git" in said and "hush" not in said


def test_a_report_shows_no_password(package: Path) -> None:
    """Its pages are put where many read them."""
    edit(package / "Kptfile", "repo: ", "repo: https://me:hush@example.com")

    assert upstream_of(str(package)).startswith("https://example.com/") and "/shop@v1" in upstream_of(
        str(package)
    )


def test_no_package(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder without a Kptfile is not a package."""
    assert main(["pkg", "update", str(tmp_path)]) == 1

    assert "must be a package, a folder with a Kptfile" in capsys.readouterr().err


def test_a_subpackage_that_is_its_own_upstream(
    upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each fetch would bring one more of it; that ends in an error, and nothing is written."""
    commit = git(upstream.folder, "rev-parse", "HEAD")
    where = f"repo: {upstream.folder}\n    directory: /shop\n    ref: main\n"
    endless = (
        f"{KPTFILE}upstream:\n  type: git\n  git:\n    {where}"
        f"upstreamLock:\n  type: git\n  git:\n    {where}    commit: {commit}\n"
    )
    upstream.release("v2", {"sub/Kptfile": endless})
    before = contents(package)

    assert main(["pkg", "update", f"{package}@v2"]) == 1

    assert "more than 16 folders deep" in capsys.readouterr().err
    assert contents(package) == before


@pytest.mark.parametrize(
    ("upstream_of_sub", "message"),
    [
        (
            "upstream: {git: {repo: --upload-pack=x, directory: /s, ref: v1}}\n",
            "must be an address",
        ),
        (
            "upstream: {git: {repo: --upload-pack=x, directory: /s, ref: v1}}\nupstreamLock: {git: {commit: abc}}\n",
            "must be an address",
        ),
        (
            "upstream: {git: {repo: 'ext::touch x', directory: /s, ref: v1}}\nupstreamLock: {git: {commit: abc}}\n",
            "transport 'ext' not allowed",
        ),
        ("upstream: x\n", "upstream.git must name a repo"),
    ],
)
def test_a_subpackage_with_a_bad_upstream(
    upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str], upstream_of_sub: str, message: str
) -> None:
    """It is named, nothing is run, and nothing is written."""
    upstream.release("v2", {"sub/Kptfile": KPTFILE + upstream_of_sub})
    before = contents(package)

    assert main(["pkg", "update", f"{package}@v2"]) == 1

    said = capsys.readouterr().err
    assert message in said and "subpackage sub" in said
    assert contents(package) == before


def test_a_kptfile_that_is_no_text(
    upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file is named."""
    upstream.release("v2", {"Kptfile": b"\xff\xfe"})

    assert main(["pkg", "update", f"{package}@v2"]) == 1
    assert "Kptfile must be UTF-8 text" in capsys.readouterr().err


def test_twice_the_subpackages_cost_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every subpackage is looked at once, with its own files only."""

    @cache
    def made(count: int) -> Path:
        upstream = Upstream(tmp_path / f"upstream-{count}")
        commit = upstream.release("v1", {"Kptfile": KPTFILE})
        files: dict[str, str | bytes | None] = {}
        for number in range(count):
            files |= {f"sub{number}/Kptfile": KPTFILE, f"sub{number}/app.yaml": APP}
        upstream.release("v2", files)
        local = tmp_path / f"local-{count}"
        local.mkdir()
        (local / "Kptfile").write_text(fetched_kptfile(upstream, commit))
        return local

    def work(count: int) -> None:
        assert main(["pkg", "diff", f"{made(count)}@v2", "--check"]) == 2
        assert f"sub{count - 1}/app.yaml" in capsys.readouterr().out

    check_shape(lambda count: partial(work, count), 200, 2.5)


def test_a_folder_with_an_at_sign(upstream: Upstream, package: Path) -> None:
    """The revision is what the last `@` divides from the folder; a folder of the whole name has none."""
    upstream.release("v2", {"app.yaml": APP.replace("v1", "v2")})
    odd = package.parent / "my@home"
    package.rename(odd)

    assert main(["pkg", "diff", str(odd)]) == 0
    assert main(["pkg", "update", f"{odd}@v2"]) == 0

    assert "v2" in (odd / "app.yaml").read_text(encoding="utf-8")
