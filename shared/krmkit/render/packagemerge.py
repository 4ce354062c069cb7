"""Merge packages for commands: resolve conflicts by a flag, and mask secrets in messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from krmkit.kpt.merge.conflict import without_outcome
from krmkit.kpt.merge.packages import MergedPackage, PackageMergeError, merge
from krmkit.kpt.merge.policy import MARKERS, STOP, marked_files
from krmkit.kpt.merge.threeway import LOCAL, UPSTREAM
from krmkit.render.secrets.files import masked_conflicts, secrets_of


def merge_packages(
    base: Mapping[str, bytes],
    upstream: Mapping[str, bytes],
    local: Mapping[str, bytes],
    *,
    on_conflict: str = UPSTREAM,
) -> MergedPackage:
    """Merge the changes from `base` to `upstream` into `local`; each maps the paths of a package to contents.

    on_conflict decides about a value that both sides changed: "upstream" and "local" take that side's, "stop"
    raises PackageMergeError with all conflicts, "markers" writes both into the file as git does. Raises
    PackageMergeError if a subpackage was added on both sides, if two local resources match one of upstream,
    and if files cannot be read or merged. Example: upstream changed the tag in app.yaml, local its replicas:
    the merged app.yaml has both, and all its comments.
    """
    merged = merge(base, upstream, local, LOCAL if on_conflict == LOCAL else UPSTREAM)
    # The secrets come from the versions before the merge: a file with both sides between markers is no YAML.
    merged.secrets = secrets_of(content for files in (base, upstream, local) for content in files.values())
    merged.conflicts = masked_conflicts(merged.conflicts, merged.secrets)
    if merged.conflicts and on_conflict == STOP:
        raise PackageMergeError.stopped(merged.conflicts)
    if merged.conflicts and on_conflict == MARKERS:
        kept = merge(base, upstream, local, LOCAL).files
        merged.conflicts = [
            one
            if merged.files.get(one.file) == kept.get(one.file)
            else replace(one, message=without_outcome(one.message))
            for one in merged.conflicts
        ]
        merged.files = marked_files(merged.files, kept)
    return merged
