"""Make a folder a package: a Kptfile with the fitting functions, their configs, and a .krmignore."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from krmkit import REGISTRY, TAG
from krmkit.analysis.fittingpipeline import FittingFunction, fitting
from krmkit.kpt.kptfile import STAGES, new_kptfile
from krmkit.kpt.krmignore import KrmIgnore
from krmkit.kpt.source import SourceFile
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.foreignfiles import not_a_resource
from krmkit.render.package import IGNORE_FILE, KPTFILE, SUFFIXES
from krmkit.storage.disk.folders import check_depth, entries, read_file
from krmkit.storage.disk.write import FileEdit

_LONGEST = 63  # characters of a name
_TEMPLATE = re.compile(rb"\{\{(?!-? *\.spectro\.)")  # a template's action other than a macro of Palette
_RESOURCE = re.compile(rb'^[\s{]*"?apiVersion"?\s*:', re.MULTILINE)


@dataclass(slots=True, eq=False)
class FolderContents:
    """The content of a folder: resources by file, and files without resources. `helm`: files of Helm.

    `doubtful`: the errors of files that begin like resources but count as Helm's.
    """

    files: dict[str, list[Resource]] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    helm: bool = False
    doubtful: list[str] = field(default_factory=list)

    @property
    def resources(self) -> list[Resource]:
        return [resource for resources in self.files.values() for resource in resources]


def planned(folder: str, name: str = "", rendered: bool = False) -> tuple[list[FileEdit], list[str]]:
    """Return the files that make a folder a package, or give a package its pipeline, and notes for the user.

    rendered: the pipeline renders Clusters instead of only validating them. Raises Refused.
    """
    if not os.path.isdir(folder):
        raise Refused(f"{folder}: " + ("is not a folder" if os.path.exists(folder) else "does not exist"))
    package = _existing(folder, name)
    contents = look_at(folder)
    functions, notes = fitting(contents.resources, rendered)
    pipeline: dict[str, list[object]] = {}
    changes: list[FileEdit] = []
    for function in functions:
        if not _has_config(folder, contents, function):
            changes.append(FileEdit(function.file, None, function.config()))
        entry = {"image": f"{REGISTRY}/{function.name}:{TAG}", "configPath": function.file}
        pipeline.setdefault(function.stage, []).append(entry)
    pipeline = {stage: pipeline[stage] for stage in STAGES if stage in pipeline}
    changes.sort(key=lambda change: change.path)
    if not functions and not notes:
        notes.append(_nothing_fits(contents))
    if package is None:
        said = name or os.path.basename(os.path.realpath(folder))
        changes.insert(0, FileEdit(KPTFILE, None, new_kptfile(package_name(said), pipeline)))
    elif pipeline:
        before = package.text
        package.set(("pipeline",), pipeline)
        changes.insert(0, FileEdit(KPTFILE, before, package.text))
    if contents.ignored:
        changes += _ignoring(folder, contents)
    if contents.doubtful:
        count = len(contents.doubtful)
        what = "a Helm template" if count == 1 else f"{count} Helm templates"
        more = f" (and {count - 1} more)" if count > 1 else ""
        notes.append(
            f"{IGNORE_FILE} lists {what}; a resource among them has to be repaired and taken out of it: {contents.doubtful[0]}{more}"
        )
    return changes, notes


def _has_config(folder: str, found: FolderContents, function: FittingFunction) -> bool:
    """Return whether the folder has this function's config; if not, set `function.file` to a free name."""
    names = [function.file, f"{function.name}.yaml", *(f"{function.name}-{n}.yaml" for n in range(2, 100))]
    for name in names:
        if any(resource.kind == function.kind for resource in found.files.get(name, [])):
            function.file = name
            return True
        if not os.path.lexists(os.path.join(folder, name)):
            function.file = name
            return False
    raise Refused(f"{folder}: {function.file} and all of {function.name}-*.yaml are there already")


def _nothing_fits(found: FolderContents) -> str:
    packs = [os.path.dirname(path) or os.curdir for path in found.ignored if path.endswith("pack.json")]
    if packs:
        return (
            f"{packs[0]} is a pack, and not a resource yet; krmkit pack import PACK... -o PKG brings packs into a"
            " package, and krmkit init PKG then gives it a pipeline"
        )
    what = (
        f"{len(found.resources)} resource{'s' * (len(found.resources) != 1)}"
        if found.resources
        else "this folder, which has no resources"
    )
    return f"no function fits {what}, so the package has no pipeline; krmkit list shows the functions"


def _existing(folder: str, name: str) -> Resource | None:
    """Return the Kptfile of a package without a pipeline, as `krmkit pack import` leaves it, or None.

    Raises Refused for a package with a pipeline, and for a `name` other than the package's.
    """
    path = os.path.join(folder, KPTFILE)
    if not os.path.exists(path):
        return None
    content = read_file(path, KPTFILE) or b""
    try:
        items = SourceFile(KPTFILE, content.decode("utf-8"), folder, KPTFILE).items
        named = [(item.name, item.get("pipeline")) for item in items]
    except (Refused, YamlError, UnicodeDecodeError) as error:
        raise Refused(f"{folder}/{KPTFILE}: {error}") from error
    if len(named) != 1:
        raise Refused(f"{folder}/{KPTFILE}: must hold one Kptfile, got {len(items)} documents")
    known, pipeline = named[0]
    if pipeline:
        raise Refused(f"{folder}: is a package with a pipeline already; change its {KPTFILE} by hand")
    if name not in ("", known):
        raise Refused(f"{folder}: is a package with the name {known} already; leave out --name")
    return items[0]


def package_name(text: str) -> str:
    """Return a valid Kubernetes name: `package_name("My Site_1") == "my-site-1"`."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:_LONGEST].strip("-") or "package"


def _ignoring(folder: str, found: FolderContents) -> list[FileEdit]:
    """Return the .krmignore with the files that are not resources appended. Raises Refused."""
    path = os.path.join(folder, IGNORE_FILE)
    content = read_file(path, IGNORE_FILE) if os.path.exists(path) else None
    try:
        before = (content or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"{folder}/{IGNORE_FILE} must be UTF-8; byte {error.start} is not") from None
    known = set(before.splitlines())
    new = [each for each in map(_pattern, found.ignored) if each not in known]
    if not new:
        return []
    head = "# Helm templates, and other YAML that is not a resource\n" if found.helm else "# no resources\n"
    text = before + ("\n" if before and not before.endswith("\n") else "")
    return [
        FileEdit(
            IGNORE_FILE,
            None if content is None else before,
            text + head + "".join(f"{each}\n" for each in new),
        )
    ]


def _pattern(path: str) -> str:
    r"""Return the .krmignore line for exactly this path: `_pattern("a*.yaml") == "/a\\*.yaml"`."""
    if "\n" in path:
        raise Refused(f"{path!r} must have no line break in its name to be listed in .krmignore; rename it")
    if any(sign in path for sign in "*?["):  # without these, a backslash is part of the name
        path = re.sub(r"[*?\[\\]", r"\\\g<0>", path)
    return f"/{path}"


def look_at(folder: str) -> FolderContents:
    """Read the YAML files of a folder, except for those in its .krmignore and in packages below.

    Raises Refused for a broken resource: the user has to repair it, and .krmignore must not hide it.
    """
    contents = FolderContents()
    for path in _files(folder, "", _rules(folder)):
        if not path.endswith(SUFFIXES):
            continue
        content = read_file(os.path.join(folder, path), path) or b""
        try:
            items = SourceFile(path, content.decode("utf-8"), folder, path).items
            good = not any(not_a_resource(item) for item in items)
            for item in items:
                # A template may begin like a resource; parsing all of it shows that it is not one.
                _ = item.root
        except (Refused, YamlError, UnicodeDecodeError) as error:
            if _RESOURCE.search(content):
                where = "" if path in str(error) else f"{path}: "
                if not _TEMPLATE.search(content):
                    raise Refused(
                        f"{folder}: {where}{error}; repair it, or list it in {IGNORE_FILE}"
                    ) from None
                contents.doubtful.append(f"{where}{error}")
            good, items = False, []
        if good:
            contents.files[path] = list(items)
        else:
            contents.ignored.append(path)
            contents.helm = contents.helm or b"{{" in content
    return contents


def _rules(folder: str) -> KrmIgnore:
    path = os.path.join(folder, IGNORE_FILE)
    content = read_file(path, IGNORE_FILE) if os.path.exists(path) else b""
    return KrmIgnore((content or b"").decode("utf-8", "replace"))


def _files(folder: str, inner: str, rules: KrmIgnore) -> Iterator[str]:
    check_depth(inner.count("/"), inner)
    for name, is_folder in entries(os.path.join(folder, inner)):
        path = f"{inner}/{name}" if inner else name
        if rules.ignores(path, is_folder):
            continue
        if not is_folder:
            yield path
        elif name != ".git" and not os.path.exists(os.path.join(folder, path, KPTFILE)):
            yield from _files(folder, path, rules)
