"""Import a cluster profile into a package: items for the profile, its layers and their manifests."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace

from krmkit.kpt.merge.conflict import ResourceConflict
from krmkit.kpt.merge.policy import MARKERS, STOP
from krmkit.kpt.merge.threeway import UPSTREAM
from krmkit.kpt.source import FileResource
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import entries, text, texts
from krmkit.libraries.yaml import emit
from krmkit.render.conversion.packfiles import decoded, texts_of
from krmkit.render.conversion.packfolder import (
    carriers,
    item_name,
    local_config,
    package_files,
    refuse_strangers,
)
from krmkit.render.conversion.packmerge import FORCE, PackMerge, PackRecord, with_presets
from krmkit.render.conversion.profilemasks import fill_defaults, masks_in, without_masks
from krmkit.render.conversion.profiletext import ProfileText, read_profile, written
from krmkit.storage.disk.folders import read_file
from krmkit.storage.disk.write import FileEdit, FolderCopy, Writer
from krmkit.systems.palette.packs.items import FILES, PACK_FILE, Carrier, is_pack
from krmkit.systems.palette.packs.lines import FileLines
from krmkit.systems.palette.profiles.forms import ClusterProfile, Data
from krmkit.systems.palette.profiles.items import (
    LAYER,
    MANIFESTS,
    PACK_TYPES,
    PROFILE_FILE,
    in_train,
    is_profile,
    metadata_of,
    unusual_fields,
)

VALUES = FILES[0]
Key = tuple[
    str, str
]  # the annotation that ties an item to a profile, and its value; ("", name) for the profile's own


@dataclass
class Part:
    """A part of a profile: the name of its item, and its texts by file."""

    name: str
    texts: dict[str, str]


def imported_profile(
    path: str, out: str, say: Callable[[str], object] = bool, policy: str = STOP
) -> list[str]:
    """Import the profile of a file into the package `out`; return the paths of its items. Raises Refused.

    Existing items are merged as packs are; the base is the file that was imported last. A mask never replaces
    a value.
    """
    new = read_profile(decoded(read_file(path, path) or b"", path), path)
    problems = list(unusual_fields(new.profile))
    if problems:
        raise Refused(f"{path}: {'; '.join(problems)}")
    for line in new.computed:
        say(f"{path}: {line} is computed by Terraform, and stays there as it is")
    with Writer(out) as writer:
        for note in writer.notes:
            say(note)
        name = profile_item(new.profile)
        old = recorded(writer.root, name)
        new, kept = _unmasked(new, old, path) if old is not None else (new, {})
        run = _ProfileImport(writer.root, old, new, kept, PackMerge(policy), say)
        changes = run.changes()
        changes.append(PackRecord({os.path.basename(path): new.text}, {}).edit(name))
        for conflict in run.merge.conflicts:
            say(f"{conflict.place}: {conflict.message}")
        writer.put(changes)
    return [os.path.join(out, one) for one in dict.fromkeys(run.paths)]


def profile_item(profile: ClusterProfile) -> str:
    """Return the name of the item that carries a profile."""
    return f"{item_name(profile.name)}-profile"


def recorded(root: str, name: str) -> ProfileText | None:
    """Return the file that a profile's item was last imported from. Raises Refused."""
    record = PackRecord.read(root, name)
    return read_profile(*reversed(next(iter(record.texts.items())))) if record is not None else None


def _unmasked(new: ProfileText, old: ProfileText, path: str) -> tuple[ProfileText, dict[Key, list[str]]]:
    """Fill what a new file masks from the last one; return the file, and what is kept by item.

    The record then has values, so that a later file without masks is no change.
    """
    profile = replace(new.profile, data=deepcopy(new.profile.data))
    kept = {("", profile.name): fill_defaults(profile, old.profile, secrets=False)}
    known = parts_of(old.profile)
    for layer in profile.layers:
        tie = f"{profile.name}/{text(profile.of_layer(layer, 'name'))}"
        listed = [(MANIFESTS, one, "content") for one in entries(profile.of_layer(layer, "manifests"))]
        for key, one, field in [(LAYER, layer, "values"), *listed]:
            before = known.get((key, tie))
            file = VALUES if key == LAYER else text(one.get("name"))
            if before is not None and field in one and file in before.texts:
                one[field], said = without_masks(text(one[field]), before.texts[file], file, "")
                kept.setdefault((key, tie), []).extend(said)
    return (read_profile(written(new, profile.data), path) if any(kept.values()) else new), kept


class _ProfileImport:
    """One import: the parts of the old and the new file, matched to the items of the package."""

    def __init__(
        self,
        root: str,
        old: ProfileText | None,
        new: ProfileText,
        kept: dict[Key, list[str]],
        merge: PackMerge,
        say: Callable[[str], object],
    ) -> None:
        self.root = root
        self._kept = kept
        self.merge = merge
        self.paths: list[str] = []
        self._say = say
        found = carriers(root, (PACK_FILE, PROFILE_FILE, LAYER, MANIFESTS), _is_part)
        self._there = dict(_tied(found, new.profile))
        self._old = parts_of(old.profile) if old is not None else {}
        self._new = parts_of(new.profile)
        if old is not None and self._settled(old.profile, new.profile):
            self._old, self._new = parts_of(old.profile), parts_of(new.profile)

    def _settled(self, old: ClusterProfile, new: ClusterProfile) -> bool:
        """Decide about each layer that one side removed and the other changed, so that all its parts agree.

        The profile of the side that loses gets the layer of the other. Return whether there was such a layer.
        """
        mine = self._there.get(("", new.name))
        if mine is None or self.merge.policy == FORCE:
            return False
        was, there = (
            _bare_layers(parts["", new.name].texts[PROFILE_FILE]) for parts in (self._old, self._new)
        )
        here = _bare_layers(item_texts(mine)[PROFILE_FILE])
        takes_new = self.merge.policy in (UPSTREAM, MARKERS)
        before = len(self.merge.conflicts)
        for place, (name, entry) in enumerate(was.items()):
            ties = [(kind, f"{new.name}/{name}") for kind in (LAYER, MANIFESTS)]
            if name in here and name not in there:
                changed = here[name] != entry or any(map(self._is_edited, ties))
                said = "removed upstream and changed locally"
            elif name in there and name not in here:
                changed = there[name] != entry or any(
                    self._old.get(tie) != self._new.get(tie) for tie in ties
                )
                said = "changed upstream and removed locally"
            else:
                continue
            if changed:
                self.merge.conflicts.append(
                    ResourceConflict(mine.location.path, "", (), f"the layer {name} was {said}")
                )
                loser = old if takes_new and name in there else new
                layers = loser.get("layers")
                if name in there:
                    layers[:] = [one for one in layers if one.get("name") != name]
                elif not takes_new:
                    layers.insert(place, old.layers[place])
        return len(self.merge.conflicts) > before

    def _is_edited(self, key: Key) -> bool:
        if key not in self._there or key not in self._old:
            return (key in self._there) != (key in self._old)
        texts = item_texts(self._there[key])
        return any(texts.get(file, "").rstrip() != one.rstrip() for file, one in self._old[key].texts.items())

    def changes(self) -> list[FileEdit | FolderCopy]:
        """Return all changes of the package. Raises Refused."""
        sides: dict[str, list[tuple[str | None, str]]] = {}
        changes: list[FileEdit | FolderCopy] = []
        for key in {**self._old, **self._new}:
            mine = self._there.get(key)
            part = self._new.get(key)
            if mine is not None:
                sides.setdefault(mine.location.path, []).append(self._sides(key, mine))
            elif part is not None and (key not in self._old or self._old[key].texts != part.texts):
                path = f"{part.name}.yaml"
                refuse_strangers(os.path.join(self.root, path), part.name)
                changes.append(FileEdit(path, None, _text(key, part.name, part.texts)))
                self.paths.append(path)
        ours: dict[str, str] = {}
        for path, both in sides.items():
            ours[path] = (read_file(os.path.join(self.root, path), path) or b"").decode("utf-8")
            bases = [base for base, _ in both if base is not None]
            base = "---\n".join(bases) if len(bases) == len(both) else None
            theirs = "---\n".join(made for _, made in both if made)
            self.merge.add(path, base, theirs, ours[path].encode(), gone=not theirs)
            self.paths += [path] if theirs else []
        merged = self.merge.files()
        for path, before in ours.items():
            place = os.path.join(self.root, path)
            after = merged[path].decode("utf-8") if path in merged else None
            changes.append(FileEdit(path, before if after is None else None, after, like=place))
        return [*changes, *package_files(self.root, [], [])]

    def _sides(self, key: Key, mine: FileResource) -> tuple[str | None, str]:
        """Return base and new text of an item ("" to remove it); files that no profile holds stay."""
        here = item_texts(mine)
        old, new = self._old.get(key), self._new.get(key)
        for one in self._kept.get(key, ()):
            self._say(f"{mine.name}: {one}")
        base = dict(old.texts) if old is not None else self._adopted(key, mine, here)
        theirs = dict(new.texts) if new is not None else {}
        if new is not None:
            if old is None and PACK_FILE in theirs:
                theirs[PACK_FILE] = here[PACK_FILE]
            for file, value in theirs.items():
                before = (base or {}).get(file, here.get(file, ""))
                if value.rstrip() == before.rstrip():  # Palette strips ends itself
                    theirs[file] = before
                else:
                    schema = here.get("schema.yaml", "")
                    theirs[file], kept = without_masks(value, here.get(file, ""), file, schema)
                    for one in kept:
                        self._say(f"{mine.name}: {one}")
                    for path in masks_in(theirs[file]):
                        self._say(
                            f"{mine.name}: {path} is masked, and the package has no value for it: type it in"
                        )
        rest = {file: value for file, value in here.items() if file not in {**(base or {}), **theirs}}
        if base is None and all(here.get(file) == value for file, value in theirs.items()):
            base = theirs
        said = None if base is None else _text(key, mine.name, {**rest, **base})
        return said, _text(key, mine.name, {**rest, **theirs}) if new is not None else ""

    def _adopted(self, key: Key, mine: FileResource, here: dict[str, str]) -> dict[str, str] | None:
        """Return the base of a pack that becomes a layer: the texts of its folder. Raises Refused."""
        part = self._new[key]
        if PACK_FILE not in here or PACK_FILE not in part.texts:
            return None
        wanted = text(json.loads(part.texts[PACK_FILE]).get("version"))
        have = Carrier.of(mine, FileLines()).pack.effective_version
        if not in_train(wanted, have):
            raise Refused(
                f"{mine.label}: the package holds the version {have} of {key[1]}, and the profile {wanted};"
                f" import the folder of {wanted} first"
            )
        record = PackRecord.read(self.root, mine.name)
        if record is None:
            return None
        before = with_presets(record.texts, part.texts.get(VALUES, ""))
        return {PACK_FILE: here[PACK_FILE], VALUES: before.get(VALUES, "")}


def parts_of(profile: ClusterProfile) -> dict[Key, Part]:
    """Return the items that a profile becomes."""
    own = json.loads(json.dumps(profile.own))
    bare = ClusterProfile(profile.form, own)
    parts: dict[Key, Part] = {}
    names: dict[str, str] = {}
    for layer in bare.layers:
        name = text(bare.of_layer(layer, "name"))
        tie = f"{profile.name}/{name}"
        made = {}
        if text(bare.of_layer(layer, "type")) in PACK_TYPES:
            metadata = metadata_of(bare, layer)
            made[PACK_FILE] = json.dumps(metadata, indent=2, ensure_ascii=False) + "\n"
        if "values" in layer:
            made[VALUES] = text(layer.pop("values"))
        parts[LAYER, tie] = Part(item_name(name), made)
        listed = entries(bare.of_layer(layer, "manifests"))
        contents = {text(one.get("name")): text(one.pop("content")) for one in listed if "content" in one}
        if contents:
            parts[MANIFESTS, tie] = Part(f"{item_name(name)}-manifests", contents)
    parts["", profile.name] = Part(profile_item(profile), {PROFILE_FILE: emit.document(own)})
    for part in parts.values():
        if part.name in names:
            raise Refused(f"two parts of the profile {profile.name} would both become {part.name}.yaml")
        names[part.name] = part.name
    return parts


def _bare_layers(written: str) -> dict[str, Data]:
    """Return the layers of profile.yaml by name, which have no texts."""
    return {
        text(one.get("name")): one for one in ClusterProfile.of(Resource(written).get(), PROFILE_FILE).layers
    }


def _text(key: Key, name: str, contents: dict[str, str]) -> str:
    return local_config(name, {key[0]: key[1]} if key[0] else {}, contents, name)


def item_texts(item: Resource) -> dict[str, str]:
    """Return the texts of a part of a profile, by file. Raises Refused."""
    return dict(texts_of(item)) if is_pack(item) else texts(item.get("data"))


def _is_part(item: Resource) -> bool:
    return is_profile(item) or is_pack(item) or bool({LAYER, MANIFESTS} & item.annotations.keys())


def _tied(items: Iterator[FileResource], profile: ClusterProfile) -> Iterator[tuple[Key, FileResource]]:
    """Yield the items of the package that belong to a profile; packs of no profile by name."""
    wanted = {text(profile.of_layer(layer, "name")) for layer in profile.layers}
    for item in items:
        tied = [(name, item.annotations[name]) for name in (LAYER, MANIFESTS) if name in item.annotations]
        if is_profile(item):
            if item.name == profile_item(profile):
                yield ("", profile.name), item
        elif tied:
            yield tied[0], item
        else:
            pack = Carrier.of(item, FileLines()).pack
            for name in wanted:
                own, _, rest = name.rpartition("--")
                if pack.name == (rest or name) and pack.own_name in ("", own):
                    yield (LAYER, f"{profile.name}/{name}"), item
