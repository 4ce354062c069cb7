"""RE2 patterns, matched in linear time, so that a pattern from a pack or a template cannot hang a run.

The engine is google-re2, the C++ original of Go's `regexp` (leftmost-first matching, UTF-8). Only its
extension module is loaded, on the first pattern; its Python wrapper would cost more than the rest of a small
run.
"""

from __future__ import annotations

from krmkit.libraries.go.regexp.foreignsyntax import FOREIGN
from krmkit.libraries.go.regexp.size import written_out
from krmkit.libraries.yaml.effort import charge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

PROGRAM_MEMORY = 8 * 1024 * 1024
"""Bytes that a compiled pattern and its automaton may take; a larger pattern is an error."""
MAX_ATOMS = 250_000
"""Characters and classes of a pattern whose repeats are written out: `(ab){3}` has 6."""
MAX_OPTIONAL = 20_000
"""Optional parts of a pattern, its repeats written out, whose square compiling takes: `(ab){2,5}` has 3."""
MAX_GROUPS = 250
"""Capture groups of a pattern: a search keeps their places for each of its threads."""
SEARCH_STEPS = 2_000_000_000
"""Limit of (instructions of the pattern) x (bytes of the text) x (half of its groups) for one search."""

_CACHED = 256
_SEARCHED = 64  # of the steps that a search with groups may cost, so many take as long as a step of effort
_NOTICED = 1_000_000  # such steps that are noticed
_LARGE = 200  # instructions of a pattern whose time is noticed
_INSTRUCTION = 6  # steps of effort that each of them costs then
_FOUND = 6  # steps of effort that a match costs: it stays in memory, too
# Steps that it costs to begin compiling: for a class of Unicode, and for so many pairs of optional parts.
_CLASS, _PAIRS = 800, 200
# Steps that a refused pattern costs: a character, and a program that gets too large.
_CHARACTER, _TOO_LARGE = 8, 700_000

_cache: dict[str, Pattern] = {}


class PatternError(ValueError):
    """A pattern that is not RE2, too large, or too costly for the text; the message tells the remedy.

    `problem` is RE2's message, "" if RE2 did not refuse it; `cost` is the effort spent on it, in steps.
    """

    def __init__(self, message: str, problem: str = "", cost: int = 0) -> None:
        super().__init__(message)
        self.problem = problem
        self.cost = cost


class PatternMatch:
    """One match. `group(0)` is the whole match, `group(i)` a group's text, None if it did not match."""

    __slots__ = ("_data", "_spans")

    def __init__(self, data: bytes, spans: list[tuple[int, int]]) -> None:
        self._data = data
        self._spans = spans

    def group(self, index: int = 0) -> str | None:
        start, end = self._spans[index]
        return None if start < 0 else _decode(self._data[start:end])

    def groups(self) -> list[str | None]:
        """Return all groups, the whole match first."""
        return [self.group(index) for index in range(len(self._spans))]


class Pattern:
    """A compiled pattern.

    - `text`: the source. `size`: its number of instructions.
    - `begun`: the steps of effort that `compile` charges.
    - `groups`: the number of capture groups. `names`: their numbers by name.
    """

    __slots__ = ("_match", "_unanchored", "begun", "groups", "names", "size", "text")

    def __init__(self, text: str, begun: int, program: Any, anchors: Any) -> None:
        self.text = text
        self.begun = begun
        self.groups: int = program.NumberOfCapturingGroups()
        self.names: dict[str, int] = {name.decode(): index for name, index in program.NamedCapturingGroups()}
        self._match = program.Match
        self._unanchored = anchors.UNANCHORED
        self.size: int = max(1, program.ProgramSize())

    def cost(self, length: int) -> int:
        """Return the most steps that a search in `length` bytes can take."""
        return self.size * (length + 1) * (1 + self.groups // 2)

    def search(self, text: str) -> PatternMatch | None:
        """Return the leftmost match anywhere in `text` (Go's MatchString, FindStringSubmatch)."""
        data = self._encode(text)
        spans = self._match(self._unanchored, data, 0, len(data))
        return PatternMatch(data, spans) if spans[0][0] >= 0 else None

    def find_all(
        self, text: str, limit: int = -1, searched: Callable[[int], object] | None = None
    ) -> list[PatternMatch]:
        """Return the list of `matches`."""
        return list(self.matches(text, limit, searched))

    def matches(
        self, text: str, limit: int = -1, searched: Callable[[int], object] | None = None
    ) -> Iterator[PatternMatch]:
        """Yield non-overlapping matches, at most `limit` (negative: all), none empty next to another.

        Each search is linear in the text, but all together are not: to find that `a` is the leftmost match of
        `a.*b|a`, every search reads to the end. Before each search `searched` gets the number of bytes that
        it may read; by raising, it ends the searches.
        """
        far = any(sign in self.text for sign in ("*", "+", ",}"))
        data = self._encode(text)
        found = 0
        position, last_end = 0, -1
        while position <= len(data) and found != limit:
            if far and searched is not None:
                searched(len(data) - position)
            spans = self._match(self._unanchored, data, position, len(data))
            start, end = spans[0]
            if start < 0:
                break
            if end != position or start != last_end:
                charge(_FOUND)
                found += 1
                yield PatternMatch(data, spans)
            position = end if end > position else position + _width(data, position)
            last_end = end

    def replace(
        self,
        text: str,
        replacement: Callable[[PatternMatch], str],
        searched: Callable[[int], object] | None = None,
        limit: int = -1,
    ) -> str:
        """Replace every match in `text` (Go's ReplaceAllStringFunc, with the groups at hand)."""
        parts: list[str] = []
        data, position = b"", 0
        for match in self.matches(text, limit, searched):
            start, end = match._spans[0]
            data = match._data
            parts.append(_decode(data[position:start]))
            parts.append(replacement(match))
            position = end
        if not parts:
            return text
        parts.append(_decode(data[position:]))
        return "".join(parts)

    def split(self, text: str, limit: int = -1, searched: Callable[[int], object] | None = None) -> list[str]:
        """Return the pieces between matches, at most `limit` (0: none, negative: all), as Regexp.Split."""
        if limit == 0:
            return []
        if self.text and not text:
            return [""]
        pieces: list[str] = []
        begin = end = 0
        data = self._encode(text)
        for match in self.matches(text, limit, searched):
            if limit > 0 and len(pieces) == limit - 1:
                break
            start, stop = match._spans[0]
            end = start
            if stop != 0:
                pieces.append(_decode(data[begin:end]))
            begin = stop
        if end != len(data):
            pieces.append(_decode(data[begin:]))
        return pieces

    def _encode(self, text: str) -> bytes:
        data = text.encode("utf-8", "surrogatepass")
        cost = self.cost(len(data))
        if self.groups and _NOTICED < cost <= SEARCH_STEPS:
            charge(cost // _SEARCHED)
        if cost > SEARCH_STEPS:
            raise PatternError(
                f"the pattern {_shown(self.text)} is too costly for a text of {len(data):,} bytes "
                f"(more than {SEARCH_STEPS:,} steps, krmkit.libraries.go.regexp.pattern.SEARCH_STEPS); use smaller repeat counts"
            )
        return data


def compile(text: str) -> Pattern:  # noqa: A001  # the name that every regular expression library has
    """Return the compiled pattern, cached. Raises PatternError, EffortError.

    This charges for starting and for refusing a pattern; `draw` charges for its instructions.
    """
    found = _cache.get(text)
    if found is not None:
        charge(found.begun)
        return found
    begun = _begin(text)
    engine = _load()
    try:
        source = text.encode("utf-8")
    except UnicodeEncodeError:
        raise PatternError(
            f"the pattern {_shown(text)} holds a lone surrogate, which is not a character"
        ) from None
    options = engine.RE2.Options()
    options.log_errors = False
    options.max_mem = PROGRAM_MEMORY
    _refuse_single_byte(text)
    program = engine.RE2(source, options)
    if not program.ok():
        raise _refused(text, program.error().decode("utf-8", "replace"))
    if len(_cache) >= _CACHED:
        _cache.clear()
    if program.NumberOfCapturingGroups() > MAX_GROUPS:
        most = f"{MAX_GROUPS} capture groups (krmkit.libraries.go.regexp.pattern.MAX_GROUPS)"
        raise PatternError(
            f"the pattern {_shown(text)} must have at most {most}, got {program.NumberOfCapturingGroups():,}; write (?:...) for"
            " a group whose text is not used",
            "pattern too large - compile failed",
        )
    pattern = _cache[text] = Pattern(text, begun, program, engine.RE2.Anchor)
    return pattern


def draw(pattern: Pattern) -> Pattern:
    """Charge for compiling a pattern, even if cached: equal input must always cost the same.

    Raises EffortError.
    """
    charge(pattern.size if pattern.size < _LARGE else pattern.size * _INSTRUCTION)
    return pattern


def quote(text: str) -> str:
    """Return a pattern that matches exactly `text` (Go's QuoteMeta)."""
    return "".join("\\" + character if character in "\\.+*?()|[]{}^$" else character for character in text)


def _load() -> Any:
    """Load the extension module `re2._re2` without its package, unless that is loaded already."""
    import sys

    name = "re2._re2"
    module = sys.modules.get(name)
    if module is None:
        # The finder of every Python's import system; importlib.machinery only gives it another name.
        try:
            from _frozen_importlib import module_from_spec
            from _frozen_importlib_external import PathFinder
        except ImportError:
            from importlib.machinery import PathFinder
            from importlib.util import module_from_spec

        package = PathFinder.find_spec("re2")
        places = package.submodule_search_locations if package is not None else None
        spec = PathFinder.find_spec(name, places) if places is not None else None
        if spec is None or spec.loader is None:
            raise PatternError("patterns need google-re2, which is missing: pip install google-re2")
        module = module_from_spec(spec)
        # A later `import re2` takes the module from here.
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return module


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _width(data: bytes, position: int) -> int:
    """Return the size of the character at `position`; 1 at the end of the data, to move past it."""
    end = position + 1
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return end - position


def _begin(text: str) -> int:
    """Charge before compiling: until then only RE2's limit of memory bounds the instructions."""
    atoms, optional = written_out(text)
    classes = text.count("\\p") + text.count("\\P")
    begun = len(text) + classes * _CLASS + optional * optional // _PAIRS
    charge(begun)
    much = ""
    if atoms > MAX_ATOMS:
        much = f"{MAX_ATOMS:,} characters and classes (krmkit.libraries.go.regexp.pattern.MAX_ATOMS)"
    elif optional > MAX_OPTIONAL:
        much = (
            f"{MAX_OPTIONAL:,} parts that may be left out (krmkit.libraries.go.regexp.pattern.MAX_OPTIONAL)"
        )
    if much:
        raise PatternError(
            f"the pattern {_shown(text)} is too large with its repeats written out: more than {much}; use smaller counts",
            "pattern too large - compile failed",
        )
    return begun


def _refused(text: str, problem: str) -> PatternError:
    """Return the error for a pattern that RE2 refuses, and charge for it. Raises EffortError."""
    cost = len(text) * _CHARACTER
    if problem.startswith("pattern too large"):
        cost += _TOO_LARGE
    charge(cost)
    return PatternError(_explain(text, problem), problem, cost)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")


def _explain(text: str, problem: str) -> str:
    start = f"the pattern {_shown(text)} is not RE2"
    if "too large" in problem or problem.startswith("invalid repetition size"):
        return (
            f"the pattern {_shown(text)} is too large ({problem}): a repeat count reaches at most 1000, nested ones "
            f"multiplied, and a compiled pattern {PROGRAM_MEMORY // 1024 // 1024} MiB "
            "(krmkit.libraries.go.regexp.pattern.PROGRAM_MEMORY); use smaller counts"
        )
    for opening, name, advice in FOREIGN:
        if opening in problem or (problem.startswith("invalid perl operator") and opening in text):
            return f"{start}: it uses {name} `{opening}`: {advice}"
    if problem.startswith("invalid escape sequence: \\") and problem[26:27].isdigit():
        return f"{start}: it uses a back-reference `{problem[25:]}`: {FOREIGN[6][2]}"
    if problem.startswith("bad repetition operator"):
        return f"{start}: {problem}: one repeat sign cannot follow another (RE2 has no possessive repeats `++`, `*+`); group it: (?:a+)+"
    return f"{start}: {problem} (syntax: github.com/google/re2/wiki/Syntax)"


def _refuse_single_byte(text: str) -> None:
    r"""Refuse `\C` (one byte), which the C++ engine has and Go lacks: it would cut characters."""
    position = text.find("\\")
    while position >= 0:
        following = text[position + 1 : position + 2]
        if following == "C":
            message = f"the pattern {_shown(text)} uses \\C (one byte); write . for one character"
            raise PatternError(message, "invalid escape sequence: \\C")
        if following == "Q":
            end = text.find("\\E", position + 2)
            position = text.find("\\", end + 2) if end >= 0 else -1
        else:
            position = text.find("\\", position + 2)
