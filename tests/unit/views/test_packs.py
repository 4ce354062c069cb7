"""krmkit pack show: what a pack offers and asks for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from krmkit.cli import main

FILES = {
    "pack.json": '{"name": "app", "version": "1.2.0", "layer": "addon",'
    ' "constraints": {"dependencies": [{"packName": "os", "minVersion": "1.0.0"}]}}',
    "values.yaml": "mode: slow\nat: {{ .spectro.system.cluster.name }}\nto: '{{ .spectro.system.made.up }}'\n",
    "presets.yaml": """presets:
- {name: loud, group: "", remove: [], add: "log: {level: debug}"}
- name: fast
  group: Mode
  displayName: Fast ones
  remove: [slow.path]
  add: |
    mode: fast
    login:
      password: hush-1
    users:
    - {name: a, password: hush-2}
    site: {{ .spectro.var.site }}
""",
    "schema.yaml": """mode:
  schema: '{{ required | format "${list:[fast,slow]}" | hints "how fast" }}'
login.password:
  schema: '{{ format "${password}" }}'
users.$[].password:
  schema: '{{ format "${password}" }}'
""",
}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "app"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


def test_json(pack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything as data; passwords are masked, also in lists."""
    assert main(["pack", "show", str(pack), "-f", "json"]) == 0

    out = capsys.readouterr().out
    report = json.loads(out)
    (data,) = report["packs"]
    assert report["apiVersion"] == "krmkit.dev/report/v1alpha1"
    assert "hush" not in out
    assert [(preset["group"], preset["name"]) for preset in data["presets"]] == [
        ("", "loud"),
        ("Mode", "fast"),
    ]
    assert data["presets"][1]["removes"] == ["slow.path"]
    assert data["presets"][1]["sets"] == {
        "mode": "fast",
        "login.password": "(secret)",
        "users[0].name": "a",
        "users[0].password": "(secret)",
        "site": "{{ .spectro.var.site }}",
    }
    assert [key["key"] for key in data["keys"] if key["required"]] == ["mode"]
    assert data["keys"][0]["hints"] == ["how fast"]
    assert data["macros"] == [
        {"name": ".spectro.system.cluster.name", "known": True},
        {"name": ".spectro.system.made.up", "known": False},
    ]


def test_text(pack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same for people, in this order."""
    assert main(["pack", "show", str(pack), str(pack)]) == 0

    out = capsys.readouterr().out
    assert "hush" not in out
    parts = [
        "app 1.2.0 (addon)\n",
        '  presets of the group Mode:\n    Mode:fast  Fast ones\n      - slow.path\n      + mode: "fast"\n',
        "  required keys:\n    mode  ${list:[fast,slow]}  how fast\n",
        "  other keys with rules:\n    login.password  ${password}  password\n",
        "    .spectro.system.made.up  unknown to Palette\n",
        "  constraints:\n    dependencies[0].packName: os\n",
        "\napp 1.2.0",
    ]
    places = [out.index(part, 1 if part[0] == "\n" else 0) for part in parts]
    assert places == sorted(places)


KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, "holds no pack.json, so it is not a pack folder"),
        ({"Kptfile": KPTFILE}, ": holds no profile and no pack"),
        ({"pack.json": "{"}, "pack.json is not JSON: "),
        ({"pack.json": '{"name": "app"}', "presets.yaml": "presets: [\n"}, "app: presets.yaml"),
    ],
)
def test_wrong_packs(
    tmp_path: Path, files: dict[str, str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, exit code 1."""
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    assert main(["pack", "show", str(tmp_path)]) == 1

    err = capsys.readouterr().err
    assert expected in err
    assert err.count("\n") == 1
