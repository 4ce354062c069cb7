"""`krmkit topology plan` says when machines roll: at once, step by step, at a date, when a Cluster is resumed, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.libraries.json import Object
from tests.e2e.liveclusters import change, change_objects, copied, export, plan

CLUSTERS, CLASS, TEMPLATES = "clusters.yaml", "class.yaml", "templates.yaml"
MUTABLE = "nodefs.available<0%"


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """A package, and the same before a change."""
    return copied(tmp_path / "package"), copied(tmp_path / "before")


def planned(capsys: pytest.CaptureFixture[str], places: tuple[Path, Path], *more: str) -> tuple[int, Object]:
    """Exit code and plan of the Cluster `dev`."""
    package, before = places
    code, found = plan(capsys, str(package), "--against", str(before), "--cluster", "dev", *more)
    return code, found["clusters"][0]


def change_last(file: Path, old: str, new: str) -> None:
    """Replace the last occurrence of a text in a file."""
    head, mark, tail = file.read_text("utf-8").rpartition(old)
    assert mark
    file.write_text(head + new + tail, "utf-8")


def groups(one: Object) -> list[str]:
    return [roll["group"] for roll in one["rolls"]]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("spec:\n  topology:", "spec:\n  paused: true\n  topology:", "spec.paused is true"),
        (
            "  namespace: default\nspec:",
            '  namespace: default\n  annotations:\n    cluster.x-k8s.io/paused: ""\nspec:',
            "the annotation cluster.x-k8s.io/paused is set",
        ),
    ],
)
def test_a_paused_cluster_waits(
    places: tuple[Path, Path], capsys: pytest.CaptureFixture[str], old: str, new: str, said: str
) -> None:
    """Nothing happens until it is resumed; the plan says what happens then."""
    change(places[0] / CLUSTERS, old, new)
    change_last(places[0] / TEMPLATES, MUTABLE, "nodefs.available<5%")

    code, one = planned(capsys, places)

    assert code == 2
    assert (one["action"], one["changes"], one["rolls"]) == ("paused", [], [])
    assert said in one["waits"][0]
    assert groups(one["then"]) == ["MachineDeployment md-0"]


def test_a_paused_cluster_without_a_change_is_the_same(
    places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """The plan says that it is paused, and the exit code that nothing changes."""
    for place in places:
        change(place / CLUSTERS, "spec:\n  topology:", "spec:\n  paused: true\n  topology:")

    code, one = planned(capsys, places)

    assert (code, one["action"]) == (0, "same")
    assert "spec.paused is true" in one["waits"][0]


def _with_new_control_plane_template(package: Path, old: str, new: str) -> None:
    """Give the class a copy of its control plane's template with another text in it."""
    documents = (package / TEMPLATES).read_text("utf-8").split("---\n")
    [template] = [text for text in documents if "kind: KubeadmControlPlaneTemplate" in text]
    assert old in template
    made = template.replace("name: quick-start-control-plane", "name: quick-start-2").replace(old, new)
    (package / "more.yaml").write_text(made, "utf-8")
    change(package / CLASS, "name: quick-start-control-plane", "name: quick-start-2")


def test_init_configuration_rolls_no_machine(
    places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """It is for the first machine of a new cluster; the control plane's object changes, and its machines stay."""
    _with_new_control_plane_template(places[0], MUTABLE, "nodefs.available<9%")

    code, one = planned(capsys, places)

    assert (code, groups(one)) == (2, [])
    assert one["changes"][0]["fields"][-1].startswith("spec.kubeadmConfigSpec.initConfiguration")


@pytest.mark.parametrize(
    ("field", "only"),
    [
        ("verbosity: 3", ""),
        ("joinConfiguration: {skipPhases: [a]}", "that joined the first one"),
        ("clusterConfiguration: {dns: {imageTag: v1}}", None),
        ("joinConfiguration: {discovery: {bootstrapToken: {token: a.b}}}", None),
    ],
)
def test_what_of_a_control_plane_rolls_its_machines(
    places: tuple[Path, Path], capsys: pytest.CaptureFixture[str], field: str, only: str | None
) -> None:
    """DNS and discovery change in place or at the next join; the machine of `kubeadm init` has no join configuration."""
    spec = "      kubeadmConfigSpec:\n"
    _with_new_control_plane_template(places[0], spec, f"{spec}        {field}\n")

    _, one = planned(capsys, places)

    assert [roll.get("only", "") for roll in one["rolls"]] == ([] if only is None else [only])


@pytest.mark.parametrize(
    ("before", "after", "rolls", "waits"),
    [
        ("", "2020-01-01T00:00:00Z", True, False),
        ("", "2199-01-01T00:00:00Z", False, True),
        ("2020-01-01T00:00:00Z", "2199-01-01T00:00:00Z", False, True),
        ("2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z", True, False),
        ("2020-01-01T00:00:00Z", "", False, False),
    ],
)
def test_rollout_after_rolls_older_machines_when_its_date_has_come(
    places: tuple[Path, Path],
    capsys: pytest.CaptureFixture[str],
    before: str,
    after: str,
    rolls: bool,
    waits: bool,
) -> None:
    """A whole block, another date, a date to come, and a date that is taken away."""
    line = "    controlPlane:\n      replicas: 1\n"
    for place, date in zip(places, (after, before), strict=True):
        if date:
            change(place / CLUSTERS, line, f"{line}      rollout:\n        after: {date}\n")

    code, one = planned(capsys, places)

    assert code == 2
    assert one["rolls"] == (
        [
            {
                "group": "controlPlane",
                "sure": True,
                "only": f"created before {after}",
                "reasons": [f"rollout.after {after}"],
                "replicas": 1,
                "maxSurge": 1,
                "maxUnavailable": 0,
            }
        ]
        if rolls
        else []
    )
    assert [after in text for text in one["waits"]] == ([True] if waits else [])


def test_rollout_after_spares_machines_that_are_younger(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An export says when the machines of the control plane were created."""
    package, live = copied(tmp_path / "package"), export(tmp_path / "live", tmp_path, with_class=True)
    line = "    controlPlane:\n      replicas: 1\n"
    change(package / CLUSTERS, line, f"{line}      rollout:\n        after: 2024-06-01T00:00:00Z\n")
    labels = '{cluster.x-k8s.io/cluster-name: dev, cluster.x-k8s.io/control-plane: ""}'
    machine = (
        "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Machine\nmetadata: {name: dev-x, namespace: default, uid: u, labels: "
        + labels
        + ", creationTimestamp: '%s'}\nspec: {clusterName: dev}\n"
    )

    (live / "machine.yaml").write_text(machine % "2025-01-01T00:00:00Z", "utf-8")
    assert planned(capsys, (package, live))[1]["rolls"] == []
    (live / "machine.yaml").write_text(machine % "2024-01-01T00:00:00Z", "utf-8")
    assert groups(planned(capsys, (package, live))[1]) == ["controlPlane"]


def test_an_edit_of_a_template_that_webhooks_protect_is_refused(
    places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """The message says what to do instead, and the plan what that would do."""
    change(places[0] / TEMPLATES, "hostPath: /var/run/docker.sock", "hostPath: /run/docker.sock")

    code, one = planned(capsys, places)

    assert (code, one["action"], one["rolls"]) == (1, "refused", [])
    assert one["errors"] == [
        "DevMachineTemplate default/quick-start-machine is edited in place"
        " (spec.template.spec.backend.docker.extraMounts[0].hostPath), and its webhook refuses that: make a new template and"
        " point the class to it"
    ]
    assert groups(one["then"]) == ["controlPlane", "MachineDeployment md-0"]


def test_metadata_of_a_protected_template_may_change(
    places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """The webhook of control plane templates compares spec.template.spec alone."""
    spec = "    spec:\n      kubeadmConfigSpec:"
    change(places[0] / TEMPLATES, spec, f"    metadata: {{labels: {{tier: one}}}}\n{spec}")

    _, one = planned(capsys, places)

    assert one["action"] != "refused"
    assert one["errors"] == []


def test_an_edit_that_no_object_shows_is_refused_too(
    places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """The API server looks at the template alone: here a label of the class wins over that of the template."""
    spec = "    spec:\n      kubeadmConfigSpec:"
    machines = "    spec:\n      machineTemplate: {metadata: {labels: {tier: own}}}\n      kubeadmConfigSpec:"
    change(places[0] / TEMPLATES, spec, machines)

    code, one = planned(capsys, places)

    assert (code, one["action"], one["then"]["action"]) == (1, "refused", "same")


def test_a_control_plane_of_two_machines_is_refused(
    places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing refuses the Cluster; the controller runs into the webhook of the control plane, and changes nothing."""
    change(
        places[0] / CLUSTERS, "    controlPlane:\n      replicas: 1", "    controlPlane:\n      replicas: 2"
    )

    code, one = planned(capsys, places)

    assert (code, one["action"], one["changes"], one["rolls"]) == (1, "refused", [], [])
    assert "spec.replicas: Forbidden: cannot be an even number when etcd is stacked" in one["errors"][0]
    assert one["errors"][0].endswith("so the controller stops with an error")


def test_a_config_names_more_protected_templates(
    places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """The kinds of other providers, or of a policy."""
    change_last(places[0] / TEMPLATES, MUTABLE, "nodefs.available<5%")
    assert planned(capsys, places)[0] == 2

    with (places[0] / "render.yaml").open("a", encoding="utf-8") as config:
        config.write("spec:\n  immutableTemplates: [KubeadmConfigTemplate.bootstrap.cluster.x-k8s.io]\n")

    assert planned(capsys, places)[0] == 1


def test_an_edit_in_place_waits_for_the_next_reconciliation(
    places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Templates are not watched; a change of the Cluster with it is reconciled at once."""
    change_last(places[0] / TEMPLATES, MUTABLE, "nodefs.available<5%")

    [waits] = planned(capsys, places)[1]["waits"]
    change(places[0] / CLUSTERS, "replicas: 2", "replicas: 4")

    assert waits.startswith("KubeadmConfigTemplate default/quick-start-bootstrap is edited in place")
    assert waits.endswith("waits for the Cluster's next reconciliation, every 10 minutes by default")
    assert planned(capsys, places)[1]["waits"] == []


def test_an_upgrade_through_versions_rolls_the_control_plane_more_than_once(
    places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """From git, too: each minor version is a step, and the workers go from the first to the last one."""
    for place in places:
        change(
            place / CLASS,
            "spec:\n  infra",
            "spec:\n  kubernetesVersions: [v1.33.1, v1.34.2, v1.35.0]\n  infra",
        )
    change(places[0] / CLUSTERS, "version: v1.33.1", "version: v1.35.0")

    code, one = planned(capsys, places)
    main(["topology", "plan", str(places[0]), "--against", str(places[1]), "--cluster", "dev", "--steps"])
    table = capsys.readouterr().out

    assert code == 2
    assert [(roll["group"], roll.get("times", 1)) for roll in one["rolls"]] == [
        ("controlPlane", 2),
        ("MachineDeployment md-0", 1),
    ]
    assert "version v1.33.1 -> v1.34.2 -> v1.35.0" in one["rolls"][0]["reasons"]
    assert [(step["controlPlaneVersion"], groups(step)) for step in one["steps"]] == [
        ("v1.34.2", ["controlPlane"]),
        ("v1.35.0", ["controlPlane"]),
        ("v1.35.0", ["MachineDeployment md-0"]),
    ]
    assert "controlPlane (2 times), MachineDeployment md-0" in table
    assert [line.split()[:2] for line in table.splitlines()[3:6]] == [
        ["1", "v1.34.2"],
        ["2", "v1.35.0"],
        ["3", "v1.35.0"],
    ]


def test_deferred_workers_stay_behind(places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Their annotation puts the upgrade off, and the plan says so."""
    for place in places:
        change(
            place / CLUSTERS,
            "        name: md-0\n        replicas: 2\n    variables",
            "        name: md-0\n        replicas: 2\n        metadata:\n          annotations:\n"
            '            topology.cluster.x-k8s.io/defer-upgrade: ""\n    variables',
        )
    change(places[0] / CLUSTERS, "version: v1.33.1", "version: v1.34.0")

    _, one = planned(capsys, places)

    assert groups(one) == ["controlPlane"]
    assert any(
        text.startswith("MachineDeployments put off by annotation: dev-md-0-") for text in one["waits"]
    )


def test_a_new_control_plane_waits_for_nothing_without_an_upgrade(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A control plane that has no version in its status yet takes no new version if none is asked for."""
    package, live = copied(tmp_path / "package"), export(tmp_path / "live", tmp_path, with_class=True)
    change_objects(live / "all.yaml", "KubeadmControlPlane", lambda item: item.pop("status"))

    code, one = planned(capsys, (package, live))

    assert (code, one["action"], one["waits"]) == (0, "same", [])


def test_machines_of_a_group_that_waits_for_deletions_stay(
    places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """With OnDelete the controller replaces what somebody deletes, and nothing else; the plan says why a machine would be new."""
    for place in places:
        change(
            place / CLUSTERS,
            "        replicas: 2",
            "        rollout: {strategy: {type: OnDelete}}\n        replicas: 2",
        )
    change_last(places[0] / TEMPLATES, MUTABLE, "nodefs.available<5%")

    code, one = planned(capsys, places)

    assert (code, one["action"], one["rolls"]) == (2, "change", [])
    assert one["waits"][0].startswith(
        "MachineDeployment md-0 rolls a machine when somebody deletes it (OnDelete): KubeadmConfigTemplate spec.template.spec"
    )


def test_a_hook_puts_an_upgrade_off(places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """An annotation of the Cluster holds it up before its first step, and the plan names it."""
    change(places[0] / CLUSTERS, "version: v1.33.1", "version: v1.33.2")
    annotation = "  annotations: {before-upgrade.hook.cluster.cluster.x-k8s.io/backup: ''}\n"
    change(places[0] / CLUSTERS, "  namespace: default\nspec:", f"  namespace: default\n{annotation}spec:")

    _, one = planned(capsys, places)

    assert (one["action"], one["rolls"]) == ("same", [])
    assert one["waits"] == [
        "the upgrade is put off by the Cluster's annotation before-upgrade.hook.cluster.cluster.x-k8s.io"
    ]
