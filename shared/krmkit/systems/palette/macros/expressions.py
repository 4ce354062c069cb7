"""The expression inside a macro: fields of `.spectro.`, literals and sprig functions in a pipeline.

Its syntax is Go's but for the fields: a path runs up to white space, `|`, `)`, `}` or a quote, so that
dashes, dots and slashes may be in it. Each field is therefore given a plain name before Go's template engine
sees the expression.
"""

from __future__ import annotations

from krmkit.systems.palette.errors import MacroError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.libraries.gotemplate import Template

FIELD = ".spectro."
_ENDS = frozenset(" \t\r\n|)}\"'`(,")
_KEYWORDS = frozenset("if else end range with define template block break continue".split())
DENIED = frozenset(
    """
    env expandenv getHostByName now ago date dateInZone date_in_zone dateModify date_modify mustDateModify
    must_date_modify htmlDate htmlDateInZone durationRound randAlphaNum randAlpha randAscii randNumeric randBytes
    randInt shuffle uuidv4 genPrivateKey genCA genCAWithKey genSelfSignedCert genSelfSignedCertWithKey genSignedCert
    genSignedCertWithKey bcrypt htpasswd encryptAES
    """.split()
)
"""Functions whose answer is not the same at every run and place."""


class MacroExpression:
    """A macro's expression. fields: the distinct paths behind `.spectro.`. functions: names that it calls.

    foreign: fields and variables of other systems in it. control: it is a control structure, not a value.
    """

    def __init__(self, body: str) -> None:
        self.fields: list[str] = []
        self.functions: list[str] = []
        self.foreign: list[str] = []
        self.control = False
        self.source = self._read(body)
        self._template: Template | None = None

    def _read(self, body: str) -> str:
        parts: list[str] = []
        position = 0
        while position < len(body):
            character = body[position]
            if character in "\"`'":
                end = _string_end(body, position)
                parts.append(body[position:end])
            elif body.startswith(FIELD, position):
                end = _word_end(body, position)
                path = body[position + len(FIELD) : end]
                if path not in self.fields:
                    self.fields.append(path)
                parts.append(f".f{self.fields.index(path)}")
            elif character in ".$":
                end = _word_end(body, position)
                self.foreign.append(body[position:end])
                parts.append(body[position:end])
            elif character.isalpha() or character == "_":
                end = _word_end(body, position)
                word = body[position:end]
                if word in _KEYWORDS:
                    self.control = True
                elif word not in ("true", "false", "nil"):
                    self.functions.append(word)
                parts.append(word)
            elif character in " \t\r\n":
                end = position + 1
                parts.append(" ")
            else:
                end = position + 1
                parts.append(character)
            position = end
        return "".join(parts).strip()

    def evaluate(self, values: list[str]) -> str:
        """Return the expression's text, given the text of each field. Raises MacroError."""
        if self.source == ".f0":
            return values[0]
        for name in self.functions:
            if name in DENIED:
                raise MacroError(
                    "denied-function",
                    f'the function "{name}" does not give the same answer every time, or looks outside the package;'
                    " give the value as a variable instead",
                )
        from krmkit.libraries.gotemplate import TemplateError

        try:
            return self.template().execute({f"f{number}": value for number, value in enumerate(values)})
        except TemplateError as error:
            raise MacroError("function-error", error.message.partition(">: ")[2] or error.message) from None

    def template(self) -> Template:
        """Return the expression as a Go template over the fields' plain names."""
        if self._template is None:
            from krmkit.libraries.gotemplate import TemplateError, parse
            from krmkit.libraries.sprig import functions

            known = functions("sprig")
            try:
                self._template = parse("{{" + self.source + "}}", name="macro", functions=known)
            except TemplateError as error:
                for name in self.functions:
                    if f'function "{name}" not defined' in error.message:
                        from krmkit.libraries.messages.nearest import did_you_mean

                        hint = did_you_mean(name, sorted(known))
                        raise MacroError(
                            "unknown-function", f'there is no function "{name}"' + hint
                        ) from None
                reason = error.message.removeprefix("template: macro:1: ")
                raise MacroError("function-error", f"the expression cannot be read: {reason}") from None
        return self._template


def _word_end(body: str, position: int) -> int:
    end = position + 1
    while end < len(body) and body[end] not in _ENDS:
        end += 1
    return end


def _string_end(body: str, position: int) -> int:
    quote = body[position]
    at = position + 1
    while at < len(body):
        if body[at] == "\\" and quote != "`":
            at += 2
            continue
        if body[at] == quote:
            return at + 1
        at += 1
    return len(body)
