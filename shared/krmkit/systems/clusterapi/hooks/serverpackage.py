"""Configure the package that serves extensions in a management cluster, from one config.

All parts share the name of the Deployment: Service, Certificate, ConfigMap and others. An ExtensionConfig
belongs to the package if its service has this name.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from typing import Any

from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.json import Object
from krmkit.libraries.yaml import emit
from krmkit.systems.clusterapi.hooks.extensionconfig import KIND as CONFIG
from krmkit.systems.clusterapi.hooks.extensionschema import API_VERSION, EXTENSION, KIND

CONTAINER = "server"
INJECT_CA = "runtime.cluster.x-k8s.io/inject-ca-from-secret"
_CLIENT = ("spec", "clientConfig")
_LARGEST = 1 << 20  # bytes of a ConfigMap
# Annotations of orchestrators and packages; kpt numbers items while a pipeline runs.
_OF_PACKAGES = ("config.kubernetes.io/", "internal.config.kubernetes.io/", "config.k8s.io/", "kpt.dev/")
_PEM = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")


def configure_server(items: Iterable[Resource], spec: Object) -> list[Finding]:
    """Fill in namespace, image, host names, authority and extensions. After an error nothing has changed.

    spec: name, and optionally the new namespace, image and caBundle (PEM); see function.yaml.
    """
    listed = list(items)
    package = _ServerPackage([one for one in listed if not one.is_local_config], str(spec["name"]))
    if package.deployment is None:
        return [
            Finding(
                "no-server",
                f"there is no Deployment {quote(spec['name'])} with a container {quote(CONTAINER)}",
            )
        ]
    authority = str(spec.get("caBundle") or "").strip()
    if authority and not (authority.startswith(_PEM[0]) and authority.endswith(_PEM[1])):
        return [Finding("bad-ca", f'must be a certificate in PEM, "{_PEM[0]} ..."', field="spec.caBundle")]
    extensions = [one for one in listed if one.kind == KIND and one.api_version == API_VERSION]
    findings = _problems(extensions)
    if findings:
        return findings
    data = {f"{one.name}.yaml": emit.document(_plain(one)) for one in extensions}
    size = sum(len(text.encode()) for text in data.values())
    if size > _LARGEST:
        message = f"the TopologyExtensions have {size} bytes; a ConfigMap holds at most {_LARGEST} bytes"
        return [Finding("too-large", message)]
    if spec.get("namespace"):
        package.move(str(spec["namespace"]))
    if spec.get("image"):
        package.deployment.set(package.image, spec["image"])
    package.name_hosts()
    if authority:
        package.trust(authority + "\n")
    if extensions:
        findings = package.serve(extensions, data)
    return findings


def _problems(items: list[Resource]) -> list[Finding]:
    """Return the errors of each extension; if there are none, the conflicts between extensions."""
    from krmkit.systems.clusterapi.hooks.serving import Served
    from krmkit.systems.clusterapi.hooks.topologyextension import TopologyExtension

    found, extensions = [], []
    for item in items:
        data: Any = item.get()
        if not isinstance(data.get("metadata"), dict) or not item.name:
            found.append(Finding("bad-extension", "must be a mapping with a name", item, "metadata"))
            continue
        extension = TopologyExtension(data)
        extensions.append(extension)
        found += [Finding("bad-extension", message, item, field) for field, message in extension.problems]
    if not found:
        try:
            Served(extensions)
        except Refused as error:
            found.append(Finding("bad-extension", str(error)))
    return found


class _ServerPackage:
    """The resources of the package. `image` is the path of the image in the Deployment."""

    def __init__(self, items: list[Resource], name: str) -> None:
        self._items = items
        self._name = name
        self.deployment: Resource | None = None
        self.image: tuple[str | int, ...] = ()
        for item in self._of("Deployment"):
            containers: Any = item.get("spec", "template", "spec", "containers", default=[])
            for index, container in enumerate(containers if isinstance(containers, list) else []):
                if isinstance(container, dict) and container.get("name") == CONTAINER:
                    self.deployment = item
                    self.image = ("spec", "template", "spec", "containers", index, "image")
        self._configs = [
            one for one in items if one.kind == CONFIG and one.get(*_CLIENT, "service", "name") == name
        ]

    def _of(self, kind: str) -> list[Resource]:
        return [one for one in self._items if one.kind == kind and one.name == self._name]

    @property
    def _namespace(self) -> str:
        return self.deployment.namespace if self.deployment is not None else ""

    def move(self, namespace: str) -> None:
        """Move all items of the Deployment's namespace to another one, and update the references to it."""
        before = self._namespace
        for item in self._items:
            if item.kind == "Namespace" and item.name == before:
                item.set(("metadata", "name"), namespace)
            elif item.namespace == before:
                item.set(("metadata", "namespace"), namespace)
        for config in self._configs:
            config.set((*_CLIENT, "service", "namespace"), namespace)
            secret = config.annotation(INJECT_CA).rpartition("/")[2]
            if secret:
                config.set(("metadata", "annotations", INJECT_CA), f"{namespace}/{secret}")

    def name_hosts(self) -> None:
        """Set the certificate's names to the host that controllers call."""
        host = f"{self._name}.{self._namespace}.svc"
        for certificate in self._of("Certificate"):
            names = [host, f"{host}.cluster.local"]
            if certificate.get("spec", "dnsNames") != names:
                certificate.set(("spec", "dnsNames"), names)

    def trust(self, authority: str) -> None:
        """Set `authority` as the CA of the ExtensionConfigs, in place of a Secret's."""
        for config in self._configs:
            config.set((*_CLIENT, "caBundle"), b64encode(authority.encode()).decode())
            config.remove(("metadata", "annotations", INJECT_CA))

    def serve(self, extensions: list[Resource], data: dict[str, str]) -> list[Finding]:
        """Write the extensions to the ConfigMap, and point each ExtensionConfig to its extension."""
        for item in self._of("ConfigMap"):
            if item.get("data") != data:
                item.set(("data",), data)
        called: dict[str, list[Resource]] = {}
        for config in self._configs:
            called.setdefault(config.annotation(EXTENSION) or config.name, []).append(config)
        by_name = {config.name: config for config in self._configs}
        findings = []
        for extension in extensions:
            named = extension.annotation(EXTENSION) or extension.name
            configs = list(called.get(extension.name, ()))
            if named in by_name:
                configs.append(by_name[named])
            for config in configs:
                config.set((*_CLIENT, "service", "path"), f"/{extension.name}")
            if not configs:
                message = f"no {CONFIG} {quote(named)} calls the service {quote(self._name)}, so no controller calls this extension"
                findings.append(Finding("not-called", message, extension))
        return findings


def _plain(item: Resource) -> Object:
    """Return the extension without annotations that only the package needs."""
    data: Any = item.get()
    metadata = {key: value for key, value in data["metadata"].items() if key != "annotations"}
    kept = {name: value for name, value in item.annotations.items() if not name.startswith(_OF_PACKAGES)}
    return {**data, "metadata": {**metadata, "annotations": kept} if kept else metadata}
