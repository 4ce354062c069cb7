"""Run the contract in pytest: `krm_functions` in its settings, or `--krm-functions DIR`, names functions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from krmkit.fn.contract.contractrules import Rule
from krmkit.krm.errors import Refused

OPTION = "--krm-functions"
SETTING = "krm_functions"
WRITE = "--krm-write-expected"
DEFINITION = "function.yaml"

for _module in ("runchecks", "declared", "expected", "lists", "process"):
    pytest.register_assert_rewrite(f"krmkit.fn.contract.{_module}")

_folders = pytest.StashKey[frozenset[Path]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and the setting."""
    group = parser.getgroup("krm", "the contract of KRM functions")
    group.addoption(
        OPTION,
        action="append",
        default=[],
        metavar="DIR",
        help="test the functions in DIR: a function's folder, or one that holds such folders (repeatable)",
    )
    group.addoption(WRITE, action="store_true", help="write .expected of all examples before the tests run")
    parser.addini(SETTING, f"folders as for {OPTION}, relative to this file", type="paths", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Find the folders of functions. Raises UsageError for a folder without one."""
    given = [Path(config.invocation_params.dir, folder) for folder in config.getoption(OPTION)]
    folders = [*given, *config.getini(SETTING)]
    config.stash[_folders] = frozenset(Path(os.path.realpath(folder)) for folder in folders)
    if not folders:
        return
    _required()
    from krmkit.fn.knownfunctions import functions_in

    for folder in given:
        try:
            functions_in(str(folder))
        except Refused as error:
            raise pytest.UsageError(f"{OPTION} {error.args[0]}") from None
    if config.getoption(WRITE):
        _write_expected(folders)
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    if given and not named:
        config.args[:] = map(str, given)
    elif given or not named:
        config.args += [
            str(folder) for folder in folders if not _within(folder, config.args, config.rootpath)
        ]


def _write_expected(folders: list[Path]) -> None:
    from krmkit.fn.contract.expected import write
    from krmkit.fn.knownfunctions import functions_in

    try:
        for function in (function for folder in folders for function in functions_in(str(folder))):
            for kptfile in sorted(Path(function.folder).glob("examples/*/Kptfile")):
                write(kptfile.parent, Path(function.folder))
    except Refused as error:
        raise pytest.UsageError(f"{WRITE}: {error.args[0]}") from None


def _within(folder: Path, places: list[str], root: Path) -> bool:
    """Return True if pytest was asked for the folder or one above it."""
    real = Path(os.path.realpath(folder))
    return any(real.is_relative_to(os.path.realpath(root / place.partition("::")[0])) for place in places)


def _required() -> None:
    try:
        import jsonschema  # noqa: F401
    except ImportError:
        raise pytest.UsageError(
            f"{OPTION} needs the package jsonschema, which is not installed: install krmkit's wheel or checkout"
            " with the extra [testing]"
        ) from None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the tests of a function.yaml below one of the configured folders."""
    if file_path.name != DEFINITION:
        return None
    folder = Path(os.path.realpath(file_path.parent))
    if parent.config.stash[_folders].isdisjoint((folder, folder.parent)):
        return None
    file: pytest.Collector = FunctionFile.from_parent(parent, path=file_path)
    return file


class FunctionFile(pytest.File):
    """The tests of one function."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield a test for each case of each rule. Raises CollectError if no rule has a case."""
        from krmkit.fn import loader
        from krmkit.fn.contract import declared, expected, lists, process  # noqa: F401  # they add their rules
        from krmkit.fn.contract.contractrules import RULES
        from krmkit.fn.knownfunctions import functions_in

        folder = self.path.parent
        try:
            (function,) = functions_in(str(folder))
            _ = function.process
        except Refused as error:
            raise self.CollectError(error.args[0]) from None
        except Exception as error:  # noqa: BLE001  # whatever main.py does
            raise self.CollectError(loader.unloadable(function, error)) from None
        for rule in RULES:
            try:
                cases = list(rule.cases(folder))
            except (LookupError, Refused, ValueError, OSError) as error:
                raise self.CollectError(str(error)) from None
            for name, arguments in cases:
                title = f"{rule.check.__name__}[{name}]" if name else rule.check.__name__
                yield RuleItem.from_parent(self, name=title, rule=rule, arguments=arguments)


class RuleItem(pytest.Item):
    """One rule on one case."""

    def __init__(self, *, rule: Rule, arguments: tuple[Any, ...], **more: Any) -> None:
        super().__init__(**more)
        self.rule = rule
        self.arguments = arguments

    def runtest(self) -> None:
        """Run the check. Raises AssertionError."""
        self.rule.check(*self.arguments)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place and the name of the rule."""
        return self.path, 0, f"{self.path.parent.name}: {self.name}"
