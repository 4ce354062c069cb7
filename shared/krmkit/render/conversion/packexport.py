"""Write the packs of a package as pack folders, merged into those that are there."""

from __future__ import annotations

import os
from collections.abc import Callable

from krmkit.kpt.merge.policy import STOP
from krmkit.krm import annotations as names
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.render.conversion.packfiles import TEXTS, decoded, regular_files, texts_of
from krmkit.render.conversion.packfolder import config_map
from krmkit.render.conversion.packmerge import FORCE, PackMerge, PackRecord, digest_of_file, resolved
from krmkit.render.package import Package
from krmkit.storage.disk.folders import read_file
from krmkit.storage.disk.write import FileEdit, Writer
from krmkit.systems.palette.packs.items import FOLDER, PACK_FILE, is_pack


def exported(
    package: Package, out: str, say: Callable[[str], object] = bool, policy: str = STOP
) -> list[str]:
    """Write the packs of a package as folders below `out`; returns these. Raises Refused.

    A folder that is there is merged: its edits stay, and a conflict is an error.
    """
    merge = PackMerge(policy)
    changes: list[FileEdit] = []
    owners: dict[str, str] = {}
    root = os.path.join(os.path.realpath(package.path), "")
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
            places = (os.path.join(each.path, place) for place in (kept, item.name))
            source = next(filter(os.path.isdir, places), "")
            target = os.path.realpath(os.path.join(out, folder))
            if target.startswith(root) and target != (source and os.path.realpath(source)):
                raise Refused(
                    f"{label}: would become the folder {os.path.join(out, folder)} in the package itself;"
                    " -o must be a folder outside of it"
                )
            changes += _exported(item, folder, source, out, merge, PackRecord.read(each.path, item.name))
    if not owners:
        raise Refused(
            f"{package.path} holds no pack: a ConfigMap with data {PACK_FILE}, marked {names.LOCAL_CONFIG}"
        )
    changes += [FileEdit(path, None, content.decode("utf-8")) for path, content in merge.files().items()]
    for conflict in merge.conflicts:
        say(f"{conflict.place}: {conflict.message}")
    with Writer(out) as writer:
        writer.put(changes)
    return [os.path.join(out, folder) for folder in owners]


def _exported(
    item: Resource, folder: str, source: str, out: str, merge: PackMerge, record: PackRecord | None
) -> list[FileEdit]:
    """Return the files of a pack that need no merge, and its record; the others go to the merge."""
    texts = dict(texts_of(item))
    others = [path for path in regular_files(source, source) if path not in TEXTS] if source else []
    new = PackRecord.of(texts, source, others)
    target = os.path.join(out, folder)
    inside = bool(source) and os.path.realpath(target) == os.path.realpath(source)
    known = PackRecord.read(out, folder) or record or PackRecord({}, {})
    changes = [] if inside else [new.edit(folder)]
    there: dict[str, str] = {}
    for file, text in texts.items():
        path = os.path.join(target, file)
        if os.path.lexists(path):
            here = read_file(path, path, within=out) or b""
            if merge.policy != FORCE:
                there[file] = resolved(decoded(here, path, "; --force overwrites it"), path)
            merge.add(f"{folder}/{file}", known.texts.get(file), text, here)
        else:
            changes.append(FileEdit(f"{folder}/{file}", None, text))
    merge.carried += [config_map(folder, folder, one, folder) for one in (texts, known.texts, there) if there]
    for file, made in new.files.items():
        here_now = digest_of_file(os.path.join(target, file))
        if not here_now or merge.takes(f"{folder}/{file}", known.files.get(file, ""), made, here_now):
            changes.append(FileEdit(f"{folder}/{file}", None, "", os.path.join(source, file)))
    return changes
