"""Letter case: Go maps rune to rune, goutils and xstrings have their own idea of words."""

from __future__ import annotations

import pytest

from krmkit.libraries.sprig import call


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        pytest.param("upper", "straße ŉ ᾳ", "STRAßE ŉ ᾼ", id="upper maps one rune to one"),
        pytest.param("lower", "İX Σ", "ix σ", id="lower maps one rune to one"),
        pytest.param("upper", "a\udcff", "A\ufffd", id="upper of a stray byte"),
        pytest.param("title", "kube-proxy's node_pool 2nd", "Kube-Proxy'S Node_pool 2nd", id="title"),
        pytest.param("title", "ǆ a–b", "ǅ A–b", id="title case, and a dash outside ASCII"),
        pytest.param("untitle", "My Big POD", "my big pOD", id="untitle"),
        pytest.param("swapcase", "aB ǆC", "Ab ǅc", id="swapcase puts word starts in title case"),
        pytest.param("initials", "worker  node pool", "wnp", id="initials"),
        pytest.param("initials", "éa b", "Ãb", id="initials goes by bytes"),
        pytest.param("nospace", "a\t b\n", "ab", id="nospace"),
        pytest.param("nospace", "é", "é", id="nospace leaves a text without blanks alone"),
        pytest.param("nospace", "é b", "Ã©b", id="nospace goes by bytes"),
        pytest.param("camelcase", "machine_pool-name", "MachinePoolName", id="camelcase"),
        pytest.param("camelcase", "API_server", "ApiServer", id="camelcase lowers a run of capitals"),
        pytest.param("camelcase", "__x", "__X", id="camelcase keeps leading connectors"),
        pytest.param("camelcase", "a__b_", "A_B_", id="camelcase keeps one of several connectors"),
        pytest.param("camelcase", "--", "---", id="camelcase of connectors alone"),
        pytest.param("snakecase", "NodePool", "node_pool", id="snakecase"),
        pytest.param("snakecase", "DNSName", "dns_name", id="snakecase of an abbreviation"),
        pytest.param("snakecase", "port8080tcp", "port_8080tcp", id="snakecase puts digits to what follows"),
        pytest.param("snakecase", "Port8080", "port8080", id="snakecase of final digits"),
        pytest.param("snakecase", "IPv4Address", "i_pv4_address", id="snakecase of digits between words"),
        pytest.param("snakecase", "a.B c", "a.b_c", id="snakecase and punctuation"),
        pytest.param("snakecase", "日本Go", "日本_go", id="snakecase and ideographs"),
        pytest.param("kebabcase", "My App_v2", "my-app-v2", id="kebabcase"),
        pytest.param("kebabcase", "", "", id="nothing"),
    ],
)
def test_case(name: str, text: str, expected: str) -> None:
    """Each function treats words as its original does."""
    assert call(name, text) == expected
