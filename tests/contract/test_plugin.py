"""The plugin of pytest that runs the contract: it finds functions, and each rule can fail."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from krmkit.fn.contract.process import watch
from tests.contract.checks import ROOT

GOOD = ROOT / "tests/functions/test-label-all"
BROKEN = [
    pytest.param("    import time; print(time.time())", "program_says_the_same", id="a clock, on stderr"),
    pytest.param('    open("/dev/null")', "touches_nothing_outside", id="a file"),
    pytest.param('    import os; os.environ["X"] = "1"', "touches_nothing_outside", id="the environment"),
    pytest.param(
        '    for item in resources: item.set(("metadata", "labels", "n"), item.labels.get("n", "") + "x")',
        "second_run_changes_nothing",
        id="not idempotent",
    ),
    pytest.param(
        '    process.n = getattr(process, "n", 0) + 1\n'
        '    for item in resources: item.set(("metadata", "labels", "n"), str(process.n))',
        "same_input_same_bytes",
        id="a state from run to run",
    ),
    pytest.param(
        '    results.warning("never-declared", "said")', "forms_of_the_list", id="a rule that is not declared"
    ),
    pytest.param("    resources.items[:] = []", "bystanders_stay_byte_for_byte", id="items are lost"),
    pytest.param("    raise SystemExit(0)", "forms_of_the_list", id="the process is ended"),
]


def pytest_on(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder, with nothing but the plugin."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "krmkit.fn.contract.plugin", "-p", "no:cacheprovider", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        # Metadata of an old build in the checkout must not load the plugin a second time; xdist and others are no part of this.
        env={**os.environ, "PYTHONPATH": str(ROOT / "shared"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip


@pytest.fixture
def function(tmp_path: Path) -> Path:
    """A function in a folder of its own, that keeps the contract."""
    folder = tmp_path / "label-all"
    shutil.copytree(GOOD, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_text(path.read_text("utf-8").replace("test-label-all", "label-all"), "utf-8")
    return folder


def extended(folder: Path, more: str) -> None:
    """Put lines at the end of the function's process."""
    end = '\n\nif __name__ == "__main__":\n    main('
    path = folder / "main.py"
    path.write_text(path.read_text("utf-8").replace(end, f"{more}\n{end}"), "utf-8")


def test_a_good_function(function: Path) -> None:
    """By the setting in pytest.ini, without a word on the command line."""
    (function / "pytest.ini").write_text("[pytest]\nkrm_functions = .\n")

    done = pytest_on(function)

    assert done.returncode == 0, done.stdout
    assert int(re.findall(r"(\d+) passed", done.stdout)[0]) > 60


@pytest.mark.parametrize(("more", "rule"), BROKEN)
def test_a_broken_function(function: Path, more: str, rule: str) -> None:
    """Each way to break the contract fails the rule that is about it."""
    extended(function, more)

    done = pytest_on(function.parent, "--krm-functions", "label-all", "-k", rule)

    assert done.returncode == 1, done.stdout
    assert f"FAILED label-all/function.yaml::{rule}" in done.stdout


def test_a_rule_that_is_not_declared_is_named(function: Path) -> None:
    """The message says which rule is missing where."""
    extended(function, '    results.warning("never-declared", "said")')

    done = pytest_on(function.parent, "--krm-functions", "label-all", "-k", "forms_of_the_list")

    assert "name in function.yaml, under rules: never-declared" in done.stdout


def test_an_example_that_comes_to_something_else(function: Path) -> None:
    """.expected is compared, and written on demand."""
    patch = function / "examples/simple/.expected/diff.patch"
    patch.write_text(patch.read_text().replace("+", "-"))
    words = ("--krm-functions", ".", "-k", "example_comes")

    assert pytest_on(function, *words).returncode == 1
    assert pytest_on(function, *words, "--krm-write-expected").returncode == 0
    assert pytest_on(function, *words).returncode == 0


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("function.yaml", "name: label-all\n", "function.yaml has no usable kind; it must be a text"),
        ("function.yaml", "name: [", "function.yaml: "),
        (
            "function.yaml",
            "name: other\nkind: A\nsummary: a\nschema: {}\ntags: []\n",
            'name must be that of its folder, "label-all", got "other"',
        ),
        (
            "function.yaml",
            "name: label-all\nkind: A\nsummary: a\nschema: {}\ntags: []\napiVersion: v1\n",
            "apiVersion must be a group and a version such as example.com/v1, got v1",
        ),
    ],
)
def test_a_broken_definition(function: Path, file: str, text: str, said: str) -> None:
    """The file is named, and what would be right."""
    (function / file).write_text(text)

    done = pytest_on(function, "--krm-functions", ".")

    assert done.returncode == 4
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import nothing_of_this_name\n", "line 1: ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("x = 1\ndef process(:\n", "line 2: SyntaxError: invalid syntax"),
        ("x = 1\n", "it must have a function process(resources, config, results)"),
    ],
)  # fmt: skip
def test_a_broken_program(function: Path, text: str, said: str) -> None:
    """A main.py that cannot be loaded is an error of the collection, in one line."""
    (function / "main.py").write_text(text)

    done = pytest_on(function, "--krm-functions", ".")

    assert done.returncode == 2
    assert f"main.py cannot be loaded: {said}" in done.stdout
    assert "Traceback" not in done.stdout


def test_no_function(tmp_path: Path) -> None:
    """A folder without a function is a wrong call: nothing was tested."""
    done = pytest_on(tmp_path, "--krm-functions", ".")

    assert done.returncode == 4
    assert "holds no function: neither it nor a folder in it has a function.yaml" in done.stderr


def test_nothing_is_asked_for(function: Path) -> None:
    """Without option and setting the plugin does nothing."""
    done = pytest_on(function)

    assert done.returncode == 5
    assert "no tests ran" in done.stdout


def test_watch_sees(tmp_path: Path) -> None:
    """The watch does notice files, processes and sockets."""
    watch().seen.clear()
    watch().on = True
    try:
        (tmp_path / "x").write_text("x")
        socket.socket().close()
        os.system("true")
    finally:
        watch().on = False

    assert [event.split()[0] for event in watch().seen] == ["open", "socket.__new__", "os.system"]
