"""Three functions on what kustomize sends: no Kptfile, and no paths."""

from __future__ import annotations

from krmkit.fn.loader import load
from krmkit.fn.run import run

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig:\n  apiVersion: krmkit.dev/v1alpha1\n"
POINT = """items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: endpoints, annotations: {kpt.dev/config-injection: required}}
  data: {db: none}
"""
NORTH = "{apiVersion: v1, kind: ConfigMap, metadata: {name: north}, data: {db: x}}"


def answer(name: str, kind: str, spec: str) -> tuple[int, str]:
    function = load(name)
    text = f"{HEAD}  kind: {kind}\n  metadata: {{name: i}}\n  spec: {spec}\n{POINT}"
    outcome = run(function.definition, function.process, text)
    return outcome.exit_code, outcome.stdout


def test_points_are_filled() -> None:
    """An info says what has no place."""
    code, text = answer(
        "inject-config", "InjectConfig", f"{{injectors: [{{name: north}}], resources: [{NORTH}]}}"
    )

    assert code == 0
    assert "data: {db: x}" in text.partition("items:")[2]
    assert "rule: no-kptfile" in text and "severity: info" in text


def test_what_needs_a_kptfile_says_so() -> None:
    """The messages name what is not among the items, and nothing of Porch's API."""
    pipeline = answer(
        "prepend-pipeline", "PrependPipeline", "{owner: me, pipeline: {mutators: [{image: a}]}}"
    )
    context = answer("set-package-context", "SetPackageContext", "{data: {a: b}}")

    for (code, text), what in (
        (pipeline, "no Kptfile among the items"),
        (context, "no package-context.yaml among"),
    ):
        assert code == 1
        assert what in text and "kustomize" in text and "PackageRevisionResources" not in text
