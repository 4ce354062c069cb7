"""krmkit.render.findings.pipelineorder: functions that run before one whose work they need."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.kpt.resultlist import FunctionRun
from krmkit.render.findings.pipelineorder import order_results

FIRST = "example.dev/apply-presets:v1"
MACROS = "example.dev/resolve-macros:v1"
RENDER = "example.dev/render-cluster-topology:v1"
CASES: list[tuple[str, list[tuple[str, str]], list[str]]] = [
    ("in order", [("", FIRST), ("", MACROS), ("", RENDER)], []),
    ("macros first", [("", MACROS), ("", FIRST)], ["resolve-macros runs before apply-presets"]),
    ("and again behind", [("", MACROS), ("", FIRST), ("", MACROS)], []),
    ("rendered first", [("", RENDER), ("", MACROS)], ["render-cluster-topology runs before resolve-macros"]),
    ("validated first", [("", "example.dev/validate-pack-constraints"), ("", RENDER)],
     ["validate-pack-constraints runs before render-cluster-topology"]),
    ("in two packages", [("sub", MACROS), ("", FIRST)], []),
    ("others", [("", "example.dev/set-labels:v1"), ("", FIRST)], []),
]  # fmt: skip


@pytest.mark.parametrize(("runs", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_orders(runs: list[tuple[str, str]], expected: list[str]) -> None:
    """Each pair is said once, for each package alone, with what has to come first."""
    made = [FunctionRun("image", name, package) for package, name in runs]

    found = order_results(made, lambda run: ("Kptfile", 1, 1))

    assert [one.message.partition(":")[0] for one in found] == expected
    assert all(one.severity == "info" and "; put " in one.message for one in found)


def test_at_the_line_of_the_kptfile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The render goes on, and the result stands at the function that comes too early."""
    (tmp_path / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline:\n  mutators:\n"
        "  - image: ghcr.io/krmkit/resolve-macros\n  - image: ghcr.io/krmkit/apply-presets\n"
    )

    assert main(["render", str(tmp_path), "-f", "text"]) == 0

    assert (
        "Kptfile:6:"
        in capsys.readouterr().out.partition(" info: resolve-macros runs before apply-presets")[0]
    )
