r"""Read paths of replacements: `spec.containers.[name=web].image`, `spec.*.port`, `metadata.labels.[a.b/c]`.

Dots divide a path; a backslash or brackets escape them: `a\.b` and `[a.b]` are one key. Source: kyaml's
PathMatcher and SmarterPathSplitter; after v0.1.1 the value of `[name=value]` is a regular expression.
"""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.fieldpath import Path
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.go.regexp import pattern as patterns
from krmkit.libraries.go.regexp.pattern import Pattern, PatternError
from krmkit.libraries.yaml.data import is_null
from krmkit.libraries.yaml.tree import Map, Node, Scalar, Seq, deref

EACH = "*"
APPEND = "-"


class Match:
    """A step `[key=value]` for the list entries with this field, or `[=value]` for equal entries.

    `expression`: a regular expression that is searched in the value, instead of equality.
    """

    __slots__ = ("expression", "key", "value")

    def __init__(self, key: str, value: str, expression: Pattern | None = None) -> None:
        self.key = key
        self.value = value
        self.expression = expression

    def fits(self, entry: Node) -> bool:
        entry = deref(entry)
        node = entry if not self.key else entry.get(self.key) if isinstance(entry, Map) else None
        if not isinstance(node, Scalar):
            return False
        if self.expression is not None:
            return self.expression.search(node.text) is not None
        return node.text == self.value

    def made(self) -> object:
        """Return a new entry that the step matches."""
        return {self.key: self.value} if self.key else self.value


class PathError(Refused):
    """A path does not fit the data, or a selector cannot be read; the message names the step."""

    def __init__(self, message: str, rule: str = "path") -> None:
        super().__init__(Finding(rule, message))


Step = str | Match


def steps_of(path: str, searches: bool = False) -> tuple[Step, ...]:
    """Split a path: `("spec", Match("name", "web"), "image")` for `spec.[name=web].image`.

    searches: values of entries are regular expressions. Raises PathError for an invalid path.
    """
    steps: list[Step] = []
    text, brackets, position = "", 0, 0
    for position, sign in enumerate(path):
        if sign == "." and not brackets and (position == 0 or path[position - 1] != "\\"):
            steps.append(_step(text, searches))
            text = ""
            continue
        brackets += (sign == "[") - (sign == "]")
        text += sign
    return (*steps, _step(text, searches))


def _step(text: str, searches: bool) -> Step:
    text = text.replace("\\.", ".")
    if text.startswith("[") and text.endswith("]"):
        inner = text[1:-1]
        key, equals, value = inner.partition("=")
        if not equals:
            return inner
        try:
            return Match(key, value, patterns.compile(value) if searches else None)
        except PatternError as error:
            raise PathError(f"{text}: error parsing regexp: {error.problem or error}") from None
    return text


def text_on_the_way(item: Resource, steps: tuple[Step, ...]) -> tuple[Path, tuple[Step, ...]] | None:
    r"""Return the text that a path enters, and the path's steps inside the text; None if there is none.

    Example: `(("data", "app.yaml"), ("port",))` for `data.app\.yaml.port`, where data.app.yaml is a text.
    """
    if _named(item, steps) is not None:
        return None
    for number in range(1, len(steps)):
        if steps[number - 1] == EACH:
            return None
        places = found(item, steps[:number], create=False)
        node = item.node(*places[0]) if places else None
        if isinstance(node, Scalar) and not is_null(node):
            return places[0], steps[number:]
        if node is None:
            return None
    return None


def stars_on_map(item: Resource, steps: tuple[Step, ...]) -> bool:
    """Return True if the first `*` of a path meets a map."""
    places = found(item, steps[: steps.index(EACH)], create=False)
    return any(isinstance(item.node(*place), Map) for place in places)


def found(item: Resource, steps: tuple[Step, ...], create: bool) -> list[Path]:
    """Return the paths in a resource that a path selects.

    create: make missing fields. Raises PathError if a step needs a map and finds a list, or the reverse.
    """
    named = _named(item, steps)
    if named is not None:
        return [named]
    places: list[Path] = [()]
    for number, step in enumerate(steps):
        rest = steps[number + 1 :]
        places = [place for before in places for place in _below(item, before, step, rest, create)]
    return places


def _named(item: Resource, steps: tuple[Step, ...]) -> Path | None:
    """Return steps without a Match as a path if the resource has a value there; else None."""
    names = tuple(step for step in steps if isinstance(step, str))
    return names if len(names) == len(steps) and item.read(*names) is not None else None


def _below(item: Resource, path: Path, step: Step, rest: tuple[Step, ...], create: bool) -> list[Path]:
    node = item.node(*path) if path else item.root
    if node is None or is_null(node):
        # Setting the value makes the missing node: a map for a name, a list for an entry.
        if not create:
            return []
        if isinstance(step, Match):
            item.set((*path, 0), step.made())
            return [(*path, 0)]
        return [] if step == EACH else [(*path, 0 if step in (APPEND, "0") else step)]
    if isinstance(node, Seq):
        return _entries(item, path, node, step, create)
    if isinstance(node, Map) and isinstance(step, str):
        value = item.node(*path, step)
        if step == EACH and value is None:
            return []  # `*` stands for the entries of a list, never for the fields of a map
        if value is not None or create:
            return [(*path, step)]
        return []
    if isinstance(node, Scalar) and create and isinstance(step, str):
        raise PathError(f"{step} cannot be made in a single value")
    return []


def _entries(item: Resource, path: Path, node: Seq, step: Step, create: bool) -> list[Path]:
    if isinstance(step, Match):
        places: list[Path] = [(*path, index) for index, entry in enumerate(node.items) if step.fits(entry)]
        if not places and create:
            item.set((*path, len(node.items)), step.made())
            return [(*path, len(node.items) - 1)]
        return places
    if step == EACH:
        return [(*path, index) for index in range(len(node.items))]
    if step == APPEND:
        return [(*path, len(node.items))] if create else [(*path, len(node.items) - 1)] if node.items else []
    if step.isascii() and step.isdecimal():
        index = int(step[:9])
        return [(*path, index)] if index < len(node.items) else []
    raise PathError(
        f"{step} is the name of a field, and a list is there; name an entry, as in [name=web], 0 or *"
    )
