"""What is said where a package is not installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.libraries.messages.extras import missing

PROJECT = Path(__file__).resolve().parents[4]


def test_the_command_that_installs_it() -> None:
    """The error names the package, what needs it, and the command."""
    error = missing("CEL rules", ModuleNotFoundError("no", name="google.protobuf"), "cel")

    assert str(error) == (
        "CEL rules need the package protobuf, which is not installed: install krmkit with the extra [cel];"
        " in the folder of its checkout: pip install '.[cel]'"
    )


def test_a_module_of_krmkit_is_no_missing_package() -> None:
    """A broken installation of krmkit itself is not blamed on an extra."""
    with pytest.raises(ModuleNotFoundError):
        missing("x", ModuleNotFoundError("no", name="krmkit.libraries.cel"), "cel")


@pytest.mark.parametrize(
    ("name", "example", "package", "remedy"),
    [
        ("render-installation", "greeter", "jsonschema_rs", "pip install ."),
        ("generate-package-variants", "", "cel_expr_python", "pip install '.[cel]'"),
        ("starlark", "annotate", "starlark", "pip install '.[starlark]'"),
    ],
)
def test_a_function_says_what_to_install(
    name: str,
    example: str,
    package: str,
    remedy: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A package that is missing is a result of its own, and the items come back as they were."""
    monkeypatch.setitem(sys.modules, package, None)
    folder = PROJECT / "functions" / name / "examples"
    case = folder / example if example else sorted(folder.iterdir())[0]

    code = main(["render", str(case), "--check", "--format", "json"])

    text = capsys.readouterr().out
    assert code == 1
    assert '"missing-dependency"' in text and package in text and remedy in text
    assert "internal-error" not in text
