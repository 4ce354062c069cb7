"""Where values come from costs in proportion to the values: in packs with macros and presets, and in classes with patches."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from krmkit.analysis.package import describe
from krmkit.fn.run import RunOptions
from krmkit.render.findings.fieldtable import ResourceFields, field_table
from krmkit.render.findings.model import PackageReport
from krmkit.render.package import read
from krmkit.render.resolve import ProgramResolver
from tests.costs import check_shape

LOCAL = '  annotations:\n    config.kubernetes.io/local-config: "true"\n'
PRESETS = """
  presets.yaml: |
    presets:
    - name: fast
      group: Speed
      add: |
        keys:
"""


def lines(count: int, line: str) -> str:
    return "".join(line.replace("#", str(number)) for number in range(count))


def kptfile(function: str) -> str:
    pipeline = f"pipeline:\n  mutators:\n  - image: ghcr.io/krmkit/{function}\n    configPath: config.yaml\n"
    return f"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: app\n{LOCAL}{pipeline}"


def config(kind: str, spec: str) -> str:
    return f"apiVersion: krmkit.dev/v1alpha1\nkind: {kind}\nmetadata:\n  name: config\n{LOCAL}spec:\n{spec}"


def pack(values: str, more: str = "") -> str:
    metadata = '  pack.json: \'{"name": "web", "version": "1.0.0", "layer": "addon"}\'\n'
    head = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n{LOCAL}data:\n{metadata}"
    return f"{head}  values.yaml: |\n    keys:\n{values}{more}"


def macros(count: int) -> dict[str, str]:
    return {
        "Kptfile": kptfile("resolve-macros"),
        "config.yaml": config("ResolveMacros", "  macros:\n" + lines(count, "    m#: v#\n")),
        "pack.yaml": pack(lines(count, "      k#: '{{ .spectro.macro.m# }}'\n")),
    }


def presets(count: int) -> dict[str, str]:
    chosen = "  selections:\n  - pack: web\n    presets: [Speed:fast]\n"
    added = PRESETS.lstrip("\n") + lines(count, "          k#: new-#\n")
    return {
        "Kptfile": kptfile("apply-presets"),
        "config.yaml": config("ApplyPresets", chosen),
        "pack.yaml": pack(lines(count, "      k#: old-#\n"), added),
    }


@pytest.mark.parametrize("files", [macros, presets])
def test_twice_the_values_cost_twice(files: Callable[[int], dict[str, str]], tmp_path: Path) -> None:
    """Every value changes, and each has its cause with a line."""
    options = RunOptions()
    options.explain = True

    def report(count: int) -> PackageReport:
        field_table.cache_clear()  # what an earlier report of the same texts has read would count for nothing
        folder = tmp_path / str(count)
        folder.mkdir(exist_ok=True)
        for path, text in files(count).items():
            (folder / path).write_text(text)
        return describe(read(str(folder)), ProgramResolver(options), 3)[0]

    found = report(7).fields

    assert [one["field"] for one in found][:7] == [f"keys.k{number}" for number in range(7)]
    assert all(one["steps"][0]["causes"][0]["place"].rpartition(":")[2] for one in found)
    check_shape(lambda count: partial(report, count), 150)


def test_twice_the_macros_of_a_text_cost_twice() -> None:
    """The table of a pack's fields puts each macro back into its own value only."""

    def table(count: int) -> ResourceFields:
        return ResourceFields(macros(count)["pack.yaml"], "ConfigMap")

    values = table(9).values
    assert values["data", "values.yaml", "keys", "k8"] == "{{ .spectro.macro.m8 }}"
    check_shape(lambda count: partial(table, count))
