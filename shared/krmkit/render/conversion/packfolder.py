"""Pack folders and the ConfigMaps that carry them.

A pack folder holds a pack.json. Its texts become data of a ConfigMap: literal blocks if a block can hold every byte,
else text in double quotes. Each is read back before writing, so a text that YAML cannot hold is an error and never a
changed byte.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator

from krmkit.kpt.kptfile import new_kptfile
from krmkit.krm import annotations as names
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Scalar
from krmkit.render.package import IGNORE_FILE, KPTFILE, Package
from krmkit.storage.disk.folders import entries, files, open_file, read_file
from krmkit.storage.disk.write import FileEdit, FolderCopy, Writer
from krmkit.systems.palette.packs.items import FILES, FOLDER, PACK_FILE, is_pack, place
from krmkit.systems.palette.packs.pack import read_metadata

TEXTS = (PACK_FILE, *FILES)
_NAME_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-.")
_LONGEST_NAME = 253


def imported(
    folders: list[str], out: str, say: Callable[[str], object] = bool, step: Callable[[str], object] = bool
) -> list[str]:
    """Bring pack folders into the package `out`; returns the paths of the ConfigMaps. Raises Refused.

    `say` gets a sentence for each killed run that was completed first, `step` the progress.
    """
    # The lock covers reading and writing .krmignore, so that two imports at once lose no line.
    with Writer(out) as writer:
        for note in writer.notes:
            say(note)
        changes, copies = _import(folders, out, writer.root, step)
        step("writing")
        writer.put([*changes, *copies])
    return [os.path.join(out, change.path) for change in changes[: len(folders)]]


def _import(
    folders: list[str], out: str, root: str, step: Callable[[str], object]
) -> tuple[list[FileEdit], list[FolderCopy]]:
    """The files that an import writes, first the ConfigMaps in the order of the folders, and the folders that it copies."""
    changes: list[FileEdit] = []
    ignored: list[str] = []
    copies: list[FolderCopy] = []
    seen: dict[str, str] = {}
    for number, given in enumerate(folders, 1):
        step(f"pack {number} of {len(folders)}")
        folder = os.path.realpath(given)
        texts, others = _pack_files(folder, given)
        name = item_name(os.path.basename(folder))
        if name in seen:
            raise Refused(
                f"{given} and {seen[name]} would both become {name}.yaml; import one of them elsewhere"
            )
        seen[name] = given
        if (root + "/").startswith(folder + "/"):
            raise Refused(f"the package {out} lies in the pack folder {given}")
        inside = os.path.relpath(folder, root) if folder.startswith(root + "/") else ""
        if inside:
            ignored.append(f"/{inside}/")
        elif others:
            ignored.append(f"/{name}/")
            copies.append(FolderCopy(name, folder, others))
        path = f"{name}.yaml"
        _refuse_strangers(os.path.join(root, path), name)
        changes.append(
            FileEdit(path, None, config_map(name, inside or os.path.basename(folder), texts, given))
        )
    return [*changes, *_package_files(root, ignored)], copies


def exported(package: Package, out: str) -> list[str]:
    """Write the packs of a package as folders below `out`; returns these. Raises Refused."""
    changes: list[FileEdit] = []
    owners: dict[str, str] = {}
    for each in package.walk():
        for item in each.items:
            if not is_pack(item):
                continue
            label = item.label
            kept = item.annotations.get(FOLDER) or item.name
            folder = os.path.basename(kept.rstrip("/"))
            if folder in {"", ".", ".."} or ".." in kept.split("/") or kept.startswith("/"):
                raise Refused(f'{label}: its annotation {FOLDER} is "{kept}", which names no folder')
            if folder in owners:
                raise Refused(
                    f"{label} and {owners[folder]} would both become the folder {folder};"
                    f" give one of them another {FOLDER}"
                )
            owners[folder] = label
            changes += [FileEdit(f"{folder}/{file}", None, text) for file, text in _texts(item)]
            for place_of_others in (kept, item.name):
                source = os.path.join(each.path, place_of_others)
                if os.path.isdir(source):
                    changes += [
                        FileEdit(f"{folder}/{path}", None, "", os.path.join(source, path))
                        for path in _regular(source, place_of_others)
                        if path not in TEXTS
                    ]
                    break
    if not owners:
        raise Refused(
            f"{package.path} holds no pack: a ConfigMap with data {PACK_FILE}, marked {names.LOCAL_CONFIG}"
        )
    with Writer(out) as writer:
        writer.put(changes)
    return [os.path.join(out, folder) for folder in owners]


def item_name(folder: str) -> str:
    """A valid Kubernetes name close to the folder's."""
    name = "".join(sign if sign in _NAME_SIGNS else "-" for sign in folder.lower())
    return name.strip("-.")[:_LONGEST_NAME].rstrip("-.") or "pack"


def config_map(name: str, folder: str, texts: dict[str, str], label: str) -> str:
    """The text of the ConfigMap that carries a pack. Raises Refused if YAML cannot hold a text."""
    lines = ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n"]
    lines.append(f'  name: {emit.scalar(name, 2)}\n  annotations:\n    {names.LOCAL_CONFIG}: "true"\n')
    lines.append(f"    {FOLDER}: {emit.scalar(folder, 4)}\ndata:\n")
    for file in TEXTS:
        if file in texts:
            lines.append(f"  {file}: {_carried(texts[file], f'{label}/{file}')}\n")
    return "".join(lines)


def _carried(text: str, label: str) -> str:
    """A text as a value below a key at column 2, as a block if that is lossless."""
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


def _pack_files(folder: str, given: str) -> tuple[dict[str, str], list[str]]:
    """The texts of a pack folder, and the paths of its other files."""
    if not os.path.isfile(os.path.join(folder, PACK_FILE)):
        below = os.path.join(given, "*")
        hint = f"; the folders in it are: {below}" if _holds_packs(folder) else ""
        raise Refused(f"{given}: holds no {PACK_FILE}, so it is not a pack folder{hint}")
    texts: dict[str, str] = {}
    others: list[str] = []
    for path in _regular(folder, given):
        if path not in TEXTS:
            others.append(path)
            continue
        content = read_file(os.path.join(folder, path), f"{given}/{path}", within=folder) or b""
        try:
            texts[path] = content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Refused(
                f"{given}/{path}: byte 0x{content[error.start]:02x} at {error.start} is not UTF-8"
            ) from None
    try:
        read_metadata(texts[PACK_FILE])
    except Refused as error:
        raise Refused(f"{given}: {error}") from None
    return texts, others


def _regular(folder: str, label: str) -> list[str]:
    """Paths of all files below a folder, in order.

    Raises Refused for entries that cannot be copied as a file.
    """
    try:
        paths = sorted(files(folder))
        for path in paths:
            # A link to a file of the folder counts as the file; links to folders could form a cycle.
            if not stat.S_ISREG(os.lstat(f"{folder}/{path}").st_mode):
                os.close(open_file(os.path.join(folder, path), f"{label}/{path}", within=folder))
    except Refused as error:
        raise Refused(f"{error}, or take it away") from None
    except OSError as error:
        raise Refused(f"{label}: {error.filename}: {error.strerror or error}") from None
    return paths


def _holds_packs(folder: str) -> bool:
    if not os.path.isdir(folder):
        return False
    return any(os.path.isfile(os.path.join(folder, name, PACK_FILE)) for name, _ in entries(folder))


def _texts(item: Resource) -> Iterator[tuple[str, str]]:
    kind = item.kind
    for file in TEXTS:
        if file == PACK_FILE and kind == "Pack":
            yield file, json.dumps(item.get("spec", "metadata"), indent=2, ensure_ascii=False) + "\n"
            continue
        node = item.node(*place(kind, file))
        if isinstance(node, Scalar):
            yield file, node.text
        elif node is not None:
            raise Refused(f"{item.label}: {file} must be a text")


def _package_files(root: str, ignored: list[str]) -> list[FileEdit]:
    """A Kptfile if there is none, and a .krmignore that lists the new files."""
    changes = []
    if not os.path.exists(os.path.join(root, KPTFILE)):
        changes.append(FileEdit(KPTFILE, None, new_kptfile(item_name(os.path.basename(root)))))
    path = os.path.join(root, IGNORE_FILE)
    text = ""
    if os.path.exists(path):
        try:
            text = (read_file(path, path, within=root) or b"").decode("utf-8")
        except UnicodeDecodeError:
            raise Refused(f"{path}: is not UTF-8, so nothing can be added to it") from None
    listed = {line.strip() for line in text.split("\n")}
    missing = [line for line in ignored if line not in listed]
    if missing:
        text += "\n" if text and not text.endswith("\n") else ""
        changes.append(FileEdit(IGNORE_FILE, None, text + "".join(f"{line}\n" for line in missing)))
    return changes


def _refuse_strangers(path: str, name: str) -> None:
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
