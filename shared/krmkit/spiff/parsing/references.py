"""Parser of what names a node: references, and the merges that may hold one."""

from __future__ import annotations

from krmkit.spiff.errors import Path
from krmkit.spiff.expressions.literals import ListExpression
from krmkit.spiff.expressions.merging import Merge
from krmkit.spiff.expressions.references import Dynamic, Reference
from krmkit.spiff.nodes import Expression
from krmkit.spiff.parsing.brackets import Forms


def path_steps(text: str, leading: bool) -> Path:
    """The steps of a path: a.b[1] is (a, b, [1]); with `leading` .a is ("", a)."""
    steps: list[str] = []
    step = ""
    for char in text:
        if char == ".":
            if step or leading:
                steps.append(step)
            step = ""
            leading = leading and bool(steps)
            continue
        if char == "[" and step:
            steps.append(step)
            step = ""
        step += char
    if step:
        steps.append(step)
    return tuple(steps)


class ReferenceParser(Forms):
    """References and merges."""

    def _reference(self) -> Expression | None:
        tag = self.tag()
        begin = self.at
        if tag:
            if self.accept("."):
                self._follow()
                rest = self.text[begin + 1 : self.at]
                return Reference(("",) if not rest else ("", *path_steps(rest, False)), tag)
        else:
            if self.text.startswith(".[", begin):
                self.at = begin + 1
                return self._chain_dynamic(Reference(("",)))
            self.accept(".")
        if not self.key():
            return None
        self._follow()
        return Reference(path_steps(self.text[begin : self.at], True), tag)

    def _chain_dynamic(self, base: Expression) -> Expression | None:
        self.accept("[")
        parts = self._arguments()
        if not parts or not self.accept("]"):
            return None
        return Dynamic(base, ListExpression(parts))

    def _follow(self) -> bool:
        """Skip `.key`, `[1]` and `.[1]`; whether there was one."""
        found = False
        while True:
            start = self.at
            if self.accept("."):
                if not self.key() and not self.index():
                    self.at = start
                    return found
            elif not self.index():
                return found
            found = True

    def _merge(self) -> Expression | None:
        start = self.at
        if not self.accept("merge"):
            return None
        behind = self.at
        found = self._merge_reference()
        if found is not None:
            return found
        self.at = behind
        if self.text.startswith("(", behind):
            self.at = start
            return None
        replace = required = False
        key_name = ""
        if self.space():
            if self.accept("replace"):
                replace = True
            elif self.accept("required"):
                required = True
            else:
                key_name = self._on()
                if not key_name:
                    self.at = behind
        self.mark(start)
        redirect = self.path != self.stub_path
        return Merge(self.stub_path, redirect, replace, replace or required or redirect, False, key_name)

    def _merge_reference(self) -> Expression | None:
        if not self.space() or self.text.startswith("required", self.at):
            return None
        replace = False
        key_name = ""
        before = self.at
        if self.accept("replace"):
            replace = True
        else:
            key_name = self._on()
        if (replace or key_name) and not self.space():
            return None
        if not replace and not key_name:
            self.at = before
        reference = self._reference()
        if not isinstance(reference, Reference):
            return None
        path = reference.path
        if path == ("none",):
            return Merge((), True, replace, False, True, key_name)
        return Merge(path, True, replace, bool(path), False, key_name)

    def _on(self) -> str:
        start = self.at
        if self.accept("on") and self.space():
            name = self.name()
            if name:
                return name
        self.at = start
        return ""
