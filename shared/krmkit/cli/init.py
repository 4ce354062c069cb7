"""`krmkit init [DIR]`: a folder becomes a package, with the functions that fit what lies there."""

from __future__ import annotations

import argparse
import os
import re
from dataclasses import dataclass, field

from krmkit.cli.arguments import CommandParser, say
from krmkit.disk.folders import TreeError, entries, read_file
from krmkit.disk.write import FileEdit, write
from krmkit.fn.definition import GROUP_VERSION
from krmkit.krm.annotations import LOCAL_CONFIG
from krmkit.krm.errors import ListError
from krmkit.krm.kptfile import new_kptfile
from krmkit.palette.packitems import place
from krmkit.render.package import IGNORE_FILE, KPTFILE, SUFFIXES, not_a_resource
from krmkit.render.source import SourceError, SourceFile
from krmkit.yaml import emit
from krmkit.yaml.errors import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krmkit.krm.resource import Resource

EPILOG = """
Written are a Kptfile whose pipeline has the functions that fit the resources,
a config file for each of them, and a .krmignore that leaves out YAML files that
are no resources, such as Helm templates. What is there already stays; a package
without a pipeline, as `krmkit pack import` makes it, gets one.
"""
_REGISTRY = "ghcr.io/krmkit"
_LONGEST = 63  # of a name


class InitError(Exception):
    """The folder cannot become a package; the message says why."""


@dataclass(slots=True, eq=False)
class FolderContents:
    """What lies in a folder: its resources, and the files that are none, with what Helm's have in common."""

    resources: list[Resource] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    helm: bool = False


def parser() -> CommandParser:
    """The command line of `krmkit init`."""
    made = CommandParser(
        prog="krmkit init",
        description="Make a package of a folder: a Kptfile, and configs for the functions that fit\nwhat lies there.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("folder", nargs="?", default=os.curdir, metavar="DIR", help="the folder (default: .)")
    made.add_argument("--name", default="", help="the package's name (default: the folder's)")
    return made


def main(words: list[str]) -> int:
    """Run `krmkit init ...`; returns the exit code."""
    arguments = parser().parse_args(words[1:])
    try:
        changes = planned(arguments.folder, arguments.name)
        write(arguments.folder, changes, [], careful=True)
    except (InitError, TreeError, OSError) as error:
        say("init", error)
        return 1
    for change in changes:
        print(os.path.join(arguments.folder, change.path))
    return 0


def planned(folder: str, name: str = "") -> list[FileEdit]:
    """The files that make a package of a folder, or give one a pipeline that has none. Raises InitError."""
    if not os.path.isdir(folder):
        raise InitError(f"{folder}: " + ("is not a folder" if os.path.exists(folder) else "does not exist"))
    package = _existing(folder, name)
    found = look_at(folder)
    mutators, validators = fitting(found.resources)
    pipeline: dict[str, list[object]] = {}
    files: dict[str, str] = {}
    for stage, functions in (("mutators", mutators), ("validators", validators)):
        for function, kind, file, spec in functions:
            pipeline.setdefault(stage, []).append({"image": f"{_REGISTRY}/{function}", "configPath": file})
            files[file] = _config(kind, file, spec)
    changes = [
        FileEdit(path, None, text)
        for path, text in sorted(files.items())
        if not os.path.exists(os.path.join(folder, path))
    ]
    if package is None:
        said = name or os.path.basename(os.path.realpath(folder))
        changes.insert(0, FileEdit(KPTFILE, None, new_kptfile(package_name(said), pipeline)))
    elif pipeline:
        before = package.text
        package.set(("pipeline",), pipeline)
        changes.insert(0, FileEdit(KPTFILE, before, package.text))
    if found.ignored:
        changes += _ignoring(folder, found)
    return changes


def _existing(folder: str, name: str) -> Resource | None:
    """The Kptfile of a package without a pipeline, as `krmkit pack import` leaves it; None for no package.

    Raises InitError for a package whose pipeline somebody wrote, and where `name` is another name than the package's.
    """
    path = os.path.join(folder, KPTFILE)
    if not os.path.exists(path):
        return None
    content = read_file(path, KPTFILE) or b""
    try:
        items = SourceFile(KPTFILE, content.decode("utf-8"), folder, KPTFILE).items
        if len(items) != 1:
            raise InitError(f"{folder}/{KPTFILE}: must hold one Kptfile, got {len(items)} documents")
        if items[0].get("pipeline"):
            raise InitError(f"{folder}: is a package with a pipeline already; change its {KPTFILE} by hand")
        if name not in ("", items[0].name):
            raise InitError(f"{folder}: is a package with the name {items[0].name} already; leave out --name")
        return items[0]
    except (SourceError, ListError, YamlError, UnicodeDecodeError) as error:
        raise InitError(f"{folder}/{KPTFILE}: {error}") from error


def package_name(text: str) -> str:
    """A name that Kubernetes takes: `package_name("My Site_1") == "my-site-1"`."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:_LONGEST].strip("-") or "package"


def _config(kind: str, file: str, spec: dict[str, object]) -> str:
    return emit.document(
        {
            "apiVersion": GROUP_VERSION,
            "kind": kind,
            "metadata": {
                "name": file.removesuffix(".yaml"),
                "annotations": {LOCAL_CONFIG: "true"},
            },
            "spec": spec,
        }
    )


def _ignoring(folder: str, found: FolderContents) -> list[FileEdit]:
    """The .krmignore with the files that are no resources; behind what it says already."""
    content = b""
    path = os.path.join(folder, IGNORE_FILE)
    if os.path.exists(path):
        content = read_file(path, IGNORE_FILE) or b""
    before = content.decode("utf-8", "replace")
    known = set(before.splitlines())
    new = [each for each in found.ignored if each not in known]
    if not new:
        return []
    head = "# Helm templates, and other YAML that is no resource\n" if found.helm else "# no resources\n"
    text = before + ("\n" if before and not before.endswith("\n") else "")
    return [
        FileEdit(IGNORE_FILE, before if content else None, text + head + "".join(f"{each}\n" for each in new))
    ]


def look_at(folder: str) -> FolderContents:
    """Read the YAML files of a folder; packages below are left alone."""
    found = FolderContents()
    for path in _files(folder, ""):
        if not path.endswith(SUFFIXES):
            continue
        content = read_file(os.path.join(folder, path), path) or b""
        try:
            items = SourceFile(path, content.decode("utf-8"), folder, path).items
            good = not any(not_a_resource(item) for item in items)
        except (SourceError, ListError, YamlError, UnicodeDecodeError):
            good, items = False, []
        if good:
            found.resources += items
        else:
            found.ignored.append(path)
            found.helm = found.helm or b"{{" in content
    return found


def _files(folder: str, inner: str) -> Iterator[str]:
    for name, is_folder in entries(os.path.join(folder, inner)):
        path = f"{inner}/{name}" if inner else name
        if not is_folder:
            yield path
        elif name != ".git" and not os.path.exists(os.path.join(folder, path, KPTFILE)):
            yield from _files(folder, path)


def fitting(
    resources: list[Resource],
) -> tuple[list[tuple[str, str, str, dict[str, object]]], list[tuple[str, str, str, dict[str, object]]]]:
    """Mutators and validators for the resources, each as (function, kind of its config, file, spec)."""
    kinds = {resource.kind for resource in resources}
    packs = [
        resource
        for resource in resources
        if resource.kind == "Pack" or (resource.kind == "ConfigMap" and resource.string("data", "pack.json"))
    ]
    mutators: list[tuple[str, str, str, dict[str, object]]] = []
    validators: list[tuple[str, str, str, dict[str, object]]] = []
    if any(pack.string(*place(pack.kind, "presets.yaml")) for pack in packs):
        mutators.append(("apply-presets", "ApplyPresets", "presets.yaml", {"selections": []}))
    if any(".spectro." in resource.text for resource in resources):
        mutators.append(("resolve-macros", "ResolveMacros", "macros.yaml", {"onUndefined": "keep"}))
    if packs:
        spec: dict[str, object] = {"scope": "profile"}
        validators.append(("validate-pack-constraints", "ValidatePackConstraints", "constraints.yaml", spec))
    if {"Cluster", "ClusterClass"} <= kinds:
        mutators.append(("default-cluster-topology", "DefaultClusterTopology", "topology.yaml", {}))
        validators.append(
            ("validate-cluster-topology", "ValidateClusterTopology", "validate-topology.yaml", {})
        )
    if "Installation" in kinds:
        validators.append(
            ("validate-installation", "ValidateInstallation", "validate-installations.yaml", {})
        )
    return mutators, validators
