"""The Debian packages of a root file system as components of a bill of materials."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from tools.definitions import Data


def packages(rootfs: Path) -> list[Data]:
    """One component for each record that `make base-image` keeps in var/lib/dpkg/status.d."""
    lines = (rootfs / "etc/os-release").read_text("utf-8").splitlines()
    system = {key: value.strip('"') for key, _, value in (line.partition("=") for line in lines)}
    distro = f"{system['ID']}-{system['VERSION_ID']}"
    records = sorted((rootfs / "var/lib/dpkg/status.d").glob("*"))
    return [package(path.read_text("utf-8"), distro) for path in records]


def package(record: str, distro: str) -> Data:
    """The component of one record. Scanners look for weaknesses by the distribution, and by the source that a package was made from."""
    fields = dict(line.split(": ", 1) for line in record.splitlines() if ": " in line and line[0] != " ")
    name, version = fields["Package"], fields["Version"]
    source, _, source_version = fields.get("Source", name).rstrip(")").partition(" (")
    qualifiers = {"arch": fields["Architecture"], "distro": distro}
    if source != name or source_version:
        qualifiers["upstream"] = source + (f"@{source_version}" if source_version else "")
    pairs = "&".join(f"{key}={quote(value, safe='.~-')}" for key, value in qualifiers.items())
    purl = f"pkg:deb/debian/{quote(name, safe='.~-')}@{quote(version, safe='.~-')}?{pairs}"
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
