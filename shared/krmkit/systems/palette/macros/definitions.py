"""What profiles among the items define: variables, and packs that no item of their own carries."""

from __future__ import annotations

from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import text
from krmkit.systems.palette.macros.context import Context, Source
from krmkit.systems.palette.profiles.items import PROFILE_FILE, is_profile, pack_name, profile_of
from krmkit.systems.palette.profiles.variables import definition_problems, options_of, value_problem


def add_definitions(items: list[Resource], context: Context, config: Resource | None) -> list[Finding]:
    """Add what profiles define to the context of macros; return what is wrong with definitions and values."""
    findings = []
    for item in filter(is_profile, items):
        profile = profile_of(item)
        field = f'data."{PROFILE_FILE}"' if item.kind == "ConfigMap" else "spec.forProvider"
        findings += [
            Finding("variable-definition", message, item, field, severity=severity)
            for severity, message in definition_problems(profile.variables())
        ]
        context.defined = context.defined or set()
        for one in profile.variables():
            name, default = text(one.get("name")), text(one.get("defaultValue"))
            context.defined.add(name)
            by_label = {label: value for value, label in options_of(one).items()}
            if default:
                context.defaults[name] = by_label.get(default, default)
            if one.get("isSensitive") is True:
                context.secrets |= {name}
            given = context.variables.get(name, "")
            problem = value_problem(one, given)
            if given and given != default and one.get("immutable") is True:
                problem = "must keep its default, as it is immutable"
            if problem:
                root = "data" if config is not None and config.kind == "ConfigMap" else "spec"
                message = f"the value of the variable {name} {problem}"
                findings.append(Finding("variable-value", message, config, f"{root}.variables"))
    return findings


def layer_sources(items: list[Resource]) -> list[Source]:
    """Return the layers inside profiles of Crossplane, whose values macros name as those of packs."""
    found = []
    for item in items:
        if item.kind != "ConfigMap" and is_profile(item):
            profile = profile_of(item)
            for layer in profile.layers:
                name = text(profile.of_layer(layer, "name"))
                values = text(profile.of_layer(layer, "values"))
                found.append(Source(f"{item.label}: {name}", (name, pack_name(name)), values))
    return found
