"""starlark: run the config's program, which edits the list `ctx.resource_list["items"]`.

Unchanged items keep their text; in the others only changed fields are written.

Releases up to v0.4.3 compare group, version and kind in `match_gvk`. The original's newest code, for `latest`
and no tag, matches no apiVersion with a group; krmkit does the same, with a warning.
"""

from __future__ import annotations

from krmkit.krm.apart import apart
from krmkit.krm.errors import Refused
from krmkit.krm.fieldpath import Path
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.data import same_data
from krmkit.systems.everyday.common.findings import refused, reporting, wrong_config
from krmkit.systems.everyday.common.kptconfig import GROUP, group_of, is_config_map, string_at
from krmkit.systems.everyday.common.releases import Release, explained
from krmkit.systems.everyday.starlark.programs import run_program

Identity = tuple[str, ...]


PINNED = Release(0, 4, 3)  # the last release whose match_gvk compares groups
_MISSED = (
    "match_gvk finds no {}, because this release does not compare groups; v0.4.3 does: name it in the image's tag, or"
    ' compare item["apiVersion"] in the program'
)


@reporting
def run_starlark(resources: ResourceList, config: Resource | None, tag: str = "") -> list[Finding]:
    """Run the config's program as the tag's release does, and write its changes to the items."""
    release = Release.read(tag)
    compares_groups = release is not None and release <= PINNED
    source = _source(config)
    assert config is not None
    items = list(resources)
    before = []
    for item in items:
        before.append(item.get())
        item.forget_tree()  # what the program changes is found in the lines again, which costs less
    missed: list[str] = []
    try:
        after, printed = run_program(source, before, config.get(), compares_groups, missed)
    except Refused as error:
        return [error.finding.at(config), *_missed(missed, config)]
    if not isinstance(after, list) or not all(isinstance(item, dict) for item in after):
        message = "the program must leave a list of resources in ctx.resource_list, each a dict"
        raise refused("program", message, config)
    _take_over(resources, items, before, after)
    lines = dict.fromkeys(line for line in printed if line.strip())
    groups = "compares groups" if compares_groups else "does not compare groups"
    return [
        explained(release, f"match_gvk {groups}"),
        *_missed(missed, config),
        *(Finding("printed", line, config) for line in lines),
    ]


def _missed(api_versions: list[str], config: Resource) -> list[Finding]:
    """Warn of apiVersions that match_gvk does not match, which often makes a program fail."""
    return [Finding("match-gvk", _MISSED.format(api_version), config) for api_version in api_versions]


def _source(config: Resource | None) -> str:
    if config is None or not config.root.entries:
        raise wrong_config("FunctionConfig is missing. Expect `ConfigMap` or `StarlarkRun`")
    if is_config_map(config):
        source = string_at(config, "data", "source")
    elif config.kind == "StarlarkRun" and group_of(config.api_version) == GROUP:
        source = string_at(config, "source")
    else:
        raise wrong_config(
            "`functionConfig` must be either /v1, Kind=ConfigMap or fn.kpt.dev/v1alpha1, Kind=StarlarkRun,"
            f" but we got: {config.api_version}, Kind={config.kind}",
            config,
        )
    if not source.strip():
        raise wrong_config("`source` must not be empty", config)
    return source


def _identity(data: object) -> Identity:
    """Return a resource's apiVersion, kind, namespace and name."""
    fields = data if isinstance(data, dict) else {}
    metadata = fields.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    values = (fields.get("apiVersion"), fields.get("kind"), metadata.get("namespace"), metadata.get("name"))
    return tuple(repr(value) for value in values)


def _take_over(
    resources: ResourceList, items: list[Resource], before: list[object], after: list[object]
) -> None:
    """Match the program's items with the input's: by equal data, then by name, then by position."""
    left = dict(enumerate(before))
    pairs: dict[int, int] = {}
    whole: dict[str, list[int]] = {}
    names: dict[Identity, list[int]] = {}
    for number, data in left.items():
        whole.setdefault(repr(data), []).append(number)
        names.setdefault(_identity(data), []).append(number)
    for position, data in enumerate(after):
        waiting = whole.get(repr(data))
        if waiting:
            pairs[position] = waiting.pop(0)
    taken = set(pairs.values())
    for position, data in enumerate(after):
        if position in pairs:
            continue
        waiting = [number for number in names.get(_identity(data), []) if number not in taken]
        if not waiting and position < len(before) and position not in taken:
            waiting = [position]
        if waiting:
            pairs[position] = waiting[0]
            taken.add(waiting[0])
    wanted = {id(items[number]): (before[number], after[position]) for position, number in pairs.items()}

    def write(item: Resource) -> None:
        _write(item, (), *wanted[id(item)])

    apart(resources, [item for item in items if id(item) in wanted], write)
    gone = [items[number] for number in left if number not in taken]
    if gone:
        resources.remove(*gone)
    for position, data in enumerate(after):
        if position not in pairs and isinstance(data, dict):
            resources.add(data)


def _write(item: Resource, path: Path, old: object, new: object) -> None:
    """Write the differences at and below a path."""
    if same_data(old, new):
        return
    if isinstance(old, dict) and isinstance(new, dict) and (old or not path):
        for key in [key for key in old if key not in new]:
            item.remove((*path, key))
        for key, value in new.items():
            if key in old:
                _write(item, (*path, key), old[key], value)
            else:
                item.set((*path, key), value)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, value in enumerate(new):
            _write(item, (*path, index), old[index], value)
    else:
        item.set(path, new)
