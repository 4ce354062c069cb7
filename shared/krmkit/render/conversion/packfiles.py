"""The files of a pack's folder, and the texts that an item of a package carries for it."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator

from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.tree import Scalar
from krmkit.storage.disk.folders import entries, files, open_file, read_file
from krmkit.systems.palette.packs.items import FILES, PACK_FILE, place
from krmkit.systems.palette.packs.pack import Pack, read_metadata

TEXTS = (PACK_FILE, *FILES)


def pack_files(folder: str, given: str) -> tuple[dict[str, str], list[str]]:
    """Return the texts of a pack folder, and the paths of its other files."""
    if not given:
        raise Refused('must be the folder of a pack, got ""')
    if not os.path.isfile(os.path.join(folder, PACK_FILE)):
        below = os.path.join(given, "*")
        hint = f"; the folders in it are: {below}" if _holds_packs(folder) else ""
        raise Refused(f"{given}: holds no {PACK_FILE}, so it is not a pack folder{hint}")
    texts: dict[str, str] = {}
    others: list[str] = []
    for path in regular_files(folder, given):
        if path not in TEXTS:
            others.append(path)
            continue
        content = read_file(os.path.join(folder, path), f"{given}/{path}", within=folder) or b""
        texts[path] = decoded(content, f"{given}/{path}")
    try:
        read_metadata(texts[PACK_FILE])
    except Refused as error:
        raise Refused(f"{given}: {error}") from None
    return texts, others


def read_pack(given: str) -> Pack:
    """Return the pack of a folder. Raises Refused, OSError."""
    texts, _ = pack_files(os.path.realpath(given), given)
    return pack_of(texts)


def pack_of(texts: dict[str, str]) -> Pack:
    """Return the pack of the texts of a folder. Raises Refused."""
    return Pack(read_metadata(texts[PACK_FILE]), *(texts.get(name) for name in FILES))


def decoded(content: bytes, label: str, hint: str = "") -> str:
    """Return the text of a file. Raises Refused where it is not UTF-8."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(
            f"{label}: byte 0x{content[error.start]:02x} at {error.start} is not UTF-8{hint}"
        ) from None


def regular_files(folder: str, label: str) -> list[str]:
    """Return the paths of all files below a folder. Raises Refused for one that cannot be copied."""
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


def texts_of(item: Resource) -> Iterator[tuple[str, str]]:
    """Return the texts of a pack that an item carries, by the names of their files. Raises Refused."""
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
