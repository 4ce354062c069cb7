"""Porch's vectors, judged by the engines that the functions call.

README.md beside the vectors describes the records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from krmkit.krm.annotations import Location
from krmkit.krm.resource import Resource
from krmkit.libraries.cel.expressions import CelError
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.data import go_data, same_data
from krmkit.libraries.yaml.document import parse_all
from krmkit.systems.porch.api.apinames import PorchError, in_namespace
from krmkit.systems.porch.sets import generate as generatevariants
from krmkit.systems.porch.sets import targets
from krmkit.systems.porch.sets import validation as setvalidation
from krmkit.systems.porch.sets.expressions import ExpressionScope, MapTemplate, TemplateExpression
from krmkit.systems.porch.sets.specs import VariantRenderer
from krmkit.systems.porch.sets.targets import DownstreamTarget, TargetObject
from krmkit.systems.porch.variants import (
    apply as applyvariant,
)
from krmkit.systems.porch.variants import (
    candidates,
    context,
    gates,
    injection,
    injectionpoint,
    naming,
)
from krmkit.systems.porch.variants import (
    pipeline as variantpipeline,
)
from krmkit.systems.porch.variants import (
    validation as variant,
)
from krmkit.systems.porch.variants.packageview import CONTEXT_FILE, PackageView
from tests.conformance.adapters._porch_sync import judge_reconcile
from tests.conformance.adapters.porch_lifecycle import judge_kptfile_merge, pv_lifecycle

_SCALAR = "the resource is a single value, where a resource (a mapping with apiVersion and kind) must stand"

Record = dict[str, Any]
Judge = Callable[[Record, Path], tuple[bool, str]]


def judge(run: Callable[[Record], object]) -> Judge:
    """Runs a record's operation and compares with `expect` or `expect_error`; what raises PorchError is an error message."""

    def judged(record: Record, _: Path) -> tuple[bool, str]:
        try:
            result, message = run(record["input"]), ""
        except (PorchError, CelError) as error:
            result, message = None, str(error)
        if "expect_error" in record:
            return _same_error(record["expect_error"], message, record.get("cel_error", False))
        if message:
            return False, f"error: {message}"
        # `revision` is what the server writes into its own copy of a valid upstream; a function has no such copy.
        expected = {key: value for key, value in record["expect"].items() if (key, value) != ("revision", -1)}
        return result == expected, f"got {result}, expected {expected}"

    return judged


def _same_error(expected: str | list[str], message: str, loose: bool) -> tuple[bool, str]:
    parts = [expected] if isinstance(expected, str) else expected
    if loose:
        # After the field's prefix the words are the CEL library's.
        parts = [part.split(": ", 1)[0] for part in parts]
    return bool(message) and all(part in message for part in parts), f"error {message!r}, expected {parts}"


def pv_validation(given: Record) -> object:
    if given["op"] == "validate_upstream":
        errors = variant.validate_upstream(given["upstream"])
        if errors:
            raise PorchError("; ".join(errors))
        return {"valid": True}
    errors = variant.validate_variant(given["packageVariant"].get("spec") or {})
    if errors:
        raise PorchError("; ".join(errors))
    return {"valid": True}


def whole_message(run: Callable[[Record], object]) -> Judge:
    """As `judge`, but the message is compared whole."""

    def judged(record: Record, folder: Path) -> tuple[bool, str]:
        if "expect_error" not in record:
            return judge(run)(record, folder)
        expected = record["expect_error"]
        expected = expected if isinstance(expected, str) else "; ".join(expected)
        try:
            result = run(record["input"])
        except PorchError as error:
            return str(error) == expected, f"error {error}, expected {expected}"
        return False, f"no error but {result}"

    return judged


def pvs_validation(given: Record) -> object:
    errors = setvalidation.validate_set(given["packageVariantSet"].get("spec") or {})
    if errors:
        raise PorchError("; ".join(errors))
    return {"valid": True}


def _object(data: Record) -> TargetObject:
    metadata = data.get("metadata") or {}
    return TargetObject(
        metadata.get("name", ""),
        metadata.get("namespace", ""),
        metadata.get("labels") or {},
        metadata.get("annotations") or {},
    )


def _listing(given: Record) -> targets.Listing:
    namespace = given["packageVariantSet"]["metadata"].get("namespace", "")

    def listing(version: str, kind: str) -> Iterable[TargetObject]:
        if "listedObjects" in given:
            return [_object(data) for data in given["listedObjects"]]
        return [
            _object(data)
            for data in given.get("objects") or ()
            if (data["apiVersion"], data["kind"]) == (version, kind)
            and in_namespace(data["metadata"].get("namespace", ""), namespace)
        ]

    return listing


def _by_name(objects: Iterable[TargetObject]) -> dict[str, TargetObject]:
    found: dict[str, TargetObject] = {}
    for item in objects:
        found.setdefault(item.name, item)
    return found


def pvs_unroll(given: Record) -> object:
    if given["op"] == "get_upstream":
        revisions = [revision["spec"] for revision in given["packageRevisions"]]
        return {"found": targets.find_upstream(given["upstream"], revisions)}
    spec = given["packageVariantSet"]["spec"]
    if given["op"] == "unroll":
        found = []
        for entry in targets.unroll(spec, _listing(given)):
            downstream = {"repoDefault": entry.repo, "packageDefault": entry.package}
            if entry.object is not None:
                downstream["object"] = entry.object.name
            found.append(downstream)
        return {"downstreams": found}
    set_name = given["packageVariantSet"]["metadata"]["name"]
    downstreams = [
        DownstreamTarget(0, each["repoDefault"], each["packageDefault"], None)
        for each in given["downstreams"]
    ]
    existing = [each["metadata"]["name"] for each in given["existingPackageVariants"]]
    places = [each["spec"]["downstream"] for each in given["existingPackageVariants"]]
    identifiers = [naming.variant_identifier(set_name, one["repo"], one["package"]) for one in places]
    generated = generatevariants.generate(set_name, spec, downstreams, TargetObject(""), {})
    changes = generatevariants.reconcile(generated.variants, identifiers)
    return {
        "deleted": sorted(existing[position] for position in changes.deleted),
        "updated": sorted(existing[position] for position, _ in changes.updated),
        "created": sorted(created.name for created in changes.created),
    }


def pvs_render(given: Record) -> object:
    selected = given.get("targetObject")
    downstream = DownstreamTarget(
        0,
        given["repoDefault"],
        given["packageDefault"],
        given["template"],
        _object(selected) if selected else None,
    )
    repositories = _by_name(_object(data) for data in given["repositories"])
    upstream = _object(given["upstreamPackageRevision"])
    return {
        "spec": VariantRenderer(
            given["packageVariantSet"]["spec"]["upstream"], upstream, repositories
        ).render(downstream)
    }


def pvs_generate(given: Record) -> object:
    if given["op"] == "name":
        return {"name": naming.variant_name(given["identifier"])}
    if given["op"] == "unroll":
        return pvs_unroll(given)
    packages = given["packageVariantSet"]
    spec = packages.get("spec") or {}
    errors = setvalidation.validate_set(spec)
    if errors:
        raise PorchError("; ".join(errors))
    listing = _listing(given)
    repositories = _by_name(listing("config.porch.kpt.dev/v1alpha1", "Repository"))
    generated = generatevariants.generate(
        packages["metadata"]["name"],
        spec,
        targets.unroll(spec, listing),
        _object(given.get("upstreamPackageRevision") or {}),
        repositories,
    )
    found = [{"name": each.name, "spec": each.spec} for each in generated.variants]
    return {"packageVariants": sorted(found, key=lambda each: str(each["name"]))}


def cel(given: Record) -> object:
    scope = ExpressionScope()
    if given["op"] == "overlay_map":
        template = MapTemplate(
            "", {"map": given["map"], given["fieldName"]: given["mapExprs"]}, "map", given["fieldName"], scope
        )
        return {"map": template.evaluate(scope.bind(given["variables"]))}
    expression = TemplateExpression("expr", given["expr"], scope)
    return {"result": expression.text(scope.bind(given["variables"]))}


def cel_errors(record: Record, folder: Path) -> tuple[bool, str]:
    """The words of an error are the library's: it has to fail in the same phase, while compiling or while evaluating."""
    if "expect_error" not in record:
        return judge(cel)(record, folder)
    expected = record["expect_error"]
    try:
        result = cel(record["input"])
    except PorchError as error:
        message = str(error).removeprefix("expr: ")
        texts = [expected] if isinstance(expected, str) else expected
        static = all(text.startswith("ERROR: <input>") for text in texts)
        fits = message.startswith("ERROR: <input>") or not static
        if record["input"]["op"] == "overlay_map":
            # We add the entry's field before the library's text.
            return _same_error(expected, message, loose=True)
        return fits, f"error {message}, expected {expected}"
    return False, f"no error but {result}"


# Packages


class Files:
    """A package as the records have it, file name -> text or documents; kept to be written back."""

    def __init__(self, given: Record) -> None:
        texts = given.get("resources")
        if texts is None:
            texts = {
                file: "---\n".join(emit.document(data) for data in documents)
                for file, documents in given["objects"].items()
            }
        self.resources: dict[str, list[Resource]] = {}
        for file, text in texts.items():
            parts = [part for part in ("\n" + text).split("\n---\n") if part.strip()]
            self.resources[file] = [
                Resource(
                    part.removeprefix("\n") if part.endswith("\n") else part.removeprefix("\n") + "\n",
                    location=Location(file, index),
                )
                for index, part in enumerate(parts)
            ]
        self.package = PackageView(resource for found in self.resources.values() for resource in found)

    def texts(self) -> dict[str, str]:
        return {
            file: "---\n".join(resource.text for resource in found) for file, found in self.resources.items()
        }


def _objects(texts: dict[str, str]) -> dict[str, list[object]]:
    return {file: [go_data(document.root) for document in parse_all(text)] for file, text in texts.items()}


def _lines(texts: dict[str, str]) -> dict[str, list[str]]:
    """Lines without indentation and blank ones: the reference indents all lists anew."""
    return {file: [line.strip() for line in text.split("\n") if line.strip()] for file, text in texts.items()}


def _candidates(given: Record) -> list[candidates.Candidate]:
    variant_namespace = (given.get("packageVariant") or {}).get("metadata", {}).get("namespace", "")
    return [
        candidates.Candidate(data)
        for data in given.get("clusterObjects") or ()
        if in_namespace((data.get("metadata") or {}).get("namespace", ""), variant_namespace)
    ]


def _run(operation: str, package: PackageView, given: Record) -> None:
    packages = given.get("packageVariants") or [given["packageVariant"]]
    for each in packages:
        name, spec = each["metadata"]["name"], each.get("spec") or {}
        if operation == "ensure_package_context":
            context.set_package_context(package, spec.get("packageContext"))
        elif operation == "ensure_krm_functions":
            variantpipeline.prepend_pipeline(package, name, spec.get("pipeline"))
        elif operation == "ensure_config_injection":
            injection.inject_config(package, spec.get("injectors") or [], _candidates(given))
        else:
            applyvariant.apply_variant(package, name, spec, _candidates({**given, "packageVariant": each}))


def package_operation(record: Record, _: Path) -> tuple[bool, str]:
    """Runs the operation on the files, compares objects and, where they are given, texts, order of keys, and a second run."""
    given = record["input"]
    operation = given["op"]
    if operation not in {"apply", "apply_chain"} and not operation.startswith("ensure"):
        return judge(_PARTS[operation])(record, _)
    files = Files(given)
    before = files.texts()
    try:
        _run(operation, files.package, given)
    except PorchError as error:
        # That the input stays as it was is the runtime's part: an error throws the edited list away.
        return _same_error(record.get("expect_error", "no error"), str(error), False)
    if "expect_error" in record:
        return False, f"no error, expected {record['expect_error']}"
    after, expected = files.texts(), record["expect"]
    if "contains" in expected:
        return _text_holds(after, expected)
    objects = _objects(after)
    if "objects" in expected and not same_data(objects, expected["objects"]):
        return False, f"got {objects}, expected {expected['objects']}"
    if "resources" in expected and _lines(after) != _lines(expected["resources"]):
        return False, f"got {after}, expected {expected['resources']}"
    for file, keys in (
        (expected.get("key_order") or {}).items() if isinstance(expected.get("key_order"), dict) else ()
    ):
        if list(_dig(objects[file][0], "data")) != keys:
            return False, f"{file}: keys are {list(_dig(objects[file][0], 'data'))}, expected {keys}"
    if isinstance(expected.get("key_order"), list):
        keys = list(_dig(objects["package-context.yaml"][0], "data"))
        if keys != expected["key_order"]:
            return False, f"keys are {keys}, expected {expected['key_order']}"
    if expected.get("idempotent"):
        again = Files({"resources": after})
        _run(operation, again.package, given)
        if again.texts() != after:
            return False, f"a second run gives {again.texts()} after {after}"
    return True, f"from {before}"


def _dig(data: object, key: str) -> dict[str, object]:
    found = data.get(key) if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}


def _text_holds(texts: dict[str, str], expected: Record) -> tuple[bool, str]:
    for file, parts in expected["contains"].items():
        missing = [part for part in parts if part not in texts[file]]
        if missing:
            return False, f"{file} lacks {missing}: {texts[file]}"
    text = texts[expected["file"]]
    position = 0
    for part in expected["in_order"]:
        position = text.find(part, position)
        if position < 0:
            return False, f"{part!r} is missing or too early in {text}"
        position += len(part)
    present = [part for part in expected["absent"] if part in text]
    return not present, f"{present} occur in {text}"


def _points(given: Record) -> list[injectionpoint.InjectionPoint]:
    points = []
    for data in given["injectionPoints"]:
        point = injectionpoint.InjectionPoint(data["file"], data["conditionType"], data["required"])
        point.errors = list(data.get("errors") or ())
        point.injected, point.injected_name = data.get("injected", False), data.get("injectedName", "")
        points.append(point)
    return points


def _found_points(given: Record) -> list[injectionpoint.InjectionPoint]:
    """Return the points; an error about a value where a resource must stand gets the words of Go's library."""
    try:
        return injection.find_injection_points(Files(given).package)
    except PorchError as error:
        raise PorchError(str(error).replace(_SCALAR, "unhandled node kind 8")) from None


def _find(given: Record) -> object:
    found = [
        {
            "file": point.file,
            "required": point.required,
            "conditionType": point.condition_type,
            "errors": point.errors,
        }
        for point in _found_points(given)
    ]
    return {"injectionPoints": sorted(found, key=lambda point: str(point["conditionType"]))}


def _validate(given: Record) -> object:
    injection.validate_injection_points(_points(given))
    return {"valid": True}


def _set_gates(given: Record) -> object:
    kptfile = Resource.from_data({"kind": "Kptfile", **given["kptfile"]})
    gates.set_conditions_and_gates(kptfile, _points(given))
    data = kptfile.get()
    return {
        "kptfile": {key: value for key, value in data.items() if key != "kind"}
        if isinstance(data, dict)
        else data
    }


_PARTS: dict[str, Callable[[Record], object]] = {
    "find_injection_points": _find,
    "validate_injection_points": _validate,
    "set_conditions_and_gates": _set_gates,
    "generate_name": lambda given: {
        "name": naming.function_name(given["pvName"], given["funcName"], given["pos"])
    },
    "is_pv_func": lambda given: {"result": _is_function(given["function"], given["pvName"])},
}


def _is_function(function: Record, variant_name: str) -> bool:
    return variantpipeline.is_own_function(Resource.from_data(function).root, variant_name, "the function")


def gen_package_context(record: Record, _: Path) -> tuple[bool, str]:
    """All items as data, and the generated one as text; the others' text is not part of the input."""
    expected = record["expect"]
    package = PackageView(Resource.from_data(data) for data in record["input"]["resourceList"]["items"])
    kept = [resource for resource in package.resources if not context.is_package_context(resource)]
    # A variant's build writes this text to the file that an item of a list names.
    place = f"    internal.config.kubernetes.io/path: '{CONTEXT_FILE}'\n"
    text = context.context_text(package.single("Kptfile").name)
    fresh = Resource(text.replace("\ndata:\n", f"\n{place}data:\n"))
    items = [resource.get() for resource in [*kept, fresh]]
    if not same_data(items, expected["resourceList"]["items"]):
        return False, f"got {items}, expected {expected['resourceList']['items']}"
    lines = ["  " + line if index else "- " + line for index, line in enumerate(fresh.text.splitlines())]
    text = "\n".join(lines) + "\n"
    return text in expected["text"], f"{text} is not in {expected['text']}"


def porch_real(record: Record, folder: Path) -> tuple[bool, str]:
    """A record that the real controllers made: the judge is chosen by its operation."""
    judges = {"eval": cel_errors, "validate": whole_message(pv_validation), "generate": judge(pvs_generate)}
    return judges.get(record["input"]["op"], package_operation)(record, folder)


FILES: dict[str, Judge] = {
    "pv_validation.jsonl": whole_message(pv_validation),
    "pvs_validation.jsonl": whole_message(pvs_validation),
    "pvs_unroll.jsonl": judge(pvs_unroll),
    "pvs_render.jsonl": judge(pvs_render),
    "pvs_generate.jsonl": judge(pvs_generate),
    "cel.jsonl": cel_errors,
    "package_context.jsonl": package_operation,
    "pipeline.jsonl": package_operation,
    "injection.jsonl": package_operation,
    "apply.jsonl": package_operation,
    "kptfile_text.jsonl": package_operation,
    "kpt_gen_package_context.jsonl": gen_package_context,
    "pv_lifecycle.jsonl": judge(pv_lifecycle),
    "kptfile_merge.jsonl": judge_kptfile_merge,
    "porch_real.jsonl": porch_real,
    "porch_real_sync.jsonl": lambda record, _: judge_reconcile(record),
}
