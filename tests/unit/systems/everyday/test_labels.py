"""Whose selectors get labels: by kind and version, in any group for the kinds of the core group and most workloads."""

from __future__ import annotations

import pytest
import yaml

from krmkit.fn import loader
from krmkit.fn.run import run
from krmkit.fn.testing import resource_list

CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {team: shop}\n"


@pytest.mark.parametrize(
    ("api_version", "kind", "selector"),
    [
        ("v1", "Service", {"app": "web", "team": "shop"}),
        ("serving.knative.dev/v1", "Service", {"app": "web", "team": "shop"}),
        ("serviceusage.cnrm.cloud.google.com/v1beta1", "Service", {"app": "web"}),
        ("example.com/v1", "ReplicationController", {"app": "web", "team": "shop"}),
        ("example.com/v1", "Deployment", {"app": "web", "matchLabels": {"team": "shop"}}),
        ("example.com/v1", "StatefulSet", {"app": "web"}),
        ("example.com/v1", "Thing", {"app": "web"}),
    ],
)
def test_a_selector_by_group_and_version(api_version: str, kind: str, selector: object) -> None:
    function = loader.load("set-labels")
    item = (
        f"apiVersion: {api_version}\nkind: {kind}\nmetadata:\n  name: web\nspec:\n  selector:\n    app: web\n"
    )

    outcome = run(function.definition, function.process, resource_list([item], CONFIG))

    assert yaml.safe_load(outcome.stdout)["items"][0]["spec"]["selector"] == selector


@pytest.mark.parametrize("api_version", ["v1", "serving.knative.dev/v1"])
def test_a_new_selector_is_a_warning(api_version: str) -> None:
    function = loader.load("set-labels")
    item = f"apiVersion: {api_version}\nkind: Service\nmetadata:\n  name: web\nspec:\n  type: ExternalName\n"

    outcome = run(function.definition, function.process, resource_list([item], CONFIG))

    assert [one.field for one in outcome.results if one.severity == "warning"] == ["spec.selector"]
    assert "\n    selector:\n      team: shop\n" in outcome.stdout


DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      affinity:
        podAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - labelSelector:
              matchLabels:
                team: TEAM
          - labelSelector: 5
        podAntiAffinity: []
"""


@pytest.mark.parametrize(("team", "warned"), [("old", True), ("5", True), ("shop", False), ("{a: b}", True)])
def test_terms_of_pod_affinity_stay(team: str, warned: bool) -> None:
    """kpt's set-labels does not find them, so ours leaves them too, whatever is there, and warns of another value."""
    function = loader.load("set-labels")

    outcome = run(
        function.definition, function.process, resource_list([DEPLOYMENT.replace("TEAM", team)], CONFIG)
    )

    assert outcome.exit_code == 0
    assert f"team: {team}\n" in outcome.stdout
    place = "spec.template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"
    assert [(one.rule, one.field) for one in outcome.results if one.severity == "warning"] == [
        ("stale-term", f"{place}.labelSelector.matchLabels.team")
    ] * warned
