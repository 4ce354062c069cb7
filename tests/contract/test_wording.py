"""Messages speak of the fields that the user wrote, and say where what is missing belongs."""

from __future__ import annotations

import pytest

from krmkit.fn import testing
from tests.contract.checks import ROOT

TYPED = "apiVersion: krmkit.dev/v1alpha1\nkind: {kind}\nmetadata: {{name: c}}\nspec: {spec}\n"
FLAT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {name: x}\n"
VARIANT = """\
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: v}
spec:
  upstream: {repo: a, package: b}
  downstream: {repo: a, package: c}
  packageContext: {data: {name: x}}
"""
POINT = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: point
  annotations: {kpt.dev/config-injection: required}
data: {}
"""
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p, annotations: {config.kubernetes.io/path: Kptfile}}\n"


@pytest.mark.parametrize(
    ("config", "start"),
    [
        (TYPED.format(kind="SetPackageContext", spec="{data: {name: x}}"), "spec.data: "),
        (TYPED.format(kind="SetPackageContext", spec="{removeKeys: [name]}"), "spec.removeKeys: "),
        (FLAT, "data: "),
    ],
)
def test_reserved_key(config: str, start: str) -> None:
    """A reserved key is reported under the field of the config that names it."""
    outcome = testing.run_function(ROOT / "functions/set-package-context", testing.resource_list([], config))

    assert [finding.message.startswith(start) for finding in outcome.results] == [True]


def test_reserved_key_of_a_variant() -> None:
    """A PackageVariant has its own fields."""
    text = testing.resource_list([], VARIANT)

    outcome = testing.run_function(ROOT / "functions/set-package-context", text)

    assert "spec.packageContext.data" in str(outcome.results[0])


def test_where_objects_for_injection_stand() -> None:
    """Where no object of the kind is known, the message says where one is put."""
    config = TYPED.format(kind="InjectConfig", spec="{injectors: [{name: north}]}")

    outcome = testing.run_function(
        ROOT / "functions/inject-config", testing.resource_list([KPTFILE, POINT], config)
    )

    (finding,) = outcome.results
    assert finding.rule == "not-injected"
    assert "into a file of the package, marked config.kubernetes.io/local-config" in finding.message
