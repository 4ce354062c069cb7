"""Names of Porch's API: groups, kinds, conditions."""

from __future__ import annotations

GROUP = "config.porch.kpt.dev"
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


class PorchError(ValueError):
    """A run of an engine that the controller would give up: nothing may be changed."""


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


def revision_number(revision: object) -> int:
    """The number of a revision given as an integer or, as older Porch had it, as `v` and digits; 0 where there is none."""
    if isinstance(revision, bool):
        return 0
    if isinstance(revision, int):
        return revision
    if isinstance(revision, str) and _is_numbered(revision):
        return int(revision.removeprefix("v"))
    return 0


def floating_name(revision: object) -> str:
    """A revision that is a name and no number, such as `stable`, as it moves from one revision to the next; else ""."""
    return revision if isinstance(revision, str) and revision and not _is_numbered(revision) else ""


def _is_numbered(revision: str) -> bool:
    digits = revision.removeprefix("v").removeprefix("-")
    return digits.isascii() and digits.isdigit()
