"""Masks in profiles: Palette's exports hide passwords, and a mask is not a value."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from krmkit.kpt.source import split_documents
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import entries, text
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Alias, Document, Map, Node, Scalar, Seq, deref
from krmkit.render.findings.fieldtable import among_keys
from krmkit.systems.palette.constraints.schema import PackSchema
from krmkit.systems.palette.packs.macrotext import MacroText
from krmkit.systems.palette.profiles.forms import ClusterProfile, snake
from krmkit.systems.palette.profiles.items import MASK, PROFILE_FILE

_SURE = re.compile(r"\s*\*{2,}\s*")  # one asterisk alone is a common value
_UNQUOTED = re.compile(r"((?:^|[-:,\[{] )\s*)(\*{2,})(?=\s*(?:[,\]}]|#|$))", re.MULTILINE)
_PLAIN = re.compile(r"[\w./+-]+( [\w./+-]+)*")
_FEW = 200  # elements of a list without names that are compared with each other
_MASKED = "is masked in the new file, and keeps its value"
_SECRET = "is secret: the package keeps its value, and not the new file's"


def without_masks(theirs: str, mine: str, file: str, schema: str) -> tuple[str, list[str]]:
    """Replace masks, and other passwords, by the package's values; return the text and what is kept.

    A text that cannot be read stays as it is.
    """
    if file == PROFILE_FILE:
        return _definitions(theirs, mine)
    if MASK.fullmatch(theirs) and mine.strip():
        return mine, [f"the text {_MASKED}"]
    keys = [rule.key for rule in PackSchema.parse(schema).rules if rule.secret] if schema else []
    if "*" not in theirs and not keys:
        return theirs, []
    parts: list[str] = []
    kept: list[str] = []
    here = [one for _, one in split_documents(mine.replace("\r\n", "\n"), file)]
    new = split_documents(theirs.replace("\r\n", "\n"), file)
    for number, (lead, one) in enumerate(new):
        # Of other documents than before, one alone may have the values.
        others = here[number : number + 1] if len(here) == len(new) else here
        tried = [found for found in (_filled(one, old, among_keys(keys)) for old in others) if found[1]]
        text, said = tried[0] if len(tried) == 1 else (one, [])
        parts += [lead, text]
        kept += said
    return ("".join(parts) if kept else theirs), kept


def _filled(new: str, old: str, is_secret: Callable[[str], bool]) -> tuple[str, list[str]]:
    """Fill a document's masks from another; a mask without quotes, an alias to YAML, gets them."""
    for one in dict.fromkeys([new, _UNQUOTED.sub(r"\1'\2'", new)]):
        try:
            return _unmasked(MacroText(one), MacroText(old), is_secret)
        except YamlError:
            continue
    return new, []


def _unmasked(new: MacroText, old: MacroText, is_secret: Callable[[str], bool]) -> tuple[str, list[str]]:
    document = _document(new)
    spliced: list[tuple[str, Scalar, Scalar]] = []
    kept = []
    for path, here, have in _pairs(document.root, _document(old).root, ""):
        if have.text == here.text or not have.text or MASK.fullmatch(have.text):
            continue
        is_mask = MASK.fullmatch(here.text) is not None
        if is_mask or is_secret(path):
            spliced.append((path, here, have))
            kept.append(f"{path} {_MASKED if is_mask else _SECRET}")
    marked, raws = new.marked, {mark: macro.raw for mark, macro in new.macros.items()}
    for _, here, have in sorted(spliced, key=lambda one: one[1].start, reverse=True):
        value = _written(have, old.marked)
        for mark in old.marks_in(value):
            raws[f"Kept{mark}"] = old.macros[mark].raw
            value = value.replace(mark, f"Kept{mark}")
        marked = marked[: here.start] + value + marked[here.end :]
    told = dict(_scalars(parse(marked, duplicates="keep").root, ""))
    for path, _, have in spliced:
        wanted = have.text
        for mark in old.marks_in(wanted):
            wanted = wanted.replace(mark, f"Kept{mark}")
        if path not in told or told[path].text != wanted:
            return new.text, []
    for mark in sorted(raws, key=len, reverse=True):
        marked = marked.replace(mark, raws[mark])
    return marked, kept


def _written(node: Scalar, given: str) -> str:
    """Return a scalar as it may stand anywhere: as written if that is one line and safe, else in quotes."""
    written = given[node.start : node.end]
    is_plain = written == node.text and _PLAIN.fullmatch(written)
    is_quoted = written[:1] in ("'", '"') and "\n" not in written
    return written if is_plain or is_quoted else emit.double_quoted(node.text)


def _pairs(new: Node | None, old: Node | None, path: str) -> Iterator[tuple[str, Scalar, Scalar]]:
    """Yield the scalars of both trees that are the same field: path, new, old."""
    old = deref(old) if old is not None else None
    places: list[tuple[str, Node, Node]] = []
    if isinstance(new, Map) and isinstance(old, Map):
        names = Counter(new.names())
        for entry in new.entries:
            other = old.get(entry.name) if entry.name and names[entry.name] == 1 else None
            if other is not None:
                places.append((str(entry.name), entry.value, other))
    elif isinstance(new, Seq) and isinstance(old, Seq):
        places = [
            (str(number), new.items[number], other) for number, other in _partners(new.items, old.items)
        ]
    for step, here, there in places:
        inner, have = f"{path}.{step}" if path else step, deref(there)
        if isinstance(here, Scalar) and isinstance(have, Scalar):
            yield inner, here, have
        else:
            yield from _pairs(here, have, inner)


def _partners(new: list[Node], old: list[Node]) -> list[tuple[int, Node]]:
    """Return the places of a list's elements with the elements that they were, where that is sure.

    Sure are lists that differ in masks alone, elements of one name, and those that are like one only.
    """
    if len(new) == len(old) and all(map(_alike, new, old)):
        return [*enumerate(old)]
    named: dict[tuple[str, str] | None, list[Node]] = {}
    for one in old:
        named.setdefault(_name(one), []).append(one)
    found = []
    names = Counter(map(_name, new))
    for number, one in enumerate(new):
        name = _name(one)
        if name:
            like = named.get(name, []) if names[name] == 1 else []
        else:
            like = [other for other in old if _alike(one, other)] if max(len(old), len(new)) <= _FEW else []
            if len(like) == 1 and sum(_alike(other, like[0]) for other in new) > 1:
                like = []
        if len(like) == 1:
            found.append((number, like[0]))
    return found


def _name(node: Node) -> tuple[str, str] | None:
    """Return the key and the text that name an element of a list."""
    node = deref(node)
    for key in ("name", "key", "id"):
        value = node.get(key) if isinstance(node, Map) else None
        if isinstance(value, Scalar) and not MASK.fullmatch(value.text):
            return key, value.text
    return None


def _alike(new: Node, old: Node) -> bool:
    """Return whether two trees are the same but for masks in the new one; aliases by their names."""
    if isinstance(new, Alias) and isinstance(old, Alias):
        return new.name == old.name
    if isinstance(new, Scalar) and isinstance(old, Scalar):
        return new.text == old.text or MASK.fullmatch(new.text) is not None
    if isinstance(new, Map) and isinstance(old, Map):
        return sorted(new.names()) == sorted(old.names()) and all(
            (other := old.get(name)) is not None and (one := new.get(name)) is not None and _alike(one, other)
            for name in new.names()
        )
    if isinstance(new, Seq) and isinstance(old, Seq):
        return len(new.items) == len(old.items) and all(map(_alike, new.items, old.items))
    return False


def masks_in(theirs: str) -> list[str]:
    """Return the paths of a text's values that are masks and must be typed in again."""
    found: list[str] = []
    for _, one in split_documents(theirs, "") if "**" in theirs else ():
        for said in dict.fromkeys([one, _UNQUOTED.sub(r"\1'\2'", one)]):
            try:
                scalars = _scalars(_document(MacroText(said)).root, "")
            except YamlError:
                continue
            found += [path for path, node in scalars if _SURE.fullmatch(node.text)]
            break
    return ["the text"] if _SURE.fullmatch(theirs) else found


def _definitions(theirs: str, mine: str) -> tuple[str, list[str]]:
    """Do the same for definitions of variables: the default of a sensitive one is masked."""
    try:
        profile, old = (ClusterProfile.of(Resource(one).get(), PROFILE_FILE) for one in (theirs, mine))
    except (YamlError, Refused):
        return theirs, []
    kept = fill_defaults(profile, old)
    return (emit.document(profile.data) if kept else theirs), kept


def fill_defaults(new: ClusterProfile, old: ClusterProfile, *, secrets: bool = True) -> list[str]:
    """Set masked defaults of variables to those of another state, in place; return what is kept.

    `secrets`: of a sensitive variable, also a default that is no mask.
    """
    known = {text(one.get("name")): one for one in old.variables()}
    name = snake("defaultValue") if new.form.snake else "defaultValue"
    kept = []
    for one in entries(new.get("variables")):
        before = known.get(text(one.get("name")), {})
        value, here = text(one.get(name)), text(before.get("defaultValue"))
        hidden = MASK.fullmatch(value) or (secrets and before.get("isSensitive") is True)
        if hidden and here and value != here and not MASK.fullmatch(here):
            one[name] = here
            kept.append(f"the default of {one.get('name')} {_MASKED if MASK.fullmatch(value) else _SECRET}")
    return kept


def _document(text: MacroText) -> Document:
    return text.document or parse(text.text, duplicates="keep")


def _scalars(node: Node | None, path: str) -> list[tuple[str, Scalar]]:
    """Return the scalars of a tree by path; list elements by place. An alias has none of its own."""
    if isinstance(node, Scalar):
        return [(path, node)] if node.end >= 0 else []
    inner: list[tuple[str, Node]] = []
    if isinstance(node, Map):
        inner = [(f"{path}.{entry.name}" if path else str(entry.name), entry.value) for entry in node.entries]
    elif isinstance(node, Seq):
        inner = [(f"{path}.{number}", one) for number, one in enumerate(node.items)]
    return [found for step, one in inner for found in _scalars(one, step)]
