"""krmkit landscaper: import, graph, explain and reconcile."""

from __future__ import annotations

import io
import json
import re
import shutil
import tarfile
from hashlib import sha256
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.render.package import read
from krmkit.systems.landscaper.blueprint.files import Files
from krmkit.systems.landscaper.components import configmaps as carrier

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "functions" / "render-installation" / "examples"
ODD = "a: 'b'   \n\n  # kept\r\nlast line without an end"

DESCRIPTOR = """\
meta: {schemaVersion: v2}
component:
  name: example.com/shop
  version: 1.0.0
  provider: internal
  repositoryContexts: [{type: ociRegistry, baseUrl: registry.example.com}]
  sources: []
  componentReferences: []
  resources:
  - name: blueprint
    type: blueprint
    version: 1.0.0
    relation: local
    access: {type: localBlob, localReference: DIGEST, mediaType: application/vnd.gardener.landscaper.blueprint.v1+tar+gzip}
"""


def archive(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    """A tar archive."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as tar:  # type: ignore[call-overload]
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def blob(folder: Path, data: bytes) -> str:
    """Write a blob; its digest."""
    (folder / "blobs").mkdir(parents=True, exist_ok=True)
    digest = sha256(data).hexdigest()
    (folder / "blobs" / f"sha256.{digest}").write_bytes(data)
    return f"sha256:{digest}"


BLUEPRINT = {
    "blueprint.yaml": b"apiVersion: x\n",
    "sub/odd_file.txt": ODD.encode(),
    "logo.bin": b"\xff\x00\x01",
}


def component_archive(folder: Path) -> None:
    """A folder with a descriptor and its blobs."""
    digest = blob(folder, archive(BLUEPRINT))
    (folder / "component-descriptor.yaml").write_text(DESCRIPTOR.replace("DIGEST", digest))


def transport(folder: Path) -> None:
    """The same component in the common transport format."""
    layer = archive(BLUEPRINT)
    descriptor = DESCRIPTOR.replace("DIGEST", blob(folder, layer)).encode()
    packed = archive({"component-descriptor.yaml": descriptor}, "w")
    kind = "application/vnd.ocm.software.component-descriptor.v2+yaml+tar"
    config = {"componentDescriptorLayer": {"digest": blob(folder, packed), "mediaType": kind}}
    manifest = {"config": {"digest": blob(folder, json.dumps(config).encode())}, "layers": []}
    entry = {
        "repository": "component-descriptors/example.com/shop",
        "tag": "1.0.0",
        "digest": blob(folder, json.dumps(manifest).encode()),
    }
    (folder / "artifact-index.json").write_text(json.dumps({"schemaVersion": 1, "artifacts": [entry]}))


@pytest.mark.parametrize("write", [component_archive, transport])
def test_import(write: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Descriptor and blueprint become ConfigMaps, and come back byte for byte."""
    assert callable(write)
    source = tmp_path / "source"
    source.mkdir()
    write(source)

    code = main(["landscaper", "import", str(source), "--out", str(tmp_path / "package")])

    written = capsys.readouterr().out.split()
    assert (code, len(written)) == (0, 2)
    items = {item.name: item for item in read(str(tmp_path / "package")).items if item.kind == "ConfigMap"}
    contents = [carrier.content_of(item.get()) for item in items.values() if carrier.BLOB in item.annotations]  # type: ignore[arg-type]
    assert [content.all() for content in contents if isinstance(content, Files)] == [
        {"blueprint.yaml": "apiVersion: x\n", "sub/odd_file.txt": ODD, "logo.bin": b"\xff\x00\x01"}
    ]
    assert all(item.is_local_config for item in items.values())


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "there is no component-descriptor.yaml, and no artifact-index.json with a component"),
        ({"component-descriptor.yaml": b"a: ["}, "component-descriptor.yaml: error converting YAML to JSON"),
        ({"component-descriptor.yaml": b"a: b"}, 'component descriptor: meta.schemaVersion must be "v2"'),
        ({"artifact-index.json": b"{"}, "artifact-index.json: must be JSON"),
        ({"component-descriptor.yaml": b"\xff"}, "component-descriptor.yaml: 'utf-8' codec"),
        (
            {"component-descriptor.yaml": DESCRIPTOR.encode(), "blobs/DIGEST": b"no archive"},
            "example.com/shop:1.0.0/blueprint: cannot read the archive",
        ),
        (
            {"component-descriptor.yaml": DESCRIPTOR.encode(), "blobs/DIGEST": archive({"../out": b""})},
            "example.com/shop:1.0.0/blueprint: the path ../out leaves the archive",
        ),
        (
            {"component-descriptor.yaml": DESCRIPTOR.encode(), "blobs/DIGEST": archive({"a": b"b"})[:20]},
            "example.com/shop:1.0.0/blueprint: cannot read gzip data: the end is missing",
        ),
        (
            {"component-descriptor.yaml": DESCRIPTOR.encode(), "blobs/DIGEST": archive({"é" * 120: b"b"})},
            "... is too long for a key of a ConfigMap",
        ),
        ({"artifact-index.json": b'{"artifacts": [1]}'}, "artifact-index.json: artifacts must be a list of mappings"),
        ({"artifact-index.json": b'{"artifacts": []}'}, "no artifact-index.json with a component"),
    ],
    ids=["nothing", "no YAML", "no descriptor", "no JSON", "no UTF-8", "no archive", "a path that leaves", "half an archive", "a long path", "no artifacts", "an empty index"],
)  # fmt: skip
def test_unreadable(
    files: dict[str, bytes], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be read is an error that names the place, and nothing is written."""
    for path, data in files.items():
        place = tmp_path / "source" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    (tmp_path / "source").mkdir(exist_ok=True)

    code = main(["landscaper", "import", str(tmp_path / "source"), "--out", str(tmp_path / "package")])

    assert code == 1
    assert message in capsys.readouterr().err
    assert not list(tmp_path.glob("package/components/*"))


def test_docs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of docs/landscaper.md print what stands below them."""
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "landscaper.md").read_text("utf-8")
    shown = re.findall(r"```sh\nkrmkit ([^\n]*)\n```\n```text\n(.*?)```", page, re.S)

    for command, expected in shown:
        main(command.split())

        assert capsys.readouterr().out == expected

    assert len(shown) == 2


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("table", "shop/stack/web    Succeeded  1      store-address of shop/stack/store"),
        ("dot", '  "shop/stack/store" -> "shop/stack/web" [label="store-address"];'),
        ("mermaid", '  i2 -- "store-address" --> i3'),
        ("json", '      "key": "store-address"'),
    ],
)
def test_graph(form: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nested installations and what flows between them, for people and for programs."""
    code = main(["landscaper", "graph", str(EXAMPLES / "nested-three-deep"), "--format", form])

    assert code == 0
    assert line in capsys.readouterr().out.split("\n")


def test_a_graph_in_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    """It is a block that pages of markdown draw."""
    assert main(["landscaper", "graph", str(EXAMPLES / "greeter"), "-f", "markdown"]) == 0

    head, _, block = capsys.readouterr().out.partition("```mermaid\n")
    assert head.startswith("### krmkit landscaper graph\n")
    assert block.startswith("flowchart LR\n  i0[") and block.endswith("```\n")


BAD_SPEC = """apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Installation
metadata: {name: a, namespace: x}
spec: 7
"""


def test_a_spec_that_is_no_map(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both commands that look into it say so; explain names the line."""
    (tmp_path / "i.yaml").write_text(BAD_SPEC)
    monkeypatch.chdir(tmp_path)

    assert main(["landscaper", "explain", ".", "a"]) == 1
    said = "krmkit landscaper explain: i.yaml:4:1: one of ref and inline must be given\n"
    assert capsys.readouterr().err == said

    assert main(["landscaper", "reconcile", "."]) == 1
    assert capsys.readouterr().out == (
        "landscaper.gardener.cloud/v1alpha1/Installation/x/a spec: spec must be a map, got integer\n"
    )


def test_graph_with_a_cycle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Installations in a ring are drawn, and the ring is a problem."""
    (tmp_path / "Kptfile").write_text("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: ring}\n")
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.yaml").write_text(
            f"apiVersion: landscaper.gardener.cloud/v1alpha1\nkind: Installation\nmetadata: {{name: {name}}}\nspec:\n"
            f"  imports: {{data: [{{name: x, dataRef: {other}}}]}}\n  exports: {{data: [{{name: y, dataRef: {name}}}]}}\n"
        )

    code = main(["landscaper", "graph", str(tmp_path)])

    out, err = capsys.readouterr()
    assert code == 1
    assert "a -{depends_on}-> b -{depends_on}-> a" in err
    assert "b of b" in out


@pytest.mark.parametrize("recursive", [[], ["-r"]], ids=["one", "many"])
def test_a_graph_names_the_file(
    recursive: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A problem has the line of its Installation, so that it is found among many."""
    shutil.copytree(EXAMPLES / "greeter", tmp_path / "greeter")
    place = next(path for path in (tmp_path / "greeter").glob("*.yaml") if "  blueprint:" in path.read_text())
    place.write_text(place.read_text().replace("  blueprint:", "  blueprnt:"))

    code = main(["landscaper", "graph", *recursive, str(tmp_path / "greeter")])

    assert code == 1
    assert re.search(
        rf"{place.name}:[1-9][0-9]*:[0-9]+: greeter: one of ref and inline must be given",
        capsys.readouterr().err,
    )


def test_explain_through_three_scopes(capsys: pytest.CaptureFixture[str]) -> None:
    """The value goes back through mappings and scopes to the file; nothing of it is shown."""
    code = main(["landscaper", "explain", str(EXAMPLES / "nested-three-deep"), "shop/stack/store", "domain"])

    out = capsys.readouterr().out
    assert code == 0
    assert out.startswith("shop/stack/store: import domain\n")
    assert "    spec.importDataMappings.domain" in out
    assert out.splitlines()[-1].strip() == "DataObject site in site.yaml"
    assert "north.example.com" not in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["shop/stak"], 'there is no installation shop/stak; did you mean "shop/stack"?'),
        (["shop", "sit"], 'the blueprint of shop has no import sit; did you mean "site"?'),
    ],
)
def test_explain_unknown(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong path or name comes with the nearest."""
    code = main(["landscaper", "explain", str(EXAMPLES / "nested-three-deep"), *words])

    assert code == 1
    assert message in capsys.readouterr().err


def test_reconcile(capsys: pytest.CaptureFixture[str]) -> None:
    """What Landscaper would do at a time; a wrong time is an error."""
    package = str(ROOT / "functions" / "plan-reconcile" / "examples" / "schedules")

    code = main(["landscaper", "reconcile", package, "--now", "2026-05-01T09:00:00Z"])
    out = capsys.readouterr().out
    wrong = main(["landscaper", "reconcile", package, "--now", "soon"])

    assert (code, wrong) == (0, 1)
    assert "failed-now: reconcile: its schedule is due (number 1)" in out
    assert "must be a time as 2026-05-01T08:00:00Z, got soon" in capsys.readouterr().err
