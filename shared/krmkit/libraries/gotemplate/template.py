"""Templates: parsed once, executed as often as needed."""

from __future__ import annotations

from krmkit.libraries.go.core.functions import FunctionSet, GoFunction
from krmkit.libraries.go.core.values import ABSENT
from krmkit.libraries.go.core.work import begin, end
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.go.json.data import from_json
from krmkit.libraries.gotemplate.builtins import BUILTINS
from krmkit.libraries.gotemplate.errors import TemplateError
from krmkit.libraries.gotemplate.execution import Execution, Program
from krmkit.libraries.gotemplate.limits import DEFAULT_LIMITS, TemplateLimits
from krmkit.libraries.gotemplate.nodes import Tree
from krmkit.libraries.gotemplate.parser import parse_trees
from krmkit.libraries.gotemplate.statements import compile_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_MISSING = {
    "missingkey=default": "default",
    "missingkey=invalid": "default",
    "missingkey=zero": "zero",
    "missingkey=error": "error",
}


SETS = ("builtins", "sprig", "hermetic", "landscaper")
"""Go's own functions only; sprig's TxtFuncMap; its HermeticTxtFuncMap (Cluster API's patches); sprig without
env and expandenv, with toYaml and fromYaml (Landscaper). Every set has Go's own functions beside its own.
"""


def function_set(functions: str | Mapping[str, GoFunction] | None) -> FunctionSet:
    """Return the functions beside Go's own, by a set's name or as given; {} for None and "builtins".

    Raises ValueError for an unknown set.
    """
    if functions is None or functions == "builtins":
        return {}
    if not isinstance(functions, str):
        return dict(functions)
    if functions not in SETS:
        raise ValueError(f"there is no function set {functions!r}; the sets are {', '.join(SETS)}")
    from krmkit.libraries.sprig import functions as sprig

    return sprig(functions)


def parse(
    text: str,
    name: str = "template",
    functions: str | Mapping[str, GoFunction] | None = None,
    delims: tuple[str, str] = ("{{", "}}"),
    options: Iterable[str] = (),
    limits: TemplateLimits = DEFAULT_LIMITS,
    noting: bool = False,
) -> Template:
    """Parse a template.

    name: its name in errors. functions: a set ("builtins", "sprig", "hermetic", "landscaper") or functions by
    name, beside Go's own. delims: the left and the right delimiter; "" is the usual one. options:
    `missingkey=default`, `missingkey=zero` or `missingkey=error`. noting: for `parts`.
    Raises TemplateError with phase "parse"; ValueError for an unknown set or option.
    """
    missing = "default"
    for option in options:
        if option not in _MISSING:
            raise ValueError(f"there is no option {option!r}; the options are {', '.join(_MISSING)}")
        missing = _MISSING[option]
    group = _Group(function_set(functions), delims, missing, limits, noting)
    return Template(name, group).parse_associated(name, text)


class _Group:
    def __init__(
        self,
        functions: dict[str, GoFunction],
        delims: tuple[str, str],
        missing: str,
        limits: TemplateLimits,
        noting: bool,
    ) -> None:
        self.functions = functions
        self.known = {**BUILTINS, **functions} if functions else BUILTINS
        self.delims = delims
        self.missing = missing
        self.limits = limits
        self.noting = noting
        self.trees: dict[str, Tree] = {}
        self.programs: dict[str, Program] = {}


class Template:
    """A parsed template, and the group of templates that it defines or that are parsed into it."""

    def __init__(self, name: str, group: _Group) -> None:
        self.name = name
        self._group = group

    @property
    def names(self) -> list[str]:
        """The names of the group's templates."""
        return sorted(self._group.programs)

    @property
    def trees(self) -> list[Tree]:
        """The trees of the group's templates."""
        return list(self._group.trees.values())

    def parse_associated(self, name: str, text: str) -> Template:
        """Parse a text into the group, where {{template}} finds it; return that template.

        It replaces a template of the same name, unless it is empty. Raises TemplateError.
        """
        group = self._group
        left, right = group.delims
        trees = parse_trees(name, text, group.known, left, right, group.limits)
        for key, tree in trees.items():
            if key in group.trees and tree.empty:
                continue
            group.trees[key] = tree
            group.programs[key] = compile_tree(tree, group.functions, BUILTINS, group.missing, group.noting)
        return Template(name, group)

    def execute(self, data: object = None, name: str | None = None, numbers: str = "float64") -> str:
        """Return the text that the template gives for the data.

        - `data`: the dot, as JSON data (dict, list, str, int, float, bool, None). It is copied, so functions
          such as sprig's set do not change the caller's.
        - `name`: another template of the group to execute.
        - `numbers`: the Go type of integers in the data: float64 (as in encoding/json), int or int64; or "go"
          for data that are Go values already (from_json) and need no copy.

        Raises TemplateError with phase "exec". Invalid UTF-8 (sprig's trunc may cut a character) becomes
        surrogates: `result.encode("utf-8", "surrogateescape")` gives Go's bytes.
        """
        return "".join(self.run(data, name, numbers).chunks)

    def run(self, data: object = None, name: str | None = None, numbers: str = "float64") -> Execution:
        """Return the execution whose text `execute` returns."""
        program = self._group.programs.get(self.name if name is None else name)
        if program is None:
            raise TemplateError(
                f"template: no template {quote(str(name))} associated with template {quote(self.name)}"
            )
        outermost = begin(self._group.limits.work)
        run = Execution(self._group.programs, self._group.limits)
        try:
            dot = ABSENT if data is None else data if numbers == "go" else from_json(data, numbers)
            frame = program.start.copy()
            frame[0] = run
            frame[1] = dot
            program.body(frame, dot, run.chunks.append)
        except GoError as error:
            raise TemplateError(f"template: {self.name}: {error}") from None
        except RecursionError:
            raise TemplateError(
                f"template: {self.name}: Python's stack is used up; a smaller Limits.depth, or a larger"
                " sys.setrecursionlimit, would tell where"
            ) from None
        finally:
            run.settle()
            if outermost:
                end()
        if sum(map(len, run.chunks)) > run.limits.output:
            raise TemplateError(
                f"template: {self.name}: the output has more than {run.limits.output:,} characters (Limits.output)"
            )
        return run
