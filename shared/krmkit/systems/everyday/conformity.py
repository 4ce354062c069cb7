"""kubeconform and kubeval: check resources against the schemas of Kubernetes and of the CRDs among the items.

The originals start a program with schema files; krmkit ships the schemas of Kubernetes' own kinds, by minor
version. The config has the originals' keys. For a kind without a schema, kubeconform warns and kubeval fails.
"""

from __future__ import annotations

from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json.paths import dotted
from krmkit.libraries.kube.schemas import KubernetesSchemas
from krmkit.libraries.yaml.data import go_value, is_null
from krmkit.libraries.yaml.tree import Scalar
from krmkit.systems.everyday.common.findings import reporting, wrong_config
from krmkit.systems.everyday.common.kptconfig import described

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.libraries.schema.kubernetes.crds import CrdSchemas

_LOCATIONS = ("schema_location", "additional_schema_locations")
_IGNORE, _SKIP, _STRICT, _VERSION = "ignore_missing_schemas", "skip_kinds", "strict", "kubernetes_version"
_CRD = "CustomResourceDefinition"


@reporting
def check_conformity(
    resources: ResourceList, config: Resource | None, is_kubeval: bool = False
) -> list[Finding]:
    """Check resources with the config: data `{strict: "true", skip_kinds: "Secret,apps/v1/Deployment"}`."""
    texts = {key: _text(config, key) for key in (*_LOCATIONS, _IGNORE, _SKIP, _STRICT, _VERSION)}
    try:
        schemas = KubernetesSchemas(texts[_VERSION])
    except ValueError as wrong:
        raise wrong_config(str(wrong), config, _VERSION) from None
    ignores, strict = (texts[key].lower() in ("true", "1") for key in (_IGNORE, _STRICT))
    skipped = {kind.strip() for kind in texts[_SKIP].split(",")}
    message = (
        "is not read: the schemas of Kubernetes come with krmkit, others from the CRDs among the resources"
    )
    findings = [Finding("unread-field", message, config, key) for key in _LOCATIONS if texts[key]]
    custom = _custom(resources)
    for item in resources:
        kind = item.kind
        if kind in skipped or f"{item.api_version}/{kind}" in skipped:
            continue
        if schemas.knows(item.api_version, kind):
            data = item.get()
            assert isinstance(data, dict)
            findings += [
                Finding("schema", text, item, dotted(path)) for path, text in schemas.problems(data, strict)
            ]
        elif custom is None or not _check_custom(item, custom, strict, findings):
            # Resources for tools reach no cluster, so nobody needs their schemas.
            if not ignores and not item.is_local_config and kind != "Kptfile":
                findings.append(_missing(item, is_kubeval, schemas.version))
    return findings


def _missing(item: Resource, is_kubeval: bool, version: str) -> Finding:
    message = f"could not find schema for {item.kind}: {item.api_version} is not of Kubernetes {version}, and no CRD of it is here"
    if is_kubeval:
        message = (
            "Validating arbitrary CRDs is not supported yet. You can skip them by setting "
            f"{_IGNORE} or {_SKIP} in the function config: {message}"
        )
        return Finding("missing-schema", message, item)
    return Finding("missing-schema", f"{message}; {_IGNORE} or {_SKIP} silence this", item)


def _custom(resources: ResourceList) -> CrdSchemas | None:
    crds = [item.get() for item in resources.containing(_CRD) if item.kind == _CRD]
    if not crds:
        return None
    from krmkit.libraries.schema.kubernetes.crds import CrdSchemas

    return CrdSchemas([crd for crd in crds if isinstance(crd, dict)])


def _check_custom(item: Resource, custom: CrdSchemas, strict: bool, findings: list[Finding]) -> bool:
    """Check a resource against the schema of its CRD; return False if there is no schema."""
    data = item.get()
    if not isinstance(data, dict) or not custom.knows(data):
        return False
    findings += [Finding("schema", wrong.body(), item, wrong.field) for wrong in custom.errors(data)]
    if strict:
        findings += [
            Finding("schema", "additional properties not allowed", item, path)
            for path in custom.undeclared(data)
        ]
    return True


def _text(config: Resource | None, key: str) -> str:
    """Return the text of a top-level or `data` key, "" if absent. Raises Refused for a list or map."""
    for path in ((key,), ("data", key)):
        node = config.node(*path) if config is not None else None
        if is_null(node):
            continue
        if not isinstance(node, Scalar):
            raise wrong_config(f"must be a text, got {described(node)}", config, dotted(path))
        value = go_value(node)
        return node.text if not isinstance(value, bool) else str(value).lower()
    return ""
