"""A marker secret goes through every command and every format, and stands in no output.

The marker is the data of a Secret, and the value of some other field of the package: whatever quotes that field says `(secret)`.
"""

from __future__ import annotations

import io
import json
import os
import random
import re
import shutil
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from krmkit.cli import COMMANDS, main
from krmkit.fn.run import RunOptions
from krmkit.render.resolve import ProgramResolver
from krmkit.services.evaluator.worker import answered, preloaded
from krmkit.services.preview.package import PreviewPackage
from krmkit.views.formats import FORMATS
from tests.e2e.gitfleet import GitFleet, git
from tests.unit.render.conversion.profiles import FORMS as PROFILES

MARKER = "Tr0ub4dor-and-3"
ENCODED = b64encode(MARKER.encode()).decode()
SECRET = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: marked\nstringData:\n  token: {0}\ndata:\n  other: {1}\n"
# `key: value` with a plain or quoted text; names of resources and files are no secrets (setters `app` and packages of variants become
# one), and kinds decide what a resource is.
FIELD = re.compile(
    r"^(?P<head>\s*(?:- )?(?!name|app:|package:|namespace|kind|apiVersion|image|exec|configPath|config\.kubernetes)[\w./-]+: )[\w\"'][^#\n:{}\[\]]*$",
    re.M,
)
SAMPLES = int(os.environ.get("KRMKIT_SAMPLES", "3"))  # fields of each example; each is a render of its own
FIRST, OTHERS = slice(0, 1), slice(1, None)  # of these fields
SEED = os.environ.get("KRMKIT_SEED", "")  # other seeds choose other fields
# What neither reads a package nor says anything of one.
WITHOUT_PACKAGE = {"link", "new", "list", "doc", "explain", "schema", "version", "completion"}

Run = Callable[..., str]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command line in this process; return all that it said. A failure is as welcome as a success."""

    def command(*words: str, stdin: str = "") -> str:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        capfd.readouterr()
        code = main(list(words))
        said = capfd.readouterr()
        assert code in (0, 1, 2)
        return said.out + said.err

    return command


def held(said: str, *words: str) -> None:
    assert MARKER not in said and ENCODED not in said, f"{words}: {said}"


def marked_packages(project: Path, folder: Path, function: str, part: slice) -> Iterator[Path]:
    """Each example of a function with a Secret, and with the Secret's value in one field of another file, for a part of the fields."""
    chance = random.Random(function + SEED)
    for example in sorted((project / "functions" / function / "examples").iterdir()):
        places = [
            (path, match.end("head"), match.end())
            for path in sorted(example.rglob("*.yaml"))
            if ".expected" not in path.parts
            for match in FIELD.finditer(path.read_text(encoding="utf-8"))
        ]
        for number, (path, start, end) in enumerate(chance.sample(places, min(SAMPLES, len(places)))[part]):
            package = folder / f"{example.name}{number}"
            shutil.copytree(example, package, ignore=shutil.ignore_patterns(".expected"))
            text = path.read_text(encoding="utf-8")
            (package / path.relative_to(example)).write_text(
                f"{text[:start]}{MARKER}{text[end:]}", encoding="utf-8"
            )
            (package / "marked.yaml").write_text(SECRET.format(MARKER, ENCODED), encoding="utf-8")
            yield package


def package_commands(package: Path, forms: Sequence[str] = FORMATS) -> Iterator[tuple[str, ...]]:
    """Every command line that says something of a package, in these formats."""
    path = str(package)
    whole = "".join(file.read_text(encoding="utf-8", errors="replace") for file in package.rglob("*.yaml"))
    # A command of one system says nothing of a package that holds none of its objects; the first format is tried all the same.
    clusters, installations = (
        "cluster.x-k8s.io" in whole,
        "landscaper" in whole or "krmkit.dev/component" in whole,
    )
    for number, form in enumerate(forms):
        yield "render", path, "--dry-run", "--explain", "--format", form
        if installations or not number:
            yield "landscaper", "graph", path, "--format", form
            yield "landscaper", "reconcile", path, "--format", form
        if clusters or not number:
            yield "topology", "plan", path, "--against", f"{path}-before", "--format", form
    yield "render", path, "--diff"
    yield "render", "-r", path, "--diff", "--explain"
    yield "render", "-r", path, "--diff", "--format", "json"
    yield "report", path, "--format", "json"
    for form in ("table", "json", "sarif", "markdown"):
        yield "check", path, "--severity", "info", "--rendered", "--fix", "-f", form
    for number, file in enumerate(sorted(package.glob("*.yaml"))):
        yield "why", path, file.name, "--format", ("text", "json")[number % 2]
    for form in ("diff", "markdown") if clusters else ():
        yield "topology", "plan", path, "--against", f"{path}-before", "--format", form
    for form in ("dot", "mermaid") if installations else ():
        yield "landscaper", "graph", path, "--format", form
    yield "init", path


FUNCTIONS = sorted(path.parent.name for path in Path(__file__).parents[2].glob("functions/*/function.yaml"))


@pytest.mark.parametrize(
    "part",
    [pytest.param(FIRST, id="first field"), pytest.param(OTHERS, id="others", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_packages(project: Path, tmp_path: Path, run: Run, function: str, part: slice) -> None:
    """Examples with the marker in a field: render, report, why, preview, topology, landscaper, run and serve."""
    functions = preloaded()
    options = RunOptions()
    options.explain = True
    packages = list(marked_packages(project, tmp_path, function, part))
    for number, package in enumerate(packages, FUNCTIONS.index(function)):
        # Where there are enough packages they take turns, so that each command still meets each format; over all functions there are.
        enough = part == FIRST or len(packages) >= len(FORMATS)
        forms = (FORMATS[number % len(FORMATS)],) if enough else FORMATS
        shutil.copytree(package, f"{package}-before")
        for path in Path(f"{package}-before").glob("*.yaml"):
            path.write_text(path.read_text(encoding="utf-8").replace(MARKER, "before"), encoding="utf-8")
        for words in package_commands(package, forms):
            held(run(*words), *words)
        run("report", str(package), "-o", str(tmp_path / "page.html"))
        held((tmp_path / "page.html").read_text(encoding="utf-8"), "report", str(package))
        run("render", str(package), "--dry-run", "--results-dir", str(tmp_path))
        held((tmp_path / "results.yaml").read_text(encoding="utf-8"), "render --results-dir")
        held(repr(PreviewPackage(str(package), ProgramResolver(options)).state({})), "preview", str(package))
        items = "".join(
            "- " + path.read_text(encoding="utf-8").removeprefix("---\n").strip().replace("\n", "\n  ") + "\n"
            for path in sorted(package.glob("*.yaml"))
            if "\n---" not in path.read_text(encoding="utf-8")
        )
        listed = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{items}"
        for config in sorted(package.glob("*.yaml")):
            body = config.read_text(encoding="utf-8")
            if "krmkit.dev/" not in body or "\n---" in body:
                continue
            whole = listed + "functionConfig:\n  " + body.strip().replace("\n", "\n  ") + "\n"
            for form in forms:
                held(run("run", function, "--format", form, stdin=whole), "run", function, form)
            said = run("run", function, "--explain", stdin=whole)
            held(said.partition("\nresults:")[2], "run", function)
            reply = answered(functions, function, whole.encode())
            held(reply.log.decode(), "serve", function)


@pytest.mark.parametrize("form", FORMATS)
def test_conflicts(
    tmp_path: Path, project: Path, run: Run, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Secret, a copy of it and a pack's password that upstream and a person changed: sync, status, pkg diff and update."""
    pack = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: pack\ndata:\n  pack.json: |\n"
        '    {{"name":"store","layer":"addon","version":"1.0.0"}}\n  values.yaml: |\n    password: {0}\n    replicas: 1\n'
        "  schema.yaml: |\n    password:\n      schema: '{{{{ format \"${{password:/.*/}}\" }}}}'\n"
    )
    copy = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: copy\ndata:\n  token: {0}\n"

    def files(value: str, password: str) -> dict[str, str]:
        encoded = b64encode(value.encode()).decode()
        return {
            "s.yaml": SECRET.format(value, encoded), "pack.yaml": pack.format(password), "copy.yaml": copy.format(value),
        }  # fmt: skip

    names = {"a": "Correct-h0rse-1", "b": "Battery-st4ple-2", "c": "Swordf1sh-99" + "z" * 400}
    secret = [*names.values(), *(f"pack-{one}" for one in names.values())]
    secret.append("Swordf1sh-99")
    secret += [b64encode(one.encode()).decode() for one in names.values()]
    fleet = GitFleet(tmp_path, project, names=("north",))
    place = f"spec: {{git: {{repo: {fleet.upstream}}}}}"
    known = fleet.root / "objects/repositories.yaml"
    known.write_text(known.read_text(encoding="utf-8").replace("spec: {}", place), encoding="utf-8")
    fleet.release("v2", files(names["a"], f"pack-{names['a']}"))
    fleet.want(revision=2)
    fleet.run("sync")
    for path, text in files(names["b"], f"pack-{names['b']}").items():
        fleet.edit("drafts/north/packagevariant-1", f"north/{path}", text)
    git(fleet.root, "clone", "-q", "-b", "drafts/north/packagevariant-1", "shops.git", "clone")
    fleet.release("v3", files(names["c"], f"pack-{names['c']}"))
    fleet.want(revision=3)
    monkeypatch.chdir(fleet.root)

    package = f"{fleet.root}/clone/north@v3"
    commands = [
        fleet.command(name, *words)[3:] for name, *words in (("status",), ("sync", "--dry-run"), ("sync",))
    ]
    commands += [
        ["pkg", "diff", package],
        ["pkg", "update", "--dry-run", "--diff", package],
        ["pkg", "update", package],
    ]
    said = {tuple(words): run(*words, "--format", form) for words in commands}

    assert not [(words, text) for words, text in said.items() if "(secret)" not in text]
    assert not [(words, one, text) for words, text in said.items() for one in secret if one in text]


@pytest.mark.parametrize(
    "broken",
    ["  token: @{0}", "  token: [{0}", "  {0}: {{", "  token: *{0}", "  token: !<{0} x", "\ttoken: {0}"],
)
def test_a_broken_secret(tmp_path: Path, run: Run, broken: str) -> None:
    """What cannot be read is not quoted where it stands in a Secret."""
    (tmp_path / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline:\n  mutators:\n"
        "  - image: ghcr.io/krmkit/set-package-context\n    configMap: {a: b}\n"
    )
    text = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData:\n{broken.format(MARKER)}\n"
    (tmp_path / "s.yaml").write_text(text)

    for words in package_commands(tmp_path):
        held(run(*words), *words)


def test_packs_and_variants(tmp_path: Path, project: Path, run: Run) -> None:
    """Folders of packs and fleets of folders: pack show, import and export, variants render."""
    pack = tmp_path / "store"
    pack.mkdir()
    (pack / "pack.json").write_text(
        '{"name":"store","layer":"addon","version":"1.0.0","displayName":"Store"}'
    )
    (pack / "values.yaml").write_text(f"password: {MARKER}\nsite: x\n")
    (pack / "schema.yaml").write_text(
        'password:\n  schema: \'{{ format "${password:/.*/}" }}\'\nsite:\n  schema: "{{ broken"\n'
    )
    (pack / "presets.yaml").write_text(
        f"presets:\n- name: p\n  displayName: P\n  group: g\n  remove: []\n  add: |\n    password: {MARKER}\n"
    )
    for form in ("text", "json"):
        held(run("pack", "show", str(pack), "--format", form), "pack show", form)
    for form in FORMATS:
        held(
            run("pack", "import", str(pack), "--out", str(tmp_path / f"out-{form}"), "--format", form),
            "pack import",
        )
    fleet = tmp_path / "fleet"
    shutil.copytree(project / "docs/fleet", fleet)
    blueprint = next(path.parent for path in fleet.rglob("Kptfile"))
    (blueprint / "marked.yaml").write_text(SECRET.format(MARKER, ENCODED))
    for form in FORMATS:
        words = ["variants", "render", str(fleet / "fleet.yaml"), "--objects", str(fleet / "objects")]
        words += ["--packages", str(fleet), "--out", str(tmp_path / f"fleet-{form}"), "--format", form]
        held(run(*words, "--diff"), *words)


def test_profiles(tmp_path: Path, run: Run) -> None:
    """Profiles with the marker as a sensitive default, right and wrong, and where errors quote: show, check, diff, import."""
    given = json.loads(PROFILES["export.json"])
    key, layers = given["spec"]["variables"][1], given["spec"]["template"]["packs"]
    key["defaultValue"] = MARKER
    layers[1]["values"] += f"note: the token is {MARKER}\n"
    manifest = SECRET.format(MARKER, ENCODED)
    layers[2]["manifests"] = [{"name": "s", "content": manifest}]
    texts = {"old.json": json.dumps(given).replace(MARKER, "before"), "new.json": json.dumps(given)}
    for name, change in {
        "number": {"format": "number"}, "regex": {"regex": "^a$"},
        "options": {"inputType": "dropdown", "options": [{"value": f"{MARKER}x", "label": "a"}]},
    }.items():  # fmt: skip
        key |= change
        texts[f"{name}.json"] = json.dumps(given)
    layers[1]["values"] = {"password": MARKER}
    texts["values.json"] = json.dumps(given)
    texts["escape.tf"] = (
        f'resource "spectrocloud_cluster_profile" "p" {{\n  pack {{\n    values = "a: {MARKER}\\q"\n  }}\n}}\n'
    )
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    paths = [str(tmp_path / name) for name in texts]
    run("pack", "import", paths[0], "-o", str(tmp_path / "package"))
    for path in paths:
        words: list[tuple[str, ...]] = [("pack", "check", path, "-f", form) for form in FORMATS]
        words += [("pack", "show", path, "-f", form) for form in ("text", "json")]
        words += [
            ("pack", "diff", *pair, "-f", form)
            for form in ("text", "json", "markdown")
            for pair in ((paths[0], path), (path, paths[0]), (str(tmp_path / "package"), path))
        ]
        words += [
            ("pack", "import", path, "-o", str(tmp_path / "package"), *more) for more in ((), ("--force",))
        ]
        words += [("render", str(tmp_path / "package"), "--diff"), ("check", str(tmp_path / "package"))]
        for one in words:
            held(run(*one), *one)
    assert "(secret), changed" in run("pack", "diff", *paths[:2])


@pytest.mark.parametrize("form", [*FORMATS, "diff", "markdown"])
def test_what_a_plan_does_later(project: Path, tmp_path: Path, run: Run, form: str) -> None:
    """A template that cannot be edited: what the plan would do with a new one has no secrets either, nor has the plan of a tree."""
    package = tmp_path / "new"
    shutil.copytree(project / "functions/render-cluster-topology/examples/quick-start", package)
    (package / "marked.yaml").write_text(SECRET.format(MARKER, ENCODED), encoding="utf-8")
    template = package / "templates.yaml"
    text = template.read_text(encoding="utf-8")
    shutil.copytree(package, tmp_path / "old")
    assert text.count("controlPlane: true") == 1
    secret = f"controlPlane: true\n            attributes: {{key: {MARKER}}}"
    template.write_text(text.replace("controlPlane: true", secret), encoding="utf-8")

    said = run("topology", "plan", str(package), "--against", str(tmp_path / "old"), "--format", form)

    held(said)
    assert "edited in place" in said
    if form != "diff":
        held(
            run("topology", "plan", "-r", str(package), "--against", str(tmp_path / "old"), "--format", form)
        )


def test_a_broken_config_of_a_plan(project: Path, tmp_path: Path, run: Run) -> None:
    """A secret in the place of a word of the config: the error says what is right, and does not quote it."""
    package = tmp_path / "p"
    shutil.copytree(project / "functions/render-cluster-topology/examples/quick-start", package)
    (package / "marked.yaml").write_text(SECRET.format(MARKER, ENCODED), encoding="utf-8")
    (package / "c.yaml").write_text(
        "apiVersion: krmkit.dev/v1alpha1\nkind: RenderClusterTopology\nmetadata: {name: c}\n"
        f"spec: {{ownerReferences: {MARKER}}}\n",
        encoding="utf-8",
    )

    said = run("topology", "plan", str(package), "--against", str(package))

    held(said)
    assert "must be one of whenUid, always, never" in said


def test_clusters(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The marker in a Cluster, as a variable's name, in a template of clusterctl, and in what kubectl says."""
    package = tmp_path / "p"
    package.mkdir()
    (package / "Kptfile").write_text("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\n")
    (package / "marked.yaml").write_text(SECRET.format(MARKER, ENCODED))
    (package / "c.yaml").write_text(
        "apiVersion: cluster.x-k8s.io/v1beta1\nkind: ClusterClass\nmetadata: {name: q}\nspec:\n"
        "  infrastructure: {ref: {apiVersion: i.x/v1, kind: ATemplate, name: a}}\n"
        "  controlPlane: {ref: {apiVersion: i.x/v1, kind: BTemplate, name: b}}\n---\n"
        f"apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {{name: c, annotations: {{x: {MARKER}}}}}\n"
        f"spec: {{topology: {{class: q, version: v1.30.1, variables: [{{name: {MARKER}, value: 3}}]}}}}\n"
    )
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(f"#!/bin/sh\necho 'error: no token {MARKER}' >&2\nexit 1\n")
    kubectl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    template = tmp_path / "t.yaml"
    template.write_text(f"a: ${{PW:-{MARKER}\n")
    path = str(package)
    words = [["check", path, "-f", form] for form in FORMATS]
    words += [["topology", "plan", path, "--live"], ["clusterctl", "generate", str(template)]]
    words += [["clusterctl", "migrate", path, *more] for more in (["--diff"], ["--check", "-f", "json"])]
    said = [run(*one) for one in words]
    for one, text in zip(words, said, strict=True):
        held(text, *one)
    assert "(secret)" in said[0] and "variable is not defined" in said[0]
    assert "no token (secret)" in said[-4] and "${PW has no }" in said[-3] and "(secret)" in said[-2]


def test_a_secret_as_a_key(project: Path, tmp_path: Path, run: Run) -> None:
    """A value that becomes the key of what a function makes is none in the path of the field either."""
    package = tmp_path / "p"
    shutil.copytree(project / "functions/generate-package-variants/examples/fleet", package)
    (package / "marked.yaml").write_text(SECRET.format(MARKER, ENCODED), encoding="utf-8")
    shops = package / "shops.yaml"
    text = shops.read_text(encoding="utf-8")
    assert "key: site" in text
    shops.write_text(text.replace("key: site", f"key: {MARKER}"), encoding="utf-8")

    said = run("report", str(package), "--format", "json")

    held(said)
    assert "packageContext.data.(secret)" in said


@pytest.mark.parametrize("words", [("graph",), ("explain", "shop/stack"), ("reconcile",)])
def test_errors_of_landscaper(project: Path, tmp_path: Path, run: Run, words: tuple[str, ...]) -> None:
    """A component descriptor with a secret in the place of its version: the error does not quote it."""
    example = project / "functions/render-installation/examples/nested-three-deep"
    package = tmp_path / "p"
    shutil.copytree(example, package)
    (package / "marked.yaml").write_text(SECRET.format(MARKER, ENCODED), encoding="utf-8")
    changed = 0
    for path in package.rglob("*.yaml"):
        text, count = re.subn(
            "schemaVersion: .*", f"schemaVersion: {MARKER}", path.read_text(encoding="utf-8")
        )
        path.write_text(text, encoding="utf-8")
        changed += count
    assert changed

    held(run("landscaper", words[0], str(package), *words[1:]))


def test_spiff(tmp_path: Path, run: Run) -> None:
    """An error of a template does not quote the values of a stub."""
    for expression in ("secret.token + 1", 'error("%s", secret.token)', 'error("x" secret)'):
        (tmp_path / "t.yaml").write_text(f"a: (( {expression} ))\nsecret: (( merge ))\n")
        (tmp_path / "s.yaml").write_text(f"secret:\n  token: {MARKER}\n")
        held(run("spiff", "merge", str(tmp_path / "t.yaml"), str(tmp_path / "s.yaml")), "spiff")


def test_every_command_is_here() -> None:
    """A new command is tried above, or says nothing of packages."""
    tried = {
        "render",
        "check",
        "report",
        "preview",
        "why",
        "run",
        "pack",
        "pkg",
        "topology",
        "variants",
        "spiff",
        "landscaper",
        "serve",
        "init",
        "clusterctl",
    }
    assert tried | WITHOUT_PACKAGE == set(COMMANDS)
