"""One small cluster profile in all its forms, written by hand."""

from __future__ import annotations

from pathlib import Path

from krmkit.krm.resource import Resource
from krmkit.render.conversion.profileexport import exported_profile
from krmkit.render.conversion.profileimport import imported_profile
from krmkit.render.package import read

# As the console writes it: compact, signs of HTML escaped, no final newline, and a field that nobody knows.
EXPORT = (
    '{"metadata":{"name":"plant","description":"","labels":{"line":"two","new":"spectro__tag"}},'
    '"spec":{"version":"1.0.0","template":{"type":"cluster","cloudType":"edge-native","packs":['
    '{"name":"edge-k3s","type":"oci","layer":"k8s","version":"1.32.4","tag":"1.32.x",'
    '"values":"# head\\ncluster:\\n  cidr: {{.spectro.var.cidr}}\\n  note: a \\u003c b\\n","later":{"a":[1,null,true]},'
    '"registry":{"metadata":{"uid":"r1","name":"Packs","kind":"oci","isPrivate":false}}},'
    '{"name":"web","type":"helm","layer":"addon","version":"2.0.0","tag":"2.0.0",'
    '"values":"charts:\\n  web:\\n    token: \'s3cret-token\'\\n    size: 3\\n",'
    '"registry":{"metadata":{"uid":"r2","name":"Charts","kind":"helm","isPrivate":false}}},'
    '{"name":"extras","type":"manifest","layer":"addon","version":"1.0.0","values":"",'
    '"manifests":[{"name":"ns","content":"kind: A\\n---\\nkind: B"}],'
    '"registry":{"metadata":{"uid":"","name":"","kind":"","isPrivate":false}}}]},'
    '"variables":[{"name":"cidr","displayName":"Pods","format":"ipv4cidr","defaultValue":"10.0.0.0/16","isHidden":false},'
    '{"name":"key","displayName":"Key","format":"string","defaultValue":"k-123","isSensitive":true}]}}'
)
YAML = """\
# by hand
metadata:
  name: plant   # ours
  labels: {line: two}
spec:
  version: "1.0"
  template:
    type: add-on
    cloudType: all
    packs:

    - {name: flow, type: oci, layer: addon, tag: 1.0.0, registry: {metadata: {uid: r1}}, values: "a: 1"}
    - name: web
      registry: {metadata: {name: Packs}}
      values: |+
        b: 2

"""
CREATE = """\
{
    "metadata": {"name": "plant", "annotations": {"description": "d"}},
    "spec": {"version": "1.0.0", "template": {"type": "add-on", "packs": [
        {"name": "web", "tag": "1.0.0", "registryUid": "r1", "uid": "u1", "values": "a: \\u00e9\\n"}
    ]}}
}
"""
READ = """\
{"metadata": {"name": "plant", "uid": "p1", "annotations": {"scope": "project"}},
 "spec": {"published": {"profileVersion": "1.0.0", "type": "add-on", "cloudType": "all", "packs": [
   {"name": "web", "tag": "1.0.0", "version": "1.0.0", "packUid": "u1", "registryUid": "r1", "values": "a: 1",
    "manifests": [{"kind": "m", "name": "ns", "uid": "m1"}]}]}}, "status": {"isPublished": true}}
"""
FLAT = """\
name: plant
type: infra
packs:
  - name: web
    type: spectro
    layer: cni
    registry: Packs
    registry_uid: r1
    version: 1.0.0
    tag: 1.0.x
    values: |-

      a: $${X}
"""
TERRAFORM = """\
# the registry is looked up
data "spectrocloud_registry" "packs" { name = "Packs" }

resource "spectrocloud_cluster_profile" "plant" {
  name    = "plant"
  version = "1.0.0" # ours
  type    = "add-on"
  tags    = ["line:two", "new"]

  pack {
    name         = "web"
    tag          = "1.0.0"
    registry_uid = data.spectrocloud_registry.packs.id
    values       = <<-EOT
      a: $${X}

      b: "2"
    EOT
  }

  pack {
    name   = "files"
    values = file("values/${var.site}.yaml")
  }
  profile_variables {
    variable {
      name = "size"
      display_name = "Size"
    }
  }
}

output "id" {
  value = spectrocloud_cluster_profile.plant.id
}
"""
TERRAFORM_JSON = """\
{"resource": {"spectrocloud_cluster_profile": {"plant": {"name": "plant", "type": "add-on", "pack": [
  {"name": "web", "tag": "1.0.0", "values": "a: 1\\n"}]}}}, "output": {"id": {"value": 1}}}
"""
SHOWN = (
    '{"format_version":"1.0","values":{"root_module":{"child_modules":[{"resources":['
    '{"type":"spectrocloud_registry","values":{"name":"Packs"}},{"address":"a","type":"spectrocloud_cluster_profile",'
    '"name":"plant","values":{"name":"plant","cloud":"all","pack":[{"name":"web","tag":"1.0.0","values":"a: 1\\n"}]}}]}]}}}\n'
)
CROSSPLANE = """\
apiVersion: cluster.palette.m.crossplane.io/v1alpha1
kind: Profile
metadata:
  name: plant
  namespace: ops
spec:
  forProvider:
    name: plant
    tags: ["line:two"]
    pack:
    - name: web
      tag: 1.0.0
      registryName: Packs
      values: |
        a: {{.spectro.var.size}}
    profileVariables:
    - variable: [{name: size, displayName: Size, format: number, defaultValue: "3"}]
  providerConfigRef: {name: default}
"""
FORMS = {
    "export.json": EXPORT,
    "export.yaml": YAML,
    "create.json": CREATE,
    "read.json": READ,
    "flat.yaml": FLAT,
    "terraform.tf": TERRAFORM,
    "main.tf.json": TERRAFORM_JSON,
    "shown.json": SHOWN,
    "crossplane.yaml": CROSSPLANE,
}


def bring(path: Path, package: Path, **flags: str) -> list[str]:
    """Import a profile; returns what is said about it."""
    said: list[str] = []
    imported_profile(str(path), str(package), said.append, **flags)
    return said


def take(package: Path, target: Path, form: str = "", **flags: str) -> list[str]:
    """Export the profile of a package; returns what is said about it."""
    said: list[str] = []
    exported_profile(read(str(package)), str(target), form, said.append, **flags)
    return said


def edit(path: Path, old: str, new: str) -> None:
    """Put a text in the place of another one, which must be there once."""
    text = path.read_text("utf-8")
    assert text.count(old) == 1, text
    path.write_text(text.replace(old, new), "utf-8")


def text_in(path: Path, file: str = "values.yaml") -> str:
    """A text that an item of a package carries."""
    return str(Resource(path.read_text("utf-8")).get("data", file))
