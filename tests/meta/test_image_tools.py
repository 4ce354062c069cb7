"""What images are made of, as far as it shows without building one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tools.definitions import Project, definitions
from tools.images import closure, debian, install
from tools.images.build import DOCKERFILE, image_name, labels
from tools.images.engine import Engine, ImageError
from tools.images.programs import PROGRAMS
from tools.images.wheels import CATALOG, EXTRAS, extras, lock, requirements

NAMES = [definition.name for definition in definitions()]


def packages(function: str) -> list[str]:
    return [entry.partition("==")[0] for entry in requirements(function)]


@pytest.mark.parametrize("name", NAMES)
def test_only_what_a_function_needs(name: str) -> None:
    """PyYAML, and what its function.yaml asks for."""
    [wanted] = [definition.requires for definition in definitions() if definition.name == name]

    assert packages(name) == ["pyyaml", *(EXTRAS[extra][1] for extra in sorted(wanted))]


def test_catalog_needs_what_all_need() -> None:
    """The image of all functions can run each."""
    assert set(packages(CATALOG)) == {package for name in NAMES for package in packages(name)}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_has_its_locks_and_its_entry(name: str) -> None:
    """Everything that pip would install for its extras, and the file that the image starts, which the template copies."""
    extras = tomllib.loads((DOCKERFILE.parent / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    named = {re.split("[><=]", one)[0] for extra in PROGRAMS[name].locks for one in extras[extra]}
    entry = f"tools/images/{name.replace('-', '_')}.py"

    assert {"pyyaml", "google-re2", *named} <= set(packages(name))
    assert (DOCKERFILE.parent / entry).exists()
    assert f" {entry} " in DOCKERFILE.read_text("utf-8")
    assert (DOCKERFILE.parent / "docs" / PROGRAMS[name].page).exists()
    assert labels(name)["org.opencontainers.image.description"] == PROGRAMS[name].summary


def test_every_extra_is_locked() -> None:
    """Each package is locked, and needs no others, as images install it without them."""
    for file, package in EXTRAS.values():
        assert re.fullmatch(rf"{package}==\S+( +--hash=sha256:[0-9a-f]{{64}})+", lock(file)[package])
    assert list(lock("cel")) == ["cel-expr-python", "protobuf"]
    assert list(lock("image")) == ["pip"]


def test_what_writes_bills_can_read_definitions() -> None:
    """The environment of `make sbom` has all that krmkit itself needs, in the same versions."""
    assert lock("run").items() <= lock("sbom").items()


def test_unknown_function() -> None:
    """The message lists the functions."""
    with pytest.raises(ImageError, match=r'no function "apply"; there are .*apply-presets.*catalog'):
        extras("apply")


def test_template_builds_on_a_public_base() -> None:
    """The template is used as it is: its default base is one that everybody can pull, and always the same."""
    text = DOCKERFILE.read_text("utf-8")

    assert re.search(r"^ARG PYTHON_IMAGE=docker\.io/library/python:3\.11\S+@sha256:[0-9a-f]{64}$", text, re.M)
    assert "\nARG BASE_IMAGE=${PYTHON_IMAGE}\n" in text


def test_ci_installs_what_is_looked_for() -> None:
    """Each program that the images' tools and measurements look for is one that .ci/install-tools brings."""
    root = DOCKERFILE.parent
    sources = [
        *root.glob("tools/images/*.py"),
        root / "tests/bench/bench_images.py",
        root / "tests/e2e/goprograms.py",
        root / "tests/e2e/extensionserver.py",
    ]
    wanted = {
        name
        for path in sources
        for name in re.findall(r'(?:which|need)\("([a-z]+)"', path.read_text("utf-8"))
    }
    [brought] = re.findall(
        r"^for package in (.+); do$", (root / ".ci/install-tools").read_text("utf-8"), re.M
    )

    assert {"podman", "debootstrap", "busybox", "go", "openssl"} <= wanted
    assert wanted <= {name.removesuffix("-static").removeprefix("golang-") for name in brought.split()}


def test_template_copies_what_is_let_through() -> None:
    """What the template copies exists, and .dockerignore lets it through."""
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE.read_text("utf-8"), re.MULTILINE)
    let_through = (DOCKERFILE.parent / ".dockerignore").read_text("utf-8").split()

    assert copied
    for source in " ".join(copied).split():
        assert source == "tools" or any(f"{source}/".startswith(f"{one[1:]}/") for one in let_through)
        assert (DOCKERFILE.parent / source).exists()


def test_labels_are_those_of_the_definition() -> None:
    """What a registry shows of an image."""
    found = labels("apply-presets")

    assert (
        found["org.opencontainers.image.description"]
        == "Apply the presets of Palette packs to the packs' values."
    )
    assert found["org.opencontainers.image.base.name"] == image_name("base")
    assert found["dev.krmkit.function.kind"] == "ApplyPresets"


@pytest.mark.parametrize("name", ["apply-presets", CATALOG, *PROGRAMS])
def test_the_repository_is_named_where_it_is_known(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Nobody guesses an address: without a setting there is no label, not an empty one."""
    label = "org.opencontainers.image.source"
    monkeypatch.delenv("SOURCE", raising=False)
    assert Project().source == "" and label not in labels(name)
    assert label not in DOCKERFILE.read_text("utf-8")

    monkeypatch.setenv("SOURCE", "https://example.com/us/krmkit")
    assert labels(name)[label] == "https://example.com/us/krmkit"

    monkeypatch.setenv("SOURCE", "us/krmkit")
    with pytest.raises(ImageError, match="SOURCE must be the repository's address"):
        labels(name)


def program(folder: Path, name: str, code: int) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\nexit {code}\n")
    path.chmod(0o755)


def test_engine_that_does_not_answer_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client of docker without a daemon builds nothing."""
    monkeypatch.setenv("PATH", str(tmp_path))
    program(tmp_path, "docker", 1)
    program(tmp_path, "buildah", 0)

    assert Engine.find("").name == "buildah"
    with pytest.raises(ImageError, match="docker is there and does not answer"):
        Engine.find("docker")
    with pytest.raises(ImageError, match="podman is not there"):
        Engine.find("podman")
    with pytest.raises(ImageError, match="it can be docker, podman, buildah"):
        Engine.find("kaniko")


def test_parts_left_out_of_the_library(tmp_path: Path) -> None:
    """Patterns hold for paths below the library, not for names anywhere in it."""
    ignore = closure.dropped(tmp_path)

    assert ignore(str(tmp_path), ["test", "json", "turtle.py", "__pycache__", "config-3.11-x"]) == {
        "test",
        "turtle.py",
        "__pycache__",
        "config-3.11-x",
    }
    assert ignore(str(tmp_path / "asyncio"), ["test", "__pycache__"]) == {"__pycache__"}
    kept = [
        "aliases.py",
        "ascii.py",
        "cp437.py",
        "idna.py",
        "latin_1.py",
        "punycode.py",
        "utf_8.py",
        "utf_16.py",
        "utf_32.py",
    ]
    assert ignore(
        str(tmp_path / "encodings"), [*kept, "cp1252.py", "cp424.py", "koi8_r.py", "iso8859_2.py"]
    ) == {"cp1252.py", "cp424.py", "koi8_r.py", "iso8859_2.py"}
    assert ignore(str(tmp_path / "lib-dynload"), ["_sqlite3.so", "_json.so"]) == {"_sqlite3.so"}


LOAD_ALL = """
import importlib, json, pkgutil, sys, sysconfig
import krmkit

for module in pkgutil.walk_packages(krmkit.__path__, "krmkit."):
    if not module.name.startswith("krmkit.fn.contract") and not module.name.endswith("__main__"):
        importlib.import_module(module.name)
for name in sys.argv[1:]:
    importlib.import_module(name)
files = [getattr(module, "__file__", None) or "" for module in sys.modules.values()]
library = sysconfig.get_path("stdlib")
print(json.dumps([file[len(library) + 1 :] for file in files if file.startswith(library + "/") and "site-packages" not in file]))
"""


def test_no_module_that_is_needed_is_left_out(tmp_path: Path) -> None:
    """All of krmkit but its tests' helpers, and the servers' packages, load no part of the standard library that images lack."""
    packages = [
        "prometheus_client",
        "hypercorn.asyncio",
        "cel_expr_python",
        "jsonschema_rs",
        "starlark",
        "re2",
    ]
    shared = str(DOCKERFILE.parent / "shared")
    done = subprocess.run(
        [sys.executable, "-c", LOAD_ALL, *packages],
        env={"PYTHONPATH": shared},
        capture_output=True,
        text=True,
        check=True,
    )
    # Python loads a distribution's sitecustomize by itself where there is one: Debian's has one, the images need none.
    loaded = [Path(path) for path in json.loads(done.stdout) if path != "sitecustomize.py"]
    ignore = closure.dropped(tmp_path)

    left_out = {
        str(path)
        for path in loaded
        for part in [path, *path.parents][:-1]
        if ignore(str(tmp_path / part.parent), [part.name])
    }
    assert len(loaded) > 100
    assert not left_out


def test_same_times(tmp_path: Path) -> None:
    """Everything gets one time in whole seconds, and programs can be started."""
    (tmp_path / "functions").mkdir()
    for name in ("main.py", "other.py"):
        (tmp_path / "functions" / name).write_text("")
    (tmp_path / "link").symlink_to("functions")

    install.same_times(tmp_path)

    found = {path.name: path.lstat() for path in tmp_path.rglob("*")}
    assert {status.st_mtime_ns for status in found.values()} == {install.TIME * 10**9}
    assert [found[name].st_mode & 0o777 for name in ("main.py", "other.py", "functions")] == [
        0o755,
        0o644,
        0o755,
    ]


RECORDS: list[tuple[str, str]] = [
    (
        "Package: libc6\nArchitecture: amd64\nSource: glibc\nVersion: 2.36-9+deb12u14\nDescription: C\n Version: no\n",
        "pkg:deb/debian/libc6@2.36-9%2Bdeb12u14?arch=amd64&distro=debian-12&upstream=glibc",
    ),
    (
        "Package: libstdc++6\nArchitecture: amd64\nSource: gcc-12 (12.2.0-14)\nVersion: 12.2.0-14+b1\n",
        "pkg:deb/debian/libstdc%2B%2B6@12.2.0-14%2Bb1?arch=amd64&distro=debian-12&upstream=gcc-12%4012.2.0-14",
    ),
    (
        "Package: tzdata\nArchitecture: all\nVersion: 1:2026b-0\n",
        "pkg:deb/debian/tzdata@1%3A2026b-0?arch=all&distro=debian-12",
    ),
]


@pytest.mark.parametrize(("record", "purl"), RECORDS)
def test_debian_packages_as_scanners_look_for_them(tmp_path: Path, record: str, purl: str) -> None:
    """With the distribution, and the source where it is another: advisories are about sources."""
    records = tmp_path / "var/lib/dpkg/status.d"
    records.mkdir(parents=True)
    (records / "one").write_text(record, "utf-8")
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/os-release").write_text('NAME="Debian GNU/Linux"\nVERSION_ID="12"\nID=debian\n', "utf-8")

    [found] = debian.packages(tmp_path)

    assert found["purl"] == found["bom-ref"] == purl
