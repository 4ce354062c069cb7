"""The everyday functions as transformers of the real kustomize: the same objects as `krmkit run` makes of the same files.

kustomize runs a program called `docker` here, which starts the function of this checkout in place of kpt's image. Left out are two:
apply-setters, because it lives from comments, which kustomize does not hand on, and upsert-resource: kustomize marks every config as
local, and the new resource, which is the config, with it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.orchestrate import docker_stand_in

KUBECTL = shutil.which("kubectl")

LOCAL = "config.kubernetes.io/local-config"
RESOURCES: list[dict[str, Any]] = [
    {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "web",
            "namespace": "old",
            "labels": {"app": "web"},
            "annotations": {"note": "mine", "keep": "yes"},
        },
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {
                    "containers": [
                        {
                            "name": "main",
                            "image": "nginx:1.25",
                            "envFrom": [{"configMapRef": {"name": "settings"}}],
                        }
                    ]
                },
            },
        },
    },
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "settings", "namespace": "old"},
        "data": {"host": "db.example.com", "port": "5432"},
    },
    {
        "apiVersion": "constraints.gatekeeper.sh/v1beta1",
        "kind": "K8sAllowedRepos",
        "metadata": {"name": "repos"},
        "spec": {"enforcementAction": "deny"},
    },
    {
        "apiVersion": "example.com/v1",
        "kind": "Notes",
        "metadata": {"name": "notes", "annotations": {LOCAL: "true"}},
    },
]
# What these find or write are results and comments, which kustomize does not show.
UNSEEN = ("create-setters", "list-setters")


def _data(**entries: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "data": entries}


CONFIGS: dict[str, dict[str, Any]] = {
    "set-namespace": _data(namespace="shop"),
    "set-labels": _data(team="blue"),
    "set-annotations": _data(owner="blue"),
    "set-image": _data(name="nginx", newTag="1.27"),
    "ensure-name-substring": _data(prepend="prod-"),
    "search-replace": _data(**{"by-value": "db.example.com", "put-value": "db.example.org"}),
    "delete-annotations": _data(annotationKeys="note"),
    "set-enforcement-action": _data(enforcementAction="warn"),
    "remove-local-config-resources": _data(),
    "create-setters": _data(host="db.example.com"),
    "list-setters": _data(),
    "apply-replacements": {
        "apiVersion": "fn.kpt.dev/v1alpha1",
        "kind": "ApplyReplacements",
        "replacements": [
            {
                "source": {"kind": "ConfigMap", "name": "settings", "fieldPath": "data.host"},
                "targets": [{"select": {"kind": "Deployment"}, "fieldPaths": ["metadata.annotations.note"]}],
            }
        ],
    },
    "starlark": {
        "apiVersion": "fn.kpt.dev/v1alpha1",
        "kind": "StarlarkRun",
        "source": 'for item in ctx.resource_list["items"]:\n    item["metadata"].setdefault("labels", {})["made"] = "here"\n',
    },
}


def _config(name: str) -> dict[str, Any]:
    """The config of a function, as a transformer that names kpt's image."""
    config = CONFIGS[name]
    image = f"container:\n  image: ghcr.io/kptdev/krm-functions-catalog/{name}:v0.1\n"
    return {**config, "metadata": {"name": "config", "annotations": {"config.kubernetes.io/function": image}}}


def _objects(documents: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    """Resources by kind and name, without what orchestrators write into annotations."""
    found = {}
    for document in documents:
        metadata = document["metadata"]
        kept = {key: value for key, value in metadata.get("annotations", {}).items() if "config.k" not in key}
        metadata.pop("annotations", None)
        if kept:
            metadata["annotations"] = kept
        found[document["kind"], metadata["name"]] = document
    return found


@pytest.mark.skipif(KUBECTL is None, reason="kubectl is not on PATH")
@pytest.mark.parametrize("name", sorted(CONFIGS))
def test_kustomize_makes_the_same_objects(tmp_path: Path, name: str) -> None:
    assert KUBECTL
    (tmp_path / "bin").mkdir()
    docker_stand_in(tmp_path / "bin")
    site = tmp_path / "site"
    site.mkdir()
    (site / "resources.yaml").write_text(yaml.safe_dump_all(RESOURCES))
    (site / "config.yaml").write_text(yaml.safe_dump(_config(name)))
    (site / "kustomization.yaml").write_text("resources: [resources.yaml]\ntransformers: [config.yaml]\n")
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}

    built = subprocess.run(
        [KUBECTL, "kustomize", "--enable-alpha-plugins", str(site)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert built.returncode == 0, built.stderr
    listed = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": RESOURCES,
        "functionConfig": _config(name),
    }
    ran = subprocess.run(
        [sys.executable, "-m", "krmkit", "run", name],
        input=yaml.safe_dump(listed),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    left = yaml.safe_load(ran.stdout)["items"]
    is_changed = left != RESOURCES
    # What is for tools only is no object to kustomize.
    expected = _objects([one for one in left if LOCAL not in one["metadata"].get("annotations", {})])
    assert _objects(list(yaml.safe_load_all(built.stdout))) == expected
    assert is_changed is (name not in UNSEEN)
