"""The folder of an upstream package below the folder of blueprints."""

from __future__ import annotations

import os
from typing import Any

from krmkit.fleet.variants import inside, missing_upstream
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.render.package import KPTFILE
from krmkit.systems.porch.api.apinames import revision_number


def find_upstream(packages: str, upstream: dict[str, Any]) -> str:
    """Return the folder of an upstream {repo, package, workspaceName, revision}. Raises Refused.

    Candidates in `<packages>/<repo>/<package>/`: the workspace's name, the revision as `v3` and as `3`; then
    the folder itself.
    """
    base = os.path.join(
        packages, *inside(str(upstream.get("repo") or "")), *inside(str(upstream.get("package") or ""))
    )
    number = revision_number(upstream.get("revision"))
    versions = [str(upstream.get("workspaceName") or "")] + (
        [f"v{number}", str(number)] if number > 0 else []
    )
    tried = [os.path.join(base, *inside(version)) for version in versions if version] + [base]
    for folder in tried:
        if os.path.exists(os.path.join(folder, KPTFILE)):
            return folder
    repo = os.path.join(packages, *inside(str(upstream["repo"])))
    folder, field = (repo, "package") if os.path.isdir(repo) else (packages, "repo")
    there = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    known = _revisions(base)
    if known:
        field = "workspaceName" if upstream.get("workspaceName") else "revision"
        message = f"there is no revision {upstream.get(field)} of the package {base}: it has {listed(known)}"
        raise missing_upstream(message, f"spec.upstream.{field}")
    hint = did_you_mean(str(upstream[field]), there)
    message = f"the upstream package is not there: no Kptfile in {' or '.join(tried)}{hint}"
    raise missing_upstream(message, f"spec.upstream.{field}")


def _revisions(base: str) -> list[str]:
    names = os.listdir(base) if os.path.isdir(base) else []
    numbered = [name for name in names if revision_number(name) > 0]
    there = [name for name in numbered if os.path.exists(os.path.join(base, name, KPTFILE))]
    return sorted(there, key=revision_number)
