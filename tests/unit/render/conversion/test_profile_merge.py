"""Imports of newer files of a profile keep the edits of the package, and masks never win."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Set
from pathlib import Path
from typing import Any

import pytest

from krmkit.krm.errors import Refused
from krmkit.libraries.yaml import emit
from krmkit.render.conversion.packfolder import imported
from krmkit.render.conversion.profilemasks import masks_in, without_masks
from tests.unit.render.conversion.profiles import FORMS, bring, edit, take, text_in

LAYERS = "values.yaml"
MASK = "********"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with the profile of p.json."""
    (tmp_path / "p.json").write_text(FORMS["export.json"], "utf-8")
    bring(tmp_path / "p.json", tmp_path / "pkg")
    return tmp_path / "pkg"


def newer(tmp_path: Path, old: str, new: str) -> Path:
    """The file of the profile with another text in it."""
    edit(tmp_path / "p.json", old, new)
    return tmp_path / "p.json"


def test_edits_of_both_sides_stay(tmp_path: Path, package: Path) -> None:
    """Values, a comment, a manifest, a definition and a tag."""
    edit(package / "web.yaml", "size: 3", "size: 4   # ours")
    edit(package / "extras-manifests.yaml", "kind: B", "kind: C")
    edit(package / "plant-profile.yaml", "defaultValue: 10.0.0.0/16", "defaultValue: 10.1.0.0/16")
    bring(newer(tmp_path, '"version":"2.0.0","tag":"2.0.0"', '"version":"2.1.0","tag":"2.1.0"'), package)
    assert (
        text_in(package / "web.yaml") == "charts:\n  web:\n    token: 's3cret-token'\n    size: 4   # ours\n"
    )
    take(package, tmp_path / "out.json")
    made = json.loads((tmp_path / "out.json").read_text("utf-8"))["spec"]
    assert made["template"]["packs"][1]["tag"] == "2.1.0"
    assert made["template"]["packs"][2]["manifests"][0]["content"] == "kind: A\n---\nkind: C"
    assert made["variables"][0]["defaultValue"] == "10.1.0.0/16"


def test_a_conflict_stops_and_changes_nothing(tmp_path: Path, package: Path) -> None:
    """--on-conflict and --force decide."""
    edit(package / "web.yaml", "size: 3", "size: 4")
    before = (package / "web.yaml").read_bytes()
    path = newer(tmp_path, "size: 3", "size: 5")
    with pytest.raises(Refused, match="1 in conflict") as refused:
        bring(path, package)
    assert (package / "web.yaml").read_bytes() == before
    assert "s3cret-token" not in str(refused.value)
    assert bring(path, package, policy="local")
    assert "size: 4" in text_in(package / "web.yaml")
    bring(path, package, policy="force")
    assert "size: 5" in text_in(package / "web.yaml")


def test_layers_come_and_go(tmp_path: Path, package: Path) -> None:
    """A layer that is gone takes its items with it, unless they were edited."""
    data = json.loads((tmp_path / "p.json").read_text("utf-8"))
    packs = data["spec"]["template"]["packs"]
    packs[1] = {
        "name": "net",
        "type": "oci",
        "layer": "cni",
        "version": "1.0.0",
        "tag": "1.0.0",
        "values": "a: 1\n",
    }
    (tmp_path / "p.json").write_text(json.dumps(data), "utf-8")
    bring(tmp_path / "p.json", package)
    assert (package / "net.yaml").exists()
    assert not (package / "web.yaml").exists()
    edit(package / "net.yaml", "a: 1", "a: 2")
    del packs[1]
    (tmp_path / "p.json").write_text(json.dumps(data), "utf-8")
    with pytest.raises(Refused, match="in conflict"):
        bring(tmp_path / "p.json", package)


@pytest.mark.parametrize("secret", ["s3cret-token", "k-123"])
def test_a_mask_never_takes_the_place_of_a_value(tmp_path: Path, package: Path, secret: str) -> None:
    """Not where the value was edited, either; the other changes of the file come in."""
    path = newer(tmp_path, secret, MASK)
    assert any("is masked in the new file" in line for line in bring(path, package))
    take(package, tmp_path / "out.json")
    assert (tmp_path / "out.json").read_text("utf-8") == FORMS["export.json"]
    item = package / ("web.yaml" if secret.startswith("s3") else "plant-profile.yaml")
    edit(item, secret, "changed-here")
    edit(tmp_path / "p.json", '"version":"1.0.0","template"', '"version":"1.1.0","template"')
    bring(path, package)
    assert "changed-here" in item.read_text("utf-8")
    assert "version: 1.1.0" in (package / "plant-profile.yaml").read_text("utf-8")


def test_an_export_names_the_masks_that_came_in_first(tmp_path: Path) -> None:
    """Nobody knows their values, so that a person has to type them in again."""
    (tmp_path / "p.json").write_text(
        FORMS["export.json"].replace("s3cret-token", MASK).replace("k-123", MASK), "utf-8"
    )
    bring(tmp_path / "p.json", tmp_path / "pkg")
    assert take(tmp_path / "pkg", tmp_path / "out.json") == [
        "web: charts.web.token of values is masked; type it in again after the import",
        "the default of the variable key is masked; type it in again after the import",
    ]


def test_ends_that_palette_strips_are_no_change(tmp_path: Path, package: Path) -> None:
    """The console takes the white space at the end of values away."""
    bring(newer(tmp_path, "size: 3\\n", "size: 3"), package)
    assert text_in(package / "web.yaml").endswith("size: 3\n")


def shipped(folder: Path, version: str, values: str) -> str:
    """The folder of a pack."""
    folder.mkdir()
    data = {"name": "edge-k3s", "displayName": "K3s", "version": version, "layer": "k8s"}
    (folder / "pack.json").write_text(json.dumps(data), "utf-8")
    (folder / "values.yaml").write_text(values, "utf-8")
    (folder / "presets.yaml").write_text("presets: []\n", "utf-8")
    return str(folder)


def test_the_folder_of_a_pack_upgrades_its_layer(tmp_path: Path, package: Path) -> None:
    """First that of the version that the profile has, for its defaults; then the newer one."""
    defaults = "# head\ncluster:\n  cidr: 10.42.0.0/16\n  note: a < b\n  size: 1\n"
    new = shipped(tmp_path / "edge-k3s-1.33.0", "1.33.0", defaults + "  extra: 3\n")
    with pytest.raises(Refused, match=r"import the folder of 1\.32\.4 first"):
        imported([new], str(package))
    old = shipped(tmp_path / "edge-k3s-1.32.4", "1.32.4", defaults)
    before = text_in(package / "edge-k3s.yaml")
    imported([old], str(package))
    assert text_in(package / "edge-k3s-1.32.4.yaml") == before
    imported([new], str(package))
    made = text_in(package / "edge-k3s-1.33.0.yaml")
    assert made == before + "  extra: 3\n"
    take(package, tmp_path / "out.json")
    wanted = FORMS["export.json"].replace("1.32.4", "1.33.0").replace("1.32.x", "1.33.x")
    assert (tmp_path / "out.json").read_text("utf-8") == wanted.replace(
        "a \\u003c b\\n", "a \\u003c b\\n  extra: 3\\n"
    )


def test_a_pack_of_the_package_becomes_a_layer(tmp_path: Path) -> None:
    """Its defaults are the base, so that the values of the profile come in and the other texts stay."""
    defaults = "cluster:\n  cidr: 10.42.0.0/16\n"
    imported([shipped(tmp_path / "k3s", "1.32.4", defaults)], str(tmp_path / "pkg"))
    (tmp_path / "p.json").write_text(FORMS["export.json"], "utf-8")
    bring(tmp_path / "p.json", tmp_path / "pkg")
    assert not (tmp_path / "pkg/edge-k3s.yaml").exists()
    assert "{{.spectro.var.cidr}}" in text_in(tmp_path / "pkg/k3s.yaml")
    assert text_in(tmp_path / "pkg/k3s.yaml", "presets.yaml") == "presets: []\n"
    take(tmp_path / "pkg", tmp_path / "out.json")
    assert (tmp_path / "out.json").read_text("utf-8") == FORMS["export.json"]


class Model:
    """A profile as plain values: per layer a flat map, and the versions; three states and what their merge must be."""

    KEYS = tuple("abcdefgh")

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.state: dict[str, dict[str, str]] = {
            layer: {key: f"{layer}-{key}-0" for key in self.KEYS} for layer in ("one", "two", "three")
        }
        self.state["profile"] = {"version": "1.0.0", "description": "d"}

    def edited(
        self, state: dict[str, dict[str, str]], side: str, locked: set[tuple[str, str]]
    ) -> set[tuple[str, str]]:
        """Edit up to ten fields in place that the other side leaves alone; returns them."""
        done = set()
        for number in range(self.chance.randint(1, 10)):
            part = self.chance.choice(sorted(state))
            key = self.chance.choice([*state[part], *(f"new{side}{number}",) * (part != "profile")])
            if (part, key) in locked:
                continue
            if (
                part != "profile"
                and key in state[part]
                and len(state[part]) > 2
                and self.chance.random() < 0.25
            ):
                del state[part][key]
            else:
                state[part][key] = f"{side}-{number}"
            done.add((part, key))
        return done

    def text(self, state: dict[str, dict[str, str]], masked: Set[tuple[str, str]] = frozenset()) -> str:
        """The profile as the console exports it."""
        packs: list[Any] = []
        for part in ("one", "two", "three"):
            values = {key: MASK if (part, key) in masked else value for key, value in state[part].items()}
            text = "# head\nvalues:\n" + "".join(
                f"  {key}: {emit.scalar(value, 2)}   # {key}\n" for key, value in values.items()
            )
            packs.append({"name": part, "type": "oci", "layer": "addon", "version": "1.0.0", "tag": "1.0.0", "values": text,
                          "registry": {"metadata": {"uid": "r", "name": "R"}}})  # fmt: skip
        head = {"name": "m", "description": state["profile"]["description"], "labels": {}}
        spec = {
            "version": state["profile"]["version"],
            "template": {"type": "add-on", "cloudType": "all", "packs": packs},
        }
        return json.dumps({"metadata": head, "spec": {**spec, "variables": []}})


def read_back(text: str) -> dict[str, dict[str, str]]:
    """The state of a profile's text."""
    from krmkit.krm.resource import Resource

    data = json.loads(text)
    state: dict[str, Any] = {
        "profile": {"version": data["spec"]["version"], "description": data["metadata"]["description"]}
    }
    for pack in data["spec"]["template"]["packs"]:
        state[pack["name"]] = Resource(pack["values"]).get("values")
    return state


@pytest.mark.parametrize("seed", range(25))
def test_random_edits_on_both_sides(tmp_path: Path, seed: int) -> None:
    """No edit of either side is lost, in values and in the profile; masks never win; a second import changes nothing."""
    chance = random.Random(seed)
    model = Model(chance)
    base, mine, theirs = (json.loads(json.dumps(model.state)) for _ in range(3))
    path = tmp_path / "p.json"
    path.write_text(model.text(base), "utf-8")
    bring(path, tmp_path / "pkg")
    ours = model.edited(mine, "ours", set())
    # The edits of the package are made through an export of them, which itself must lose nothing.
    edits = tmp_path / "edits.json"
    edits.write_text(model.text(mine), "utf-8")
    for part in ("one", "two", "three"):
        item = tmp_path / f"pkg/{part}.yaml"
        old, new = (json.loads(model.text(state))["spec"]["template"]["packs"] for state in (base, mine))
        for before, after in zip(old, new, strict=True):
            if before["name"] == part and before["values"] != after["values"]:
                indented = [
                    "".join(f"    {line}\n" for line in one["values"].splitlines()) for one in (before, after)
                ]
                edit(item, *indented)
    for key, value in mine["profile"].items():
        if value != base["profile"][key]:
            edit(
                tmp_path / "pkg/m-profile.yaml", f"{key}: {base['profile'][key]}\n", f"{key}: {value}\n"
            ) if key == "description" else edit(
                tmp_path / "pkg/m-profile.yaml",
                "  version: 1.0.0\n      template",
                f"  version: {value}\n      template",
            )
    upstream = model.edited(theirs, "theirs", ours)
    kept = [
        (part, key)
        for part in ("one", "two", "three")
        for key in theirs[part]
        if key in base[part] and (part, key) not in upstream
    ]
    masked = set(chance.sample(kept, min(3, len(kept))))
    path.write_text(model.text(theirs, masked), "utf-8")
    wanted = json.loads(json.dumps(theirs))
    for part, key in ours:
        wanted[part].pop(key, None)
        if key in mine[part]:
            wanted[part][key] = mine[part][key]
    bring(path, tmp_path / "pkg")
    take(tmp_path / "pkg", tmp_path / "out.json")
    assert read_back((tmp_path / "out.json").read_text("utf-8")) == wanted
    before = shutil.copytree(tmp_path / "pkg", tmp_path / "again")
    bring(path, tmp_path / "pkg")
    for file in before.iterdir():
        if file.is_file():
            assert (tmp_path / "pkg" / file.name).read_bytes() == file.read_bytes()


KEPT = "is masked in the new file, and keeps its value"


@pytest.mark.parametrize(
    ("new", "old", "filled"),
    [
        pytest.param(
            "u:\n- {n: b, p: '****'}\n- {n: a, p: '****'}\n",
            "u:\n- n: a\n  p: pa\n- n: b\n  p: pb\n",
            "u:\n- {n: b, p: pb}\n- {n: a, p: pa}\n",
            id="a list in another order",
        ),
        pytest.param(
            "u:\n- {name: z, p: '****'}\n- {name: a, p: '****', x: 2}\n",
            "u:\n- {name: a, p: pa, x: 1}\n",
            "u:\n- {name: z, p: '****'}\n- {name: a, p: pa, x: 2}\n",
            id="a new entry in front",
        ),
        pytest.param("u: ['****', b]\n", "u: [c, a]\n", "u: ['****', b]\n", id="a list of other texts"),
        pytest.param("u: ['****', b]\n", "u: [a, b]\n", "u: [a, b]\n", id="a list with one mask"),
        pytest.param("a: {p: '****'}\n", "a:\n  p: x, y}z\n", 'a: {p: "x, y}z"}\n', id="signs of flow"),
        pytest.param(
            "x:\n      p: '****'\n", "x:\n  p: a\n    b\n", 'x:\n      p: "a b"\n', id="a text over two lines"
        ),
        pytest.param("r: 2\np: '****'\n", "q: &x a\np: *x\n", 'r: 2\np: "a"\n', id="an alias"),
        pytest.param(
            "p: ********  # c\nr: 2\n", "p: sekret\nr: 1\n", "p: sekret  # c\nr: 2\n", id="without quotes"
        ),
        pytest.param(
            "p: '****'\n---\nx: 1\n", "p: sekret\n", "p: sekret\n---\nx: 1\n", id="another document"
        ),
        pytest.param("p: '****'\n", "p: 12\n", "p: 12\n", id="a number"),
        pytest.param(
            "p: &m '****'\nq: *m\n", "p: s\nq: t\n", "p: &m '****'\nq: *m\n", id="a mask with an anchor"
        ),
        pytest.param(
            "p: '****'\nq: {{ .spectro.var.b }}\n",
            'p: "{{ .spectro.var.a }}-x"\n',
            'p: "{{ .spectro.var.a }}-x"\nq: {{ .spectro.var.b }}\n',
            id="macros",
        ),
    ],
)
def test_a_value_goes_where_it_was(new: str, old: str, filled: str) -> None:
    """To the same entry, as text that is right there; where that is not sure, the mask stays and is named."""
    made, kept = without_masks(new, old, LAYERS, "")
    assert made == filled
    assert len(kept) + len(masks_in(made)) >= len(re.findall(r"\*{4,}", new))
    assert all(said.endswith(KEPT) for said in kept)


def test_masks_without_a_value_are_named(tmp_path: Path, package: Path) -> None:
    """A mask at a place that the package has no value for."""
    said = bring(newer(tmp_path, "size: 3", "size: 3\\n    pin: '********'"), package)
    assert any(line.endswith("is masked, and the package has no value for it: type it in") for line in said)


def test_a_new_secret_of_the_file_is_told(tmp_path: Path, package: Path) -> None:
    """The package keeps its own, and the message says so."""
    said = bring(newer(tmp_path, "k-123", "k-456"), package)
    assert any("is secret: the package keeps its value, and not the new file's" in line for line in said)
