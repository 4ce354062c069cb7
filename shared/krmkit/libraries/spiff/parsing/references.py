"""Parser of what names a node: references, and the merges that may hold one."""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.libraries.spiff.expressions.literals import ListExpression
from krmkit.libraries.spiff.expressions.merging import Merge
from krmkit.libraries.spiff.expressions.references import Dynamic, Reference
from krmkit.libraries.spiff.parsing.brackets import BracketParser
from krmkit.libraries.spiff.parsing.scanner import Scanner
from krmkit.libraries.spiff.tree.errors import Path
from krmkit.libraries.spiff.tree.nodes import Expression


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


@dataclass(frozen=True, slots=True)
class ReferenceParser:
    """References and merges."""

    scan: Scanner
    brackets: BracketParser

    def reference(self) -> Expression | None:
        scan = self.scan
        tag = scan.tag()
        begin = scan.at
        if tag:
            if scan.accept("."):
                self.follow()
                rest = scan.text[begin + 1 : scan.at]
                return Reference(("",) if not rest else ("", *path_steps(rest, False)), tag)
        else:
            if scan.text.startswith(".[", begin):
                scan.at = begin + 1
                return self.chain_dynamic(Reference(("",)))
            scan.accept(".")
        if not scan.key():
            return None
        self.follow()
        return Reference(path_steps(scan.text[begin : scan.at], True), tag)

    def chain_dynamic(self, base: Expression) -> Expression | None:
        scan = self.scan
        scan.accept("[")
        parts = self.brackets.arguments()
        if not parts or not scan.accept("]"):
            return None
        return Dynamic(base, ListExpression(parts))

    def follow(self) -> bool:
        """Skip `.key`, `[1]` and `.[1]`; whether there was one."""
        scan = self.scan
        found = False
        while True:
            start = scan.at
            if scan.accept("."):
                if not scan.key() and not scan.index():
                    scan.at = start
                    return found
            elif not scan.index():
                return found
            found = True

    def merge(self) -> Expression | None:
        scan = self.scan
        start = scan.at
        if not scan.accept("merge"):
            return None
        behind = scan.at
        found = self._redirected()
        if found is not None:
            return found
        scan.at = behind
        if scan.text.startswith("(", behind):
            scan.at = start
            return None
        replace = required = False
        key_name = ""
        if scan.space():
            if scan.accept("replace"):
                replace = True
            elif scan.accept("required"):
                required = True
            else:
                key_name = self._on()
                if not key_name:
                    scan.at = behind
        scan.mark(start)
        redirect = scan.path != scan.stub_path
        return Merge(scan.stub_path, redirect, replace, replace or required or redirect, False, key_name)

    def _redirected(self) -> Expression | None:
        scan = self.scan
        if not scan.space() or scan.text.startswith("required", scan.at):
            return None
        replace = False
        key_name = ""
        before = scan.at
        if scan.accept("replace"):
            replace = True
        else:
            key_name = self._on()
        if (replace or key_name) and not scan.space():
            return None
        if not replace and not key_name:
            scan.at = before
        reference = self.reference()
        if not isinstance(reference, Reference):
            return None
        path = reference.path
        if path == ("none",):
            return Merge((), True, replace, False, True, key_name)
        return Merge(path, True, replace, bool(path), False, key_name)

    def _on(self) -> str:
        scan = self.scan
        start = scan.at
        if scan.accept("on") and scan.space():
            name = scan.name()
            if name:
                return name
        scan.at = start
        return ""
