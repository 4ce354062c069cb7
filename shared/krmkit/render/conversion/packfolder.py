"""Pack folders and the ConfigMaps that carry them.

A pack folder holds a pack.json. Its texts become data of a ConfigMap: literal blocks if a block can hold
every byte, else text in double quotes. Each is read back before writing, so a text that YAML cannot hold is
an error and never a changed byte.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from krmkit.kpt.kptfile import new_kptfile
from krmkit.kpt.merge.policy import STOP, UNRESOLVED, unresolved_line
from krmkit.kpt.source import FileResource, SourceFile
from krmkit.krm import annotations as names
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Scalar
from krmkit.render.conversion.packfiles import TEXTS, pack_files, pack_of, regular_files, texts_of
from krmkit.render.conversion.packmerge import (
    FORCE,
    RECORDS,
    PackMerge,
    PackRecord,
    digest_of_file,
    with_presets,
)
from krmkit.render.package import IGNORE_FILE, KPTFILE, SUFFIXES
from krmkit.storage.disk.folders import files, read_file
from krmkit.storage.disk.write import FileEdit, FolderCopy, Writer
from krmkit.systems.palette.errors import PackError
from krmkit.systems.palette.packs.items import FILES, FOLDER, PACK_FILE, Carrier, is_pack
from krmkit.systems.palette.packs.lines import FileLines
from krmkit.systems.palette.packs.pack import Pack
from krmkit.systems.palette.profiles.items import LAYER, in_train

_NAME_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-.")
_LONGEST_NAME = 253


def imported(
    folders: list[str],
    out: str,
    say: Callable[[str], object] = bool,
    step: Callable[[str], object] = bool,
    policy: str = STOP,
    keep_old: bool = False,
) -> list[str]:
    """Bring pack folders into the package `out`; return the paths of the ConfigMaps. Raises Refused.

    A pack that is there is merged: edits of the package stay, and `policy` (as in PackMerge) decides about
    conflicts. An older version of the pack gives way, unless `keep_old`. `say` gets a sentence for each
    killed run that was completed first, and for each conflict; `step` the progress.
    """
    # The lock covers reading and writing .krmignore, so that two imports at once lose no line.
    with Writer(out) as writer:
        for note in writer.notes:
            say(note)
        run = _Import(out, writer.root, PackMerge(policy), keep_old)
        for number, given in enumerate(folders, 1):
            step(f"pack {number} of {len(folders)}")
            run.add(given)
        changes = run.finish()
        for conflict in run.merge.conflicts:
            say(f"{conflict.place}: {conflict.message}")
        step("writing")
        writer.put(changes, prune=sorted(run.emptied, reverse=True))
    return [os.path.join(out, path) for path in run.paths]


@dataclass(slots=True)
class _Import:
    """One import: what it writes, and the merge of the packs that are there."""

    out: str
    root: str
    merge: PackMerge
    keep_old: bool
    paths: list[str] = field(default_factory=list)
    emptied: set[str] = field(default_factory=set)  # folders that go where no file is left in them
    _present: dict[str, FileResource] = field(init=False)
    _changes: list[FileEdit | FolderCopy] = field(default_factory=list)
    _ignored: list[str] = field(default_factory=list)
    _stale: list[str] = field(default_factory=list)  # lines of .krmignore that lose their folder
    _seen: dict[str, str] = field(default_factory=dict)  # folders by the names of their items
    _moved: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    _sides: dict[str, list[tuple[str | None, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._present = {item.name: item for item in carriers(self.root)}

    def add(self, given: str) -> None:
        folder = os.path.realpath(given)
        texts, others = pack_files(folder, given)
        name = item_name(os.path.basename(folder))
        if name in self._seen:
            raise Refused(
                f"{given} and {self._seen[name]} would both become {name}.yaml; import one of them elsewhere"
            )
        self._seen[name] = given
        if (self.root + "/").startswith(folder + "/"):
            raise Refused(f"the package {self.out} lies in the pack folder {given}")
        inside = os.path.relpath(folder, self.root) if folder.startswith(self.root + "/") else ""
        old = self._replaced(name, given, texts)
        was = old.name if old is not None else name
        record = PackRecord.read(self.root, was) if old is not None else None
        copied = [] if inside else others
        if inside:
            self._ignored.append(f"/{inside}/")
        elif others:
            self._ignored.append(f"/{name}/")
        new = PackRecord.of(texts, folder, copied)
        self._changes += [new.edit(name), *self._copies(name, was, folder, record, new)]
        kept = inside or os.path.basename(folder)
        if old is None:
            path = f"{name}.yaml"
            refuse_strangers(os.path.join(self.root, path), name)
            self._changes.append(FileEdit(path, None, config_map(name, kept, texts, given)))
        else:
            path = old.location.path
            if was != name:
                self._changes.append(FileEdit(f"{RECORDS}/{was}", "", None))
                if path == f"{was}.yaml":
                    path = f"{name}.yaml"
                    refuse_strangers(os.path.join(self.root, path), name)
            self._moved[was] = name, path, kept
            self._add_sides(old, record, texts, given, kept if was == name else "")
        self.paths.append(path)

    def _replaced(self, name: str, given: str, texts: dict[str, str]) -> FileResource | None:
        """Return the item that a pack replaces: that of its name, else another version of the same pack."""
        if name in self._present:
            return self._present[name]
        if self.keep_old:
            return None
        new = pack_of(texts)
        older = []
        for item in self._present.values():
            with suppress(PackError):  # of an item that is no pack, the check of the package tells
                pack = Carrier.of(item, FileLines()).pack
                if item.name not in self._seen and new.is_version_of(pack, LAYER in item.annotations):
                    older.append(item)
        if len(older) > 1:
            names_of = ", ".join(item.name for item in older)
            raise Refused(
                f"{given}: the package holds {new.name} more than once ({names_of}); --keep-old puts this one beside them"
            )
        return older[0] if older else None

    def _add_sides(
        self, old: FileResource, record: PackRecord | None, texts: dict[str, str], given: str, kept: str
    ) -> None:
        """Prepare the merge of an item; its name and folder are those of the package in all versions."""
        mine = dict(texts_of(old))
        before = record.texts if record is not None else None
        if before is None and FILES[-1] in mine:
            before = {**mine, FILES[0]: mine[FILES[-1]]}
        values = mine.get(FILES[0], "")
        folder = old.annotations.get(FOLDER) or kept or old.name
        chosen = texts if self.merge.policy == FORCE else with_presets(texts, values)
        theirs = config_map(old.name, folder, chosen, given)
        if before is None and LAYER in old.annotations and self.merge.policy != FORCE:
            _refuse_without_defaults(pack_of(mine), pack_of(texts), given)
            shipped = {PACK_FILE: mine[PACK_FILE], FILES[0]: chosen.get(FILES[0], "")}
            base = config_map(old.name, folder, shipped, given)
        else:
            base = config_map(old.name, folder, with_presets(before, values), given) if before else ""
        if not base and mine == texts:
            base = theirs
        self._sides.setdefault(old.location.path, []).append((base or None, theirs))

    def _copies(
        self, name: str, was: str, folder: str, record: PackRecord | None, new: PackRecord
    ) -> list[FileEdit | FolderCopy]:
        """Return the edits to the pack's other files: keep edited ones, remove those the import lacks."""
        here = os.path.join(self.root, was)
        known = record.files if record is not None else {}
        own = regular_files(here, was) if known and os.path.isdir(here) else []
        taken: list[str] = []
        changes: list[FileEdit | FolderCopy] = []
        for path in sorted({*own, *new.files, *known}):
            mine = os.path.join(here, path)
            digests = known.get(path, ""), new.files.get(path, ""), digest_of_file(mine)
            takes = (path in known or path in new.files) and self.merge.takes(f"{was}/{path}", *digests)
            if takes and digests[1]:
                taken.append(path)
            elif digests[2] and not takes and was != name:
                changes.append(FileEdit(f"{name}/{path}", None, "", mine))
            if digests[2] and (was != name or (takes and not digests[1])):
                changes.append(FileEdit(f"{was}/{path}", "", None))
        if was != name and own:
            self._stale.append(f"/{was}/")
            self.emptied |= {os.path.dirname(os.path.join(was, path)) for path in own} | {was}
        return [*([FolderCopy(name, folder, taken)] if taken else []), *changes]

    def finish(self) -> list[FileEdit | FolderCopy]:
        """Return all changes of the import, with what the merge made. Raises Refused."""
        ours: dict[str, str] = {}
        for path, sides in self._sides.items():
            ours[path] = (read_file(os.path.join(self.root, path), path) or b"").decode("utf-8")
            bases = [base for base, _ in sides if base is not None]
            base = "---\n".join(bases) if len(bases) == len(sides) else None
            self.merge.add(path, base, "---\n".join(theirs for _, theirs in sides), ours[path].encode())
        for path, content in self.merge.files().items():
            self._changes += self._renamed(path, content.decode("utf-8"), ours[path])
        return [*self._changes, *package_files(self.root, self._ignored, self._stale)]

    def _renamed(self, path: str, text: str, before: str) -> list[FileEdit]:
        """Return a merged file in which older versions' items have the names of the newer ones."""
        file = SourceFile(path, text, "", path)
        target = path
        for item in file.items:
            name, place, folder = self._moved.get(item.name, (item.name, path, ""))
            if name != item.name and is_pack(item):
                target = place
                item.set(("metadata", "annotations", FOLDER), folder)
                item.set(("metadata", "name"), name)
        edits = [FileEdit(target, None, file.joined(file.items), like=os.path.join(self.root, path))]
        return edits if target == path else [*edits, FileEdit(path, before, None)]


def item_name(folder: str) -> str:
    """Return a valid Kubernetes name close to the folder's."""
    name = "".join(sign if sign in _NAME_SIGNS else "-" for sign in folder.lower())
    return name.strip("-.")[:_LONGEST_NAME].rstrip("-.") or "pack"


def config_map(name: str, folder: str, texts: dict[str, str], label: str) -> str:
    """Return the ConfigMap that carries a pack. Raises Refused if YAML cannot hold a text."""
    return local_config(name, {FOLDER: folder}, {file: texts[file] for file in TEXTS if file in texts}, label)


def local_config(name: str, annotations: dict[str, str], texts: dict[str, str], label: str) -> str:
    """Return a ConfigMap that no cluster gets. Raises Refused if YAML cannot hold a text."""
    lines = ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n"]
    lines.append(f'  name: {emit.scalar(name, 2)}\n  annotations:\n    {names.LOCAL_CONFIG}: "true"\n')
    lines += [f"    {key}: {emit.scalar(value, 4)}\n" for key, value in annotations.items()]
    lines += ["data:\n"] if texts else []
    lines += [f"  {emit.key(file)}: {_carried(text, f'{label}/{file}')}\n" for file, text in texts.items()]
    return "".join(lines)


def _carried(text: str, label: str) -> str:
    """Return a text as a value below a key at column 2, as a block if that is lossless."""
    candidates = [emit.double_quoted(text)]
    if text.strip():
        # Go would escape some characters, such as emoji; a block can hold them.
        candidates.insert(0, emit.literal(text, 2))
    for candidate in candidates:
        try:
            node = Resource(f"data:\n  text: {candidate}\n  end: x\n").node("data", "text")
        except (YamlError, Refused):
            continue
        if isinstance(node, Scalar) and node.text == text:
            return candidate
    raise Refused(f"{label}: its text cannot be carried by YAML")


def carriers(
    root: str, words: tuple[str, ...] = (PACK_FILE,), wanted: Callable[[Resource], object] = is_pack
) -> Iterator[FileResource]:
    """Yield the `wanted` ConfigMaps in readable files with one of the words. Raises Refused."""
    for path in files(root) if os.path.isdir(root) else ():
        folder = os.path.dirname(path)
        if not path.endswith(SUFFIXES) or (folder and os.path.exists(os.path.join(root, folder, KPTFILE))):
            continue
        line = 0
        with suppress(Refused, YamlError, UnicodeDecodeError, OSError):
            text = (read_file(os.path.join(root, path), path, within=root) or b"").decode("utf-8")
            if not any(word in text for word in words):
                continue
            if not (line := unresolved_line(text)):
                items = SourceFile(path, text, "", path).items
                yield from (item for item in items if item.kind == "ConfigMap" and wanted(item))
        if line:
            raise Refused(f"{path}: line {line}: {UNRESOLVED}")


def package_files(root: str, ignored: list[str], stale: list[str]) -> list[FileEdit | FolderCopy]:
    """Return a Kptfile if there is none, and a .krmignore with the new files and without `stale` ones."""
    changes: list[FileEdit | FolderCopy] = []
    if not os.path.exists(os.path.join(root, KPTFILE)):
        changes.append(FileEdit(KPTFILE, None, new_kptfile(item_name(os.path.basename(root)))))
    path = os.path.join(root, IGNORE_FILE)
    text = ""
    if os.path.exists(path):
        try:
            text = (read_file(path, path, within=root) or b"").decode("utf-8")
        except UnicodeDecodeError:
            raise Refused(f"{path}: is not UTF-8, so nothing can be added to it") from None
    lines = [line for line in text.splitlines(keepends=True) if line.strip() not in stale]
    listed = {line.strip() for line in lines}
    missing = [f"{line}\n" for line in ignored if line not in listed]
    kept = "".join(lines)
    if missing or kept != text:
        kept += "\n" if missing and kept and not kept.endswith("\n") else ""
        changes.append(FileEdit(IGNORE_FILE, None, kept + "".join(missing)))
    return changes


def _refuse_without_defaults(mine: Pack, new: Pack, given: str) -> None:
    """Refuse to upgrade a layer of a profile whose defaults are unknown: edits would look like them."""
    if not in_train(mine.effective_version, new.effective_version):
        raise Refused(
            f"{given}: the package has {mine.name} from a profile, without the defaults of its version; import the"
            f" folder of {mine.effective_version} first"
        )


def refuse_strangers(path: str, name: str) -> None:
    """Refuse to replace a file that is not an earlier import of the same pack."""
    if not os.path.exists(path):
        return
    try:
        resource = Resource((read_file(path, path) or b"").decode("utf-8"))
        known = is_pack(resource) and resource.name == name
    except (OSError, ValueError, Refused):
        known = False
    if not known:
        raise Refused(
            f"{path} is there already and is not this pack; move it, or import into another package"
        )
