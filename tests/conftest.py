"""Fixtures of all tests: the project's folder, and the rule for tests that need the real kpt."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Generator
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parents[1]
KPT = shutil.which("kpt")

# Functions of a checkout start `python3` from PATH: the one of the tests has what krmkit depends on.
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])

# No verdict by the clock; the same examples for everybody who runs CI.
hypothesis.settings.register_profile(
    "krmkit",
    deadline=None,
    database=None,
    print_blob=True,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("krmkit")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
CHROMEDRIVER = shutil.which("chromedriver")
NO_BROWSER = "chromium and chromedriver are not on PATH (Debian: apt-get install chromium chromium-driver)"

ran_with_kpt = pytest.StashKey[set[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--require-kpt",
        action="store_true",
        help="fail when kpt is on PATH and no test marked `kpt` was executed",
    )
    parser.addoption(
        "--require-browser",
        action="store_true",
        help="fail where tests marked `browser` cannot run, instead of skipping them",
    )
    parser.addoption("--function", default="", help="run only the tests that are about this function")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[ran_with_kpt] = set()


def is_about(item: pytest.Item, function: str) -> bool:
    """Whether a test is about one function.

    It is in its folder or in a file of its name, or has it, its folder or an example of it as a parameter.
    """
    if item.path.parent.name == function:
        return True
    if item.path.stem.removeprefix("test_") == function.replace("-", "_"):
        return True
    call = getattr(item, "callspec", None)
    for value in call.params.values() if call is not None else ():
        folder = getattr(value, "folder", value)  # of an Example, a Function
        if isinstance(folder, Path) and f"/functions/{function}/" in f"{folder.as_posix()}/":
            return True
        if isinstance(value, str) and (value == function or f"/functions/{function}/" in f"/{value}/"):
            return True
    return False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    function = config.getoption("--function")
    if function:
        others = [item for item in items if not is_about(item, function)]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in set(others)]
    if sys.platform != "linux":
        for item in items:
            if item.get_closest_marker("linux"):
                item.add_marker(pytest.mark.skip(reason="only Linux has what this test looks into"))
    has_browser = CHROMIUM is not None and CHROMEDRIVER is not None
    if not has_browser and not config.getoption("--require-browser"):
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(pytest.mark.skip(reason=NO_BROWSER))
    if KPT is not None:
        return
    absent = pytest.mark.skip(reason="kpt is not on PATH")
    for item in items:
        if item.get_closest_marker("kpt"):
            item.add_marker(absent)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call" and not report.skipped and item.get_closest_marker("kpt"):
        item.config.stash[ran_with_kpt].add(item.nodeid)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not session.config.getoption("--require-kpt") or KPT is None:
        return
    if not session.config.stash[ran_with_kpt]:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not config.getoption("--require-kpt"):
        return
    if KPT is None:
        terminalreporter.write_line("kpt is not on PATH: its tests were skipped")
        return
    count = len(config.stash[ran_with_kpt])
    terminalreporter.write_line(f"executed with the real kpt: {count} tests")
    if not count:
        terminalreporter.write_line("ERROR: kpt is on PATH, and no test ran it", red=True)


@pytest.fixture(scope="session")
def project() -> Path:
    """The checkout's root folder."""
    return ROOT


@pytest.fixture(scope="session")
def kpt() -> str:
    """The real kpt; a test that uses it is marked `kpt`."""
    if KPT is None:
        pytest.skip("kpt is not on PATH")
    return KPT
