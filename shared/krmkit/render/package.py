"""Read a package from disk as kpt does.

A package is a folder with a Kptfile. Its files: its Kptfile and every *.yaml, *.yml and *.json below it,
hidden ones included, in the order of their paths, except files that its .krmignore excludes and files in
subpackages. Subpackages are folders with a Kptfile of their own, at any depth (no .krmignore excludes them);
a folder called .git is not searched for them. A link to a file is read, a link to a folder is not followed.
(kpt 1.0.0-beta.67, observed.) Hidden files without resources, on which kpt stops, are left out: they are
settings of other tools.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from krmkit.kpt.kptfile import Kptfile, PipelineFunction
from krmkit.kpt.krmignore import KrmIgnore
from krmkit.kpt.source import FileResource, SourceFile, first_document, package_file
from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.errors import LimitError, YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS, Limits
from krmkit.render.foreignfiles import is_hidden, not_a_resource
from krmkit.storage.disk.folders import WORK, check_depth, check_name
from krmkit.storage.disk.journal import recover, recover_above, unfinished
from krmkit.storage.disk.source import DiskFiles, FileSource

KPTFILE = "Kptfile"
IGNORE_FILE = ".krmignore"
SUFFIXES = (".yaml", ".yml", ".json")
_MOST_RUNS = 100  # unfinished runs in the folders of one package
_BYTES = 4  # bytes of the longest character in UTF-8


@dataclass(slots=True, eq=False)
class Package:
    """A package. `path`: its folder on disk. `folder`: the same relative to the root package, or "".

    `files`: its own files. `children`: its direct subpackages, in order. `left`: leftovers of killed runs.
    `notes` of the root package: writes of killed runs that were completed before reading.
    """

    path: str
    folder: str
    kptfile: Kptfile
    files: list[SourceFile] = field(default_factory=list)
    ignored: set[str] = field(default_factory=set)  # paths of existing files that are not read
    left: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    children: list[Package] = field(default_factory=list)

    @property
    def items(self) -> list[FileResource]:
        """Return the package's own resources, without those of subpackages."""
        return [item for file in self.files for item in file.items]

    @property
    def functions(self) -> list[PipelineFunction]:
        """Return all functions of the pipeline, in the order of their runs."""
        return [*self.kptfile.mutators, *self.kptfile.validators]

    def below(self) -> Iterator[Package]:
        """Yield this package and all subpackages, each before its own subpackages: the order of resources."""
        yield self
        yield from (each for child in self.children for each in child.below())

    def levels(self) -> Iterator[Package]:
        """Yield this package, its subpackages, theirs, and so on: the breadth-first order of rendering."""
        level = [self]
        while level:
            yield from level
            level = [child for package in level for child in package.children]

    def walk(self) -> Iterator[Package]:
        """Yield all packages, subpackages before their parents: the depth-first order of rendering."""
        yield from (each for child in self.children for each in child.walk())
        yield self

    @property
    def leftovers(self) -> list[str]:
        """Return the paths of killed runs' leftovers, in subpackages too, relative to the root package."""
        return [package.place(path) for package in self.walk() for path in package.left]

    def place(self, path: str) -> str:
        """Return a path of this package relative to the root package."""
        return f"{self.folder}/{path}" if self.folder else path

    def problem(self, text: str) -> str:
        """Return an error of this Kptfile, `Kptfile: line 8, column 5: ...`; `text` begins with the field."""
        return f"{self.place(KPTFILE)}: {self.kptfile.located(text)}"

    def config(self, function: PipelineFunction) -> Resource | None:
        """Return the function's config: inline, else the file's. Raises Refused."""
        if function.given is not None:
            return function.given
        if function.config_map:
            data: dict[str, object] = {"apiVersion": "v1", "kind": "ConfigMap"}
            data |= {"metadata": {"name": "function-input"}, "data": dict(function.config_map)}
            return Resource.from_data(data, "the functionConfig")
        if function.config_ref is not None:
            item = next((item for item in self.items if function.config_ref.matches(item)), None)
            if item is None:
                problem = f"{function.field}.configRef: the package has no {function.config_ref}"
                raise _unfit(self.problem(f"{problem}; subpackages are not searched"))
            return Resource(item.original, label=self.place(item.location.path))
        if not function.config_path:
            return None
        problem = f"{function.field}.configPath: "
        file = next((file for file in self.files if file.path == function.config_file), None)
        if file is None:
            from krmkit.libraries.messages.nearest import did_you_mean

            name = function.config_file
            near = did_you_mean(name, [each.path for each in self.files if each.path != KPTFILE])
            problem += f'the package has no "{name}"{near or "; a YAML file of the package itself must hold the config"}'
            raise _unfit(self.problem(problem))
        if len(file.items) != 1:
            problem += f'"{function.config_file}" must hold one resource, and holds {len(file.items)}'
            raise _unfit(self.problem(problem))
        return Resource(file.items[0].original, label=self.place(function.config_file))


LIST = "List"  # the kind of the output of `kubectl get -o yaml`, with apiVersion v1
UNFIT = "unfit-package"
UNFINISHED = "unfinished"  # a folder holds the journal of another run; the message is its path


def read(
    path: str,
    limits: Limits = DEFAULT_LIMITS,
    contained: bool = False,
    with_lists: bool = False,
    unsaved: Mapping[str, bytes] | None = None,
) -> Package:
    """Return the package at a path with all its subpackages. Raises Refused for any error in it.

    The writes of a killed run, here or in a package above, are completed first; `notes` report them.
    contained: links to files must not lead out of the package, for callers that copy files. with_lists: a
    List of kubectl is not an error, for callers that only read.
    unsaved: contents that replace those of existing files, by path in the package.
    """
    root = os.path.realpath(path)
    if not os.path.isdir(root):
        raise Refused(f"{path}: " + ("is not a folder" if os.path.exists(root) else "does not exist"))
    try:
        os.scandir(root).close()  # raises the reason where the folder cannot be read
        notes = [*recover_above(root), *recover(root)]
        if not os.path.exists(os.path.join(root, KPTFILE)):
            raise Refused(f"{path}: holds no Kptfile, so it is not a package; `krmkit init` makes one")
        package = _read_whole(DiskFiles(root, root if contained else "", unsaved), limits, notes)
        _check_whole(package, with_lists)
    except OSError as error:
        raise Refused(f"{error.filename}: {error.strerror or error}") from None
    except (Refused, YamlError) as error:
        raise _hinted(error, DiskFiles(root)) from None
    return package


def read_source(source: FileSource, limits: Limits = DEFAULT_LIMITS) -> Package:
    """Return the package of a source for commands that only read: Lists are no errors. Raises Refused."""
    try:
        package = _read(source, "", _Budget(limits, source))
        _check_whole(package, with_lists=True)
    except (Refused, YamlError) as error:
        raise _hinted(error, source) from None
    return package


def _check_whole(package: Package, with_lists: bool) -> None:
    for each in package.walk():
        for function in each.functions:
            each.config(function)
        _check(each, with_lists)


def _unfit(message: str) -> Refused:
    """Return the error about a readable package that cannot be rendered in its present state."""
    return Refused(Finding(UNFIT, message))


def _hinted(error: Refused | YamlError, source: FileSource) -> Refused:
    unfit = isinstance(error, Refused) and error.finding.rule == UNFIT
    return Refused(f"{error}{'' if unfit else _hint(source, str(error))}")


def _hint(source: FileSource, message: str) -> str:
    """Return a hint for an unreadable file that is a template; the message begins with its path."""
    path = message.partition(":")[0]
    try:
        content = source.read(path, path) if source.has(path) else b""
    except (OSError, Refused):
        return ""
    if b"{{" in (content or b""):
        return f"; this looks like a Helm template; list the file in {IGNORE_FILE}"
    if b"${" in (content or b"") and b"cluster.x-k8s.io" in (content or b""):
        return "; this looks like a clusterctl template: krmkit clusterctl generate puts values in place of its variables"
    return ""


def _read_whole(source: FileSource, limits: Limits, notes: list[str]) -> Package:
    """Read the package. After the completion of an unfinished run in one of its folders, read it again."""
    for _ in range(_MOST_RUNS):
        try:
            package = _read(source, "", _Budget(limits, source))
        except Refused as found:
            if found.finding.rule != UNFINISHED:
                raise
            notes += recover(str(found))
            continue
        package.notes = notes
        return package
    raise Refused(f"{source.folder}: other runs of krmkit keep writing to it; run again when they have ended")


@dataclass(slots=True)
class _Budget:
    """Reads the files of a package and its subpackages, and counts their sizes."""

    limits: Limits
    source: FileSource
    size: int = field(init=False, default=0)
    items: int = field(init=False, default=0)

    def take(self, text: str) -> None:
        self.size += len(text)
        if self.size > self.limits.total_size:
            raise LimitError.of("total_size", self.limits.total_size, "the size of the package in characters")

    def take_items(self, count: int) -> None:
        self.items += count
        if self.items > self.limits.items:
            raise LimitError.of("items", self.limits.items, "the number of resources in the package")


def _read(source: FileSource, folder: str, budget: _Budget) -> Package:
    name = f"{folder}/{KPTFILE}" if folder else KPTFILE
    kptfile = kptfile_of(_text(name, budget), name)
    package = Package(os.path.join(source.folder, folder) if folder else source.folder, folder, kptfile)
    _read_files(package, budget)
    package.children = [_read(source, sub, budget) for sub in sorted(_subpackages(source, folder))]
    return package


def kptfile_of(text: str, name: str) -> Kptfile:
    """Parse the text of the Kptfile `name`. Raises Refused, YamlError."""
    document = first_document(text, name)
    return Kptfile.parse(document, name, text.count("\n", 0, text.find(document)) + 1)


def _subpackages(source: FileSource, folder: str) -> Iterator[str]:
    """Yield the folders of direct subpackages below a folder."""
    check_depth(folder.count("/"), folder)
    for name in [name for name, is_folder in source.entries(folder) if is_folder and name != ".git"]:
        inner = f"{folder}/{name}" if folder else name
        if source.has(f"{inner}/{KPTFILE}"):
            yield inner
        else:
            yield from _subpackages(source, inner)


def _read_files(package: Package, budget: _Budget) -> None:
    ignore_path = package.place(IGNORE_FILE)
    rules = KrmIgnore(_text(ignore_path, budget) if budget.source.has(ignore_path) else "")
    for path, ignored in _walk(package, "", rules, budget.source):
        if ignored or not (path.endswith(SUFFIXES) or path.rpartition("/")[2] == KPTFILE):
            package.ignored.add(path)
            continue
        check_name(path, package.path)
        label = package.place(path)
        try:
            text = _text(label, budget)
            file = package_file(path, text, package.path, label, budget.limits)
            is_foreign = is_hidden(path) and any(map(not_a_resource, file.items))
        except (Refused, YamlError):
            if not is_hidden(path):
                raise
            is_foreign = True
        if is_foreign:  # settings of another tool, as .github/workflows/ci.yaml
            package.ignored.add(path)
            continue
        budget.take(text)
        budget.take_items(len(file.items))
        package.files.append(file)
    package.files.sort(key=lambda file: file.path)


def _walk(
    package: Package, folder: str, rules: KrmIgnore, source: FileSource, ignored: bool = False
) -> Iterator[tuple[str, bool]]:
    """Yield each file of a package, sorted, and whether it is ignored; subpackages are not entered."""
    check_depth(folder.count("/"), folder)
    left: list[str] = []
    listed = source.entries(package.place(folder) if folder else package.folder, left)
    for name in left:
        if name == WORK and unfinished(os.path.join(package.path, folder)):
            raise Refused(Finding(UNFINISHED, os.path.join(package.path, folder)))
        package.left.append(f"{folder}/{name}" if folder else name)
    for name, is_folder in listed:
        inner = f"{folder}/{name}" if folder else name
        out = ignored or rules.ignores(inner, is_folder)
        if not is_folder:
            yield inner, out
        elif not source.has(f"{package.place(inner)}/{KPTFILE}"):
            yield from _walk(package, inner, rules, source, out)


def _text(label: str, budget: _Budget) -> str:
    """Return the text of the file at a path; its size counts towards the limit of the package."""
    limits = budget.limits
    content = budget.source.read(label, label, limits.total_size * _BYTES)
    if content is None:
        raise LimitError.of("total_size", limits.total_size, f"the size of {label} in characters")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _unfit(
            f"{label}: line {line}: byte 0x{content[error.start]:02x} is not UTF-8; packages are UTF-8 text"
        ) from None
    if "<<<<<<< " in text:
        from krmkit.kpt.merge.policy import UNRESOLVED, unresolved_line

        line = unresolved_line(text)
        if line:
            raise _unfit(f"{label}: line {line}: {UNRESOLVED}")
    return text


def _check(package: Package, with_lists: bool) -> None:
    """Check that every item is a resource or a kustomization."""
    for item in package.items:
        if with_lists and item.kind == LIST and item.api_version == "v1":
            continue
        problem = not_a_resource(item)
        if problem and "{{" in item.original:
            raise _unfit(f"{problem}; it looks like a Helm template: list the file in {IGNORE_FILE}")
        if problem:
            raise _unfit(f"{problem}; give it one, or list the file in {IGNORE_FILE}")
