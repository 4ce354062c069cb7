"""Name Porch's groups, kinds and conditions, and read its revisions."""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

VARIANT_VERSION = "config.porch.kpt.dev/v1alpha1"
VARIANT_KIND = "PackageVariant"
SET_VERSION = "config.porch.kpt.dev/v1alpha2"
SET_KIND = "PackageVariantSet"
REPOSITORY_VERSION = "config.porch.kpt.dev/v1alpha1"
REPOSITORY_KIND = "Repository"
REVISION_GROUP = "porch.kpt.dev/"
REVISION_KIND = "PackageRevision"
OWNER_LABEL = "config.porch.kpt.dev/packagevariantset"
FINALIZER = "config.porch.kpt.dev/packagevariants"

ADOPTION_POLICIES = ("adoptNone", "adoptExisting")
DELETION_POLICIES = ("orphan", "delete")

STALLED, READY = "Stalled", "Ready"


class PorchError(Refused):
    """An error at which the controller would stop: nothing may be changed.

    `rule`: the rule of the result. `field`: the field of the resource, "" if unknown. `repository`: the
    Repository with the error, "" if unknown. `conditions`: the conditions that the controller writes for the
    variant in `resource`.
    """

    field = ""
    repository = ""

    def __init__(
        self,
        message: str,
        rule: str = "bad-kptfile",
        conditions: Sequence[Condition] = (),
        resource: Resource | None = None,
    ) -> None:
        super().__init__(Finding(rule, message))
        self.rule = rule
        self.conditions = conditions
        self.resource = resource


class Condition:
    """A status condition as the controllers write it: status is "True" or "False"."""

    __slots__ = ("message", "reason", "status", "type")

    def __init__(self, type: str, status: str, reason: str, message: str) -> None:
        self.type = type
        self.status = status
        self.reason = reason
        self.message = message

    def data(self) -> dict[str, object]:
        return {"type": self.type, "status": self.status, "reason": self.reason, "message": self.message}


def in_namespace(namespace: str, wanted: str) -> bool:
    """Return whether an object belongs to a set's or variant's namespace; one without any belongs to all.

    A set or variant without a namespace is in `default`, as in a cluster.
    """
    return not namespace or namespace == (wanted or "default")


def revision_number(revision: object) -> int:
    """Return the number of a revision: an integer or, as in older Porch, `v` and digits; 0 otherwise."""
    if isinstance(revision, bool):
        return 0
    if isinstance(revision, int):
        return revision
    if isinstance(revision, str) and _is_numbered(revision):
        return int(revision.removeprefix("v"))
    return 0


def floating_name(revision: object) -> str:
    """Return the name in a revision, such as the moving tag `stable`; "" for a number."""
    return revision if isinstance(revision, str) and revision and not _is_numbered(revision) else ""


def upstream_version(upstream: dict[str, object]) -> str:
    """Return the last part of an upstream's ref: workspace, `vN`, or a name such as `stable`."""
    number = revision_number(upstream.get("revision"))
    numbered = f"v{number}" if number > 0 else floating_name(upstream.get("revision"))
    return str(upstream.get("workspaceName") or "") or numbered or "main"


def revision_name(upstream: dict[str, object]) -> str:
    """Return the name of an upstream's PackageRevision, `repository.package.workspace`.

    Without a workspace, it is the name of a hand-made tag, whose last part is the workspace.
    """
    return f"{upstream['repo']}.{upstream['package']}.{upstream_version(upstream)}".replace("/", ".")


def _is_numbered(revision: str) -> bool:
    digits = revision.removeprefix("v").removeprefix("-")
    return digits.isascii() and digits.isdigit()
