"""Parser of references, and of the merges that may hold one."""

from __future__ import annotations

import re

from krmkit.libraries.spiff.expressions.literals import ListExpression
from krmkit.libraries.spiff.expressions.merging import Merge
from krmkit.libraries.spiff.expressions.references import Dynamic, Reference
from krmkit.libraries.spiff.parsing.brackets import BracketParser
from krmkit.libraries.spiff.parsing.scanner import INDEX, KEY, NAME, TAG
from krmkit.libraries.spiff.tree.errors import Path
from krmkit.libraries.spiff.tree.nodes import Expression

_STEP = re.compile(r"[^.[]+|\[[^.[]*")


def path_steps(text: str, leading: bool) -> Path:
    """Split a path into its steps: a.b[1] is (a, b, [1]); with `leading` .a is ("", a)."""
    steps = _STEP.findall(text)
    return ("", *steps) if leading and text.startswith(".") else tuple(steps)


class ReferenceParser(BracketParser):
    """References and merges."""

    def reference(self) -> Expression | None:
        tag = self.match(TAG)[:-2]
        begin = self.at
        if tag:
            if self.accept("."):
                self.follow()
                rest = self.text[begin + 1 : self.at]
                return Reference(("",) if not rest else ("", *path_steps(rest, False)), tag)
        else:
            if self.text.startswith(".[", begin):
                self.at = begin + 1
                return self.chain_dynamic(Reference(("",)))
            self.accept(".")
        if not self.match(KEY):
            return None
        self.follow()
        return Reference(path_steps(self.text[begin : self.at], True), tag)

    def chain_dynamic(self, base: Expression) -> Expression | None:
        self.accept("[")
        parts = self.arguments()
        if not parts or not self.accept("]"):
            return None
        return Dynamic(base, ListExpression(parts))

    def follow(self) -> bool:
        """Skip `.key`, `[1]` and `.[1]`, and return True if there was one."""
        found = False
        while True:
            start = self.at
            if self.accept("."):
                if not self.match(KEY) and not self.match(INDEX):
                    self.at = start
                    return found
            elif not self.match(INDEX):
                return found
            found = True

    def merge(self) -> Expression | None:
        start = self.at
        if not self.accept("merge"):
            return None
        behind = self.at
        found = self._redirected()
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

    def _redirected(self) -> Expression | None:
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
        reference = self.reference()
        if not isinstance(reference, Reference):
            return None
        path = reference.path
        if path == ("none",):
            return Merge((), True, replace, False, True, key_name)
        return Merge(path, True, replace, bool(path), False, key_name)

    def _on(self) -> str:
        start = self.at
        if self.accept("on") and self.space():
            name = self.match(NAME)
            if name:
                return name
        self.at = start
        return ""
