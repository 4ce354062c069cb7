"""Read Helm charts of a pack, archives or folders, as bounded data: no link is followed, nothing run."""

from __future__ import annotations

import io
import os
import re
import tarfile
from collections.abc import Mapping

from krmkit.krm.errors import Refused
from krmkit.libraries.schema.fields import entries, sequence, text
from krmkit.libraries.yaml.data import core_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.storage.disk.folders import read_file
from krmkit.systems.palette.packs.wiring import ChartFacts

_LARGEST = 64 << 20  # bytes of an archive, and of what is read from it
_MOST = 20_000  # entries of an archive
_DEEPEST = 3  # archives of sub-charts in archives
_WORDS = re.compile(r"[A-Za-z_][\w-]*")
_ACTIONS = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)


def chart_facts(path: str, label: str, within: str) -> ChartFacts:
    """Return the facts of a chart's archive. Raises Refused for one that exceeds the limits."""
    content = read_file(path, label, within=within, limit=_LARGEST)
    if content is None:
        raise Refused(f"{label}: is larger than {_LARGEST >> 20} MiB")
    files = _unpacked(content, label, [_LARGEST, _MOST])
    charts = sorted(
        (name for name in files if os.path.basename(name) == "Chart.yaml"), key=lambda name: name.count("/")
    )
    if not charts:
        raise Refused(f"{label}: holds no Chart.yaml")
    root = charts[0].removesuffix("Chart.yaml")
    chart = _data(files[charts[0]], f"{label}: {charts[0]}")
    values = _data(files.get(f"{root}values.yaml", b""), f"{label}: {root}values.yaml")
    needed = [*entries(chart.get("dependencies"))]
    needed += entries(_data(files.get(f"{root}requirements.yaml", b""), label).get("dependencies"))
    parts: set[str] = set()
    for one in needed:
        given = [text(one.get(name)) for name in ("name", "alias", "condition")]
        given += [tag for tag in sequence(one.get("tags")) if isinstance(tag, str)] + ["tags"]
        parts |= {path.partition(".")[0].strip() for each in given for path in each.split(",")}
    return ChartFacts(
        label, text(chart.get("name")), frozenset(values), _used(files), frozenset(parts - {""})
    )


def _used(files: Mapping[str, bytes]) -> frozenset[str]:
    """Return the words in templates' actions, and in values, which `tpl` may run as a template."""
    words: set[str] = set()
    for path, content in files.items():
        if "/templates/" in f"/{path}" or path.endswith(("values.yaml", ".tpl")):
            for action in _ACTIONS.findall(content.decode("utf-8", "replace")):
                words.update(_WORDS.findall(action))
    return frozenset(words)


def _unpacked(content: bytes, label: str, left: list[int], depth: int = 0) -> dict[str, bytes]:
    """Yield the files of an archive and of archives in it. `left`: bytes and entries still allowed."""
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r|gz") as archive:
            for member in archive:
                left[1] -= 1
                left[0] -= max(member.size, 0)
                if min(left) < 0:
                    raise Refused(f"{label}: holds more than {_LARGEST >> 20} MiB, or {_MOST:,} files")
                inside = archive.extractfile(member) if member.isreg() else None
                if inside is None:
                    continue
                name = os.path.normpath(member.name)
                found[name] = inside.read()
                if name.endswith(".tgz") and depth < _DEEPEST:
                    inner = _unpacked(found.pop(name), f"{label}: {name}", left, depth + 1)
                    found.update({f"{os.path.dirname(name)}/{path}": text for path, text in inner.items()})
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        raise Refused(f"{label}: is no archive of a chart: {error}") from None
    return found


def _data(content: bytes, label: str) -> dict[str, object]:
    try:
        root = parse(content.decode("utf-8")).root
        data = core_data(root) if root is not None else None
    except (UnicodeDecodeError, YamlError) as error:
        raise Refused(f"{label}: {error}") from None
    return data if isinstance(data, dict) else {}
