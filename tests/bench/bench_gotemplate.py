"""Go templates against jinja2 on templates that say the same, and what importing the engine costs.

Both engines get templates from the same text each time (no cache) and make the same output, which is compared first.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import jinja2

from krmkit.libraries.gotemplate import parse
from tests.bench.timing import INTERPRETER, Command, MeasureError, Row, calls, in_turns, row

GROUP = "Go templates"
FOLDER = Path(__file__).resolve().parent / "templates"
SHARED = Path(__file__).resolve().parents[2] / "shared"

DATA: dict[str, dict[str, object]] = {
    "kubeadm": {
        "cluster": {
            "name": "edge-7",
            "version": "1.31.4",
            "endpoint": {"host": "10.20.0.10", "port": 6443},
            "registry": "registry.k8s.io",
            "sans": ["10.20.0.10", "edge-7.example.org", "127.0.0.1"],
        },
        "network": {
            "pods": "10.244.0.0/16",
            "services": "10.96.0.0/12",
            "domain": "cluster.local",
            "dns": "10.96.0.10",
        },
        "audit": {"days": 30},
        "oidc": {"enabled": True, "issuer": "https://id.example.org", "client": "kubernetes"},
        "etcd": {"dir": "/var/lib/etcd", "quota": "8589934592"},
        "node": {
            "name": "edge-7-0",
            "address": "10.20.0.11",
            "labels": "site=harbour,tier=edge",
            "pods": 110,
            "taints": [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}],
            "reserved": {"cpu": "200m", "memory": "512Mi"},
        },
        "proxy": {"ipvs": True},
    },
    "deployitem": {
        "release": "monitoring",
        "domain": "example.org",
        "clusters": [
            {
                "name": f"site-{site}",
                "target": f"target-{site}",
                "namespaces": [
                    {
                        "name": f"team-{team}",
                        "host": f"host-{team}",
                        "port": "8443",
                        "path": "api",
                        "debug": team % 2 == 0,
                    }
                    for team in range(6)
                ],
            }
            for site in range(5)
        ],
    },
    "macro": {"spectro": {"system": {"cluster": {"name": "edge-7"}}}},
}
TITLES = {
    "kubeadm": "a kubeadm file of 150 lines",
    "deployitem": "a deploy item with nested ranges and printf",
    "macro": "one macro",
}
TIMES = {"kubeadm": (5, 50), "deployitem": (10, 20), "macro": (50, 500)}

ENGINE = f"import sys; sys.path.insert(0, {str(SHARED)!r}); from krmkit.libraries.gotemplate import parse"


def rows() -> list[Row]:
    """Ratios of the engine to jinja2, and of its import to that of re."""
    return [line for name in DATA for line in against_jinja2(name)] + imports()


def against_jinja2(name: str) -> list[Row]:
    ours = (FOLDER / f"{name}.gotmpl").read_text("utf-8")
    theirs = (FOLDER / f"{name}.jinja").read_text("utf-8")
    data = DATA[name]
    environment = jinja2.Environment(keep_trailing_newline=True, cache_size=0)
    template = parse(ours)
    other = environment.from_string(theirs)
    if template.execute(data) != other.render(data):
        raise MeasureError(f"the two templates for {TITLES[name]} differ in their output")
    parses, executions = TIMES[name]
    taken = in_turns(
        {
            "parse": calls(lambda: parse(ours), parses),
            "compile": calls(lambda: environment.from_string(theirs), parses),
            "execute": calls(lambda: template.execute(data), executions),
            "render": calls(lambda: other.render(data), executions),
        },
        41,
    )
    title = TITLES[name]
    return [
        row(GROUP, f"{title}: parse, in microseconds", taken["parse"] * 1e6, "us"),
        row(GROUP, f"{title}: parse against jinja2's compile", taken["parse"] / taken["compile"], "x", 0.5),
        row(GROUP, f"{title}: execute, in microseconds", taken["execute"] * 1e6, "us"),
        row(GROUP, f"{title}: execute against jinja2's render", taken["execute"] / taken["render"], "x", 2),
    ]


def imports() -> list[Row]:
    """Whole interpreters, isolated and without site-packages, everything compiled beforehand."""
    subprocess.run([INTERPRETER, "-m", "compileall", "-q", str(SHARED / "krmkit")], check=True)
    taken = in_turns(
        {
            "bare": Command([INTERPRETER, "-I", "-S", "-c", "import re"]).seconds,
            "engine": Command([INTERPRETER, "-I", "-S", "-c", ENGINE]).seconds,
        },
        61,
    )
    title = "importing the engine without sprig, against the bare interpreter with import re"
    return [row(GROUP, title, taken["engine"] / taken["bare"], "x", 1.3)]


if __name__ == "__main__":
    for line in rows():
        print(f"{line['name']:90} {line['value']:8.3f} {line['unit']} {line['goal']}", file=sys.stdout)
