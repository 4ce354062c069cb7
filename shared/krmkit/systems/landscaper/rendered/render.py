"""Render Installations into items: deploy items, nested installations, import copies and exports.

Objects that only an earlier run generated are removed; unchanged objects keep their text.
"""

from __future__ import annotations

from dataclasses import replace

from krmkit.krm import annotations as names
from krmkit.krm.annotations import Location, is_place_key
from krmkit.krm.cause import CauseLog
from krmkit.krm.finding import ERROR, INFO, Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.schema.fields import entries, mapping, sequence, text
from krmkit.systems.landscaper.apinames import API_VERSION, HASH_ANNOTATION
from krmkit.systems.landscaper.components import configmaps as carrier
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow import exporttemplates
from krmkit.systems.landscaper.flow.landscape import Landscape
from krmkit.systems.landscaper.flow.outcome import LandscapeOptions, RenderedInstallation
from krmkit.systems.landscaper.form.admission import Admission, broken_installations
from krmkit.systems.landscaper.items.identity import name_of, namespace_of
from krmkit.systems.landscaper.items.installations import OWNER, Items, read
from krmkit.systems.landscaper.items.redact import Secrets
from krmkit.systems.landscaper.rendered.findings import given_findings, tree_findings, unused_entries
from krmkit.systems.landscaper.rendered.status import Statuses, execution_object, status_findings
from krmkit.systems.landscaper.templates.context import NOW_FIELD, moment

FOLDER = "landscape"


def render_items(resources: ResourceList, spec: Data, config: Resource | None = None) -> list[Finding]:
    """Render the Installations among the items; after an error, change nothing.

    spec: the spec of a RenderInstallation. config: its item, to which findings point.
    """
    items = read(resources)
    wanted = items.installations([str(one) for one in sequence(spec.get("installations"))], config)
    findings = [*items.findings, *given_findings(items, Admission(), Secrets(items.world))]
    try:
        options = replace(landscape_options(items, spec), broken=broken_installations(items.world))
        landscape = Landscape(items.world, items.repository, options)
        roots = landscape.run(wanted)
    except InstallationError as error:
        message = Secrets(items.world).scrub(error.message)
        place = error.field if error.field.startswith((exporttemplates.TEMPLATES_FIELD, NOW_FIELD)) else ""
        return [*findings, Finding(error.rule, message, config if place else None, place)]
    secrets = Secrets(items.world)
    for root in roots:
        findings += tree_findings(root, items, secrets)
        if spec["writeStatus"] is not True:
            findings += status_findings(root, items)
    if not roots and not items.generated:
        findings.append(Finding("no-installation", "there is no Installation among the items", severity=INFO))
    if wanted is None:
        findings += unused_entries(roots, spec, config)
    if any(one.severity == ERROR for one in findings):
        return findings
    writer = ItemWriter(resources, items, secrets if spec["redact"] else None, spec["apply"] is True)
    for root in roots:
        writer.tree(root, spec["writeStatus"] is True)
    findings += writer.taken
    if resources.causes is not None:
        writer.record(resources.causes, [one for root in roots for one in root.tree()])
    removed = writer.finish(everything=wanted is None)
    if removed:
        findings.append(Finding("removed", _removed(removed)))
    return findings


def _removed(count: int) -> str:
    what = (
        "one item that no installation makes any more was"
        if count == 1
        else f"{count} items that no installation makes any more were"
    )
    return f"{what} removed"


def landscape_options(items: Items, spec: Data) -> LandscapeOptions:
    """Return the options in a RenderInstallation's spec: exports of deploy items, nested names."""
    templates = [
        exporttemplates.ExportTemplate(
            text(one.get("name")),
            text(one.get("for")) or "deployItems",
            text(one.get("selector")),
            text(one.get("template")),
        )
        for one in entries(spec["exportTemplates"])
    ]
    told = {key: mapping(value) for key, value in mapping(spec["deployItemExports"]).items()}
    now = moment(spec.get("now"))
    return LandscapeOptions(
        deploy_item_exports=told,
        exporter=exporttemplates.exporter(templates, items.repository, now) if templates else None,
        installation_exporter=exporttemplates.installation_exporter(templates, now) if templates else None,
        names={key: str(value) for key, value in mapping(spec["names"]).items()},
        state=items.state,
        refusals=Admission().refusals,
        now=now,
    )


class ItemWriter:
    """Write generated objects into a list, in place of those of an earlier run."""

    def __init__(self, resources: ResourceList, items: Items, secrets: Secrets | None, apply: bool) -> None:
        self.resources = resources
        self.items = items
        self.secrets = secrets
        self.statuses = Statuses(items.world, hashed=secrets is None)
        self.apply = apply
        self.known = {(one.kind, one.namespace, one.name): one for one in items.generated}
        self.kept: set[int] = set()
        self.owners: set[str] = set()
        self.taken: list[Finding] = []

    def tree(self, root: RenderedInstallation, with_status: bool) -> None:
        """Write all objects of a root installation and its nested ones."""
        owner = f"{OWNER}{root.namespace}/{root.name}"
        self.owners.add(owner)
        uid = text(mapping(root.installation.get("metadata")).get("uid"))
        for one in root.tree():
            nested = {child.name: child for child in one.children} if with_status else {}
            for item in one.objects:
                if item["kind"] == "Installation" and name_of(item) in nested:
                    item = {**item, "status": self.statuses.of(nested[name_of(item)])}
                self.write(item, owner, one, uid if one is root else "")
            if any(one.state.values()):
                self.write(carrier.state_item(one.name, one.namespace, one.state), owner, one, "")
            if with_status and one.deploy_items:
                self.write(execution_object(one), owner, one, "")
        if with_status:
            place = self.items.place("Installation", root.namespace, root.name)
            if place is not None:
                self.statuses.write(place, root)

    def write(self, item: Data, owner: str, maker: RenderedInstallation, uid: str) -> None:
        data = self._marked(item, owner, uid)
        if self.secrets is not None:
            data = self.secrets.redacted(data)
        key = str(data["kind"]), namespace_of(data), name_of(data)
        known = self.known.get(key)
        place = self.items.place(*key)
        if place is not None:
            if key[0] in ("DataObject", "Target"):
                _take_over(place, data)
                message = f"{maker.path} exports this object, and so has taken it over"
                self.taken.append(Finding("taken-over", message, place))
            else:
                message = f"{maker.path} makes this object, too; an item that was not generated is left alone"
                self.taken.append(Finding("left-alone", message, place))
            return
        if known is None:
            path = f"{FOLDER}/{maker.namespace}/{maker.name}/{key[0].lower()}-{key[2]}.yaml"
            annotations = mapping(mapping(data["metadata"])["annotations"])
            mapping(data["metadata"])["annotations"] = {**annotations, **Location(path).annotations}
            resource = Resource.from_data(data, label=f"{key[0]} {key[2]}")
            self.known[key] = resource
            self.kept.add(id(resource))
            self.resources.add(resource)
            return
        self.kept.add(id(known))
        old = mapping(known.get())
        if _without_places(old) != _without_places(data):
            annotations = mapping(mapping(old.get("metadata")).get("annotations"))
            places = {name: value for name, value in annotations.items() if is_place_key(name)}
            metadata = mapping(data["metadata"])
            metadata["annotations"] = {**mapping(metadata["annotations"]), **places}
            fresh = Resource.from_data(data)
            if known.column:
                pad = "\n" + " " * known.column
                known.rewrite(fresh.text.rstrip("\n").replace("\n", pad) + "\n")
            else:
                known.rewrite(fresh.text)

    def record(self, causes: CauseLog, installations: list[RenderedInstallation]) -> None:
        """Record the causes of the written objects' values."""
        from krmkit.systems.landscaper.flow.causes import InstallationCauses

        def item_of(kind: str, namespace: str, name: str) -> Resource | None:
            key = kind, namespace, name
            return self.items.place(*key) or self.known.get(key)

        for one in installations:
            own = InstallationCauses(one, item_of)
            for data in one.objects:
                item = self.known.get((str(data["kind"]), namespace_of(data), name_of(data)))
                if item is not None:
                    causes.put(item, own.of(data))

    def finish(self, everything: bool) -> int:
        """Remove objects of an earlier run that were not written again; return their number."""
        stale = [
            one
            for one in self.items.generated
            if id(one) not in self.kept and (everything or one.annotation(names.GENERATED_BY) in self.owners)
        ]
        self.resources.remove(*stale)
        return len(stale)

    def _marked(self, item: Data, owner: str, uid: str) -> Data:
        metadata = dict(mapping(item["metadata"]))
        owners = entries(metadata.pop("ownerReferences", None))
        annotations = {**mapping(metadata.get("annotations")), names.GENERATED_BY: owner}
        if not self.apply or item.get("apiVersion") != API_VERSION:
            annotations[names.LOCAL_CONFIG] = "true"
        metadata["annotations"] = annotations
        if uid and owners:
            metadata["ownerReferences"] = [{**one, "uid": uid} for one in owners]
        return {**item, "metadata": metadata}


def _take_over(place: Resource, data: Data) -> None:
    """Write an exported object into its item as the controller does: value, labels, hash and owner."""
    metadata = mapping(data["metadata"])
    new: dict[tuple[str, ...], object] = {(key,): data[key] for key in ("data", "spec") if key in data}
    new |= {("metadata", "labels", name): value for name, value in mapping(metadata.get("labels")).items()}
    new["metadata", "annotations", HASH_ANNOTATION] = mapping(metadata["annotations"])[HASH_ANNOTATION]
    if "ownerReferences" in metadata:
        new["metadata", "ownerReferences"] = metadata["ownerReferences"]
    for path, value in new.items():
        if place.get(*path) != value:
            place.set(path, value)


def _without_places(data: Data) -> Data:
    metadata = mapping(data.get("metadata"))
    annotations = {
        key: value for key, value in mapping(metadata.get("annotations")).items() if not is_place_key(key)
    }
    return {**data, "metadata": {**metadata, "annotations": annotations}}
