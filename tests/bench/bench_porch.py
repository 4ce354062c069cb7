"""Package variants: ten thousand from one set, and two hundred packages on one core and on two."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from tests.bench.timing import INTERPRETER, Command, MeasureError, Row, in_turns, row

GROUP = "Package variants"
ROOT = Path(__file__).resolve().parents[2]
TARGETS = 10_000
VARIANTS = 200
PACKS = 4
RESOURCES = 30

_KRMKIT = (
    "import sys; sys.path[:0] = [sys.argv.pop(1)]; from krmkit.cli import main; raise SystemExit(main())"
)
_SET = """\
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata:
  name: fleet
  namespace: default
spec:
  upstream:
    repo: blueprints
    package: shop
    workspaceName: v3
  targets:
  - repositorySelector:
      matchLabels:
        role: shop
    template:
      labelExprs:
      - key: region
        valueExpr: repository.labels['region']
      - key: tier
        valueExpr: "target.labels['env'] == 'prod' ? 'gold' : 'bronze'"
      - keyExpr: "'org-' + repository.labels['org']"
        value: member
      annotations:
        example.com/made-for: fleet
      annotationExprs:
      - key: example.com/owner
        valueExpr: repository.annotations['owner']
      - key: example.com/source
        valueExpr: upstream.name + '-' + repository.name
      packageContext:
        dataExprs:
        - key: site
          valueExpr: target.name
        - key: place
          valueExpr: repoDefault + '/' + packageDefault
        - key: zone
          valueExpr: "has(repository.labels.zone) ? repository.labels.zone : repository.labels.region + '-a'"
      injectors:
      - nameExpr: repository.labels['region'] + '-endpoints'
      - kind: Team
        nameExpr: "'team-' + target.labels['org']"
"""
_REPOSITORY = """\
apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata:
  name: site-{number:05d}
  namespace: default
  labels:
    role: shop
    env: {env}
    org: {org}
    region: {region}
  annotations:
    owner: team-{team}
{place}spec:
  type: git
  git:
    repo: https://git.example.com/site-{number:05d}.git
    branch: main
"""
_PLACE = """\
    internal.config.kubernetes.io/index: '0'
    internal.config.kubernetes.io/path: 'sites/site-{number:05d}.yaml'
    config.kubernetes.io/index: '0'
    config.kubernetes.io/path: 'sites/site-{number:05d}.yaml'
"""
_SERVICE = """\
# Service {number} of the shop.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: service-{number}
  labels: {{app: service-{number}}}
spec:
  replicas: 2 # at least
  selector:
    matchLabels: {{app: service-{number}}}
  template:
    metadata:
      labels: {{app: service-{number}}}
    spec:
      containers:
      - name: main
        image: registry.example.com/service-{number}:1.4.2
        ports:
        - containerPort: 8080
        resources:
          requests: {{cpu: 100m, memory: 128Mi}}
"""

_PACK = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: pack-{number}
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  pack.json: |
    {{"name": "pack-{number}", "version": "1.{number}.0", "layer": "addon"}}
  values.yaml: |
    # spectrocloud.com/enabled-presets: Size:large
    charts:
{values}
  presets.yaml: |
    presets:
    - name: large
      displayName: Large
      group: Size
      remove: [charts.part-0.debug]
      add: |
        charts:
          part-1:
            replicas: 5
"""
_VALUES = """\
      part-{number}:
        # How many there are.
        replicas: {number}
        debug: false
        image: registry.example.com/part-{number}:2.{number}.1
        resources:
          requests: {{cpu: 50m, memory: 64Mi}}"""
_PIPELINE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: shop
pipeline:
  mutators:
  - image: ghcr.io/krmkit/set-package-context
    configMap: {rendered: "yes"}
  - image: ghcr.io/krmkit/apply-presets
  validators:
  - image: ghcr.io/krmkit/validate-pack-constraints
"""


def repository(number: int, with_place: bool = True) -> str:
    return _REPOSITORY.format(
        number=number,
        env=("prod", "test")[number % 3 == 0],
        org=("hr", "it", "ops")[number % 3],
        region=f"r{number % 7}",
        team=number % 90,
        place=_PLACE.format(number=number) if with_place else "",
    )


def generation(folder: Path) -> list[Row]:
    """One process of generate-package-variants: start, reading, ten expressions for each target, writing."""
    item = "- {}".format
    texts = [item(repository(number).replace("\n", "\n  ").rstrip()) for number in range(TARGETS)]
    config = "functionConfig:\n  " + _SET.replace("\n", "\n  ").rstrip()
    text = "\n".join(
        ["apiVersion: config.kubernetes.io/v1", "kind: ResourceList", "items:", *texts, config, ""]
    )
    source, again = folder / "fleet.yaml", folder / "again.yaml"
    source.write_text(text, "utf-8")
    command = Command([INTERPRETER, str(ROOT / "functions/generate-package-variants/main.py")], source)
    output = command.output()
    if output.count("\n  kind: PackageVariant\n") != TARGETS:
        raise MeasureError(f"{TARGETS} variants were expected")
    again.write_text(output, "utf-8")
    second = Command(command.arguments, again)
    times = in_turns({"first": command.seconds, "second": second.seconds}, 3)
    each = times["first"] * 1000 / TARGETS
    peak = command.peak() / 1e6
    return [
        row(
            GROUP,
            "10,000 variants from one set, ten expressions each, per variant",
            each,
            "ms",
            0.12,
        ),
        row(
            GROUP,
            "the same once more, with all of them there already",
            times["second"] * 1000 / TARGETS,
            "ms",
        ),
        row(GROUP, "most memory of that process", peak, "MB", 400),
    ]


def fleet(folder: Path) -> list[Row]:
    """`krmkit variants render`, whole processes: 200 variants of a package with 30 resources, 4 of them packs, and 3 functions."""
    blueprint = folder / "packages/blueprints/shop/v3"
    blueprint.mkdir(parents=True)
    (blueprint / "Kptfile").write_text(_PIPELINE, "utf-8")
    values = "\n".join(_VALUES.format(number=number) for number in range(12))
    for number in range(PACKS):
        (blueprint / f"pack-{number}.yaml").write_text(_PACK.format(number=number, values=values), "utf-8")
    (blueprint / "endpoints.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: endpoints\n  annotations:\n    kpt.dev/config-injection: optional\n"
        "data:\n  db: none\n",
        "utf-8",
    )
    for number in range(RESOURCES - PACKS - 2):
        (blueprint / f"service-{number}.yaml").write_text(_SERVICE.format(number=number), "utf-8")
    objects = folder / "objects"
    objects.mkdir()
    texts = [repository(number, with_place=False) for number in range(VARIANTS)]
    (objects / "sites.yaml").write_text("---\n".join(texts), "utf-8")
    (folder / "set.yaml").write_text(_SET, "utf-8")

    def command(jobs: int) -> Command:
        words = [
            "variants",
            "render",
            str(folder / "set.yaml"),
            "--packages",
            str(folder / "packages"),
        ]
        words += ["--objects", str(objects), "--out", str(folder / f"out-{jobs}"), "--jobs", str(jobs)]
        return Command([sys.executable, "-c", _KRMKIT, str(ROOT / "shared"), *words])

    def measured(jobs: int) -> float:
        clear(folder / f"out-{jobs}")
        return command(jobs).seconds()

    times = in_turns({"one": lambda: measured(1), "two": lambda: measured(2)}, 5)
    if len(list((folder / "out-2").glob("site-*/shop/Kptfile"))) != VARIANTS:
        raise MeasureError(f"{VARIANTS} packages were expected")
    gain = times["one"] / times["two"]
    enough = len(os.sched_getaffinity(0)) >= 2
    return [
        row(GROUP, "200 packages of 30 resources rendered, on one core", times["one"], "s"),
        row(GROUP, "the same on two cores", times["two"], "s"),
        {
            **row(GROUP, "how much faster two cores are", gain, "x"),
            "goal": ">= 1.6",
            "met": gain >= 1.6 if enough else None,
        },
    ]


def clear(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def rows() -> list[Row]:
    # Thousands of files are made: use a file system in memory, if there is one, to leave out the disk's time.
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as place:
        return generation(Path(place)) + fleet(Path(place))
