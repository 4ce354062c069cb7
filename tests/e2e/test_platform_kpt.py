"""The example platform under the real kpt: a site that krmkit has made is rendered by kpt to the same resources."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from krmkit.cli import main
from tests.e2e.orchestrate import ROOT, files_of, run_kpt

pytestmark = pytest.mark.kpt


def resources(package: Path) -> dict[tuple[str, str, str], Any]:
    """The resources of a package by kind, namespace and name, without what kpt notes about places."""
    found = {}
    for path, content in files_of(package).items():
        if not path.endswith(".yaml"):
            continue
        for one in yaml.safe_load_all(content):
            if isinstance(one, dict):
                metadata = one["metadata"]
                found[one["kind"], metadata.get("namespace", ""), metadata["name"]] = one
    return found


def test_a_site_under_kpt(kpt: str, tmp_path: Path) -> None:
    """Every function runs as a program of kpt, on the rendered site and on one with another version of Kubernetes."""
    root = tmp_path / "platform"
    shutil.copytree(ROOT / "examples/platform", root)
    fleet = ["--packages", str(root), "--objects", str(root / "fleet/objects"), "--out", str(root / "sites")]
    assert main(["variants", "render", str(root / "fleet/plants.yaml"), *fleet]) == 0
    for name, old, new in (("versions.yaml", "v1.31.4", "v1.32.1"), ("packs.yaml", "1.31.4", "1.32.1")):
        place = root / "sites/lyon/plant" / name
        place.write_text(place.read_text("utf-8").replace(old, new), "utf-8")
    mine, theirs = root / "sites/lyon/plant", tmp_path / "theirs"
    shutil.copytree(mine, theirs)
    kptfile = theirs / "Kptfile"
    exec_of = re.compile(r"image: \S*/([a-z-]+)(:\S+)?$", re.MULTILINE)
    kptfile.write_text(
        exec_of.sub(rf"exec: {ROOT}/functions/\1/main.py", kptfile.read_text("utf-8")), "utf-8"
    )

    done = run_kpt(kpt, theirs)
    assert main(["render", str(mine)]) == 0

    assert done.returncode == 0, done.stderr
    made, wanted = resources(theirs), resources(mine)
    assert sorted(made) == sorted(wanted)
    control = next(one for key, one in made.items() if key[0] == "KubeadmControlPlane")
    assert control["spec"]["version"] == "v1.32.1"
    for key, one in wanted.items():
        assert made[key] == one, key
