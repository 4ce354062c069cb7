"""What hides findings: comments and baselines, never an error that stops a render."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.render.findings.ignored import ignore_comments
from tests.unit.cli.packages import KPTFILE

SETTERS = """apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: shop}
pipeline:
  mutators:
  - image: ghcr.io/kptdev/krm-functions-catalog/set-labels:v0.2.0
    configMap: {app: shop}
"""
# set-labels warns of each Service without a selector.
SERVICE = "apiVersion: v1\nkind: Service\nmetadata:\n  name: {name}\nspec:\n  ports: [{{port: 80}}]\n"


def service(name: str) -> str:
    return SERVICE.format(name=name)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a package with a Service that is warned about."""
    place = tmp_path / "shop"
    place.mkdir()
    (place / "Kptfile").write_text(SETTERS)
    (place / "a.yaml").write_text(service("a"))
    monkeypatch.chdir(tmp_path)
    return place


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str]]:
    capsys.readouterr()
    code = main(list(words))
    return code, capsys.readouterr().out.splitlines()


def test_three_new_findings_are_three_findings(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 400 old findings none is shown after ten lines came above them, and all of three new ones are."""
    for file in range(4):
        old = [service(f"old-{number}") for number in range(100 * file, 100 * file + 100)]
        (shop / f"s{file}.yaml").write_text("---\n".join(old))
    (shop / "a.yaml").unlink()
    assert said(capsys, "check", "shop", "--write-baseline", "old.json")[0] == 0
    assert len(json.loads((tmp_path / "old.json").read_text())["findings"]) == 400
    assert said(capsys, "check", "shop", "--baseline", "old.json") == (
        0,
        ["1 package: nothing is wrong, 400 findings hidden"],
    )

    for number in range(4):
        moved = shop / f"s{number}.yaml"
        moved.write_text("# moved\n" * 10 + moved.read_text())
    (shop / "new.yaml").write_text("---\n".join(service(f"new-{number}") for number in range(3)))

    code, lines = said(capsys, "check", "shop", "--baseline", "old.json", "-f", "text")
    assert code == 0
    assert lines[-1] == "1 package: 3 warnings, 400 findings hidden"
    assert [line.partition(":")[0] for line in lines[:-1]] == ["shop/new.yaml"] * 3


def test_a_baseline_counts(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An entry hides one finding, and one that fits none is a warning; those of other packages are left alone."""
    main(["check", "shop", "--write-baseline", "old.json"])
    (shop / "a.yaml").write_text(service("b"))

    code, lines = said(capsys, "check", "shop", "--baseline", "old.json", "-f", "text")
    assert code == 0
    assert any(
        "1 of its entries fit no finding any more (new-selector Service a spec.selector)" in one
        for one in lines
    )
    assert lines[-1] == "1 package: 2 warnings"
    (shop.parent / "other").mkdir()
    (shop.parent / "other/Kptfile").write_text("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: o}\n")
    assert said(capsys, "check", "other", "--baseline", "old.json") == (0, ["1 package: nothing is wrong"])


def test_the_settings_name_the_baseline(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Relative to their file, wherever a check is called."""
    main(["check", "shop", "--write-baseline", "old.json"])
    (shop.parent / ".krmkit.yaml").write_text(
        "apiVersion: krmkit.dev/v1alpha1\nkind: Settings\nspec: {baseline: old.json}\n"
    )
    monkeypatch.chdir(shop)

    assert said(capsys, "check") == (0, ["1 package: nothing is wrong, 1 finding hidden"])


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"apiVersion": "krmkit.dev/v1alpha1", "kind": "Baseline", "findings": [7]}']
)
def test_no_baseline(shop: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Another file is refused with what would be right."""
    (shop.parent / "old.json").write_text(text)
    assert main(["check", "shop", "--baseline", "old.json"]) == 1
    assert "krmkit check: old.json: " in capsys.readouterr().err


@pytest.mark.parametrize(
    "before",
    [
        "spec: # krmkit: ignore new-selector (Endpoints are ours)\n",
        "# krmkit: ignore new-selector (Endpoints are ours)\nspec:\n",
        "# krmkit: ignore new-selector (Endpoints are ours)\n# another comment\nspec:\n",
    ],
)
@pytest.mark.parametrize("command", ["check", "render"])
def test_a_comment_hides(shop: Path, command: str, before: str, capsys: pytest.CaptureFixture[str]) -> None:
    """On the line of the finding, or above it, whichever command asks; the last line counts it."""
    (shop / "a.yaml").write_text(service("a").replace("spec:\n", before))

    code, lines = said(capsys, command, "shop", "-f", "text")
    assert code == 0
    assert not any("new-selector" in line for line in lines)
    assert "1 finding hidden" in lines[-1]


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("# krmkit: ignore no-labels (why)", "hides nothing: there is no finding no-labels"),
        ("# krmkit: ignore new-selector", "must name a rule and a reason"),
        ("# krmkit: ignore", "must name a rule and a reason"),
    ],
)
def test_a_comment_for_nothing(
    shop: Path, comment: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is a warning at its line, and what it does not hide is shown."""
    (shop / "a.yaml").write_text(service("a").replace("spec:", f"spec: {comment}"))

    code, lines = said(capsys, "check", "shop", "-f", "text")
    assert code == 0
    assert f"shop/a.yaml:5:1: warning: {expected}" in "\n".join(lines)
    assert any("[new-selector]" in line for line in lines)


def test_a_comment_in_a_value_is_data(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It hides nothing, and nobody is told to remove it."""
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n  a: |\n    # krmkit: ignore no-labels (why)\n"
    (shop / "m.yaml").write_text(text + '  b: "see # krmkit: ignore no-labels (why)"\n')

    _, lines = said(capsys, "check", "shop", "-f", "text")
    assert not any("unused-ignore" in line for line in lines)


def test_two_comments_for_one_rule(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both are about the finding."""
    comment = "# krmkit: ignore new-selector (why)\n"
    (shop / "a.yaml").write_text(service("a").replace("spec:\n", f"{comment}{comment}spec:\n"))

    _, lines = said(capsys, "check", "shop", "-f", "text")
    assert not any("unused-ignore" in line or "shop/a.yaml:" in line for line in lines)


def test_errors_that_stop_a_render_are_shown(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither a comment nor a baseline hides them."""
    comment = " # krmkit: ignore unknown-preset (soon)\n"
    (package / "Kptfile").write_text(KPTFILE.replace('{preset}"\n', f'fats"{comment}'))
    baseline = str(package.parent / "old.json")

    code, lines = said(capsys, "check", str(package), "-f", "text")
    assert code == 1
    assert any("[unknown-preset]" in line for line in lines)
    assert any("cannot hide unknown-preset" in line for line in lines)
    assert main(["check", str(package), "--write-baseline", baseline, "--severity", "error"]) == 1
    assert "1 error not in" in capsys.readouterr().err
    assert said(capsys, "check", str(package), "--baseline", baseline)[0] == 1


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\xff\xfe", "old.json: is not UTF-8 text"),
        (b"{", "old.json: must be a baseline"),
        (b"[]", "old.json: must be a Baseline of krmkit.dev/v1alpha1"),
        (b'{"apiVersion": "krmkit.dev/v1alpha1", "kind": "Baseline", "findings": 5}', "old.json: findings must be a list"),
    ],
)  # fmt: skip
def test_what_is_no_list(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, problem: str
) -> None:
    """A file that is none is a wrong call, which names the file and what it lacks."""
    (tmp_path / "old.json").write_bytes(content)

    assert main(["check", "shop", "--baseline", "old.json"]) == 1
    assert f"krmkit check: {problem}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("findings", "said"),
    [
        ("5", "findings must be a list"),
        ("true", "findings must be a list"),
        ("[" * 100_000, "must be a baseline"),
        ('[{"rule": "\\ud800"}]', "half of a surrogate pair"),
    ],
    ids=["number", "true", "deep", "surrogate"],
)
def test_an_odd_baseline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], findings: str, said: str
) -> None:
    """Whatever JSON a baseline holds, an error names its file."""
    place = tmp_path / "odd.json"
    place.write_text(f'{{"apiVersion": "krmkit.dev/v1alpha1", "kind": "Baseline", "findings": {findings}}}')

    assert main(["check", str(tmp_path), "--baseline", str(place)]) == 1

    text = capsys.readouterr().err
    assert said in text and str(place) in text


def test_many_comments() -> None:
    """Each of 20,000 comments above a line is about that line, and at the end of a file about nothing."""
    comments = "# krmkit: ignore x (why)\n" * 20_000
    above, below = (ignore_comments({"a.yaml": text}) for text in (f"{comments}a: b\n", f"a: b\n{comments}"))
    assert {one.line for one in above} == {20_001} and [one.place for one in above] == [*range(1, 20_001)]
    assert {one.line for one in below} == {20_002}
    assert [
        one.line
        for one in ignore_comments({"a.yaml": "# krmkit: ignore x (y)\na: b # krmkit: ignore z (y)\n"})
    ] == [2, 2]
