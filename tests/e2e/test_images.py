"""Images as they are built here: what they are, and what they do in podman, in the real kpt, and in kubectl's kustomize."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

import krmkit
from krmkit.fn.contract.expected import git
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse, parse_all
from tests.e2e.images import (
    DEFINITIONS,
    NAMES,
    as_docker,
    inspect,
    need,
    need_image,
    run_image,
    without_cel,
)
from tests.e2e.orchestrate import files_of, normalized, put
from tools.golden import examples
from tools.images.build import image_name
from tools.images.programs import PROGRAMS
from tools.images.wheels import CATALOG

pytestmark = pytest.mark.images

EMPTY = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
MEGABYTES = 60
WITH_JSONSCHEMA = 20  # more, for the functions that check JSON schemas
WITH_STARLARK = 15  # its interpreter
# Images of kpt's own catalog lie in a registry; those of this checkout take their place.
KPTS_IMAGE = re.compile(r"ghcr\.io/kptdev/krm-functions-catalog/([a-z-]+)(:\S+)?")


def _in_containers(package: Path) -> bool:
    """Whether every step of a package can run in an image of this checkout: none is a program, and no tag chooses a release of kpt's."""
    kptfile = (package / "Kptfile").read_text("utf-8")
    return "exec:" not in kptfile and not any(match[2] for match in KPTS_IMAGE.finditer(kptfile))


PACKAGES = [path for path in examples() if _in_containers(path)]


@pytest.mark.parametrize("name", NAMES)
def test_what_an_image_says_of_itself(name: str) -> None:
    """Its user, entry point and labels, the ones from function.yaml included."""
    found = inspect(need_image(name))
    config, labels = found["Config"], found["Labels"]
    assert isinstance(config, dict)
    assert isinstance(labels, dict)

    assert config["User"] == "65534:65534"
    assert config["Entrypoint"] == ["python3", "-I", "-S", "/krmkit/functions/entry.py"]
    assert labels["org.opencontainers.image.title"] == name
    assert labels["org.opencontainers.image.version"] == krmkit.__version__
    assert labels["org.opencontainers.image.licenses"] == "Apache-2.0"
    assert len(labels["org.opencontainers.image.revision"].removesuffix("-dirty")) in {7, 40}
    if name in PROGRAMS:
        assert labels["org.opencontainers.image.description"] == PROGRAMS[name].summary
    elif name != CATALOG:
        assert labels["org.opencontainers.image.description"] == DEFINITIONS[name].summary
        assert labels["dev.krmkit.function.kind"] == DEFINITIONS[name].kind


@pytest.mark.parametrize("name", [definition.name for definition in without_cel()])
def test_size_without_cel(name: str) -> None:
    """A function that evaluates no CEL comes without it, and stays small."""
    image = need_image(name)
    size = inspect(image)["Size"]
    assert isinstance(size, int)

    found = run_image(image, "-c", LIST_SITE, options=("--entrypoint=/usr/bin/python3",))

    assert found.returncode == 0, found.stderr
    assert "yaml" in found.stdout.split()
    assert "cel_expr_python" not in found.stdout
    most = MEGABYTES + WITH_JSONSCHEMA * ("jsonschema" in DEFINITIONS[name].requires)
    most += WITH_STARLARK * ("starlark" in DEFINITIONS[name].requires)
    assert size <= most * 1e6


LIST_SITE = "import os; print(*os.listdir('/krmkit/site'))"


@pytest.mark.parametrize("name", list(DEFINITIONS))
def test_bare_rights_are_enough(name: str) -> None:
    """As nobody, without network, with a root that cannot be written, without any capability: one complete list comes out."""
    done = run_image(need_image(name), stdin=EMPTY, options=("--cap-drop=all",))

    # What an empty config means differs; that a list comes back, and the exit code agrees with the results, does not.
    document = go_data(parse(done.stdout).root)
    assert isinstance(document, dict)
    assert document["kind"] == "ResourceList"
    results = document.get("results") or []
    assert isinstance(results, list)
    assert done.returncode == any(result["severity"] == "error" for result in results), done.stderr


@pytest.mark.parametrize("name", list(DEFINITIONS))
def test_starts_from_what_was_compiled(name: str) -> None:
    """The library has compiled modules only, and the function's module fits its source: the times came through the layers."""
    done = run_image(
        need_image(name),
        *("-v", "-I", "-S", "/krmkit/functions/entry.py"),
        stdin=EMPTY,
        options=("--entrypoint=/usr/bin/python3",),
    )

    assert done.stderr.count("# code object from '/krmkit/shared/") > 20
    assert done.stderr.count(" matches /krmkit/functions/") >= 1
    assert "# code object from /krmkit/" not in done.stderr  # a source that was compiled in this process


MACRO = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: krmkit.dev/v1alpha1
  kind: Pack
  metadata:
    name: cache
  spec:
    metadata: {name: cache, version: 1.0.0, layer: addon}
    values: |
      cache: '{{ regexReplaceAll "-.*" .spectro.system.cluster.name "" }}'
functionConfig:
  apiVersion: krmkit.dev/v1alpha1
  kind: ResolveMacros
  metadata: {name: macros}
  spec:
    system: {cluster.name: north-7}
"""


def test_patterns_in_macros() -> None:
    """What a function needs only for some inputs is in its image too."""
    done = run_image(need_image("resolve-macros"), stdin=MACRO)

    assert done.returncode == 0, done.stderr
    assert "cache: 'north'" in done.stdout


def test_there_is_no_shell() -> None:
    """Nothing in the image can start another program by name."""
    done = run_image(need_image("apply-presets"), "-c", "true", options=("--entrypoint=/bin/sh",))

    assert done.returncode == 127


@pytest.mark.parametrize("name", list(DEFINITIONS))
def test_catalog_holds_every_function(name: str) -> None:
    """The first argument names the function; the rest is the function's."""
    done = run_image(need_image(CATALOG), name, "--version")

    assert (done.returncode, done.stdout) == (0, f"{name} (krmkit {krmkit.__version__})\n"), done.stderr


def test_catalog_without_a_function() -> None:
    """It says what there is, and takes krmkit's own commands."""
    image = need_image(CATALOG)

    page, listed, wrong = run_image(image), run_image(image, "list"), run_image(image, "apply-preset")

    assert page.returncode == listed.returncode == 0
    assert all(name in page.stdout and name in listed.stdout for name in DEFINITIONS)
    assert wrong.returncode == 1
    assert (
        wrong.stderr
        == 'krmkit: there is no function or command "apply-preset"; did you mean "apply-presets"?\n'
    )


@pytest.mark.parametrize("name", list(DEFINITIONS))
def test_kpt_shows_the_help(name: str) -> None:
    """`kpt fn doc` gets what it asks every image for."""
    done = subprocess.run(
        [need("kpt"), "fn", "doc", "--image", need_image(name)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "KPT_FN_RUNTIME": "podman"},
    )

    assert done.returncode == 0, done.stderr
    assert DEFINITIONS[name].summary in " ".join(done.stdout.split())  # whose lines have 80 columns


def data(content: bytes) -> list[object]:
    return [go_data(document.root) for document in parse_all(content.decode())]


def _with_local_images(content: bytes) -> bytes:
    """A file with this checkout's images where it names kpt's."""
    return KPTS_IMAGE.sub(lambda match: image_name(match[1]), content.decode()).encode()


def told(results: Path) -> list[object]:
    """A file of results. kpt keeps the last newline of stderr for programs, and not for containers.

    Values are texts, as today's kpt writes them; 1.0.0-beta.56 keeps numbers and lists.
    """
    documents = data(_with_local_images(results.read_bytes()))
    for document in documents:
        assert isinstance(document, dict)
        for item in document["items"]:
            if "stderr" in item:
                item["stderr"] = item["stderr"].rstrip("\n")
            for result in item.get("results", ()):
                field = result.get("field", {})
                field.update(
                    {key: _text(field[key]) for key in ("currentValue", "proposedValue") if key in field}
                )
    return documents


def _text(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    return value if isinstance(value, str) else json.dumps(value)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: f"{path.parents[1].name}/{path.name}")
def test_example_in_kpt(tmp_path: Path, package: Path) -> None:
    """The real kpt, with the functions in containers, comes to what stands in .expected: files, results, exit code."""
    kpt = need("kpt")
    for name in DEFINITIONS:
        need_image(name)
    given = {name: text for name, text in files_of(package).items() if not name.startswith(".expected/")}
    before = {name: _with_local_images(content) for name, content in given.items()}
    rendered = put(tmp_path / "kpt" / package.name, before)
    results = tmp_path / "results"

    done = subprocess.run(
        [kpt, "fn", "render", str(rendered), "--image-pull-policy", "never", "--truncate-output=false"]
        + ["--results-dir", str(results)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "KPT_FN_RUNTIME": "podman"},
    )

    wanted = go_data(parse((package / ".expected/config.yaml").read_text("utf-8")).root)
    assert isinstance(wanted, dict)
    assert done.returncode == wanted.get("exitCode", 0), done.stderr
    assert told(results / "results.yaml") == told(package / ".expected/results.yaml")
    expected = put(tmp_path / "expected" / package.name, given)
    patch = package / ".expected/diff.patch"
    if patch.stat().st_size:
        git(tmp_path / "index.git", expected, "init", "--quiet")
        git(tmp_path / "index.git", expected, "apply", str(patch))
    if done.returncode:
        assert files_of(rendered) == before
        return
    wanted_files = {name: _with_local_images(content) for name, content in files_of(expected).items()}
    one = normalized(kpt, tmp_path / "n1", wanted_files)
    other = normalized(kpt, tmp_path / "n2", files_of(rendered))
    assert one.keys() == other.keys()
    for path, content in one.items():
        if path.rpartition("/")[2] == "Kptfile":
            # Where an entry was put before others, kpt gives it the comment and the order of keys of the one behind it.
            assert data(content) == data(other[path]), path
        else:
            assert content == other[path], path


SELECT = """\
apiVersion: krmkit.dev/v1alpha1
kind: ApplyPresets
metadata:
  name: select
  annotations:
    config.kubernetes.io/function: |
      container:
        image: {image}
spec:
  selections:
  - pack: cache
    presets: [{preset}]
"""
PACK = """\
apiVersion: krmkit.dev/v1alpha1
kind: Pack
metadata:
  name: cache
spec:
  metadata:
    name: cache
    version: 1.0.0
    layer: addon
  values: |
    cache:
      # in MiB
      size: 64
  presets: |
    presets:
    - name: large
      displayName: Large
      group: Size
      add: |
        cache:
          size: 512
"""


def kustomize(folder: Path, preset: str) -> subprocess.CompletedProcess[str]:
    """Build a kustomization whose transformer is a function in a container."""
    (folder / "kustomization.yaml").write_text("resources: [pack.yaml]\ntransformers: [select.yaml]\n")
    (folder / "pack.yaml").write_text(PACK)
    (folder / "select.yaml").write_text(SELECT.format(image=need_image("apply-presets"), preset=preset))
    programs = folder / "programs"
    programs.mkdir()
    return subprocess.run(
        [need("kubectl"), "kustomize", "--enable-alpha-plugins", str(folder)],
        capture_output=True,
        text=True,
        check=False,
        env=as_docker(programs),
    )


def test_kubectl_kustomize_with_a_container(tmp_path: Path) -> None:
    """A transformer in a container changes what kubectl builds."""
    done = kustomize(tmp_path, "large")

    assert done.returncode == 0, done.stderr
    built = go_data(parse(done.stdout).root)
    assert isinstance(built, dict)
    assert built["spec"]["values"] == "cache:\n  # in MiB\n  size: 512\n"


def test_kubectl_kustomize_shows_why_it_failed(tmp_path: Path) -> None:
    """kustomize drops results; the line on stderr is what its user sees."""
    done = kustomize(tmp_path, "larg")

    assert done.returncode != 0
    assert "apply-presets: " in done.stderr
    assert 'there is no preset "larg"; did you mean "large"?' in done.stderr
