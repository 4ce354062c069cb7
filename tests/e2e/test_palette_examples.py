"""The examples of Palette's own documentation, through the functions: constraints, presets and macros."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from krmkit.fn.testing import resource_list, run_function
from krmkit.libraries.json import Object
from krmkit.libraries.yaml import emit
from krmkit.systems.palette.macros.context import SYSTEM_MACROS

FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"


def pack(
    name: str, version: str = "1.0.0", layer: str = "addon", constraints: Object | None = None, **texts: str
) -> str:
    """A pack as a ConfigMap; texts by the stem of their file: `values`, `schema`, `presets`."""
    metadata: Object = {"name": name, "displayName": name, "version": version, "layer": layer}
    if constraints is not None:
        metadata["constraints"] = constraints
    data = {"pack.json": json.dumps(metadata), **{f"{stem}.yaml": text for stem, text in texts.items()}}
    local = {"config.kubernetes.io/local-config": "true"}
    return emit.document(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name, "annotations": local},
            "data": data,
        }
    )


def run(
    function: str, items: list[str], kind: str, spec: Object | None = None
) -> tuple[list[str], list[Object], dict[str, Any]]:
    """The rules of the errors and warnings, all results, and the values of each pack afterwards."""
    config = emit.document(
        {
            "apiVersion": "krmkit.dev/v1alpha1",
            "kind": kind,
            "metadata": {"name": "config"},
            "spec": spec or {},
        }
    )
    outcome = run_function(FUNCTIONS / function, resource_list(items, config))
    listed = yaml.safe_load(outcome.stdout)
    results = listed.get("results") or []
    rules = [one["tags"]["rule"] for one in results if one.get("severity") in ("error", "warning")]
    assert outcome.exit_code == int(any(one.get("severity") == "error" for one in results))
    values = {
        item["metadata"]["name"]: yaml.safe_load(item["data"].get("values.yaml", ""))
        for item in listed["items"]
    }
    return rules, results, values


def validate(*items: str, **spec: Any) -> tuple[list[str], list[Object]]:
    return run("validate-pack-constraints", list(items), "ValidatePackConstraints", spec)[:2]


FORMATS = [
    ("required", '""', ["required"]),
    ('format "${string:/^([a-z0-9].*)$/}"', "_x", ["format"]),
    ('format "${string:/^([a-z0-9].*)$/}"', "x1", []),
    ('format "${number:[5000-5005]}"', "5006", ["format"]),
    ('format "${number:[5000-5005]}"', "5005", []),
    ('format "${number:/^(500[0-5])$/}"', "5006", ["format"]),
    ('format "${number:/^(500[0-5])$/}"', "5005", []),
    ('format "${boolean}"', '"yes"', ["format"]),
    ('format "${password:/^([a-z0-9].*)$/}"', "_hush-hush", ["format"]),
    ('format "${list:[PACK,GIT,CHART]}"', "pack", ["format"]),
    ('format "${list:[PACK,GIT,CHART]}"', "PACK", []),
    ('format "${ipv4}"', "1.2.3", ["format"]),
    ('required | format "${version}"', "'1.18'", ["format"]),
    ('required | format "${version}"', "1.18.0", []),
    ('hints "description A" "description B"', "anything", []),
    ('required | format "${string}, ${string:/size=\\d+/}"', "type-zeroedthick, size=150", []),
    ('required | format "${string}, ${string:/size=\\d+/}"', "'type-zeroedthick,size=150'", ["format"]),
    ('required | format "${string}, ${string:/size=\\d+/}"', "type-zeroedthick, size=s", ["format"]),
]


@pytest.mark.parametrize(("template", "value", "rules"), FORMATS)
def test_formats(template: str, value: str, rules: list[str]) -> None:
    """Each format takes the documentation's valid values and refuses its invalid ones; no password is told."""
    schema = f"key:\n  schema: '{{{{ {template} }}}}'\n"

    found, results = validate(pack("p", values=f"key: {value}\n", schema=schema))

    assert found == rules
    assert "hush" not in str(results)


@pytest.mark.parametrize(
    ("pool", "rules"),
    [
        ("10.10.10.10 - 10.10.10.255", []),
        ("10.10.10.10", ["format"]),
        ("10.10.10.10-10.10.10.255", ["format"]),
    ],
)
def test_pool_of_addresses(pool: str, rules: list[str]) -> None:
    """`$[]` names every element of a list; two formats stand around ` - `."""
    schema = (
        "manifests.metallb.pool.$[]:\n"
        '  schema: \'{{ required | format "${ipv4} - ${ipv4}" | hints "ip pool range"}}\'\n'
    )

    assert (
        validate(pack("p", values=f"manifests: {{metallb: {{pool: [{pool}]}}}}\n", schema=schema))[0] == rules
    )


DEPENDENCIES = {
    "dependencies": [
        {"packName": "vault", "layer": "addon", "minVersion": "0.6.0", "maxVersion": "", "type": "optional"},
        {
            "packName": "csi-vsphere-volume",
            "layer": "csi",
            "minVersion": "1.0.0",
            "maxVersion": "",
            "type": "notSupported",
        },
        {
            "packName": "kubernetes",
            "layer": "k8s",
            "minVersion": "1.17.0",
            "maxVersion": "1.18.6",
            "type": "required",
        },
    ]
}
KUBERNETES = ("kubernetes", "1.18.0", "k8s")


@pytest.mark.parametrize(
    ("others", "rules"),
    [
        ([], ["missing"]),
        ([KUBERNETES], []),
        ([("kubernetes", "1.19.0", "k8s")], ["version"]),
        ([KUBERNETES, ("vault", "0.5.0", "addon")], ["version"]),
        ([KUBERNETES, ("csi-vsphere-volume", "2.0.0", "csi")], ["not-supported"]),
        ([KUBERNETES, ("csi-vsphere-volume", "0.9.0", "csi"), ("vault", "0.6.0", "addon")], []),
    ],
)
def test_dependencies(others: list[tuple[str, str, str]], rules: list[str]) -> None:
    """A required pack, an optional one in a version, and one that is not supported."""
    profile = [pack("pack-constraints-test", constraints=DEPENDENCIES), *(pack(*other) for other in others)]

    assert validate(*profile)[0] == rules


def test_resources() -> None:
    """Components ask for request x replicas; a scheduleType of all asks every pool, minLimit of the disk the workers."""
    component = {"replicaCountParamRef": "replicas"}
    resources = [
        {
            "type": "cpu",
            "minLimit": 2000,
            "components": [{**component, "resourceRequestParamRef": "requests.cpu", "scheduleType": "all"}],
        },
        {
            "type": "memory",
            "minLimit": 2048,
            "components": [
                {**component, "resourceRequestParamRef": "requests.memory", "scheduleType": "worker"}
            ],
        },
        {"type": "diskSize", "minLimit": 10},
    ]
    values = "requests: {cpu: 500m, memory: 1Gi}\nreplicas: 3\n"
    pools = [
        {"name": "cp", "controlPlane": True, "size": 1, "cpu": 1, "memoryMiB": 8192, "diskGB": 60},
        {"name": "worker", "size": 2, "cpu": 2, "memoryMiB": 4096, "diskGB": 60},
    ]

    rules, results = validate(
        pack("pack-constraints-test", values=values, constraints={"resources": resources}), machinePools=pools
    )
    said = [one["message"] for one in results]

    assert rules == ["insufficient"]
    assert "the pool cp has 1000m of cpu, and the packs need 1500m" in said[0]
    assert [
        one
        for one in said
        if "the pool worker: cpu 1500m required" in one
        and "memory 3072Mi required" in one
        and "disk 10GB required" in one
    ]


PRESETS = """\
presets:
- name: privatePackRegistry
  displayName: Private Registry
  group: registry
  remove: ["registry.ingress.host"]
  add: |
    registry:
      private: true
      type: "PACK"
      host:
        ip: "127.0.0.1"
        port: 5000
- name: publicPackRegistry
  displayName: Public Registry
  group: registry
  remove: ["registry.ingress.host"]
  add: |
    registry:
      private: false
      type: "PACK"
      host:
        ip: "13.233.2.255"
        port: 80
"""
REGISTRY = "registry:\n  private: false\n  ingress:\n    host: example.com\n"


@pytest.mark.parametrize(
    ("presets", "private", "host"),
    [
        (["privatePackRegistry"], True, {"ip": "127.0.0.1", "port": 5000}),
        (["publicPackRegistry"], False, {"ip": "13.233.2.255", "port": 80}),
    ],
)
def test_presets(presets: list[str], private: bool, host: Object) -> None:
    """A preset removes its keys, and its values take their places."""
    selections = [{"pack": "registry", "presets": presets}]

    rules, _, values = run(
        "apply-presets",
        [pack("registry", values=REGISTRY, presets=PRESETS)],
        "ApplyPresets",
        {"selections": selections},
    )

    assert rules == []
    assert values["registry"] == {
        "registry": {"private": private, "ingress": {}, "type": "PACK", "host": host}
    }


def test_presets_of_one_group() -> None:
    """Only one preset of a group can be selected."""
    selections = [{"pack": "registry", "presets": ["privatePackRegistry", "publicPackRegistry"]}]

    rules, _, values = run(
        "apply-presets",
        [pack("registry", values=REGISTRY, presets=PRESETS)],
        "ApplyPresets",
        {"selections": selections},
    )

    assert rules == ["group-conflict"]
    assert values["registry"] == yaml.safe_load(REGISTRY)


@pytest.mark.parametrize(
    ("macro", "kubernetes", "value"),
    [
        ("{{ .spectro.pack.kubernetes.version }}", "version: 1.18.0\n", "1.18.0"),
        ('{{ .spectro.pack.kubernetes.version | default \\"1.19.0\\"}}', "other: 1\n", "1.19.0"),
        ("{{ .spectro.pack.kubernetes.version }}", "other: 1\n", ""),
        ("{{ .spectro.system.user.name | upper }}", "other: 1\n", "ANN"),
        ("{{.spectro.system.cloud.type }}", "other: 1\n", "aws"),
    ],
)
def test_macros(macro: str, kubernetes: str, value: str) -> None:
    """References to packs and to the system, sprig's functions, and defaults."""
    rules, _, values = run(
        "resolve-macros",
        [
            pack("kubernetes", layer="k8s", values=kubernetes),
            pack("centos", layer="os", values=f'k8s:\n  version: "{macro}"\n'),
        ],
        "ResolveMacros",
        {"system": {"user.name": "ann", "cloud.type": "aws"}},
    )

    assert rules == []
    assert values["centos"] == {"k8s": {"version": value}}


def test_system_macros() -> None:
    """All 24 system macros are known, with a value or without one; a 25th is told its nearest name."""
    assert len(SYSTEM_MACROS) == 24
    text = "".join(
        f'k{number}: "{{{{ .spectro.system.{name} }}}}"\n' for number, name in enumerate(SYSTEM_MACROS)
    )
    given = {name: f"v{number}" for number, name in enumerate(SYSTEM_MACROS)}

    for system in (given, {}):
        rules, _, values = run(
            "resolve-macros", [pack("p", values=text)], "ResolveMacros", {"system": system}
        )
        assert rules == []
        assert (values["p"]["k0"] == "v0") is bool(system)

    rules, results, _ = run(
        "resolve-macros", [pack("p", values='a: "{{ .spectro.system.cluster.nam }}"\n')], "ResolveMacros"
    )
    assert rules == ["kept"]
    assert 'did you mean ".spectro.system.cluster.name"?' in results[0]["message"]
