"""What a render shows and answers: --check, --diff, --write, nearest names, colours."""

from __future__ import annotations

import argparse
import inspect
import io
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from krmkit.cli import COMMANDS, main
from krmkit.views.terminal import Terminal
from tests.unit.cli.packages import FAST, KPTFILE, PACK, Screen, contents

CHECKED = [
    pytest.param(["--check"], "fast", 2, PACK, id="something would change"),
    pytest.param(["--check", "--diff"], "fast", 2, PACK, id="with a diff"),
    pytest.param(["--check"], "fats", 1, PACK, id="an error"),
    pytest.param(["--diff"], "fast", 0, PACK, id="a diff writes nothing"),
    pytest.param(["--diff", "--write"], "fast", 0, FAST, id="unless it is told to"),
    pytest.param(["--check", "--write"], "fast", 1, PACK, id="a contradiction"),
]


@pytest.mark.parametrize(("flags", "preset", "code", "expected"), CHECKED)
def test_check(package: Path, flags: list[str], preset: str, code: int, expected: str) -> None:
    """2 says that a file would change, 1 that something is wrong; only a render that is to write does."""
    (package / "Kptfile").write_text(KPTFILE.replace("{preset}", preset))

    assert main(["render", str(package), *flags]) == code
    assert contents(package)["app.yaml"] == expected


def test_check_of_what_is_rendered(package: Path) -> None:
    """Nothing to do is 0."""
    main(["render", str(package)])

    assert main(["render", str(package), "--check"]) == 0


def test_a_diff_though_a_validator_fails(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the mutators did is shown, for it may be the reason; nothing is written."""
    kptfile = package / "Kptfile"
    kptfile.write_text(kptfile.read_text() + "  validators:\n  - exec: /bin/false\n")

    assert main(["render", str(package), "--allow-exec", "--diff", "--write"]) == 1

    assert "+    mode: fast   # or fast\n" in capsys.readouterr().out
    assert contents(package)["app.yaml"] == PACK


def test_a_diff_though_a_validator_of_a_subpackage_fails(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other packages show as they are on disk: they did not have their turn."""
    (package / "sub").mkdir()
    kptfile = KPTFILE.replace("{preset}", "fast") + "  validators:\n  - exec: /bin/false\n"
    (package / "sub" / "Kptfile").write_text(kptfile)
    (package / "sub" / "app.yaml").write_text(PACK)

    assert main(["render", str(package), "--allow-exec", "--diff"]) == 1

    out = capsys.readouterr().out
    assert "+++ b/sub/app.yaml\n" in out
    assert "+++ b/app.yaml\n" not in out


def test_the_package_above(
    package: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a name, the package is the one that the working directory lies in."""
    (package / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(package / "a" / "b")

    assert main(["render"]) == 0
    assert contents(package)["app.yaml"] == FAST


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["render", "--chekc"], 'unknown flag "--chekc"; did you mean "--check"?'),
        (["pack", "imprt"], 'there is no "imprt"; did you mean "import"?'),
        (["render", "--format", "jsn"], 'there is no "jsn"; did you mean "json"?'),
        (["variants", "render", "x", "--packages", "p", "--out", "o", "--prun"], 'did you mean "--prune"?'),
        (["render", "a", "b"], 'unexpected argument "b"'),
    ],
    ids=" ".join,
)
def test_nearest_names(words: list[str], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A slip of the pen is answered with what was meant, and is exit code 1."""
    with pytest.raises(SystemExit) as ended:
        main(words)

    assert ended.value.code == 1
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("run", "why")])
def test_a_wrong_flag_is_1(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Everywhere: 2 is for changes."""
    with pytest.raises(SystemExit) as ended:
        main([name, "--no-such-flag"])

    assert ended.value.code == 1


@pytest.mark.parametrize(
    ("environment", "flag", "coloured"),
    [
        pytest.param({}, "auto", True, id="a terminal"),
        pytest.param({"NO_COLOR": "1"}, "auto", False, id="NO_COLOR"),
        pytest.param({"NO_COLOR": "1"}, "always", True, id="the flag counts more"),
        pytest.param({"FORCE_COLOR": "0"}, "auto", False, id="FORCE_COLOR=0"),
        pytest.param({}, "never", False, id="never"),
    ],
)
def test_colour(
    environment: dict[str, str], flag: str, coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The flag, then NO_COLOR, then FORCE_COLOR, then the terminal decide."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert Terminal(Screen(), flag).colour is coloured


def test_forced_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """FORCE_COLOR paints where nobody watches, as in CI logs."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")

    assert Terminal(io.StringIO()).paint("x", "red") == "\x1b[31mx\x1b[0m"


def test_rich_is_for_terminals_only(package: Path) -> None:
    """Where nobody watches, it costs nothing."""
    program = "import sys; from krmkit.cli import main; code = main(); sys.exit(3 if 'rich' in sys.modules else code)"
    done = subprocess.run(
        [sys.executable, "-c", program, "render", str(package), "--explain"], capture_output=True, check=False
    )

    assert done.returncode == 0


def parsers(made: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield made
    for action in made._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from parsers(one)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_80_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every command and subcommand."""
    monkeypatch.setenv("COLUMNS", "80")
    make = import_module(COMMANDS[name][0]).parser

    for one in parsers(make(name) if inspect.signature(make).parameters else make()):
        long = [line for line in one.format_help().splitlines() if len(line) > 80]
        assert not long, one.prog
