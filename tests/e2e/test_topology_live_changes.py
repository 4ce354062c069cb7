"""Plans against running objects: what a change removes, what other versions and defaults are not, and what the controller refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from krmkit.cli import main
from krmkit.libraries.json import Object
from tests.e2e.liveclusters import change, change_objects, copied, export, plan, read


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The package from git."""
    return copied(tmp_path / "package")


@pytest.fixture
def live(tmp_path: Path) -> Path:
    """The export of the cluster that the package was applied to, with its ClusterClass."""
    return export(tmp_path / "live", tmp_path, with_class=True)


def planned(capsys: pytest.CaptureFixture[str], package: Path, live: Path, name: str = "test") -> Object:
    """The plan of one Cluster."""
    _, found = plan(capsys, str(package), "--against", str(live), "--cluster", name)
    one: Object = found["clusters"][0]
    return one


def fields(one: Object) -> dict[str, list[str]]:
    """The changed fields by role."""
    return {change["role"]: change.get("fields", []) for change in one["changes"]}


CLUSTERS, CLASS, TEMPLATES = "clusters.yaml", "class.yaml", "templates.yaml"
REMOVALS = {
    "a variable": (CLUSTERS, "value: registry.example.com/k8s", 'value: ""', "controlPlane", "spec.kubeadmConfigSpec.clusterConfiguration.imageRepository", ["controlPlane"]),
    "a patch": (CLASS, "    enabledIf: '{{ ne .imageRepository \"\" }}'\n", "    enabledIf: 'false'\n", "controlPlane", "spec.kubeadmConfigSpec.clusterConfiguration.imageRepository", ["controlPlane"]),
    "a label of the class": (CLASS, "        tier: control-plane\n", "        {}\n", "controlPlane", "metadata.labels.tier", []),
    "replicas": (CLUSTERS, "        failureDomain: fd1\n        replicas: 1\n", "        failureDomain: fd1\n", "machineDeployments/md-1/machineDeployment", "spec.replicas", []),
    "a failure domain": (CLUSTERS, "        failureDomain: fd1\n", "", "machineDeployments/md-1/machineDeployment", "spec.template.spec.failureDomain", ["MachineDeployment md-1"]),
    "a label of machines": (CLUSTERS, "            pool: general\n", "            {}\n", "machineDeployments/md-0/machineDeployment", "spec.template.metadata.labels.pool", []),
}  # fmt: skip


_CONFIGURED = {"certificateValidityPeriodDays": 300}


def _with_cluster_configuration(package: Path, live: Path) -> None:
    """Give the control plane's template a clusterConfiguration, in both: the webhook lets none go as a whole."""
    spec = "      kubeadmConfigSpec:\n"
    change(
        package / TEMPLATES,
        spec,
        f"{spec}        clusterConfiguration: {{certificateValidityPeriodDays: 300}}\n",
    )

    def edit(item: Object) -> None:
        item["spec"]["template"]["spec"]["kubeadmConfigSpec"]["clusterConfiguration"] = dict(_CONFIGURED)

    if any(item["kind"] == "KubeadmControlPlaneTemplate" for item in read(live / "all.yaml")[0]["items"]):
        change_objects(live / "all.yaml", "KubeadmControlPlaneTemplate", edit)


@pytest.mark.parametrize("case", REMOVALS)
def test_what_a_change_removes_is_seen(
    case: str, package: Path, live: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A field that the class in the export still renders, and the new one does not, is removed from the running object."""
    file, old, new, role, field, groups = REMOVALS[case]
    if "clusterConfiguration" in field:
        _with_cluster_configuration(package, live)
    change(package / file, old, new)

    one = planned(capsys, package, live)

    assert one["action"] == "change"
    assert field in fields(one)[role]
    assert [roll["group"] for roll in one["rolls"]] == groups


def test_a_field_of_somebody_else_stays(
    package: Path, live: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the class never rendered is no change: an autoscaler's annotation, a default of a webhook."""

    def edit(item: Object) -> None:
        item["metadata"].setdefault("annotations", {})["autoscaler.example.com/seen"] = "yes"
        item["spec"]["rollout"] = {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}

    change_objects(live / "all.yaml", "KubeadmControlPlane", edit)

    assert planned(capsys, package, live)["action"] == "same"


def test_managed_fields_say_what_was_applied(
    package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a class in the export, the fields that the topology controller owns are enough."""
    live = export(tmp_path / "live", tmp_path, with_class=False)
    owned: Object = {"f:spec": {"f:kubeadmConfigSpec": {"f:clusterConfiguration": {"f:imageRepository": {}}}}}

    def edit(item: Object) -> None:
        entry = {
            "manager": "capi-topology",
            "operation": "Apply",
            "apiVersion": item["apiVersion"],
            "fieldsV1": owned,
        }
        item["metadata"]["managedFields"] = [entry]
        item["spec"]["kubeadmConfigSpec"]["verbosity"] = 4

    change_objects(live / "all.yaml", "KubeadmControlPlane", edit)
    change(package / CLUSTERS, "value: registry.example.com/k8s", 'value: ""')
    _with_cluster_configuration(package, live)

    one = planned(capsys, package, live)

    configuration = "spec.kubeadmConfigSpec.clusterConfiguration"
    assert fields(one)["controlPlane"] == [
        f"{configuration}.certificateValidityPeriodDays",
        f"{configuration}.imageRepository",
    ]


def test_a_cluster_configuration_cannot_go_as_a_whole(
    package: Path, live: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The patch that is off now wrote all of it. The control plane's webhook lets single fields go, and the controller stops."""
    change(package / CLUSTERS, "value: registry.example.com/k8s", 'value: ""')

    one = planned(capsys, package, live)

    assert (one["action"], one["rolls"]) == ("refused", [])
    assert "spec.kubeadmConfigSpec.clusterConfiguration: Forbidden: cannot be modified" in one["errors"][0]


def test_a_diff_shows_only_what_the_topology_owns(
    package: Path, live: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No uid, no status, no fields of others: the change of one number is two lines."""
    change(package / CLUSTERS, "replicas: 3\n", "replicas: 5\n")

    main(["topology", "plan", str(package), "--against", str(live), "--cluster", "test", "--format", "diff"])

    lines = [line for line in capsys.readouterr().out.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]  # fmt: skip
    assert lines == ["-  replicas: 3", "+  replicas: 5"]


def test_a_template_that_is_gone_is_an_error(
    package: Path, live: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The controller stops at a reference that leads nowhere, and creates nothing."""
    data = yaml.safe_load((live / "all.yaml").read_text("utf-8"))
    [gone] = [
        item
        for item in data["items"]
        if item["kind"] == "KubeadmConfigTemplate" and item["metadata"]["name"].startswith("test-md-1")
    ]
    data["items"].remove(gone)
    (live / "all.yaml").write_text(yaml.safe_dump(data), "utf-8")

    one = planned(capsys, package, live)

    assert one["action"] == "refused"
    assert f"names KubeadmConfigTemplate {gone['metadata']['name']}, which is not there" in one["errors"][0]
    assert one["changes"] == one["rolls"] == []


def test_a_new_worker_group_waits_for_the_upgrade(
    package: Path, live: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The control plane goes first; the group is created in the step after it."""
    change(package / CLUSTERS, "version: v1.33.1", "version: v1.34.0")
    change(package / CLUSTERS, "name: md-1\n", "name: md-2\n")

    one = planned(capsys, package, live)

    assert not [change for change in one["changes"] if change["action"] == "create"]
    assert "MachineDeployments that are created when the control plane is stable: md-2" in one["waits"]
    created = [
        number for number, step in enumerate(one["steps"])
        for change in step["changes"] if change["action"] == "create"
    ]  # fmt: skip
    assert set(created) == {1}


def test_durations_and_empty_fields_are_no_change(
    package: Path, live: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`90s` is `1m30s`, and a server drops empty lists and maps."""
    text = (package / TEMPLATES).read_text("utf-8")
    machine = "          extraMounts:\n          - containerPath"
    (package / TEMPLATES).write_text(
        text.replace(machine, "          bootstrapTimeout: 90s\n          preLoadImages: []\n" + machine),
        "utf-8",
    )

    def edit(item: Object) -> None:
        item["spec"]["template"]["spec"]["backend"]["docker"]["bootstrapTimeout"] = "1m30s"

    change_objects(live / "all.yaml", "DevMachineTemplate", edit)

    assert planned(capsys, package, live)["action"] == "same"


def test_a_list_in_a_package_is_opened(package: Path, live: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What kubectl exports is read in a folder with a Kptfile too."""
    (live / "Kptfile").write_text("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: live\n")
    items = [item for name in (CLASS, TEMPLATES, CLUSTERS) for item in read(package / name)]
    for name in (CLASS, TEMPLATES, CLUSTERS):
        (package / name).unlink()
    (package / "all.yaml").write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": items}))

    code, found = plan(capsys, str(package), "--against", str(live))

    assert code == 0
    assert [one["action"] for one in found["clusters"]] == ["same", "same"]


def _as_v1beta1(package: Path) -> None:
    """Write the class's references and patches of the workers' bootstrap, and its template, in v1beta1."""
    bootstrap = "bootstrap.cluster.x-k8s.io/"
    change(package / CLASS, bootstrap + "v1beta2", bootstrap + "v1beta1")
    change(package / CLASS, "kubeletExtraArgs/-", "kubeletExtraArgs/node-labels")
    change(
        package / CLASS, "            name: node-labels\n            value: {{ range", "            '{{ range"
    )
    change(package / CLASS, "{{ $value }},{{ end }}", "{{ $value }},{{ end }}'")
    head, mark, tail = (package / TEMPLATES).read_text("utf-8").rpartition(bootstrap + "v1beta2")
    tail = tail.replace(
        "          - name: eviction-hard\n            value: nodefs", "            eviction-hard: nodefs"
    ).replace("      joinConfiguration:", "      postKubeadmCommands: []\n      joinConfiguration:")
    assert mark
    (package / TEMPLATES).write_text(head + bootstrap + "v1beta1" + tail, "utf-8")


def test_sources_in_v1beta1_fit_an_export_in_v1beta2(
    package: Path, live: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The class names v1beta1, kubectl shows v1beta2; nothing changes, and a real change is one field."""
    _as_v1beta1(package)
    exported = yaml.safe_load((live / "all.yaml").read_text("utf-8"))
    [written] = read(package / CLASS)
    for item in exported["items"]:
        if item["kind"] == "ClusterClass":
            item["spec"] = written["spec"]
    (live / "all.yaml").write_text(yaml.safe_dump(exported), "utf-8")

    assert planned(capsys, package, live)["action"] == "same"

    change(package / CLUSTERS, "site: north", "site: south")
    one = planned(capsys, package, live)
    assert [roll["group"] for roll in one["rolls"]] == ["MachineDeployment md-0", "MachineDeployment md-1"]
    assert fields(one)["machineDeployments/md-0/bootstrapTemplate"] == [
        "spec.template.spec.joinConfiguration.nodeRegistration.kubeletExtraArgs[1].value"
    ]


def test_a_template_of_another_version_is_patched_as_the_class_names_it(package: Path) -> None:
    """The class reads the template, which is in v1beta2, in v1beta1; patches select that version, and so is the result."""
    text = (package / TEMPLATES).read_text("utf-8")
    _as_v1beta1(package)
    (package / TEMPLATES).write_text(text, "utf-8")

    assert main(["render", str(package)]) == 0

    [made] = (package / "topology/default/test").glob("kubeadmconfigtemplate-test-md-0-*.yaml")
    [template] = read(made)
    assert template["apiVersion"] == "bootstrap.cluster.x-k8s.io/v1beta1"
    arguments = template["spec"]["template"]["spec"]["joinConfiguration"]["nodeRegistration"][
        "kubeletExtraArgs"
    ]
    assert arguments == {"eviction-hard": "nodefs.available<0%", "node-labels": "site=north,"}


def test_a_template_between_unknown_versions_is_an_error(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A provider's conversion is not known; the message says how to export the template."""
    change(
        package / TEMPLATES,
        "infrastructure.cluster.x-k8s.io/v1beta2",
        "infrastructure.cluster.x-k8s.io/v1alpha4",
    )

    assert main(["render", str(package)]) == 1
    said = capsys.readouterr()

    assert (
        "infrastructure.templateRef.apiVersion is infrastructure.cluster.x-k8s.io/v1beta2, and DevMachineTemplate"
        " default/quick-start-machine is in infrastructure.cluster.x-k8s.io/v1alpha4" in said.out + said.err
    )
    assert "kubectl get DevMachineTemplate.v1beta2.infrastructure.cluster.x-k8s.io" in said.out + said.err
