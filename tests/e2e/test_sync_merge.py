"""`krmkit variants sync`: people's edits and upstream's changes of packages that functions change in place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.gitfleet import APP, KPTFILE, GitFleet, git

FUNCTION = """\
name: shop-names
kind: ShopNames
summary: Put `shop-` before names, and everything into the namespace shops.
description: For a test.
tags: [mutator]
idempotent: true
touches: all
rules: {}
runtime: {requires: []}
schema: {type: object, properties: {}}
"""
MAIN = """\
from krmkit.fn import Config, ResourceList, Results


def process(resources: ResourceList, config: Config, results: Results) -> None:
    for item in resources.items:
        if item.kind == "ConfigMap" and item.name != "kptfile.kpt.dev":
            if not item.name.startswith("shop-"):
                item.set(("metadata", "name"), "shop-" + item.name)
            item.set(("metadata", "namespace"), "shops")
"""
PACK = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: store
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  pack.json: |
    {"name": "store", "displayName": "Store", "layer": "addon", "version": "1.0.0", "cloudTypes": ["all"]}
  presets.yaml: |
    presets:
      - name: small
        displayName: Small
        group: Size
        remove: []
        add: |
          store:
            replicas: 1
  values.yaml: |
    store:
      # how many
      replicas: 3
      title: The store
      endpoint: ""
"""
PRESETS = """\
    - image: ghcr.io/krmkit/apply-presets:v1
      configMap: {store: small}
"""


@pytest.fixture
def fleet(tmp_path: Path, project: Path) -> GitFleet:
    fleet = GitFleet(tmp_path, project, names=("north", "south"))
    (tmp_path / "functions" / "shop-names").mkdir(parents=True)
    (tmp_path / "functions" / "shop-names" / "function.yaml").write_text(FUNCTION, encoding="utf-8")
    (tmp_path / "functions" / "shop-names" / "main.py").write_text(MAIN, encoding="utf-8")
    return fleet


def sync(fleet: GitFleet, *words: str, code: int = 0) -> str:
    return fleet.sync("--functions", str(fleet.root / "functions"), *words, code=code)


def draft(name: str, number: int = 1) -> str:
    return f"drafts/{name}/packagevariant-{number}"


def change(fleet: GitFleet, name: str, path: str, old: str, new: str) -> None:
    """A person's edit of a draft."""
    text = fleet.read(draft(name), f"{name}/{path}")
    assert old in text
    fleet.edit(draft(name), f"{name}/{path}", text.replace(old, new))


def follow(fleet: GitFleet, version: int, files: dict[str, str]) -> None:
    fleet.release(f"v{version}", files)
    fleet.want(revision=version)


def test_what_functions_rename_and_move(fleet: GitFleet) -> None:
    """Upstream's change of a resource arrives in the one that a function renamed, beside a person's edit."""
    kptfile = KPTFILE + "    - image: registry.example.com/shop-names:v1\n"
    follow(fleet, 2, {"Kptfile": kptfile})
    sync(fleet)
    change(fleet, "north", "app.yaml", "size: small", "size: large # by us")
    follow(fleet, 3, {"app.yaml": APP.replace('"1"', '"3"')})

    assert "conflict" not in sync(fleet)

    for name, size in (("north", "large # by us"), ("south", "small")):
        text = fleet.read(draft(name), f"{name}/app.yaml")
        assert "name: shop-app" in text and "namespace: shops" in text
        assert 'release: "3" # ours' in text and f"size: {size}" in text
    assert "0 variants changed, 2 unchanged" in sync(fleet)


def test_a_resource_that_a_person_removed(fleet: GitFleet) -> None:
    """One that a function renames stays away, too."""
    kptfile = KPTFILE + "    - image: registry.example.com/shop-names:v1\n"
    follow(fleet, 2, {"Kptfile": kptfile, "extra.yaml": APP.replace("name: app", "name: extra")})
    sync(fleet)
    git(fleet.root, "clone", "-q", "-b", draft("north"), "shops.git", "work")
    git(fleet.root / "work", "rm", "-q", "north/extra.yaml")
    git(fleet.root / "work", "commit", "-q", "-m", "no extra")
    git(fleet.root / "work", "push", "-q")
    follow(fleet, 3, {"app.yaml": APP.replace('"1"', '"3"')})

    sync(fleet)

    listed = git(fleet.shops, "ls-tree", "-r", "--name-only", draft("north"))
    assert "extra" not in listed and '"3"' in fleet.read(draft("north"), "north/app.yaml")


def test_what_a_preset_sets_is_no_edit(fleet: GitFleet) -> None:
    """Upstream's change of a value that presets override conflicts with nobody; people's edits in the same text stay."""
    follow(fleet, 2, {"Kptfile": KPTFILE + PRESETS, "store.yaml": PACK})
    sync(fleet)
    change(fleet, "north", "store.yaml", 'endpoint: ""', 'endpoint: "https://north" # ours')
    pack = PACK.replace("replicas: 3", "replicas: 4").replace("# how many", "# how many there are")
    follow(fleet, 3, {"store.yaml": pack.replace("title: The store", "title: Our store")})

    assert "conflict" not in sync(fleet)

    for name in ("north", "south"):
        text = fleet.read(draft(name), f"{name}/store.yaml")
        assert "      replicas: 1\n" in text and "title: Our store" in text and "# how many there are" in text
    assert 'endpoint: "https://north" # ours' in fleet.read(draft("north"), "north/store.yaml")


def test_an_edit_of_what_a_function_sets(fleet: GitFleet) -> None:
    """It is a conflict with the file and the line; the draft stays as the person left it, and the others go on."""
    follow(fleet, 2, {"Kptfile": KPTFILE + PRESETS, "store.yaml": PACK})
    sync(fleet)
    change(fleet, "north", "store.yaml", "\n      replicas: 1\n", "\n      replicas: 5\n")

    said = sync(fleet)

    place = re.search(r'conflict: store\.yaml:(\d+):\d+ data\."values\.yaml"\.store\.replicas: (.*)\n', said)
    assert place is not None, said
    assert place[2] == "changed by hand to 5, and the pipeline makes it 1"
    text = fleet.read(draft("north"), "north/store.yaml")
    assert "replicas: 5" in text.splitlines()[int(place[1]) - 1]
    assert "1 left alone with conflicts" in said
    sync(fleet, "--check", code=2)


def test_what_the_page_says_is_merged(fleet: GitFleet, project: Path) -> None:
    """docs/fleet.md, "What is merged": people's text stays, the package has only its own files, a loss has the page's words."""
    page = (
        (project / "docs/fleet.md").read_text("utf-8").partition("## What is merged")[2].partition("\n## ")[0]
    )
    (line,) = (one for one in page.splitlines() if one.startswith("conflict: "))
    follow(fleet, 2, {"Kptfile": KPTFILE + PRESETS, "store.yaml": PACK})
    sync(fleet)
    there = fleet.read(draft("north"), "north/store.yaml")
    endpoint = next(one for one in there.splitlines() if "endpoint:" in one)
    ours = f"{endpoint.partition(':')[0]}: 'here'  # ours\n      # was: {endpoint.strip()}"
    change(fleet, "north", "store.yaml", endpoint, ours)
    follow(fleet, 3, {"store.yaml": PACK.replace("title: The store", "title: Our store")})

    assert "conflict" not in sync(fleet)

    text = fleet.read(draft("north"), "north/store.yaml")
    assert ours in text and "title: Our store" in text and "      replicas: 1\n" in text
    names = git(fleet.shops, "ls-tree", "-r", "--name-only", draft("north")).split()
    assert {name.removeprefix("north/") for name in names} - {"package-context.yaml"} == {
        "Kptfile",
        "app.yaml",
        "store.yaml",
    }
    state = git(
        fleet.shops, "ls-tree", "--name-only", "refs/krmkit/variants/default/fleet-shops-north"
    ).split()
    assert {"0-output", "0-input", "0-base"} < {*state}
    change(fleet, "north", "store.yaml", "\n      replicas: 1\n", "\n      replicas: 5\n")
    said = sync(fleet)
    words = line.partition(" data.")[2]
    assert words in said and "1 left alone with conflicts" in said


def test_an_injected_value_that_takes_an_edit_s_place(fleet: GitFleet) -> None:
    """A value that a person published, and that an object sets from now on, is a conflict that waits for a person."""
    text = APP.replace(
        "  name: app\n", "  name: app\n  annotations:\n    kpt.dev/config-injection: optional\n"
    )
    follow(fleet, 2, {"app.yaml": text})
    sync(fleet)
    change(fleet, "north", "app.yaml", "size: small", "size: large")
    sync(fleet, "--approve", "auto")
    (fleet.root / "objects" / "app.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: given, namespace: default}\ndata: {release: '1', size: huge}\n"
    )
    fleet.want(revision=2, injectors="[{kind: ConfigMap, name: given}]")

    said = sync(fleet, "--approve", "auto")

    assert "data.size: changed by hand to 'large', and the pipeline makes it 'huge'" in said
    assert "south/v2" in fleet.branches() and draft("north", 2) in fleet.branches()


@pytest.mark.parametrize(("policy", "size"), [("upstream", "medium"), ("local", "large")])
def test_somebody_decides(fleet: GitFleet, policy: str, size: str) -> None:
    """--on-conflict takes one side's value, says so once, and the draft goes on."""
    sync(fleet)
    change(fleet, "north", "app.yaml", "size: small", "size: large")
    follow(fleet, 2, {"app.yaml": APP.replace("small", "medium").replace('"1"', '"2"')})
    assert "left a draft with conflicts alone" in sync(fleet)

    assert " data.size: changed upstream to 'medium' and locally to 'large'" in sync(
        fleet, "--on-conflict", policy
    )

    text = fleet.read(draft("north"), "north/app.yaml")
    assert f"size: {size}" in text and 'release: "2"' in text
    assert "0 variants changed, 2 unchanged, 0 failed" in sync(fleet)


def test_where_a_renamed_resource_conflicts(fleet: GitFleet) -> None:
    """A conflict in a resource that a function renamed has the line of the field, not that of the file."""
    kptfile = KPTFILE + "    - image: registry.example.com/shop-names:v1\n"
    follow(fleet, 2, {"Kptfile": kptfile})
    sync(fleet)
    change(fleet, "north", "app.yaml", "size: small", "size: large")
    follow(fleet, 3, {"app.yaml": APP.replace("size: small", "size: medium")})

    said = sync(fleet)

    lines = fleet.read(draft("north"), "north/app.yaml").splitlines()
    number = 1 + next(place for place, line in enumerate(lines) if "size:" in line)
    assert (
        f"conflict: app.yaml:{number}:3 data.size: changed upstream to 'medium' and locally to 'large'"
        in said
    )


def test_an_object_in_another_namespace(fleet: GitFleet) -> None:
    """A gate that waits for an object says where one of that name is."""
    point = APP.replace("  name: app\n", "  name: app\n  annotations: {kpt.dev/config-injection: required}\n")
    fleet.release("v2", {"app.yaml": point})
    fleet.want(revision=2, injectors="[{kind: ConfigMap, name: settings}]")
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: far}\ndata: {a: b}\n"
    (fleet.root / "objects" / "settings.yaml").write_text(text, encoding="utf-8")

    assert "waits for config.injection.ConfigMap.app (ConfigMap settings is in namespace far)" in sync(fleet)


def test_a_program_of_the_upstream(fleet: GitFleet) -> None:
    """That upstream lets a file be executed arrives beside a person's edit of another file; a person's own mode stays."""
    follow(fleet, 2, {"run.sh": "true\n", "own.sh": "true\n"})
    sync(fleet)
    git(fleet.root, "clone", "-q", "-b", draft("north"), "shops.git", "work")
    git(fleet.root / "work", "update-index", "--chmod=+x", "north/own.sh")
    git(fleet.root / "work", "commit", "-q", "-m", "a program of ours")
    git(fleet.root / "work", "push", "-q")
    (fleet.upstream / "web" / "run.sh").chmod(0o755)
    follow(fleet, 3, {"app.yaml": APP.replace('"1"', '"3"')})

    sync(fleet)

    listed = git(fleet.shops, "ls-tree", "-r", draft("north")).splitlines()
    modes = {line.rpartition("/")[2]: line[:6] for line in listed}
    assert (modes["run.sh"], modes["own.sh"], modes["app.yaml"]) == ("100755", "100755", "100644")
    assert 'release: "3"' in fleet.read(draft("north"), "north/app.yaml")


def test_a_resource_that_a_person_moved(fleet: GitFleet) -> None:
    """Into another file: it stays there, with the upstream's changes, also where a function renames it."""
    kptfile = KPTFILE + "    - image: registry.example.com/shop-names:v1\n"
    follow(fleet, 2, {"Kptfile": kptfile, "extra.yaml": APP.replace("name: app", "name: extra")})
    sync(fleet)
    git(fleet.root, "clone", "-q", "-b", draft("north"), "shops.git", "work")
    folder = fleet.root / "work" / "north"
    git(folder, "mv", "app.yaml", "server.yaml")
    server, extra = folder / "server.yaml", folder / "extra.yaml"
    server.write_text(
        f"{server.read_text(encoding='utf-8')}---\n{extra.read_text(encoding='utf-8')}", encoding="utf-8"
    )
    git(folder, "rm", "-q", "-f", "extra.yaml")
    git(folder, "commit", "-q", "-a", "-m", "one file")
    git(folder, "push", "-q")
    follow(fleet, 3, {"app.yaml": APP.replace('"1"', '"3"')})

    assert "conflict" not in sync(fleet)

    listed = git(fleet.shops, "ls-tree", "-r", "--name-only", draft("north"))
    text = fleet.read(draft("north"), "north/server.yaml")
    assert "app.yaml" not in listed and "extra.yaml" not in listed
    assert text.count("kind: ConfigMap") == 2 and 'release: "3"' in text and "# the web server" in text
    assert "0 variants changed, 2 unchanged" in sync(fleet)


def test_a_conflict_of_what_one_side_removed(fleet: GitFleet) -> None:
    """What a side has not is no value that a message could mask, also beside a secret."""
    secret = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {key: hunter2hunter2}\n"
    follow(fleet, 2, {"app.yaml": APP + secret})
    sync(fleet)
    change(fleet, "north", "app.yaml", "  size: small\n", "")
    follow(fleet, 3, {"app.yaml": APP.replace("small", "medium") + secret})

    assert "data.size: changed upstream to 'medium' and removed locally\n" in sync(fleet)


DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
        - name: web
          image: web:1
          args: [--quiet]
        - name: log
          image: log:1
"""


def test_a_conflict_in_a_list_is_named_once(fleet: GitFleet) -> None:
    """An element's field; another edit in the same list, which nobody else touched, stays."""
    follow(fleet, 2, {"web.yaml": DEPLOYMENT})
    sync(fleet)
    change(fleet, "north", "web.yaml", "image: web:1", "image: web:ours")
    change(fleet, "north", "web.yaml", "image: log:1", "image: log:ours")
    sync(fleet, "--approve", "auto")
    follow(fleet, 3, {"web.yaml": DEPLOYMENT.replace("web:1", "web:3")})

    said = sync(fleet)

    assert said.count("conflict: ") == 1, said
    place = 'spec.template.spec.containers."[web]".image'
    assert f"{place}: changed upstream to 'web:3' and locally to 'web:ours'" in said
    text = fleet.read(draft("north", 2), "north/web.yaml")
    assert "image: web:3" in text and "image: log:ours" in text


def test_a_conflict_in_a_pipeline_is_named_once(fleet: GitFleet) -> None:
    """A function without a name goes by its image, also in what is said."""
    sync(fleet)
    change(fleet, "north", "Kptfile", "tier: edge", "tier: ours")
    follow(fleet, 2, {"Kptfile": KPTFILE.replace("tier: edge", "tier: far")})

    said = sync(fleet)

    assert said.count("conflict: ") == 1, said
    assert (
        'pipeline.mutators."[ghcr.io/krmkit/set-package-context]".configMap.tier: changed upstream to' in said
    )
