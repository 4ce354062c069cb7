"""apply-replacements: copy a field of one resource into fields of others.

Release v0.1.1, which most packages pin, skips a field that a target lacks and copies the source's type. Newer
releases fail for such a field, keep the target's type, and search `[name=value]` as a regular expression. The
newest follow paths into texts that are YAML or JSON. The image's tag decides; the default is v0.1.1 with such
paths, and with a warning for each target that lacks its field.
"""

from __future__ import annotations

from krmkit.krm.cause import resource_cause
from krmkit.krm.finding import Finding
from krmkit.libraries.json.paths import dotted
from krmkit.libraries.schema.fields import mapping
from krmkit.libraries.yaml.data import go_data, go_value, is_null
from krmkit.libraries.yaml.tree import Map, Scalar, Seq, deref
from krmkit.systems.everyday.common.findings import refused, reporting, wrong_config
from krmkit.systems.everyday.common.kptconfig import API_VERSION, described
from krmkit.systems.everyday.common.releases import Release, explained
from krmkit.systems.everyday.replacements import paths
from krmkit.systems.everyday.replacements.selectors import ResourceId, TargetSelector
from krmkit.systems.everyday.replacements.structured import InnerText, edit_inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.krm.cause import Cause
    from krmkit.krm.fieldpath import Path
    from krmkit.krm.resource import Resource
    from krmkit.krm.resourcelist import ResourceList

PINNED = Release(0, 1, 1)
WITHOUT_TEXTS = Release(0, 1, 2)  # the last known release that follows no path into a text
_KIND = "ApplyReplacements"
_DEFAULT_PATH = "metadata.name"
_NO_PARTS = "delimiter option can only be used with scalar nodes"


class _Copying:
    """One run: the resources, also by kind, and the release's behaviour."""

    def __init__(self, resources: ResourceList, release: Release | None) -> None:
        self.items = list(resources)
        self.is_newer = release is not None and release > PINNED
        self.follows_texts = release is None or release > WITHOUT_TEXTS
        self.results: list[Finding] = []
        self.causes = resources.causes
        self.cause: Cause | None = None  # the source of the current replacement, if the run explains
        self._by_kind: dict[str, list[Resource]] | None = None

    def of_kind(self, kind: str | None) -> list[Resource]:
        """Return the resources of a kind, or all for None, from an index that `forget_kinds` clears."""
        if kind is None:
            return self.items
        if self._by_kind is None:
            self._by_kind = {}
            for item in self.items:
                self._by_kind.setdefault(item.kind, []).append(item)
        return self._by_kind.get(kind, [])

    def explain(self, item: Resource, path: Path) -> None:
        if self.causes is not None and self.cause is not None:
            self.causes.set(item, path, self.cause)

    def forget_kinds(self) -> None:
        self._by_kind = None


@reporting
def apply_replacements(resources: ResourceList, config: Resource | None, tag: str = "") -> list[Finding]:
    """Run the config's replacements in order; each sees the changes of the earlier ones.

    Example: `source: {kind: Service, fieldPath: metadata.name}` with
    `targets: [{select: {kind: Ingress}, fieldPaths: [spec.backend]}]`.
    """
    release = Release.read(tag)
    copying = _Copying(resources, release)
    missing = "fails the run" if copying.is_newer else "is left out"
    copying.results.append(explained(release, f"a field that a target lacks {missing}"))
    for index, replacement in enumerate(_decoded(config)):
        where = f"replacements[{index}]"
        try:
            _replace(copying, replacement, where, config)
        except paths.PathError as error:
            raise refused(error.finding.rule, str(error), config, where) from None
    return copying.results


def _decoded(config: Resource | None) -> list[dict[str, Any]]:
    if config is None or not config.root.entries:
        raise wrong_config(f"FunctionConfig is missing. Expect `{_KIND}`")
    kind, version = config.kind, config.api_version
    if (kind, version) != (_KIND, API_VERSION):
        raise wrong_config(
            f"received functionConfig of kind {kind} and apiVersion {version},"
            f" only functionConfig of kind {_KIND} and apiVersion {API_VERSION} is supported",
            config,
        )
    node = config.node("replacements")
    if is_null(node):
        return []
    if not isinstance(node, Seq):
        raise wrong_config(f"must be a list of replacements, got {described(node)}", config, "replacements")
    replacements = []
    for index, entry in enumerate(node.items):
        where = f"replacements[{index}]"
        data = go_data(entry)
        if not isinstance(data, dict):
            raise wrong_config(f"must be a map, got {described(deref(entry))}", config, where)
        _check(config, data, where)
        replacements.append(data)
    return replacements


def _check(config: Resource, data: dict[str, Any], where: str) -> None:
    """Refuse values of a wrong type in a replacement. Raises Refused."""
    wanted: list[tuple[str, object, type | tuple[type, ...], str]] = [
        (f"{where}.source", data.get("source"), dict, "a map"),
        (f"{where}.targets", data.get("targets"), list, "a list"),
    ]
    source, targets = data.get("source"), data.get("targets")
    if isinstance(source, dict):
        wanted += _checks_of(source, f"{where}.source")
    for number, target in enumerate(targets if isinstance(targets, list) else []):
        place = f"{where}.targets[{number}]"
        wanted.append((place, target, dict, "a map"))
        if isinstance(target, dict):
            wanted += _checks_of(target, place)
            wanted += [
                (f"{place}.select", target.get("select"), dict, "a map"),
                (f"{place}.reject", target.get("reject"), list, "a list"),
                (f"{place}.fieldPaths", target.get("fieldPaths"), list, "a list of texts"),
            ]
            for key in ("reject", "fieldPaths"):
                kind, word = (dict, "a map") if key == "reject" else (str, "a text")
                entries: list[object] = target[key] if isinstance(target.get(key), list) else []
                wanted += [(f"{place}.{key}[{n}]", one, kind, word) for n, one in enumerate(entries)]
    for path, value, kinds, word in wanted:
        if value is not None and not isinstance(value, kinds):
            raise wrong_config(f"must be {word}", config, path)


def _checks_of(data: dict[str, Any], where: str) -> list[tuple[str, object, type | tuple[type, ...], str]]:
    """Return the required types of the options of a source or a target."""
    options = data.get("options")
    checks: list[tuple[str, object, type | tuple[type, ...], str]] = [
        (f"{where}.options", options, dict, "a map")
    ]
    if isinstance(options, dict):
        checks += [
            (f"{where}.options.delimiter", options.get("delimiter"), str, "a text"),
            (f"{where}.options.index", options.get("index"), int, "a whole number"),
            (f"{where}.options.create", options.get("create"), bool, "true or false"),
        ]
    return checks


def _texts(data: object) -> dict[str, str]:
    """Return the texts of a selector; numbers and booleans become text."""
    entries = data.items() if isinstance(data, dict) else ()
    return {
        str(key): str(value)
        for key, value in entries
        if value is not None and not isinstance(value, (dict, list))
    }


def _replace(copying: _Copying, data: dict[str, Any], where: str, config: Resource | None) -> None:
    source, targets = data.get("source"), data.get("targets")
    if source is None or targets is None:
        message = "replacements must specify a source and at least one target"
        raise refused("replacement", message, config, where)
    value = _source_value(copying, source, config, f"{where}.source")
    for number, target in enumerate(targets):
        place = f"{where}.targets[{number}]"
        select = (target or {}).get("select")
        if select is None:
            raise refused("replacement", "target must specify resources to select", config, place)
        selector = TargetSelector(_texts(select))
        rejects = [TargetSelector(_texts(one)) for one in target.get("reject") or ()]
        rejects = [reject for reject in rejects if not reject.is_empty]
        at = place if config is None else f"{config.path or config.name} {place}"
        selected = [item for item in copying.of_kind(selector.named.kind or None) if selector.selects(item)]
        for item in selected:
            if not any(reject.selects(item) for reject in rejects):
                _write(copying, item, value, target, at)
        if not selected:
            message = "the target selects no resource"
            copying.results.append(Finding("unused-target", message, config, f"{place}.select"))
        if any(str(path).partition(".")[0] == "kind" for path in target.get("fieldPaths") or ()):
            copying.forget_kinds()


def _source_value(copying: _Copying, source: dict[str, Any], config: Resource | None, where: str) -> object:
    named = ResourceId(_texts(source))
    given = str(source.get("fieldPath") or "")
    path = given or _DEFAULT_PATH
    chosen = [item for item in copying.of_kind(named.kind or None) if named.selects(item)]
    shown = f"{named}:{given}" if given else str(named)
    if not chosen:
        raise refused("source", f"nothing selected by {shown}", config, where)
    if len(chosen) > 1:
        raise refused("source", f"multiple matches for selector {shown}", config, where)
    item = chosen[0]
    places = paths.found(item, paths.steps_of(path), create=False)
    node = item.node(*places[0]) if len(places) == 1 else None
    if is_null(node) or (isinstance(node, (Map, Seq)) and not node.children()):
        name = str(named) if copying.is_newer else f"{named}:{path}"
        raise refused("source", f"fieldPath `{path}` is missing for replacement source {name}", item, path)
    if copying.causes is not None:
        copying.cause = resource_cause(item, *places[0], follows=True)
    options = mapping(source, "options")
    delimiter, index = options.get("delimiter") or "", int(options.get("index") or 0)
    if not delimiter:
        return go_data(node)
    if not isinstance(node, Scalar):
        raise refused("delimiter", _NO_PARTS, item, path)
    parts = node.text.split(delimiter)
    if not 0 <= index < len(parts):
        message = f"options.index {index} is out of bounds for value {node.text}"
        raise refused("delimiter", message, item, path)
    return parts[index]


def _write(copying: _Copying, item: Resource, value: object, target: dict[str, Any], at: str) -> None:
    """Write the value into a target's fields. at: the target's path in the config, for messages."""
    options = mapping(target, "options")
    create = bool(options.get("create"))
    for path in target.get("fieldPaths") or [_DEFAULT_PATH]:
        steps = paths.steps_of(str(path), copying.is_newer)
        if copying.follows_texts and _write_inside(copying, item, steps, value, options):
            continue
        places = paths.found(item, steps, create)
        if not places:
            _absent(copying, item, str(path), steps, at)
        for place in places:
            old = item.get(*place)
            _put(item, place, value, options, copying.is_newer)
            copying.explain(item, place)
            if isinstance(value, str) and isinstance(old, (int, float)) and item.get(*place) == value:
                message = f"the text {value!r} takes the place of {_text(old)}, which an API server may refuse; the source is in quotes"
                copying.results.append(Finding("type-changed", message, item, dotted(place)))


def _write_inside(
    copying: _Copying, item: Resource, steps: tuple[paths.Step, ...], value: object, options: dict[str, Any]
) -> bool:
    """Write the value into a text of YAML or JSON; return False if the path finds no field in the text."""
    way = paths.text_on_the_way(item, steps)
    if way is None:
        return False
    place, rest = way

    def edit(inner: InnerText) -> bool:
        try:
            places = paths.found(inner.resource, (*inner.steps, *rest), bool(options.get("create")))
        except paths.PathError:
            return False
        for path in places:
            _put(inner.resource, path, value, options, keeps_type=True)
        return bool(places)

    node = item.node(*place)
    new = edit_inside(node.text, edit) if isinstance(node, Scalar) else None
    if new is not None:
        item.set(place, new)
        copying.explain(item, place)
    return new is not None


def _absent(copying: _Copying, item: Resource, path: str, steps: tuple[paths.Step, ...], at: str) -> None:
    message = f'unable to find field "{path}" in replacement target'
    if paths.EACH in steps and paths.stars_on_map(item, steps):
        message += ": wrong node kind: expected SequenceNode but got MappingNode (`*` stands for the entries of a list)"
    if copying.is_newer:
        raise refused("absent-target", message, item, path)
    copying.results.append(Finding("absent-target", f"{message}; it is left out ({at})", item, path))


def _put(item: Resource, path: Path, value: object, options: dict[str, Any], keeps_type: bool) -> None:
    """Set a field. keeps_type: a text stays a text; another scalar keeps its type if the new text fits it."""
    node = item.read(*path)
    delimiter = options.get("delimiter") or ""
    if delimiter:
        if node is not None and not isinstance(node, Scalar):
            raise refused("delimiter", _NO_PARTS, item)
        if isinstance(value, (dict, list)):
            what = "a list" if isinstance(value, list) else "a map"
            raise refused("delimiter", f"{_NO_PARTS}: {what} cannot be a part of a text", item, dotted(path))
        value = _joined(
            node.text if node is not None else "", _text(value), delimiter, int(options.get("index") or 0)
        )
    if keeps_type and isinstance(node, Scalar) and not isinstance(value, (dict, list)):
        old = go_value(node)
        if isinstance(old, str):
            value = _text(value)  # 7 becomes "7"
        elif isinstance(value, str) and type(go_value(Scalar(value))) is type(old):
            value = go_value(Scalar(value))
    if isinstance(node, Scalar) and not isinstance(value, (dict, list)) and go_data(node) == value:
        if type(go_data(node)) is type(value):
            return
    item.set(path, value)


def _joined(old: str, new: str, delimiter: str, index: int) -> str:
    parts = old.split(delimiter)
    if index < 0:
        parts.insert(0, new)
    elif index >= len(parts):
        parts.append(new)
    else:
        parts[index] = new
    return delimiter.join(parts)


def _text(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return str(value)
