"""Read a config's field specs, in kustomize's form: `{path: spec/template, kind: Job, create: true}`."""

from __future__ import annotations

from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.data import is_null
from krmkit.libraries.yaml.tree import Map, Scalar, Seq, deref
from krmkit.systems.everyday.common.findings import wrong_config
from krmkit.systems.everyday.common.kptconfig import described
from krmkit.systems.everyday.fields.tables import FieldSpec, list_word


def field_specs(config: Resource, name: str) -> list[FieldSpec]:
    """Return the specs in a list of a config, [] without the list. Raises Refused."""
    entries = config.node(name)
    if is_null(entries):
        return []
    if not isinstance(entries, Seq):
        raise wrong_config(f"must be a list of fields, got {described(entries)}", config, name)
    return [_spec(config, name, index, deref(entry)) for index, entry in enumerate(entries.items)]


def renamed_specs(config: Resource, name: str, old_name: str, prefix: str) -> list[FieldSpec]:
    """Return the specs at a name or its old name; `prefix` begins the error if both exist. Raises Refused."""
    if is_null(config.node(old_name)):
        return field_specs(config, name)
    if not is_null(config.node(name)):
        message = f"{prefix}`{old_name}` has been deprecated, please rename it to `{name}`"
        raise wrong_config(message, config, old_name)
    return field_specs(config, old_name)


def _spec(config: Resource, name: str, index: int, entry: object) -> FieldSpec:
    where = f"{name}[{index}]"
    if not isinstance(entry, Map):
        raise wrong_config("must be a field: {path, kind, group, version, create}", config, where)
    texts = {}
    for key in ("path", "group", "version", "kind"):
        node = entry.get(key)
        if node is not None and not isinstance(node, Scalar):
            raise wrong_config(f"must be a text, got {described(node)}", config, f"{where}.{key}")
        texts[key] = "" if is_null(node) or node is None else node.text
    if not texts["path"]:
        raise wrong_config("must have a path, such as spec/template/metadata", config, f"{where}.path")
    create = config.get(name, index, "create")
    if create not in (None, True, False):
        raise wrong_config(f"must be true or false, got {create}", config, f"{where}.create")
    kinds = (texts["kind"],) if texts["kind"] else ()
    steps = texts["path"].strip("/").replace("[]", "/[]").replace("\\/", "\0").split("/")
    made = FieldSpec(".".join(steps), kinds, texts["group"] or None, texts["version"] or None, create is True)
    made.steps = tuple(step.replace("\0", "/") for step in steps)
    made.word = list_word(made.steps)
    made.is_free = True
    made.path = made.path.replace("\0", "/").replace(".[]", "[]")
    return made
