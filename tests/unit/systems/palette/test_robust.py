"""Whatever stands in a pack, the rules answer with findings."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.libraries.yaml.tree import Scalar
from krmkit.systems.palette.constraints.format import Format
from krmkit.systems.palette.constraints.pools import MachinePool
from krmkit.systems.palette.constraints.template import SchemaTemplate
from krmkit.systems.palette.constraints.validate import ValidationOptions, validate
from krmkit.systems.palette.packs.keypath import KeyPath
from krmkit.systems.palette.packs.pack import Pack


def mixed(*pieces: str) -> st.SearchStrategy[str]:
    """Texts of the pieces that mean something, and of anything else."""
    return st.lists(st.sampled_from(pieces) | st.text(max_size=2), max_size=12).map("".join)


TEMPLATES = mixed(
    "{{", "}}", "|", " ", '"', '\\"', "required", "readonly", "format", "hints", "${string}", "x"
)
FORMATS = mixed(
    "${", "}", ":", "/", "[", "]", "-", ",", "string", "number", "list", "ipv4", "version", "1", "a|b", "("
)
VALUES = mixed("a", ".", "1", "-", ":", "/", "v", "0", "true", "1.2.3.4", " ")
YAML = mixed(
    "a",
    ": ",
    "\n",
    "- ",
    "[",
    "]",
    "{",
    "}",
    "&x ",
    "*x",
    "<<",
    "'",
    '"',
    "1",
    ".",
    "$[]",
    "  ",
    "{{ .spectro.var.x }}",
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["cpu", "worker", "a", "1.2"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "dependencies",
                    "resources",
                    "packName",
                    "layer",
                    "type",
                    "minVersion",
                    "minLimit",
                    "components",
                ]
                + ["resourceRequestParamRef", "replicaCountParamRef", "scheduleType"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(TEMPLATES)
def test_templates(text: str) -> None:
    """A template is read, or refused."""
    with suppress(Refused):
        template = SchemaTemplate.parse(text)
        assert template.format is None or isinstance(template.format, str)


@given(FORMATS, VALUES)
def test_formats(text: str, value: str) -> None:
    """A format is read, or refused; a value fits it or does not."""
    with suppress(Refused):
        assert Format.parse(text).accepts(Scalar(value, '"')) in (True, False)


@given(mixed("a", ".", "$[]", '"', "b"))
def test_key_paths(text: str) -> None:
    """A key path is read, or refused."""
    with suppress(Refused):
        assert KeyPath.parse(text).segments


@given(JSON, YAML, YAML, YAML, TEMPLATES)
def test_packs(constraints: object, values: str, defaults: str, schema: str, template: str) -> None:
    """A pack of any content ends in findings, the same each time."""

    def run() -> list[Finding]:
        quoted = template.replace("'", "''").replace("\n", " ")
        texts = (values, None, f"{schema}\na.$[]: {{schema: '{quoted}'}}\n", defaults)
        pack = Pack({"name": "a", "version": "1", "layer": "addon", "constraints": constraints}, *texts)
        return validate(
            [pack],
            ValidationOptions(
                [MachinePool.of({"name": "w", "size": 1, "cpu": 1})], previous=[pack], merge_defaults=True
            ),
        )

    findings = run()

    assert all(finding.message and finding.severity in ("error", "warning", "info") for finding in findings)
    assert [repr(finding) for finding in findings] == [repr(finding) for finding in run()]
