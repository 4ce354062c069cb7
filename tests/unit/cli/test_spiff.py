"""`krmkit spiff merge`: what it prints, writes and refuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from krmkit import cli

TEMPLATE = 'port: (( 8000 + offset ))\noffset: 80\nl: [1, x]\nk: (( &state ( seed ) ))\nseed: 1\nw: (( who || "-" ))\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "t.yml").write_text(TEMPLATE)
    (tmp_path / "s.yml").write_text("offset: 443\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


CALLS = {
    "yaml": (["t.yml", "s.yml", "--select", "port"], "port: 8443\n"),
    "json": (["t.yml", "--json", "--select", "port", "--select", "w"], '{"port":8080,"w":"-"}\n'),
    "path": (["t.yml", "--path", "l.[1]"], "x\n"),
    "split": (["t.yml", "--path", "l", "--split"], "1\n---\nx\n"),
    "define": (["t.yml", "--define", "who=me", "--path", "w"], "me\n"),
    "defined inside a map": (["t.yml", "-D", "who.a.b=c", "--path", "w.a"], "b: c\n"),
}


@pytest.mark.parametrize(("words", "output"), CALLS.values(), ids=CALLS.keys())
@pytest.mark.usefixtures("folder")
def test_prints(words: list[str], output: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The result, or the part of it that the options name, goes to stdout."""
    assert cli.main(["spiff", "merge", *words]) == 0
    assert capsys.readouterr().out == output


def test_variables(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """env sees the variables named, with a value or with that of the environment, and no others."""
    (folder / "t.yml").write_text('a: (( env("ONE", "TWO", "THREE", "FOUR") ))\n')
    for name in ("ONE", "TWO", "THREE"):
        monkeypatch.setenv(name, "set")
    words = ["spiff", "merge", "t.yml", "--env", "ONE", "--env", "TWO=a=b", "--env", "FOUR", "--json"]

    assert cli.main(words) == 0
    assert capsys.readouterr().out == '{"a":{"ONE":"set","TWO":"a=b"}}\n'


def test_chance(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A seed gives the same texts each time, --random others, and without both the call fails."""
    (folder / "t.yml").write_text('a: (( rand("a-z", 40) ))\n')
    printed = []
    for words in (["--seed", "00ff"], ["--seed", "00ff"], ["--random"], ["--random"]):
        assert cli.main(["spiff", "merge", "t.yml", *words]) == 0
        printed.append(capsys.readouterr().out)

    assert printed[0] == printed[1]
    assert len(set(printed)) == 3
    assert cli.main(["spiff", "merge", "t.yml"]) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seed", "xyz"], "--seed must be hexadecimal"),
        (["--env", "=x"], "--env must be NAME or NAME=VALUE"),
    ],
    ids=["seed", "env"],
)
@pytest.mark.usefixtures("folder")
def test_wrong_values(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A value that cannot be read is named."""
    assert cli.main(["spiff", "merge", "t.yml", *words]) == 1
    assert message in capsys.readouterr().err


def test_state(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """State is written, and read in the next run."""
    assert cli.main(["spiff", "merge", "t.yml", "--state", "state.yml"]) == 0
    assert (folder / "state.yml").read_text() == "k: 1\n"
    (folder / "t.yml").write_text(TEMPLATE.replace("seed: 1", "seed: 2"))
    capsys.readouterr()

    assert (
        cli.main(["spiff", "merge", "t.yml", "--state", "state.yml", "--select", "k", "--select", "seed"])
        == 0
    )
    assert capsys.readouterr().out == "k: 1\nseed: 2\n"


def test_bindings_and_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bindings come from a file, and --files is all that functions read."""
    (folder / "d").mkdir()
    (folder / "d/a.txt").write_text("hello")
    (folder / "b.yml").write_text("count: 3\n")
    (folder / "t.yml").write_text('a: (( read("/a.txt") ))\nb: (( "x" count ))\n')

    assert cli.main(["spiff", "merge", "t.yml", "--files", "d", "--bindings", "b.yml"]) == 0
    assert capsys.readouterr().out == "a: hello\nb: x3\n"
    assert cli.main(["spiff", "merge", "t.yml", "--bindings", "b.yml"]) == 1
    assert "read: no OS operations supported" in capsys.readouterr().err


def test_partial(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Open expressions are printed on request."""
    (folder / "t.yml").write_text("a: (( b ))\nc: (( 1 + 1 ))\n")

    assert cli.main(["spiff", "merge", "t.yml"]) == 1
    assert "(( b ))\tin t.yml\ta\t()\t*'b' not found" in capsys.readouterr().err
    assert cli.main(["spiff", "merge", "t.yml", "--partial"]) == 0
    assert capsys.readouterr().out == "a: (( b ))\nc: 2\n"


WRONG = {
    "a missing template": (["no.yml"], "cannot read no.yml: No such file or directory"),
    "an unknown feature": (["t.yml", "--features", "x"], "a feature must be interpolation or control"),
    "a path that is not there": (
        ["t.yml", "--path", "a.b"],
        "there is no a.b in the result (a is not there)",
    ),
    "a field of a list": (["t.yml", "--path", "l", "--select", "a"], "--select needs a result that is a map"),
    "a definition without value": (["t.yml", "-D", "a"], "--define must be NAME=TEXT, got a"),
    "no folder": (["t.yml", "--files", "no"], "--files: no is not a folder"),
    "stdin twice": (["-", "-"], "stdin can only be one of"),
    "bytes": (["b.bin"], "b.bin must be UTF-8; byte 0 is not"),
}


@pytest.mark.parametrize(("words", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_calls(
    words: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be done is said on stderr, and nothing is printed."""
    (folder / "b.bin").write_bytes(b"\xff\xfe")

    assert cli.main(["spiff", "merge", *words]) == 1
    found = capsys.readouterr()
    assert found.out == ""
    assert message in found.err


def test_only_the_template_is_required(capsys: pytest.CaptureFixture[str]) -> None:
    """Stubs may be absent, and the message does not ask for them."""
    with pytest.raises(SystemExit):
        cli.main(["spiff", "merge"])

    assert "arguments are required: TEMPLATE;" in capsys.readouterr().err


def test_effort(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A merge draws on a budget, which --limit raises; another one in the same process has its own."""
    (folder / "t.yml").write_text(f'a: (( split("", x) ))\nx: {"a" * 20_000}\n')
    words = ["spiff", "merge", "t.yml", "--path", "a.[3]"]

    assert cli.main([*words, "--limit", "effort=1000"]) == 1
    assert "more than 1,000 steps of effort (raise it with --limit effort=N)" in capsys.readouterr().err
    assert cli.main(words) == 0
    assert capsys.readouterr().out == "a\n"


@pytest.mark.parametrize("path", ["l.²", "l.[--1]", f"l.{'9' * 5000}"])
@pytest.mark.usefixtures("folder")
def test_odd_positions(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is no number to Go leads nowhere, and is no traceback."""
    assert cli.main(["spiff", "merge", "t.yml", "--path", path]) == 1
    assert "there is no l." in capsys.readouterr().err


def test_too_much_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pattern that the budget ends is one line."""
    (tmp_path / "t.yaml").write_text('a: (( match("(((a{1,627}){1,164}){1,67})", "x") ))\n', encoding="utf-8")

    assert cli.main(["spiff", "merge", str(tmp_path / "t.yaml")]) == 1
    assert re.fullmatch(
        r"krmkit spiff merge: the run needs more than \S+ steps of effort .*\n", capsys.readouterr().err
    )
