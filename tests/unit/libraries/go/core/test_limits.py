"""The budget of work: what many calls cost together is counted, too."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread

import pytest

from krmkit.libraries.go.core import limits, work
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.gotemplate import TemplateError, parse
from krmkit.libraries.gotemplate.limits import TemplateLimits
from krmkit.libraries.sprig import call


@pytest.fixture(autouse=True)
def _small_budget() -> Iterator[None]:
    work.begin(10_000)
    yield
    work.end()


def repeatedly(times: int, name: str, *args: object) -> None:
    """Calls a function again and again."""
    for _ in range(times):
        call(name, *args)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        pytest.param("join", ("", [1] * 2_000), id="a long list again and again"),
        pytest.param("upper", ("a" * 200_000,), id="a long text"),
        pytest.param("until", (2_000,), id="a long result"),
        pytest.param("deepEqual", ([0] * 2_000, [0] * 2_000), id="a comparison"),
        pytest.param("regexMatch", ("a{100}b", "a" * 5_000), id="a costly pattern"),
        pytest.param("toJson", ([[]] * 2_000,), id="a walk"),
        pytest.param("sortAlpha", ([0] * 200,), id="a list to be sorted"),
        pytest.param("semverCompare", ("^1.2.3 || ~1.2 || >1.0", "1.2.3"), id="a constraint"),
        pytest.param("regexMatch", ("a{500}b", "a"), id="a large pattern"),
        pytest.param("regexFindAll", ("a.*b|a", "a" * 20_000, -1), id="matches that each read to the end"),
        pytest.param(
            "regexReplaceAll", ("a.*b|a", "a" * 20_000, ""), id="replacements that each read to the end"
        ),
        pytest.param("regexSplit", ("a.*b|a", "a" * 20_000, -1), id="pieces that each read to the end"),
        pytest.param("urlParse", ("a" * 1_500,), id="a URL"),
        pytest.param("clean", ("../" * 500,), id="a path"),
        pytest.param("b64enc", ("a" * 5_000,), id="a text that is made"),
        pytest.param("append", ([0] * 1_000, 0), id="a list that is made"),
    ],
)
def test_costly_calls_come_to_an_end(name: str, args: tuple[object, ...]) -> None:
    """Calls that each stay within their limits use up the budget together."""
    with pytest.raises(GoError, match=r"Limits\.work"):
        repeatedly(100, name, *args)


def test_small_calls_cost_nothing() -> None:
    """Calls on small values may go on and on; the engine counts its own steps."""
    repeatedly(2_000, "upper", "name")
    call("until", 9_999)


def test_outside_of_an_execution_nothing_is_counted_together() -> None:
    """The budget is that of a template's execution."""
    work.end()

    repeatedly(5, "until", 9_000)


@pytest.mark.parametrize("function", ["b64enc", "b32enc", "quote", "cat $x", "toJson"])
def test_a_text_that_grows_is_too_long_at_last(function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No function makes a longer text than MAX_LENGTH, whatever it adds each time."""
    monkeypatch.setattr(limits, "MAX_LENGTH", 50_000)
    work.end()
    growing = '{{ $x := repeat 2000 "aB" }}{{ range 64 }}{{ $x = FUNCTION $x }}{{ end }}{{ len $x }}'
    template = parse(growing.replace("FUNCTION", function), functions="sprig")

    with pytest.raises(TemplateError, match="MAX_LENGTH"):
        template.execute()


def test_the_engine_and_sprig_draw_on_one_budget() -> None:
    """Neither alone uses it up here."""
    work.end()
    sprig, own = "{{ $x := until 1000 }}", '{{ $y := printf "%040000d" 1 }}'

    for text in (sprig, own):
        parse(text, functions="sprig", limits=TemplateLimits(work=2_000)).execute()
    with pytest.raises(TemplateError, match=r"Limits\.work"):
        parse(sprig + own, functions="sprig", limits=TemplateLimits(work=2_000)).execute()


def test_executions_in_threads_do_not_share_a_budget() -> None:
    """What one thread's templates use is not missing, and not forgotten, in another's."""
    work.end()
    costly = parse(
        "{{ range 8 }}{{ $x := until 1000 }}{{ end }}", functions="sprig", limits=TemplateLimits(work=10_000)
    )
    work.begin(10_000)
    thread = Thread(target=costly.execute)
    thread.start()
    thread.join()

    call("until", 9_000)
    with pytest.raises(GoError, match=r"Limits\.work"):
        call("until", 9_000)
