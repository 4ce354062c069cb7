"""Edit the depends-on annotation: `group/namespaces/NAMESPACE/Kind/name`, joined by commas."""

from __future__ import annotations

from krmkit.systems.everyday.common.kptconfig import group_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from krmkit.krm.resource import Resource

    Identity = tuple[str, str, str, str]

ANNOTATION = "config.kubernetes.io/depends-on"
_PATH = ("metadata", "annotations", ANNOTATION)
_DEFAULT = "default"


def identities(items: list[Resource], wanted: set[int]) -> set[Identity]:
    """Return (group, namespace, kind, name) of the resources with a wanted `id`; no namespace is `default`.

    The set is empty if no resource has the annotation.
    """
    if not any(item.may_hold(ANNOTATION) for item in items):
        return set()
    return {
        (group_of(item.api_version), item.namespace or _DEFAULT, item.kind, item.name)
        for item in items
        if id(item) in wanted
    }


def set_namespaces(
    items: Iterable[Resource], known: set[Identity], new: str, matcher: str, core: bool = True
) -> tuple[list[str], int]:
    """Set the namespace of entries for known resources; return the old namespaces and the number of changes.

    `core`: entries without a group count as well.
    """
    olds: set[str] = set()

    def moved(entry: str) -> str:
        parts = entry.strip().split("/")
        if len(parts) != 5 or parts[1] != "namespaces" or not (parts[0] or core):
            return entry
        group, _, namespace, kind, name = parts
        if (group, namespace, kind, name) not in known or namespace == new or matcher not in ("", namespace):
            return entry
        olds.add(namespace)
        return entry.replace(f"/namespaces/{namespace}/", f"/namespaces/{new}/", 1)

    count = _rewritten(items, moved)
    return sorted(olds), count


def rename(items: Iterable[Resource], renamed: dict[Identity, str]) -> None:
    """Set the new name in the entries for renamed resources; `group/Kind/name` is a cluster-scoped one."""
    by_cluster = {(group, kind, name): new for (group, _, kind, name), new in renamed.items()}

    def called(entry: str) -> str:
        parts = entry.strip().split("/")
        new: str | None = None
        if len(parts) == 5 and parts[1] == "namespaces":
            new = renamed.get((parts[0], parts[2], parts[3], parts[4]))
        elif len(parts) == 3:
            new = by_cluster.get((parts[0], parts[1], parts[2]))
        return entry if new is None else "/".join([*entry.split("/")[:-1], new])

    _rewritten(items, called)


def _rewritten(items: Iterable[Resource], change: Callable[[str], str]) -> int:
    """Change the entries of all annotations; return the number of changed annotations."""
    count = 0
    for item in items:
        text = item.annotation(ANNOTATION) if item.may_hold(ANNOTATION) else ""
        changed = ",".join(map(change, text.split(",")))
        if changed != text:
            item.set(_PATH, changed)
            count += 1
    return count
