"""Many choices at once: each gets to its place, and the cost grows with their number."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from krmkit.render.package import read
from krmkit.services.preview.package import choices_of, edited
from tests.costs import check_shape
from tests.unit.cli.packages import PACK

PRESETS, MACROS = "pipeline.mutators[0]", "pipeline.mutators[1]"
LOCAL = "metadata: {name: config, annotations: {config.kubernetes.io/local-config: 'true'}}\n"
KPTFILE = """apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: p}
pipeline:
  mutators:
  - {image: ghcr.io/krmkit/apply-presets, configPath: presets.yaml}
  - {image: ghcr.io/krmkit/resolve-macros, configPath: macros.yaml}
"""


def config(kind: str, spec: str) -> str:
    return f"apiVersion: krmkit.dev/v1alpha1\nkind: {kind}\n{LOCAL}spec:\n{spec}"


def package(folder: Path, packs: int, presets: str, macros: str) -> Path:
    """A package with the packs app0, app1 and so on, and these specs of the two configs."""
    folder.mkdir(exist_ok=True)
    (folder / "Kptfile").write_text(KPTFILE)
    (folder / "presets.yaml").write_text(config("ApplyPresets", presets))
    (folder / "macros.yaml").write_text(config("ResolveMacros", macros))
    items = [
        PACK.replace("name: app", f"name: app{n}").replace('"app"', f'"app{n}"')
        + '    mark: "{{ .spectro.var.used }}"\n'
        for n in range(packs)
    ]
    (folder / "packs.yaml").write_text("---\n".join(items))
    return folder


def saved(folder: Path, wanted: dict[str, Any]) -> dict[str, str]:
    """The files that the choices change, with their new texts."""
    found = read(str(folder))
    return {edit.path: edit.after or "" for edit in edited(found, choices_of(found), wanted)}


def test_selections_of_several_packs(tmp_path: Path) -> None:
    """The first selection of a pack says all, later ones go, and new ones stand at the end: all in one save."""
    lines = [
        f"  - pack: app{n}\n    presets: [{labels}]\n" for n, labels in [(0, ""), (1, ""), (0, ""), (1, "")]
    ]
    folder = package(tmp_path, 4, "  selections:\n" + "".join(lines), "  macros: {}\n")

    texts = saved(folder, {PRESETS: {f"app{n}": ["Mode:fast"] for n in (1, 0, 3, 2)}})

    found = texts["presets.yaml"].partition("selections:\n")[2]
    assert [line for line in found.splitlines() if "pack:" in line] == [
        f"  - pack: app{n}" for n in (0, 1, 3, 2)
    ]
    assert found.count("Mode:fast") == 4


def test_variables_keep_their_places(tmp_path: Path) -> None:
    """What stands in the list and is no variable counts as a place all the same."""
    folder = package(
        tmp_path, 1, "  selections: []\n", "  variables:\n  - odd\n  - name: used\n    value: old\n"
    )

    texts = saved(folder, {MACROS: {"variables": {"used": "new"}}})

    assert texts["macros.yaml"].endswith("  variables:\n  - odd\n  - name: used\n    value: new\n")


def test_twice_the_choices_cost_twice(tmp_path: Path) -> None:
    """Every pack and every macro has another choice than on disk, and what is offered grows with them."""

    def work(count: int) -> object:
        packs = "".join(f"  - pack: app{n}\n    presets: []\n" for n in range(count))
        macros = "".join(f"    m{n}: old\n" for n in range(count))
        folder = package(tmp_path / str(count), count, f"  selections:\n{packs}", f"  macros:\n{macros}")
        found = read(str(folder))
        choices = choices_of(found)
        offered = [one.offered() for one in choices.values()]
        wanted = {
            PRESETS: {f"app{n}": ["Mode:fast"] for n in range(count)},
            MACROS: {"macros": {f"m{n}": "new" for n in range(count)}},
        }
        return offered, edited(found, choices, wanted)

    check_shape(lambda count: partial(work, count), 60)
