"""The commands: the module of each, and what --help says about it."""

from __future__ import annotations

COMMANDS = {
    "render": ("krmkit.cli.render", "run a package's pipeline in this process and write what changed"),
    "run": ("krmkit.cli.run", "run one function on a ResourceList"),
    "pack": ("krmkit.cli.pack", "bring packs into a package, and take them out again"),
    "pkg": ("krmkit.cli.pkg", "follow the upstream of a package in git"),
    "topology": ("krmkit.cli.topology", "show what a change does to Cluster API's Clusters"),
    "variants": ("krmkit.cli.variants", "make the packages of a fleet from PackageVariantSets"),
    "spiff": ("krmkit.cli.spiff", "merge spiff++ templates with stubs"),
    "landscaper": (
        "krmkit.cli.landscaper",
        "bring components into a package, draw and explain installations",
    ),
    "serve": ("krmkit.cli.serve", "offer the functions as a service, as Porch calls them"),
    "list": ("krmkit.cli.catalog", "list the functions of the catalog"),
    "doc": ("krmkit.cli.catalog", "show what a function does and how it is configured"),
    "explain": ("krmkit.cli.schema", "say what a field of a config is for"),
    "schema": ("krmkit.cli.schema", "print the JSON Schema of a config, for editors"),
    "version": ("krmkit.cli.catalog", "say which version this is"),
    "completion": ("krmkit.cli.completion", "print the completion script of a shell"),
}
