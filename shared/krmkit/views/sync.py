"""Show the results of a sync and of a status for each variant, in all formats."""

from __future__ import annotations

from dataclasses import fields

from krmkit.fleet.collisions import RULE
from krmkit.fleet.sync.outcome import SyncOutcome
from krmkit.libraries.messages.listed import listed
from krmkit.render.findings.model import PackageReport, Report
from krmkit.render.findings.places import placed
from krmkit.views.formats import counted
from krmkit.views.outcome import Told
from krmkit.views.terminal import GREEN, RED, YELLOW, Table, Terminal


def told_sync(outcomes: list[SyncOutcome], terminal: Terminal, dry: bool, check: bool) -> Told:
    """Return a line for each variant that changed, failed or waits, and the number of the others."""
    table = Table(["VARIANT", "PACKAGE", "RESULT"])
    named: set[str] = set()
    for outcome in outcomes:
        for text, colour in _lines(outcome):
            table.add([outcome.name, outcome.package, text], colour)
        for text in outcome.collisions:
            if text not in named:  # each collision names all of its packages
                table.add([outcome.name, outcome.package, f"collision: {text}"], YELLOW)
                named.add(text)
    failed = sum(bool(outcome.error) for outcome in outcomes)
    outcomes, everything = [one for one in outcomes if one.name != "-" or one.error], outcomes
    touched = sum(bool(outcome.actions) and not outcome.error for outcome in outcomes)
    stuck = sum(outcome.stuck and not (outcome.actions or outcome.error) for outcome in outcomes)
    gone = sum(_is_stale(outcome) for outcome in outcomes)
    rest = len(outcomes) - failed - touched - stuck - gone
    done = " (nothing was written)" if dry else ""
    waiting = f", {stuck} left alone with conflicts" if stuck else ""
    approval = sum((outcome.waiting or outcome.held) and not outcome.error for outcome in outcomes)
    waiting += f", {approval} with conflicts to look at" if approval else ""
    waiting += f", {gone} to be removed by --prune" if gone else ""
    waiting += f", {counted(len(named), 'collision')}" if named else ""
    closing = f"{counted(touched, 'variant')} changed, {rest} unchanged{waiting}, {failed} failed{done}"
    report = _report("variants sync", everything, not dry, check)
    return Told(report, "Variants", _details(everything), table.text(terminal), closing)


def told_status(outcomes: list[SyncOutcome], terminal: Terminal) -> Told:
    """Return every variant: its upstream, its draft, and a sync's action."""
    table = Table(["VARIANT", "PACKAGE", "UPSTREAM", "NEWEST", "DRAFT", "WHAT A SYNC DOES"])
    for outcome in outcomes:
        conflicts = [f"conflict: {text}" for text in outcome.conflicts]
        conflicts += [f"collision: {text}" for text in outcome.collisions]
        drift = outcome.error or "; ".join(
            [*outcome.actions, *_leftover(outcome), *outcome.drift, *conflicts, *_rendered(outcome)]
        )
        colour = RED if outcome.error else YELLOW if drift else GREEN
        cells = [
            outcome.name,
            outcome.package,
            outcome.upstream,
            outcome.newest,
            outcome.draft,
            drift or "change nothing",
        ]
        table.add(cells, colour)
    report = _report("variants status", outcomes, False, False)
    return Told(report, "Variants", _details(outcomes), table.text(terminal))


def _lines(outcome: SyncOutcome) -> list[tuple[str, str]]:
    if outcome.error:
        return [(outcome.error, RED)]
    lines = [(action, GREEN) for action in outcome.actions]
    lines += [(text, YELLOW) for text in (*_leftover(outcome), *outcome.drift)]
    lines += [("left a draft with conflicts alone", YELLOW)] * outcome.stuck
    lines += [(f"{outcome.draft} waits for a person to resolve its conflicts", YELLOW)] * (
        outcome.waiting or outcome.held
    )
    lines += [(f"conflict: {conflict}", YELLOW) for conflict in outcome.conflicts]
    lines += [(f"warning: {warning}", YELLOW) for warning in outcome.warnings if outcome.actions]
    return lines + [(f"waits for {gate}", YELLOW) for gate in outcome.gates if outcome.actions]


def _rendered(outcome: SyncOutcome) -> list[str]:
    """Return a Kptfile's last render condition unless it was successful."""
    return [outcome.rendered] if outcome.rendered and "is True" not in outcome.rendered else []


def _leftover(outcome: SyncOutcome) -> list[str]:
    if not outcome.leftover or not (outcome.leftovers or _is_stale(outcome)):
        return []
    return [f"{outcome.leftover}; --prune removes {listed(outcome.leftovers) or 'what is known of it'}"]


def _is_stale(outcome: SyncOutcome) -> bool:
    """Return whether this is the remainder of a variant that is no longer generated."""
    return bool(outcome.leftover) and not (outcome.upstream or outcome.actions or outcome.error)


def _details(outcomes: list[SyncOutcome]) -> dict[str, object]:
    known = fields(SyncOutcome)  # the deep copies of asdict cost more than a sync for ten thousand outcomes
    return {"variants": [{one.name: getattr(outcome, one.name) for one in known} for outcome in outcomes]}


def _report(command: str, outcomes: list[SyncOutcome], written: bool, check: bool) -> Report:
    """Return a package for each variant; with `check`, each pending action is an error."""
    report = Report(command, written=written)
    for outcome in outcomes:
        package = PackageReport(outcome.package or outcome.name)
        rows = [("error", "failed", outcome.error)] if outcome.error else []
        rows += [("error" if check else "info", "changed", text) for text in outcome.actions]
        rows += [
            ("error" if check else "warning", "left-alone", "a draft with conflicts was left alone")
        ] * outcome.stuck
        rows += [
            ("error" if check else "warning", "left-alone", "main has a person's change that would be lost")
        ] * outcome.held
        rows += [("warning", "conflict", text) for text in outcome.conflicts]
        rows += [("warning", "left-over", text) for text in _leftover(outcome)]
        rows += [("warning", "drift", text) for text in outcome.drift]
        rows += [("warning", RULE, text) for text in outcome.collisions]
        rows += [("warning", "warning", text) for text in outcome.warnings]
        rows += [("info", "last-render", outcome.rendered)] if outcome.rendered else []
        rows += [("info", "gate-open", f"waits for {text}") for text in outcome.gates]
        namespace, _, name = outcome.name.rpartition("/")
        variant = {"kind": "PackageVariant", "namespace": namespace, "name": name}
        package.results = [placed(level, rule, text, "", variant) for level, rule, text in rows]
        report.packages.append(package)
    return report
