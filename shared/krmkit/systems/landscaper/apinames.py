"""Name Landscaper's objects, labels and annotations.

object_name("", "config")            # "config"
object_name("Inst.root", "config")   # "4r75bh6pvkbg3wtfdoge5orc2wd67ins"
"""

from __future__ import annotations

import hashlib
from base64 import b32encode

GROUP = "landscaper.gardener.cloud"
API_VERSION = f"{GROUP}/v1alpha1"

CONTEXT_LABEL = f"data.{GROUP}/context"
SOURCE_TYPE_LABEL = f"data.{GROUP}/sourceType"
KEY_LABEL = f"data.{GROUP}/key"
SOURCE_LABEL = f"data.{GROUP}/source"
INDEX_LABEL = f"data.{GROUP}/index"
TARGET_MAP_KEY_LABEL = f"data.{GROUP}/targetmapkey"
HASH_ANNOTATION = f"data.{GROUP}/hash"

ENCOMPASSED_BY_LABEL = f"{GROUP}/encompassed-by"
SUBINSTALLATION_NAME_ANNOTATION = f"{GROUP}/subinstallation-name"
OPERATION_ANNOTATION = f"{GROUP}/operation"
RECONCILE_REASON_ANNOTATION = f"{GROUP}/reconcile-reason"
RECONCILE_IF_CHANGED_ANNOTATION = f"{GROUP}/reconcile-if-changed"

MANAGED_BY_LABEL = f"execution.{GROUP}/managed-by"
ITEM_NAME_LABEL = f"execution.{GROUP}/name"
DEPENDS_ON_ANNOTATION = f"execution.{GROUP}/dependsOn"
DEPLOYER_TYPE_ANNOTATION = f"{GROUP}/deployer-type"
DEPLOYER_TARGET_ANNOTATION = f"{GROUP}/deployer-target-name"
NO_TARGET = ".noTargetName"

IMPORT = "import"
EXPORT = "export"

_EDGE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_INNER = _EDGE | frozenset(".-")


def installation_source(name: str) -> str:
    """Return the source label of an installation, `Inst.<name>`; it is the context of its children."""
    return f"Inst.{name}"


def execution_source(name: str) -> str:
    """Return the source and context of an execution's exports, `Exec.<name>`."""
    return f"Exec.{name}"


def object_name(context: str, key: str) -> str:
    """Return the name of the DataObject or Target for `key` in the scope `context`; "" is the root scope.

    `#name` is the object of that name in any scope. In the root scope, a key that is a valid name is the
    object's name. All other names are SHA-1 sums in base32.
    """
    if key.startswith("#"):
        return key[1:]
    if not context and _is_name(key):
        return key
    return hashed_name(f"{context}/{key}")


def hashed_name(text: str) -> str:
    """Return the SHA-1 sum of the text in base32: 32 characters, lower case, without padding."""
    return b32encode(hashlib.sha1(text.encode(), usedforsecurity=False).digest()).decode().lower()


def index_key(name: str, index: int | str) -> str:
    """Return the key of an element of a target list or map: `name[0]`, `name[blue]`."""
    return f"{name}[{index}]"


def _is_name(key: str) -> bool:
    return bool(key) and key[0] in _EDGE and key[-1] in _EDGE and _INNER.issuperset(key)
