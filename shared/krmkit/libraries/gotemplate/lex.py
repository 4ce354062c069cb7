"""Split a template into tokens: plain text, and the words of actions between delimiters.

A token is (kind, offset, text). Offsets count characters. The list ends with an EOF or an ERROR token: as in
Go, an error counts only when the parser reaches it.
"""

from __future__ import annotations

from krmkit.libraries.gotemplate.errors import TemplateError

Token = tuple[int, int, str]

BOOL, CHAR_CONSTANT, COMPLEX, FIELD, IDENTIFIER, LEFT_PAREN, NUMBER, RAW_STRING, STRING, VARIABLE = range(10)
ERROR, CHAR, ASSIGN, DECLARE, EOF, LEFT_DELIM, PIPE, RIGHT_DELIM, RIGHT_PAREN, SPACE, TEXT = range(10, 21)
# Keywords, which messages print as <word>.
KEYWORD, BLOCK, BREAK, CONTINUE, DOT, DEFINE, ELSE, END, IF, NIL, RANGE, TEMPLATE, WITH = range(30, 43)
OPERANDS = frozenset((*range(10), DOT, NIL))

_KEYWORDS = {
    "block": BLOCK,
    "break": BREAK,
    "continue": CONTINUE,
    "define": DEFINE,
    "else": ELSE,
    "end": END,
    "if": IF,
    "nil": NIL,
    "range": RANGE,
    "template": TEMPLATE,
    "true": BOOL,
    "false": BOOL,
    "with": WITH,
}
_BLANKS = " \t\r\n"
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_DIGITS = frozenset("0123456789")
_NUMBER_STARTS = frozenset("0123456789+-.")
_TERMINATORS = frozenset(" \t\r\n.,|:)(")
_DECIMAL = ("0123456789_", ("e", "E"))
_BASES = {"0x": ("0123456789abcdefABCDEF_", ("p", "P")), "0o": ("01234567_", ()), "0b": ("01_", ())}
"""The digits of numbers, and the letters of their exponents, by prefix."""
_SINGLE = {"=": ASSIGN, "|": PIPE, "(": LEFT_PAREN, ")": RIGHT_PAREN}


def lex(text: str, left: str = "{{", right: str = "}}", functions: tuple[str, ...] = ()) -> list[Token]:
    """Split a template into tokens. `functions`: which of `break` and `continue` are functions."""
    tokens: list[Token] = []
    scanner = _Scanner(text, right, functions, tokens)
    at = 0
    size = len(text)
    width = len(left)
    try:
        while True:
            found = text.find(left, at)
            if found < 0:
                break
            inside = found + width
            trim = (
                text[inside : inside + 1] == "-"
                and text[inside + 1 : inside + 2] in _BLANKS
                and inside + 1 < size
            )
            if found > at:
                plain = text[at:found]
                if trim:
                    plain = plain.rstrip(_BLANKS)
                if plain:
                    tokens.append((TEXT, at, plain))
            start = inside + 2 if trim else inside
            if text.startswith("/*", start):
                at = scanner.comment(start)
            else:
                tokens.append((LEFT_DELIM, found, left))
                at = scanner.action(start)
    except TemplateError as error:
        tokens.append((ERROR, error.column or 0, error.message))
        return tokens
    if at < size:
        tokens.append((TEXT, at, text[at:]))
    tokens.append((EOF, size, ""))
    return tokens


def describe(char: str) -> str:
    """Format a character by %#U: U+0023 '#'."""
    if "\udc80" <= char <= "\udcff":
        char = "\ufffd"
    shown = f" '{char}'" if char.isprintable() else ""
    return f"U+{ord(char):04X}{shown}"


def is_word(char: str) -> bool:
    """Return True if identifiers may contain the character: a letter, digit or underscore."""
    return char in _WORD or char.isalpha() or char.isdecimal()


class _Scanner:
    """The inside of actions; each method takes an offset and returns the offset after its token."""

    def __init__(self, text: str, right: str, functions: tuple[str, ...], tokens: list[Token]) -> None:
        self.text = text
        self.right = right
        self.functions = functions
        self.tokens = tokens

    def comment(self, start: int) -> int:
        """Skip a comment at `start`, its delimiter, and the blanks it trims."""
        close = self.text.find("*/", start + 2)
        if close < 0:
            raise TemplateError("unclosed comment", column=start)
        behind = self._right(close + 2)
        if behind is None:
            raise TemplateError("comment ends before closing delimiter", column=start)
        return behind

    def _right(self, at: int) -> int | None:
        """Return the offset after a right delimiter and the blanks it trims; None without a delimiter."""
        text = self.text
        if text[at : at + 1] in _BLANKS and text.startswith("-" + self.right, at + 1):
            at += 2 + len(self.right)
            size = len(text)
            while at < size and text[at] in _BLANKS:
                at += 1
            return at
        return at + len(self.right) if text.startswith(self.right, at) else None

    def action(self, at: int) -> int:
        """Read an action with its right delimiter."""
        text = self.text
        size = len(text)
        right = self.right
        first = right[0]
        add = self.tokens.append
        parens = 0
        while True:
            char = text[at : at + 1]
            if (char == first or char in _BLANKS) and at < size:
                behind = self._right(at)
                if behind is not None:
                    if parens:
                        raise TemplateError("unclosed left paren", column=at)
                    add((RIGHT_DELIM, at if char == first else at + 2, right))
                    return behind
            if char == "":
                raise TemplateError("unclosed action", column=at)
            if char in _BLANKS:
                at = self._blanks(at)
            elif char == ".":
                at = self._number(at) if text[at + 1 : at + 2] in _DIGITS else self._field(at, FIELD)
            elif char in _WORD and char not in _DIGITS:
                at = self._identifier(at)
            elif char == "$":
                at = self._field(at, VARIABLE)
            elif char == '"':
                at = self._quoted(at, '"', STRING, "unterminated quoted string")
            elif char in _SINGLE:
                if char == "(":
                    parens += 1
                elif char == ")":
                    parens -= 1
                    if parens < 0:
                        raise TemplateError("unexpected right paren", column=at)
                add((_SINGLE[char], at, char))
                at += 1
            elif char in _NUMBER_STARTS:
                at = self._number(at)
            else:
                at = self._rare(at, char)

    def _rare(self, at: int, char: str) -> int:
        """Read a rare token: `:=`, a raw text, a character, a name in another script, a sign."""
        text = self.text
        if char == ":":
            if text[at + 1 : at + 2] != "=":
                raise TemplateError("expected :=", column=at)
            self.tokens.append((DECLARE, at, ":="))
            return at + 2
        if char == "`":
            close = text.find("`", at + 1)
            if close < 0:
                raise TemplateError("unterminated raw quoted string", column=at)
            self.tokens.append((RAW_STRING, at, text[at : close + 1]))
            return close + 1
        if char == "'":
            return self._quoted(at, "'", CHAR_CONSTANT, "unterminated character constant")
        if is_word(char):
            return self._identifier(at)
        if " " <= char <= "~":
            self.tokens.append((CHAR, at, char))
            return at + 1
        raise TemplateError(f"unrecognized character in action: {describe(char)}", column=at)

    def _blanks(self, at: int) -> int:
        """Read blanks; the last may belong to the right delimiter's trim marker."""
        text = self.text
        start = at
        size = len(text)
        while at < size and text[at] in _BLANKS:
            at += 1
        if text.startswith("-" + self.right, at):
            at -= 1
        if at > start:
            self.tokens.append((SPACE, start, text[start:at]))
        return at

    def _word(self, at: int) -> int:
        text = self.text
        size = len(text)
        while at < size:
            char = text[at]
            if char not in _WORD and not (char > "\x7f" and is_word(char)):
                break
            at += 1
        return at

    def _terminated(self, start: int, at: int) -> None:
        """Raise an error unless a blank, punctuation or the delimiter ends the word."""
        char = self.text[at : at + 1]
        if char and char not in _TERMINATORS and not self.text.startswith(self.right, at):
            raise TemplateError(f"bad character {describe(char)}", column=start)

    def _identifier(self, start: int) -> int:
        at = self._word(start)
        word = self.text[start:at]
        self._terminated(start, at)
        kind = _KEYWORDS.get(word, IDENTIFIER)
        if kind in (BREAK, CONTINUE) and word in self.functions:
            kind = IDENTIFIER
        self.tokens.append((kind, start, word))
        return at

    def _field(self, start: int, kind: int) -> int:
        """Read .name or $name; a lone dot is the cursor, a lone dollar sign the data of execute."""
        at = self._word(start + 1)
        self._terminated(start, at)
        if at == start + 1 and kind == FIELD:
            kind = DOT
        self.tokens.append((kind, start, self.text[start:at]))
        return at

    def _quoted(self, start: int, mark: str, kind: int, problem: str) -> int:
        text = self.text
        at = start + 1
        while True:
            char = text[at : at + 1]
            if char == "\\":
                at += 1
                char = text[at : at + 1]
                if char in ("", "\n"):
                    raise TemplateError(problem, column=start)
            elif char == mark:
                break
            elif char in ("", "\n"):
                raise TemplateError(problem, column=start)
            at += 1
        self.tokens.append((kind, start, text[start : at + 1]))
        return at + 1

    def _number(self, start: int) -> int:
        """Read a token that starts like a number; the parser checks it."""
        kind = NUMBER
        at, good = self._scan_number(start)
        if good and self.text[at : at + 1] in ("+", "-"):
            kind = COMPLEX
            at, good = self._scan_number(at)
            good = good and self.text[at - 1] == "i"
        word = self.text[start:at]
        if not good:
            from krmkit.libraries.go.fmt.printing import quote

            raise TemplateError(f"bad number syntax: {quote(word)}", column=start)
        self.tokens.append((kind, start, word))
        return at

    def _scan_number(self, at: int) -> tuple[int, bool]:
        text = self.text

        def run(at: int, digits: str) -> int:
            while at < len(text) and text[at] in digits:
                at += 1
            return at

        at += text[at : at + 1] in ("+", "-")
        digits, exponents = _BASES.get(text[at : at + 2].lower(), _DECIMAL)
        if digits != _DECIMAL[0]:
            at += 2
        at = run(at, digits)
        if text[at : at + 1] == ".":
            at = run(at + 1, digits)
        if text[at : at + 1] in exponents:
            at += 1
            at += text[at : at + 1] in ("+", "-")
            at = run(at, _DECIMAL[0])
        at += text[at : at + 1] == "i"
        good = not is_word(text[at : at + 1])
        return at + (not good), good
