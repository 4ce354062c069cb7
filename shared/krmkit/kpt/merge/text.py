"""Three-way merge of texts: YAML and JSON as trees with their comments, everything else by lines.

Packs are such texts: `values.yaml`, `presets.yaml` and `pack.json` are keys of a ConfigMap.
"""

from __future__ import annotations

from krmkit.kpt.merge.edits import says, written
from krmkit.kpt.merge.lines import merge_lines
from krmkit.kpt.merge.threeway import UPSTREAM, Conflict, MergedValue, merge
from krmkit.kpt.merge.unedited import SUFFIXES
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.errors import YamlError

# Encoded text cannot be merged by lines.
_ENCODED = {("Secret", "data"), ("ConfigMap", "binaryData")}


def merge_text(
    base: str, upstream: str, local: str, *, prefer: str = UPSTREAM, trees: bool = True
) -> MergedValue:
    """Merge the changes from `base` to `upstream` into the text `local`. Raises Refused.

    Conflicts have paths inside the text, or lines. Without `trees`, YAML is merged by lines as well. Example:
    upstream changed a comment, local the value of another key: the result has both.
    """
    tree = _merge_trees(base, upstream, local, prefer) if trees else None
    if tree is not None:
        return tree
    old, new, here = (text.encode("utf-8", "surrogatepass") for text in (base, upstream, local))
    lines = merge_lines(old, new, here, prefer)
    if lines is None:
        merged = upstream if prefer == UPSTREAM else local
        return MergedValue(merged, [Conflict((), base, upstream, local, merged)])
    return MergedValue(lines.value.decode("utf-8", "surrogatepass"), lines.conflicts)


def merge_file(
    path: str, base: bytes, upstream: bytes, local: bytes, prefer: str
) -> tuple[bytes, list[Conflict] | None]:
    """Merge a file with other content than resources. Raises Refused.

    Return (content, conflicts); conflicts are None if a version is not text.
    """
    try:
        texts = [version.decode("utf-8") for version in (base, upstream, local)]
    except UnicodeDecodeError:
        return local, None
    if any("\0" in text for text in texts):
        return local, None
    outcome = merge_text(*texts, prefer=prefer, trees=path.endswith((*SUFFIXES, ".json")))
    return str(outcome.value).encode(), outcome.conflicts


def merge_inside(
    kind: str, path: tuple[str, ...], base: str, upstream: str, local: str, prefer: str
) -> MergedValue | None:
    """Merge a text in a field of a resource; None for a value of one line or an encoded one."""
    if (kind, path[0]) in _ENCODED:
        return None
    texts = (base, upstream, local)
    if not any("\n" in text for text in texts) and not all(text[:1] in ("{", "[") for text in texts):
        return None
    return merge_text(base, upstream, local, prefer=prefer)


def _merge_trees(base: str, upstream: str, local: str, prefer: str) -> MergedValue | None:
    """Return the merged text; None if a version is not a YAML or JSON mapping, or cannot be edited."""

    def inside(path: tuple[str, ...], first: str, second: str, third: str) -> MergedValue | None:
        return merge_inside("", path, first, second, third, prefer)

    try:
        documents = [Resource(text) for text in (base, upstream, local)]
        old, new, here = (document.get() for document in documents)
        outcome = merge(old, new, here, infer=True, ordered=True, prefer=prefer, texts=inside)
        if not isinstance(outcome.value, dict):
            return None
        text = written(documents[2], base, upstream, outcome.value, every_head=True)
        if not says(text, outcome.value):
            return None
    except (YamlError, Refused, RecursionError):
        return None
    return MergedValue(text, outcome.conflicts)
