"""The example platform: the tour of docs/platform.md runs as it stands, and what is broken on purpose is named at its line."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from krmkit.cli import main
from tests.e2e.test_tutorial import ROOT, boxes, follow

TOUR = ROOT / "docs/platform.md"
EXAMPLE = ROOT / "examples/platform"
# What is broken: (file, what stands there, what is put in its place, where it is named, a part of the message).
BREAKS = {
    "a newer pack": ("packs.yaml", '"version": "1.31.4"', '"version": "1.32.1"', "cluster.yaml", "version: v1.31.4", "[kubernetes-version]"),
    "a class without the pack's version": ("class.yaml", "[v1.31.4, v1.32.1]", "[v1.32.1]", "cluster.yaml", "version: v1.31.4", "one of the versions defined in the ClusterClass"),
    "a Target in another namespace": ("installation.yaml", "name: plant\n  namespace: plants", "name: plant\n  namespace: shops",
                                      "installation.yaml", "target: plant", "target"),
    "another key of the kubeconfig": ("installation.yaml", "key: value", "key: kubeconfig", "installation.yaml", "key: kubeconfig", "[target-key]"),
    "an import that is not there": ("installation.yaml", "configMapRef: {name: site-settings}", "configMapRef: {name: site-setting}",
                                    "installation.yaml", "configMapRef:", "site-setting"),
    "more than the machines hold": ("packs.yaml", "replicas: 3", "replicas: 9", "packs.yaml", "apiVersion: v1", "[insufficient]"),
    "a class that is not there": ("cluster.yaml", "name: plant\n    version", "name: plants\n    version", "cluster.yaml", "name: plants", "[missing-class]"),
    "a worker class that is not there": ("cluster.yaml", "class: worker", "class: workers", "cluster.yaml", "class: workers", "workers"),
    "a selector that selects nothing": ("class.yaml", "{infrastructureCluster: true}", "{}", "class.yaml", "selector:", "matchResources.infrastructureCluster: true"),
    "a fact that is not there": ("bindings.yaml", "data.region}", "data.regio}", "package-context.yaml", "data:", "data.regio"),
    "a machine of unknown size": ("class.yaml", "numCPUs: 4, memoryMiB: 16384", "numCPUs: 4", "constraints.yaml", "", "[capacity-unknown]"),
    "a variable that nobody declares": ("cluster.yaml", "name: mirror", "name: miror", "cluster.yaml", "    variables:", "variable is not defined"),
    "a pack that wants a newer Kubernetes": ("packs.yaml", '"minVersion": "1.30.0"', '"minVersion": "1.33.0"', "packs.yaml", '"dependencies"', "[version]"),
    "an import that nobody exports": ("installation.yaml", "dataRef: store-url\n    targets", "dataRef: store-uri\n    targets",
                                      "installation.yaml", "dataRef: store-uri", 'did you mean "store-url"?'),
    "an export of another name": ("installation.yaml", "dataRef: store-url\n  blueprint", "dataRef: store-address\n  blueprint",
                                  "installation.yaml", "dataRef: store-url", "[data-object-not-found]"),
    "a version that only the facts have": ("versions.yaml", "v1.31.4", "v1.30.9", "cluster.yaml", "version: v1.31.4", "v1.30.9"),
    "a patch of the extension for no template": ("extension.yaml", "kind: KubeadmControlPlaneTemplate", "kind: KubeadmControlPlaneTemplat",
                                                 "extension.yaml", "selector:", "[unused-patch]"),
    "an operation that does not exist": ("installation.yaml", "operation: reconcile", "operation: recncile",
                                         "installation.yaml", "operation: recncile", "[unknown-operation]"),
    "a Cluster beside its class": ("cluster.yaml", "namespace: plants", "namespace: shops", "cluster.yaml", "      name: plant", "ClusterClass shops/plant"),
    "a required variable that is gone": ("cluster.yaml", "    - name: region\n      value: nowhere\n", "", "cluster.yaml", "    variables:", '"region" must be set'),
    "a pack in another layer": ("packs.yaml", '"layer": "k8s", "version": "1.31.4"', '"layer": "k8", "version": "1.31.4"', "packs.yaml", '"dependencies"', "[wrong-layer]"),
    "a preset that is not there": ("presets.yaml", "Durability:replicated", "Durability:replicatd", "presets.yaml", "presets: [", "[unknown-preset]"),
    "a preset of a pack that is not there": ("presets.yaml", "pack: store", "pack: stor", "presets.yaml", "pack: stor", 'did you mean "store"?'),
    "a macro in a preset that nobody declares": ("packs.yaml", "spectro.var.timezone", "spectro.var.timezon", "packs.yaml", "var.timezon ", "[kept]"),
    "a macro of a pack that is not there": ("packs.yaml", "spectro.var.timezone", "spectro.pack.stoer.values.x", "packs.yaml", "pack.stoer", "[unknown-pack]"),
    "a handler that is not there": ("class.yaml", "generate-patches-mirror.mirrors", "generate-patches-mirrors.mirrors", "class.yaml",
                                    "generatePatchesExtension:", "has no handler"),
    "an extension of another name": ("extension.yaml", "name: mirrors", "name: mirror", "class.yaml", "discoverVariablesExtension:", "[class-error]"),
    "a variable that the extension has not": ("extension.yaml", "{variable: mirror}", "{variable: miror}", "extension.yaml", "- {op: add", "miror"),
    "a path that the template has not": ("extension.yaml", "clusterConfiguration/image", "clusterConfig/image", "extension.yaml", "- selector:", "clusterConfig"),
    "a template that is not there": ("class.yaml", "name: plant-worker}", "name: plant-workers}", "class.yaml", "name: plant-workers}",
                                     'did you mean "plant-worker"?'),
    "a binding into a field that is not there": ("bindings.yaml", "spec.topology.version]", "spec.topology.versio]", "cluster.yaml", "  topology:",
                                                 "(bindings.yaml replacements[2].targets[0])"),
    "a binding into a kind that is not there": ("bindings.yaml", "{kind: Target}", "{kind: Targt}", "bindings.yaml", "{kind: Targt}", "[binding-target]"),
    "a target of another type": ("installation.yaml", "landscaper.gardener.cloud/kubernetes-cluster}", "landscaper.gardener.cloud/helm}", "installation.yaml",
                                 "cloud/helm}", "but expected landscaper.gardener.cloud/helm"),
    "a deploy item for no import": ("installation.yaml", "target: {import: cluster}\n                config", "target: {import: clutser}\n                config",
                                    "installation.yaml", "{import: clutser}", 'did you mean "cluster"?'),
    "a nested import of nothing": ("installation.yaml", "{name: cluster, target: cluster}", "{name: cluster, target: clutser}", "installation.yaml",
                                   "target: clutser}", "[import-not-satisfied]"),
    "an export of a deploy item that is not there": ("installation.yaml", "deployitems.database.access", "deployitems.databse.access", "installation.yaml",
                                                     "deployitems.databse.access", "[template]"),
    "the exports of a deploy item that is not there": ("render-installation.yaml", "store/database/database", "store/databse/database", "render-installation.yaml",
                                                       "store/databse/database", 'did you mean "store/database/database"?'),
    "an export that the blueprint drops": ("installation.yaml", "access: {{ .values", "acess: {{ .values", "installation.yaml", "acess: {{", "[export-not-defined]"),
    "an export while others are not known": ("installation.yaml", "url: https://{{ .imports.settings.host }}/\n---", "ulr: https://{{ .imports.settings.host }}/\n---",
                                             "installation.yaml", "ulr: ", '[undeclared-export]'),
    "a given name of no object": ("render-topology.yaml", "spec:\n", "spec:\n  names: {plant/controlPlan: x}\n", "render-topology.yaml", "controlPlan:",
                                  'did you mean "controlPlane"?'),
    "a Cluster of a config that is not there": ("validate-topology.yaml", "spec:\n", "spec:\n  clusters: [plnt]\n", "validate-topology.yaml", "[plnt]",
                                                'did you mean "plant"?'),
    "an Installation of a config that is not there": ("render-installation.yaml", "spec:\n", "spec:\n  installations: [stoer]\n", "render-installation.yaml",
                                                      "[stoer]", 'did you mean "store"?'),
    "a config that is not there": ("Kptfile", "configPath: presets.yaml", "configPath: preset.yaml", "Kptfile", "configPath: preset.yaml", 'did you mean "presets.yaml"?'),
    "a variable in a template that nobody declares": ("class.yaml", "{{ .region }}", "{{ .regoin }}", "class.yaml", "vcenter.", 'did you mean "region"?'),
    "a patch enabled by a variable that nobody declares": ("extension.yaml", "ne .mirror", "ne .miror", "extension.yaml", "enabledIf:",
                                                           'did you mean "mirror"?'),
}  # fmt: skip
# The same for the fleet: (file, what stands there, what is put in its place, what `variants render` says).
FLEET = {
    "a package that is not there": ("fleet/plants.yaml", "package: plant\n    revision", "package: plnat\n    revision",
                                    'fleet/plants.yaml:9:5: the upstream package is not there: no Kptfile in ./blueprints/plnat/v1'),
    "a repository that is not there": ("fleet/plants.yaml", "repo: blueprints", "repo: blueprint", "fleet/plants.yaml:8:5: the upstream package is not there"),
    "a label that no site has": ("fleet/plants.yaml", "role: plant", "role: plnt",
                                 "fleet/plants.yaml:12:5: plants: spec.targets[0] selects nothing; the Repositories have role=plant"),
    "a site without a region": ("fleet/objects/lyon.yaml", "    region: eu-west\n", "", "the Repository lyon is at fleet/objects/lyon.yaml:4:3"),
    "an expression with a slip": ("fleet/plants.yaml", "repository.labels[", "repository.label[", "fleet/plants.yaml:20:25: plants: UnexpectedError: template."),
    "two sites of one name": ("fleet/objects/lyon.yaml", "name: lyon\n", "name: bergen\n",
                              "fleet/objects/lyon.yaml:4:3: the Repository bergen is at fleet/objects/bergen.yaml:4:3 already"),
    "an object to inject that is not there": ("fleet/objects/turin.yaml", "name: turin-macros", "name: torin-macros",
                                              'there is no ResolveMacros turin-macros; did you mean "torin-macros"?): plants-turin-plant'),
    "a macro that a site does not give": ("fleet/objects/turin.yaml", "name: timezone", "name: timezon",
                                          "packs.yaml:34:61: {{ .spectro.var.timezone }} stays as it is"),
    "a fact that the sites do not get": ("fleet/plants.yaml", "{key: site,", "{key: sit,", "package-context.yaml:7:1: fieldPath `data.site` is missing"),
    "a Target that no binding reaches": ("blueprints/plant/bindings.yaml", "{kind: Target}", "{kind: Secret}",
                                         "installation.yaml:21:5: the Target reads the Secret plant-kubeconfig, and there is no Cluster turin/plant"),
    "two sites in one namespace": ("fleet/plants.yaml", "valueExpr: repository.name}\n        - {key: region", "value: plant}\n        - {key: region",
                                   "are made by bergen/plant, lyon/plant, turin/plant, which go to one management cluster"),
}  # fmt: skip


def test_the_tour_has_boxes() -> None:
    """None but the one that installs is left out, and one shows how a mistake is found."""
    found = boxes(TOUR)

    assert [box.skipped or box.kpt for box in found] == [True, *[False] * (len(found) - 1)]
    assert [box.exit_code for box in found if box.exit_code] == [1, 2]


@pytest.mark.slow
def test_the_tour(tmp_path: Path) -> None:
    """Every box does what the page shows."""
    assert follow(tmp_path, kpt=False, page=TOUR) == len(boxes(TOUR)) - 1


@pytest.mark.parametrize("name", BREAKS)
def test_broken_on_purpose(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What one system says against another is named with its file and line."""
    file, old, new, where, text, message = BREAKS[name]
    shutil.copytree(EXAMPLE / "blueprints/plant", tmp_path / "plant")
    monkeypatch.chdir(tmp_path / "plant")
    before = Path(file).read_text("utf-8")
    assert before.count(old) >= 1
    Path(file).write_text(before.replace(old, new, 1), "utf-8")
    lines = Path(where).read_text("utf-8").splitlines()
    numbers = [number for number, line in enumerate(lines, 1) if text in line] if text else [1]

    main(["render", ".", "-f", "text"])

    told = [line for line in capsys.readouterr().out.splitlines() if not re.search(r":\d+: info: ", line)]
    assert any(
        message in line and any(line.startswith(f"{where}:{number}:") for number in numbers) for line in told
    ), (numbers, told)


@pytest.mark.parametrize("name", FLEET)
def test_a_fleet_broken_on_purpose(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the sites, the set and the blueprint say against each other is named with its place."""
    file, old, new, said = FLEET[name]
    shutil.copytree(EXAMPLE, tmp_path / "platform")
    monkeypatch.chdir(tmp_path / "platform")
    before = Path(file).read_text("utf-8")
    assert before.count(old) == 1
    Path(file).write_text(before.replace(old, new), "utf-8")
    fleet = ["--packages", ".", "--objects", "fleet/objects", "-o", "sites", "--jobs", "1"]

    main(["variants", "render", "fleet/plants.yaml", *fleet])

    told = capsys.readouterr()
    assert said in told.out + told.err
