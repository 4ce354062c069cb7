"""Merge packs by three sides: what was carried over last, what is there now, and what is new.

A record in the folder .krmkit-packs holds the state that was carried over last. It is the base of the next
merge, so that an import keeps the edits of the package, and an export those of the pack's folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace

from krmkit.fn.masking import secrets_in
from krmkit.kpt.merge.conflict import ResourceConflict
from krmkit.kpt.merge.packages import PackageMergeError
from krmkit.kpt.merge.policy import STOP, UNRESOLVED, unresolved_line
from krmkit.kpt.merge.threeway import UPSTREAM
from krmkit.krm.errors import Refused
from krmkit.render.findings.macros import with_macros, without_macros
from krmkit.render.package import KPTFILE
from krmkit.render.packagemerge import merge_packages
from krmkit.render.secrets.files import masked_conflicts
from krmkit.storage.disk.folders import read_file
from krmkit.storage.disk.primitives import digest_of_content
from krmkit.storage.disk.write import FileEdit
from krmkit.systems.palette.packs.items import FILES
from krmkit.systems.palette.presets import marker
from krmkit.systems.palette.presets.apply import apply_presets

RECORDS = ".krmkit-packs"  # no suffix of YAML in it, so that kpt reads none of its files
FORCE = "force"  # a policy beside those of kpt.merge.policy: nothing is merged, what is new replaces what is there
_VALUES, _PRESETS = FILES[:2]


@dataclass(frozen=True, slots=True)
class PackRecord:
    """A pack as it was carried over: its texts, and the digests of its other files."""

    texts: dict[str, str]
    files: dict[str, str]

    @classmethod
    def of(cls, texts: dict[str, str], folder: str, others: Iterable[str]) -> PackRecord:
        """Return the record of a pack whose other files lie in `folder`."""
        return cls(texts, {path: digest_of_file(os.path.join(folder, path)) for path in others})

    @classmethod
    def read(cls, root: str, name: str) -> PackRecord | None:
        """Return the record of a pack below `root`; None where there is none. Raises Refused."""
        path = os.path.join(root, RECORDS, name)
        return cls.parse(read_file(path, path, within=root) or b"", path) if os.path.isfile(path) else None

    @classmethod
    def parse(cls, content: bytes, path: str) -> PackRecord:
        """Read the content of a record. Raises Refused."""
        try:
            data = json.loads(content)
            if all(isinstance(text, str) for part in ("texts", "files") for text in data[part].values()):
                return cls(data["texts"], data["files"])
        except (ValueError, KeyError, TypeError, AttributeError):
            pass
        raise Refused(
            f"{path}: must be the record of an import or export; remove it, and repeat that with --force"
        )

    def edit(self, name: str) -> FileEdit:
        """Return the file that keeps this record."""
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False, sort_keys=True)
        return FileEdit(f"{RECORDS}/{name}", None, f"{text}\n")


@dataclass(slots=True)
class PackMerge:
    """The merge of several packs at once, so that one message names all conflicts.

    `policy`: one of kpt.merge.policy.POLICIES, or FORCE. `carried`: the items whose secrets no message shows,
    beside those of the files.
    """

    policy: str
    carried: list[str] = field(default_factory=list)
    conflicts: list[ResourceConflict] = field(default_factory=list)
    _sides: tuple[dict[str, bytes], dict[str, bytes], dict[str, bytes]] = field(
        default_factory=lambda: ({}, {}, {})
    )
    _replaced: dict[str, bytes] = field(default_factory=dict)
    _unknown: list[str] = field(default_factory=list)
    _macros: dict[str, str] = field(default_factory=dict)

    def add(self, path: str, base: str | None, theirs: str, ours: bytes, gone: bool = False) -> None:
        """Merge one file. base: None if unknown. `gone`: theirs has no such file."""
        if self.policy == FORCE:
            self._replaced |= {} if gone else {path: theirs.encode()}
        elif base is not None:
            # An unquoted macro is no YAML, and lines without structure merge badly.
            for side, content in zip(self._sides, (base, theirs, ours.decode("utf-8")), strict=True):
                side[path] = without_macros(content, self._macros)[0].encode()
            if gone:
                del self._sides[1][path]
        elif theirs.encode() != ours:
            self._unknown.append(path)

    def takes(self, path: str, base: str, theirs: str, ours: str) -> bool:
        """Return whether the new state of a file that is not merged inside replaces the one that is there.

        base, theirs, ours: the digests of its content, "" for no file.
        """
        if theirs == ours or self.policy == FORCE:
            return theirs != ours
        if ours in ("", base):
            return theirs != base
        if theirs == base:
            return False
        self.conflicts.append(ResourceConflict(path, "", (), "changed upstream and locally"))
        return self.policy == UPSTREAM

    def files(self) -> dict[str, bytes]:
        """Return the merged files by path. Raises Refused, with all conflicts if they are to stop it."""
        if self._unknown:
            raise Refused(
                f"{', '.join(self._unknown)}: differs from what is new, and no record says what was carried over"
                " before; --force overwrites it"
            )
        policy = UPSTREAM if self.policy in (STOP, FORCE) else self.policy
        # The merge looks at packages, which have a Kptfile.
        merged = merge_packages(*({**side, KPTFILE: b""} for side in self._sides), on_conflict=policy)
        del merged.files[KPTFILE]
        macros = list(self._macros)
        files = {
            path: with_macros(text.decode("utf-8"), macros).encode() for path, text in merged.files.items()
        }
        if merged.conflicts:
            conflicts = [replace(one, message=with_macros(one.message, macros)) for one in merged.conflicts]
            self.conflicts += masked_conflicts(conflicts, secrets_in(self.carried))
        if self.conflicts and self.policy == STOP:
            raise PackageMergeError.stopped(self.conflicts)
        return {**files, **self._replaced}


def resolved(text: str, path: str) -> str:
    """Return a text without open conflicts, which a merge would take for edits. Raises Refused."""
    if line := unresolved_line(text):
        raise Refused(f"{path}: line {line}: {UNRESOLVED}")
    return text


def digest_of_file(path: str) -> str:
    """Return the digest of a file's content, "" for no file."""
    return digest_of_content(path) if os.path.isfile(path) else ""


def with_presets(texts: dict[str, str], values: str) -> dict[str, str]:
    """Apply the presets that `values` names in its marker to the values of a pack as it is shipped."""
    found = marker.read(values)
    if found is None or _PRESETS not in texts:
        return texts
    chosen = [
        (group.strip(), name.strip()) for group, _, name in (one.rpartition(":") for one in found.entries)
    ]
    marked = marker.write(texts.get(_VALUES, ""), chosen)
    return {**texts, _VALUES: apply_presets(marked, texts[_PRESETS]).text}
