"""The template language of schema.yaml: `{{ required | format "${string}" | hints "what it is" }}`.

    template = "{{" [ clause *( "|" clause ) ] "}}"
    clause   = "required" / "readonly" / "format" qstr / "hints" 1*qstr
    qstr     = DQUOTE *( '\\"' / any-except-DQUOTE ) DQUOTE

White space is free and needed nowhere; `\\"` is the only escape, so a regular expression's `\\d` stays as it
is.
"""

from __future__ import annotations

from krmkit.krm.errors import Refused

CLAUSES = ("required", "readonly", "format", "hints")
_BLANKS = " \t\r\n\f\v"


class SchemaTemplate:
    """The demands of one key's template. `format` is None without a format clause."""

    def __init__(self) -> None:
        self.required = False
        self.readonly = False
        self.format: str | None = None
        self.hints: list[str] = []

    @classmethod
    def parse(cls, text: str) -> SchemaTemplate:
        """Parse a template. Raises Refused."""
        return _Parser(text).template()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def template(self) -> SchemaTemplate:
        result = SchemaTemplate()
        self.blanks()
        if not self.take("{{"):
            raise Refused("a template starts with {{, as in '{{ required }}'" + _quoting(self.text))
        self.blanks()
        if not self.take("}}"):
            while True:
                self.clause(result)
                self.blanks()
                if self.take("}}"):
                    break
                if not self.take("|"):
                    self.unexpected()
        self.blanks()
        if self.at != len(self.text):
            raise Refused(f"the template goes on after its }}}}: {self.shown()}")
        return result

    def clause(self, result: SchemaTemplate) -> None:
        self.blanks()
        name = self.word()
        if name == "required":
            result.required = True
        elif name == "readonly":
            result.readonly = True
        elif name == "format":
            self.blanks()
            if result.format is not None:
                raise Refused("the template has two format clauses; a value has one format")
            result.format = self.quoted("format", '"${string}"')
        elif name == "hints":
            self.blanks()
            result.hints.append(self.quoted("hints", '"what to enter"'))
            self.blanks()
            while self.text.startswith('"', self.at):
                result.hints.append(self.quoted("hints", ""))
                self.blanks()
        elif name:
            from krmkit.libraries.messages.nearest import did_you_mean

            raise Refused(f'there is no clause "{name}"' + did_you_mean(name, CLAUSES))
        elif self.at == len(self.text):
            raise Refused("the template is not closed with }}")
        elif self.text[self.at] in "|}":
            raise Refused("a clause is empty: write required, readonly, format or hints between {{, | and }}")
        else:
            raise Refused(f"a clause is expected (required, readonly, format or hints), not {self.shown()}")

    def quoted(self, name: str, example: str) -> str:
        text = self.text
        if not text.startswith('"', self.at):
            raise Refused(f"{name} takes a text in double quotes, as in {name} {example}")
        parts: list[str] = []
        start = self.at + 1
        while True:
            end = text.find('"', start)
            if end < 0:
                raise Refused(
                    f'the quoted text of {name} is not closed (inside of it, \\" stands for a quote)'
                )
            if text[end - 1] == "\\" and end > start:
                parts.append(text[start : end - 1] + '"')
                start = end + 1
            else:
                parts.append(text[start:end])
                self.at = end + 1
                return "".join(parts)

    def word(self) -> str:
        start = self.at
        while self.at < len(self.text) and (self.text[self.at].isalnum() or self.text[self.at] in "-_"):
            self.at += 1
        return self.text[start : self.at]

    def blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in _BLANKS:
            self.at += 1

    def take(self, sign: str) -> bool:
        if self.text.startswith(sign, self.at):
            self.at += len(sign)
            return True
        return False

    def unexpected(self) -> None:
        if self.at == len(self.text):
            raise Refused("the template is not closed with }}")
        raise Refused(f"put a | between two clauses, and behind the last one }}}}, not {self.shown()}")

    def shown(self) -> str:
        rest = self.text[self.at : self.at + 30]
        return repr(rest if len(self.text) - self.at <= 30 else rest + "...")


def _quoting(text: str) -> str:
    """Return a hint for a clause without `{{ }}` around it."""
    return f"; write '{{{{ {text.strip()} }}}}'" if text.strip() in ("required", "readonly") else ""
