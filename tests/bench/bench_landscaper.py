"""render-installation on many Installations, against a PyYAML C load and dump of what goes in and of what comes out."""

from __future__ import annotations

import tempfile
from pathlib import Path

import yaml

from krmkit.fn.testing import resource_list
from tests.bench.timing import INTERPRETER, Command, Row, in_turns, row

GROUP = "Landscaper"
ROOT = Path(__file__).resolve().parents[2]
MAIN = ROOT / "functions" / "render-installation" / "main.py"
MANY = 200

INSTALLATION = """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Installation
metadata:
  name: site-{number}
  namespace: fleet
spec:
  imports:
    data:
    - name: settings
      dataRef: settings
    targets:
    - name: cluster
      target: cluster
  importDataMappings:
    site: site-{number}
  blueprint:
    inline:
      filesystem:
        blueprint.yaml: |
          apiVersion: landscaper.gardener.cloud/v1alpha1
          kind: Blueprint
          imports:
          - name: cluster
            targetType: landscaper.gardener.cloud/kubernetes-cluster
          - name: site
            schema: {{type: string}}
          - name: settings
            schema:
              type: object
              required: [domain, ports]
              properties:
                domain: {{type: string}}
                ports: {{type: array, items: {{type: integer}}}}
          deployExecutions:
          - name: manifests
            type: GoTemplate
            file: manifests.yaml
          - name: charts
            type: GoTemplate
            file: charts.yaml
        manifests.yaml: |
          deployItems:
          - name: config
            type: landscaper.gardener.cloud/kubernetes-manifest
            target: {{import: cluster}}
            config:
              apiVersion: manifest.deployer.landscaper.gardener.cloud/v1alpha2
              kind: ProviderConfiguration
              updateStrategy: update
              manifests:
              - policy: manage
                manifest:
                  apiVersion: v1
                  kind: ConfigMap
                  metadata:
                    name: {{{{ .imports.site }}}}
                    namespace: shop
                  data:
                    host: {{{{ .imports.site }}}}.{{{{ .imports.settings.domain }}}}
                    {{{{- range $index, $port := .imports.settings.ports }}}}
                    port-{{{{ $index }}}}: {{{{ $port | int | toString | quote }}}}
                    {{{{- end }}}}
        charts.yaml: |
          deployItems:
          - name: chart
            type: landscaper.gardener.cloud/helm
            target: {{import: cluster}}
            dependsOn: [config]
            config:
              apiVersion: helm.deployer.landscaper.gardener.cloud/v1alpha1
              kind: ProviderConfiguration
              name: {{{{ .imports.site }}}}
              namespace: shop
              chart: {{ref: registry.example.com/charts/shop:1.0.0}}
              values:
                {{{{- toYaml .imports.settings | nindent 16 }}}}
"""
SETTINGS = """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: DataObject
metadata: {name: settings, namespace: fleet}
data:
  domain: north.example.com
  ports: [8080, 8443, 9000]
"""
CLUSTER = """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Target
metadata: {name: cluster, namespace: fleet}
spec:
  type: landscaper.gardener.cloud/kubernetes-cluster
  secretRef: {name: kubeconfig, key: kubeconfig}
"""
CONFIG = "apiVersion: krmkit.dev/v1alpha1\nkind: RenderInstallation\nmetadata: {name: config}\nspec: {}\n"
PYYAML = (
    "import sys, yaml\n"
    "for path in sys.argv[1:]:\n"
    "    data = yaml.load(open(path), Loader=yaml.CSafeLoader)\n"
    "    sys.stdout.write(yaml.dump(data, Dumper=yaml.CSafeDumper))\n"
)


def rows() -> list[Row]:
    """The processor time of a whole process against PyYAML's, and its memory against the bytes."""
    items = [SETTINGS, CLUSTER, *(INSTALLATION.format(number=number) for number in range(MANY))]
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder, "in.yaml"), Path(folder, "out.yaml")
        given.write_text(resource_list(items, CONFIG))
        ours = Command([INTERPRETER, "-I", "-S", str(MAIN)], given)
        ours.seconds(str(made))
        bare = [
            INTERPRETER,
            "-c",
            f"import sys; sys.path[:0] = {[str(Path(yaml.__file__).parents[1])]!r}\n{PYYAML}",
        ]
        theirs = Command([*bare, str(given), str(made)])
        times = in_turns({"ours": ours.processor_seconds, "theirs": theirs.processor_seconds}, 5)
        size = given.stat().st_size + made.stat().st_size
        single = Path(folder, "one.yaml")
        single.write_text(resource_list([*items[:2], items[2]], CONFIG))
        # The time of the interpreter and the modules does not depend on the bytes.
        whole = ours.peak()
        peak = whole - Command(ours.arguments, single).peak()
    return [
        row(
            GROUP,
            f"{MANY} installations, two executors each",
            times["ours"] / times["theirs"],
            "x PyYAML",
            1.0,
        ),
        row(GROUP, "the same in milliseconds of the processor", times["ours"] * 1000, "ms"),
        row(
            GROUP,
            "memory beyond that of one installation, for the bytes in and out",
            peak / size,
            "x bytes",
            8.0,
        ),
        row(
            GROUP,
            "memory of the whole process, with the interpreter and the modules",
            whole / size,
            "x bytes",
        ),
    ]
