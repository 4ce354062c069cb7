"""Package variants with the real kpt: chained, rendered, lost as an update loses them, and restored."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from krmkit.krm.resource import Resource
from tests.e2e.orchestrate import ROOT, Done, clean_environment, files_of, put, run_kpt

pytestmark = pytest.mark.kpt

FUNCTIONS = ROOT / "functions"
CONTEXT = FUNCTIONS / "set-package-context/main.py"
FILES = {
    "Kptfile": """\
# The shop's blueprint.
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: shop # short
info:
  description: a shop
pipeline: # tuned
  mutators:
  # the blueprint's own
  - exec: CONTEXT # pinned
    name: own
    configMap:
      blueprint: shop
""".replace("CONTEXT", str(CONTEXT)),
    "package-context.yaml": """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: kptfile.kpt.dev
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  name: shop
""",
    "endpoints.yaml": """\
# What the shop asks for.
apiVersion: v1
kind: ConfigMap
metadata:
  name: endpoints
  annotations:
    kpt.dev/config-injection: required
data:
  db: none # a host
""",
    "sites.yaml": """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: north-endpoints
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  db: db.north.example.com
""",
}
VARIANT = """\
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata:
  name: NAME
spec:
  upstream:
    repo: blueprints
    package: shop
  downstream:
    repo: north
    package: shop
  packageContext:
    data:
      NAME: set
  pipeline:
    mutators:
    - exec: CONTEXT
      name: f
      configMap:
        last: NAME
  injectors:
  - name: north-endpoints
"""


@pytest.fixture(name="shop")
def package(tmp_path: Path) -> Path:
    """The blueprint, and two variants beside it."""
    for name in ("base", "edge"):
        text = VARIANT.replace("NAME", name).replace("CONTEXT", str(CONTEXT))
        (tmp_path / f"{name}.yaml").write_text(text)
    return put(tmp_path / "shop", FILES)


def evaluate(kpt: str, package: Path, function: str, config: Path) -> Done:
    program = FUNCTIONS / function / "main.py"
    command = [kpt, "fn", "eval", str(package), "--exec", str(program), "--fn-config", str(config)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=clean_environment())


def apply(kpt: str, package: Path, *names: str) -> None:
    for name in names:
        done = evaluate(kpt, package, "apply-package-variant", package.parent / f"{name}.yaml")
        assert done.returncode == 0, done.stderr


def kptfile(package: Path) -> Resource:
    return Resource((package / "Kptfile").read_text())


def functions_of(package: Path) -> list[str]:
    mutators = kptfile(package).get("pipeline", "mutators")
    assert isinstance(mutators, list)
    return [function["name"] for function in mutators]


BOTH = ["PackageVariant.edge.f.0", "PackageVariant.base.f.0", "own"]


def test_chain_and_render(kpt: str, shop: Path) -> None:
    """Two variants, one after the other; then a render runs all functions, the last variant's first."""
    apply(kpt, shop, "base", "edge")
    assert functions_of(shop) == BOTH

    done = run_kpt(kpt, shop)
    assert done.returncode == 0, done.stderr
    data = Resource((shop / "package-context.yaml").read_text()).get("data")
    assert data == {
        "name": "shop",
        "base": "set",
        "edge": "set",
        "last": "base",  # base's function ran after edge's
        "blueprint": "shop",
    }


def test_comments_stay_where_they_belong(kpt: str, shop: Path) -> None:
    """kpt would copy the first function's comments onto the one in front of it; it does not get the chance."""
    apply(kpt, shop, "base", "edge", "base")
    text = (shop / "Kptfile").read_text()

    assert text.startswith("# The shop's blueprint.\n")
    assert "  name: shop # short\n" in text
    assert "pipeline: # tuned\n" in text
    assert f"  # the blueprint's own\n  - exec: {CONTEXT} # pinned\n    name: own\n" in text
    assert text.count("# the blueprint's own") == text.count("# pinned") == 1
    assert (shop / "endpoints.yaml").read_text() == FILES["endpoints.yaml"].replace(
        "required\n", "required\n    kpt.dev/injected-resource: north-endpoints\n"
    ).replace("db: none # a host", "db: db.north.example.com # a host")


def test_again_changes_nothing(kpt: str, shop: Path) -> None:
    """The whole chain once more leaves every byte, with a render between and without."""
    apply(kpt, shop, "base", "edge")
    run_kpt(kpt, shop)
    apply(kpt, shop, "base", "edge")
    once = files_of(shop)
    apply(kpt, shop, "base", "edge")

    assert files_of(shop) == once


def test_restored_after_an_update(kpt: str, shop: Path) -> None:
    """An update can take the variant's functions, gate and condition away; the variants alone bring them back."""
    apply(kpt, shop, "base", "edge")
    before = files_of(shop)
    # What `kpt pkg update` does where upstream changed lists that have unnamed entries: upstream's list replaces ours.
    lost = kptfile(shop)
    lost.set(
        ("pipeline", "mutators"), [{"exec": str(CONTEXT), "name": "own", "configMap": {"blueprint": "shop"}}]
    )
    lost.remove(("info", "readinessGates"))
    lost.remove(("status",))
    (shop / "Kptfile").write_text(lost.text)
    apply(kpt, shop, "base", "edge")

    assert functions_of(shop) == BOTH
    restored, wanted = kptfile(shop), Resource(before["Kptfile"].decode())
    assert restored.get() == wanted.get()
    assert {path: text for path, text in files_of(shop).items() if path != "Kptfile"} == {
        path: text for path, text in before.items() if path != "Kptfile"
    }


def test_failure_writes_nothing(kpt: str, shop: Path) -> None:
    """A variant that fails half way leaves every file as it was."""
    point = FILES["endpoints.yaml"].replace("required", "needed")
    (shop / "endpoints.yaml").write_text(point)
    before = files_of(shop)
    done = evaluate(kpt, shop, "apply-package-variant", shop.parent / "base.yaml")

    assert done.returncode == 1
    assert 'invalid "kpt.dev/config-injection" annotation value of "needed"' in " ".join(done.stderr.split())
    assert files_of(shop) == before


@pytest.mark.parametrize("function", ["set-package-context", "prepend-pipeline", "inject-config"])
def test_single_steps_take_the_variant(kpt: str, shop: Path, function: str) -> None:
    """Each step alone does its part of the PackageVariant, and no other."""
    done = evaluate(kpt, shop, function, shop.parent / "base.yaml")
    assert done.returncode == 0, done.stderr
    data = Resource((shop / "package-context.yaml").read_text()).get("data")

    assert (data != {"name": "shop"}) is (function == "set-package-context")
    assert (functions_of(shop) != ["own"]) is (function == "prepend-pipeline")
    assert ("north.example.com" in (shop / "endpoints.yaml").read_text()) is (function == "inject-config")


SET = """\
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata:
  name: fleet
spec:
  upstream:
    repo: blueprints
    package: shop
    revision: 1
  targets:
  - repositories:
    - name: north
    - name: south
"""


def test_generated_variants_are_files_that_go_again(kpt: str, tmp_path: Path) -> None:
    """kpt writes one file for each variant, and deletes those that are no longer targeted; a handwritten one stays."""
    mine = VARIANT.replace("NAME", "mine").replace("CONTEXT", "x")
    fleet = put(
        tmp_path / "fleet",
        {
            "Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: fleet\n",
            "variants/mine.yaml": mine,
        },
    )
    config = tmp_path / "set.yaml"
    config.write_text(SET)
    assert evaluate(kpt, fleet, "generate-package-variants", config).returncode == 0
    first = sorted(files_of(fleet))
    config.write_text(SET.replace("    - name: south\n", ""))
    assert evaluate(kpt, fleet, "generate-package-variants", config).returncode == 0

    assert first == [
        "Kptfile",
        "variants/fleet-north-shop.yaml",
        "variants/fleet-south-shop.yaml",
        "variants/mine.yaml",
    ]
    assert sorted(files_of(fleet)) == ["Kptfile", "variants/fleet-north-shop.yaml", "variants/mine.yaml"]
    assert (fleet / "variants/mine.yaml").read_text() == mine
