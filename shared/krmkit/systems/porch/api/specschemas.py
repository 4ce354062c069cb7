"""Define the schemas of Porch's kinds for strict decoding: unknown fields are errors.

Source: kptdev/porch, api/porchconfig/{v1alpha1,v1alpha2}, and the Pipeline of the Kptfile API, with `when`
and `configRef` of its next version. Fields that Go decodes from null may be null. A revision may also be
`vN`, as in older Porch.
"""

from __future__ import annotations

from krmkit.libraries.schema.openapi import read_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Schema = dict[str, Any]

STRING: Schema = {"type": "string", "nullable": True}
STRINGS: Schema = {"type": "array", "nullable": True, "items": {"type": "string"}}
STRING_MAP: Schema = {"type": "object", "nullable": True, "additionalProperties": {"type": "string"}}


def _map(**fields: Schema) -> Schema:
    return {"type": "object", "nullable": True, "additionalProperties": False, "properties": fields}


def _list(items: Schema) -> Schema:
    return {"type": "array", "nullable": True, "items": {**items, "nullable": False}}


UPSTREAM = _map(
    repo=STRING,
    package=STRING,
    revision={
        "x-kubernetes-int-or-string": True,
        "nullable": True,
        "pattern": "^(v?-?[0-9]+|[a-zA-Z][a-zA-Z0-9._-]*)?$",
    },
    workspaceName=STRING,
)

SELECTOR = _map(
    apiVersion=STRING, kind=STRING, name=STRING, namespace=STRING, labels=STRING_MAP, annotations=STRING_MAP
)
_FUNCTION: Schema = {
    "image": STRING,
    "exec": STRING,
    "configPath": STRING,
    "configMap": STRING_MAP,
    "configRef": _map(apiVersion=STRING, kind=STRING, name=STRING, namespace=STRING),
    "when": STRING,
    "name": STRING,
    "tag": STRING,
    "selectors": _list(SELECTOR),
    "exclude": _list(SELECTOR),
}
FUNCTION = _map(**_FUNCTION)
PIPELINE = _map(mutators=_list(FUNCTION), validators=_list(FUNCTION))
INJECTORS = _list(_map(group=STRING, version=STRING, kind=STRING, name=STRING))


def _open(**fields: Schema) -> Schema:
    return {**_map(**fields), "additionalProperties": True}


_GIT = _open(repo=STRING, directory=STRING, ref=STRING, commit=STRING)
_OPEN_FUNCTIONS = {"type": "array", "nullable": True, "items": _open(**_FUNCTION)}
# A Kptfile as Porch decodes it by JSON, where a number or a map is no text; it passes over fields that it
# does not know.
KPTFILE = read_schema(
    _open(
        apiVersion=STRING,
        kind=STRING,
        metadata=_open(name=STRING, namespace=STRING, labels=STRING_MAP, annotations=STRING_MAP),
        upstream=_open(type=STRING, git=_GIT, updateStrategy=STRING),
        upstreamLock=_open(type=STRING, git=_GIT),
        info=_open(
            site=STRING,
            emails=STRINGS,
            license=STRING,
            licenseFile=STRING,
            description=STRING,
            keywords=STRINGS,
            man=STRING,
            readinessGates={"type": "array", "nullable": True, "items": _open(conditionType=STRING)},
        ),
        pipeline=_open(mutators=_OPEN_FUNCTIONS, validators=_OPEN_FUNCTIONS),
        inventory=_open(
            namespace=STRING, name=STRING, inventoryID=STRING, labels=STRING_MAP, annotations=STRING_MAP
        ),
        status=_open(
            conditions={
                "type": "array",
                "nullable": True,
                "items": _open(type=STRING, status=STRING, reason=STRING, message=STRING),
            }
        ),
    )
)

# Parsed once: a fleet's list has hundreds of each.
VARIANT = read_schema(
    _map(
        upstream=UPSTREAM,
        downstream=_map(repo=STRING, package=STRING),
        adoptionPolicy=STRING,
        deletionPolicy=STRING,
        labels=STRING_MAP,
        annotations=STRING_MAP,
        packageContext=_map(data=STRING_MAP, removeKeys=STRINGS),
        pipeline=PIPELINE,
        injectors=INJECTORS,
    )
)

_MAP_EXPRESSIONS = _list(_map(key=STRING, keyExpr=STRING, value=STRING, valueExpr=STRING))
_LABEL_SELECTOR: Schema = {
    "matchLabels": STRING_MAP,
    "matchExpressions": _list(_map(key=STRING, operator=STRING, values=STRINGS)),
}
_FUNCTION_TEMPLATES = _list(_map(**_FUNCTION, configMapExprs=_MAP_EXPRESSIONS))
TEMPLATE = _map(
    downstream=_map(repo=STRING, repoExpr=STRING, package=STRING, packageExpr=STRING),
    adoptionPolicy=STRING,
    deletionPolicy=STRING,
    labels=STRING_MAP,
    labelExprs=_MAP_EXPRESSIONS,
    annotations=STRING_MAP,
    annotationExprs=_MAP_EXPRESSIONS,
    packageContext=_map(
        data=STRING_MAP, dataExprs=_MAP_EXPRESSIONS, removeKeys=STRINGS, removeKeyExprs=STRINGS
    ),
    injectors=_list(_map(group=STRING, version=STRING, kind=STRING, name=STRING, nameExpr=STRING)),
    pipeline=_map(mutators=_FUNCTION_TEMPLATES, validators=_FUNCTION_TEMPLATES),
)
SET = read_schema(
    _map(
        upstream=UPSTREAM,
        targets=_list(
            _map(
                repositories=_list(_map(name=STRING, packageNames=STRINGS)),
                repositorySelector=_map(**_LABEL_SELECTOR),
                objectSelector=_map(apiVersion=STRING, kind=STRING, name=STRING, **_LABEL_SELECTOR),
                packageNames=STRINGS,
                template=TEMPLATE,
            )
        ),
    )
)
